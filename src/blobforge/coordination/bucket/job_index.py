"""The index of a bucket's jobs: their ids, their lanes, and files that were recorded outside a transition."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from blobforge.coordination.bucket.job_history import KeptFile, file_of, file_row, rows_in
from blobforge.coordination.bucket.names import (
    FILES,
    IDS,
    MAIN,
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
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job
from blobforge.domain.loose_json import json_in
from blobforge.objectstore.client import Only
from blobforge.objectstore.key_layout import LANE_LIST
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME
from blobforge.telemetry.lazy import LazyLogger
from blobforge.thread_pool import ThreadPool

log = LazyLogger(__name__)

PAGE = 1_000
LANES_VALID_FOR = timedelta(minutes=14)


class JobIndex:
    """Written before our jobs: an id may be found whose job is not there, but no job of ours is without its id."""

    def __init__(
        self,
        objects: Objects,
        pool: ThreadPool,
        *,
        runtime: Runtime = SYSTEM_RUNTIME,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._objects = objects
        self._nonce = runtime.nonce
        self._now_ns = now_ns
        self._pool = pool
        self._lock = threading.Lock()
        self._last_id = 0
        self._lanes: set[Lane] = {MAIN}
        self._lanes_listed_at: datetime | None = None

    # Ids

    def new_ids(self, count: int) -> list[JobId]:
        """They grow with time. Two random digits tell apart processes that add jobs in the same microsecond."""
        with self._lock:
            first = max(self._last_id + 1, self._now_ns() // 1_000 * 100 + int(self._nonce(4), 16) % 100)
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
        self._objects.put(f"{_files_of(job)}{job.rev:08}-{self._now_ns():020}-{self._nonce(4)}", body)

    def files(self, job: Job) -> list[KeptFile]:
        names = [facts.name for facts in self._objects.all(_files_of(job))]
        stored = zip(names, self._pool.each(self._objects.get, names), strict=True)
        return [kept for name, found in stored if found is not None for kept in _kept_files(name, found.body)]


def _files_of(job: Job) -> str:
    lane = lane_of(job.key)
    return f"{FILES}{lane.project}~{lane.type}/{job.source_hash}/"


def _kept_files(name: str, body: bytes) -> list[KeptFile]:
    try:
        rev = int(name.rpartition("/")[2].partition("-")[0])
        return [KeptFile(rev, file_of(row)) for row in rows_in(json_in(body))]
    except (ValueError, TypeError):
        log.warning("a list of files cannot be read", object=name)
        return []
