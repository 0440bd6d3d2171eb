"""What is not a job: workers, the index of ids, lanes, and files that were recorded outside a transition."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from random import randrange
from secrets import token_hex
from typing import Any
from urllib.parse import quote, unquote

from blobforge.coordination.bucket.job_history import KeptFile, as_time, file_of, file_row, rows_in
from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.names import (
    FILES,
    IDENTITY,
    IDS,
    MAIN,
    RECORDS,
    WORKERS,
    IndexName,
    Lane,
    before,
    lane_of,
    listed,
    parse_index,
    parse_listed,
)
from blobforge.coordination.bucket.objects import Objects
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import Job
from blobforge.domain.loose_json import json_in, whole_in
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.service_record import ServiceRecord, read_record, record_json
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.objectstore.client import Only, StoredObject
from blobforge.objectstore.key_layout import LANE_LIST
from blobforge.telemetry.lazy import LazyLogger
from blobforge.thread_pool import ThreadPool

log = LazyLogger(__name__)

PAGE = 1_000
LANES_VALID_FOR = timedelta(minutes=14)
FOREIGN_ENTRY = (
    "another program left an entry among the workers; make sure that its worker does not run any more, and delete "
    "the object"
)


class Registry:
    def __init__(self, objects: Objects, pool: ThreadPool) -> None:
        self._objects = objects
        self._pool = pool
        self._lock = threading.Lock()
        self._last_id = 0
        self._lanes: set[Lane] = {MAIN}
        self._lanes_listed_at: datetime | None = None
        self._told_of: set[str] = set()

    # Ids

    def new_ids(self, count: int) -> list[JobId]:
        """They grow with time. Two random digits tell apart processes that add jobs in the same microsecond."""
        with self._lock:
            first = max(self._last_id + 1, time.time_ns() // 1_000 * 100 + randrange(100))  # noqa: S311 - no secret
            self._last_id = first + count - 1
            return [JobId(first + place) for place in range(count)]

    def index(self, jobs: Sequence[Job]) -> None:
        """Written before the jobs themselves, so that every job in the queue can be found by its id."""
        self._pool.each(lambda job: self._objects.put(IndexName(job.id, job.key).name, b""), jobs)

    def unindex(self, jobs: Sequence[Job]) -> None:
        if jobs:
            self._objects.delete_many([IndexName(job.id, job.key).name for job in jobs])

    def find(self, job_id: JobId) -> IndexName | None:
        if not 0 <= job_id < 10**19:
            return None
        for facts in self._objects.page(before(job_id), limit=2):
            if (found := parse_index(facts.name)) is not None and found.job_id == job_id:
                return found
        return None

    def indexed(self) -> set[JobKey]:
        """The keys of all jobs in the index of ids."""
        names = (parse_index(facts.name) for facts in self._objects.all(IDS))
        return {found.key for found in names if found is not None}

    def newest_first(self, after: JobId | None, *, index: str = IDS) -> Iterator[IndexName]:
        at = None if after is None else f"{before(after, index)}~~"
        while True:
            page = self._objects.page(index, after=at, limit=PAGE)
            yield from (found for facts in page if (found := parse_index(facts.name)) is not None)
            if len(page) < PAGE:
                return
            at = page[-1].name

    # Lanes

    def lanes(self, *, project: str | None = None) -> list[Lane]:
        for facts in self._objects.all(LANE_LIST):
            if (lane := parse_listed(facts.name)) is not None:
                self._lanes.add(lane)
        self._lanes_listed_at = self._objects.now()
        return sorted(lane for lane in self._lanes if project in (None, lane.project))

    def recently_listed_lanes(self) -> list[Lane]:
        """Cached: may miss a lane that was opened a few minutes ago elsewhere. With the default lease nothing in it has
        expired yet; with a shorter one its first expired leases are freed that much later."""
        listed_at, now = self._lanes_listed_at, self._objects.now()
        is_recent = listed_at is not None and listed_at <= now < listed_at + LANES_VALID_FOR
        return sorted(self._lanes) if is_recent else self.lanes()

    def open_lane(self, lane: Lane) -> None:
        """Registers a lane, before its first job is added."""
        if lane not in self._lanes:
            self._objects.put(listed(lane), b"", only=Only(if_new=True))
            self._lanes.add(lane)

    # Files

    def add_files(self, job: Job, files: Sequence[FileRecord]) -> None:
        body = json.dumps([file_row(file) for file in files]).encode("ascii")
        self._objects.put(f"{_files_of(job)}{job.rev:08}-{time.time_ns():020}-{token_hex(4)}", body)

    def files(self, job: Job) -> list[KeptFile]:
        names = [facts.name for facts in self._objects.all(_files_of(job))]
        stored = zip(names, self._pool.each(self._objects.get, names), strict=True)
        return [kept for name, found in stored if found is not None for kept in _kept_files(name, found.body)]

    # The queue itself

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        stored = self._objects.get(IDENTITY)
        if proposed is not None and (stored is None or (instead_of is not None and _identity(stored) == instead_of)):
            only = Only(if_new=True) if stored is None else Only(if_etag=stored.etag)
            self._objects.put(IDENTITY, json.dumps(proposed._asdict()).encode("ascii"), only=only)
            stored = self._objects.get(IDENTITY)
        return None if stored is None else _identity(stored)

    # Workers

    def change_record(
        self,
        name: str,
        change: Callable[[ServiceRecord], ServiceRecord],
        *,
        now: datetime,  # noqa: ARG002 - fixed by the port
    ) -> ServiceRecord:
        """Who loses the race reads again, so that no concurrent change is lost."""
        place = f"{RECORDS}{quote(name, safe='')}.json"
        while True:
            stored = self._objects.get(place)
            after = change(read_record(facts_of(stored.body) if stored is not None else {}))
            only = Only(if_new=True) if stored is None else Only(if_etag=stored.etag)
            if self._objects.put(place, json.dumps(record_json(after)).encode("ascii"), only=only) is not None:
                return after

    def records(self) -> dict[str, ServiceRecord]:
        places = [facts.name for facts in self._objects.all(RECORDS)]
        stored = self._pool.each(self._objects.get, places)
        return {
            unquote(place.removeprefix(RECORDS).removesuffix(".json")): read_record(facts_of(found.body))
            for place, found in zip(places, stored, strict=True)
            if found is not None
        }

    def put_worker(self, worker: Worker) -> None:
        facts: dict[str, Any] = {
            "id": worker.id,
            "type": worker.type,
            "status": worker.status.value,
            "last_heartbeat": worker.last_heartbeat.isoformat(),
            "current_job_id": worker.current_job_id,
            "metadata": worker.metadata,
        }
        self._objects.put(_worker_name(worker.id), json.dumps(facts).encode("ascii"))

    def remove_worker(self, worker_id: WorkerId) -> None:
        self._objects.delete(_worker_name(worker_id))

    def workers(self) -> list[Worker]:
        names = [facts.name for facts in self._objects.all(WORKERS)]
        stored = self._pool.each(self._objects.get, names)
        there = [
            (name, _worker(facts_of(one.body))) for name, one in zip(names, stored, strict=True) if one is not None
        ]
        self._tell_of([name for name, worker in there if worker is None])
        return sorted((worker for _, worker in there if worker is not None), key=lambda worker: worker.id)

    def _tell_of(self, foreign: Sequence[str]) -> None:
        """Each once in a process: a worker looks every few seconds, and nothing but a person ends it."""
        with self._lock:
            new = [name for name in foreign if name not in self._told_of]
            self._told_of.update(new)
        for name in new:
            log.warning(FOREIGN_ENTRY, object=name)


def _identity(stored: StoredObject) -> QueueIdentity | None:
    said = facts_of(stored.body)
    return QueueIdentity(str(said["id"]), str(said.get("store", ""))) if "id" in said else None


def _files_of(job: Job) -> str:
    lane = lane_of(job.key)
    return f"{FILES}{lane.project}~{lane.type}/{job.source_hash}/"


def _worker_name(worker_id: WorkerId) -> str:
    return f"{WORKERS}{quote(worker_id, safe='')}.json"


def _kept_files(name: str, body: bytes) -> list[KeptFile]:
    try:
        rev = int(name.rpartition("/")[2].partition("-")[0])
        return [KeptFile(rev, file_of(row)) for row in rows_in(json_in(body))]
    except (ValueError, TypeError):
        log.warning("a list of files cannot be read", object=name)
        return []


def _worker(facts: dict[str, Any]) -> Worker | None:
    """None for an entry that is not ours."""
    heartbeat = as_time(facts.get("last_heartbeat"))
    try:
        status = WorkerStatus(str(facts.get("status")))
    except ValueError:
        status = None
    if heartbeat is None or status is None or not isinstance(facts.get("id"), str):
        return None
    current, metadata = whole_in(facts.get("current_job_id")), facts.get("metadata")
    return Worker(
        id=WorkerId(facts["id"]),
        type=str(facts.get("type", "")),
        status=status,
        last_heartbeat=heartbeat,
        current_job_id=None if current is None else JobId(current),
        metadata=metadata if isinstance(metadata, dict) else {},
    )
