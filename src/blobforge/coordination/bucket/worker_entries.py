"""The workers of a queue in a bucket, their service records, and the identity of the queue itself."""

import json
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote

from blobforge.coordination.bucket.job_history import as_time
from blobforge.coordination.bucket.job_record import facts_of
from blobforge.coordination.bucket.names import IDENTITY, RECORDS, WORKERS
from blobforge.coordination.bucket.objects import Objects
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.loose_json import whole_in
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.service_record import ServiceRecord, read_record, record_json
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.objectstore.client import Only, StoredObject
from blobforge.telemetry.lazy import LazyLogger
from blobforge.thread_pool import ThreadPool

log = LazyLogger(__name__)

FOREIGN_ENTRY = (
    "another program left an entry among the workers; make sure that its worker does not run any more, and delete "
    "the object"
)


class WorkerEntries:
    """Entries that cannot be read, or are not ours, are told of once and left alone."""

    def __init__(self, objects: Objects, pool: ThreadPool) -> None:
        self._objects = objects
        self._pool = pool
        self._lock = threading.Lock()
        self._told_of: set[str] = set()

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        stored = self._objects.get(IDENTITY)
        if proposed is not None and (stored is None or (instead_of is not None and _identity(stored) == instead_of)):
            only = Only(if_new=True) if stored is None else Only(if_etag=stored.etag)
            self._objects.put(IDENTITY, json.dumps(proposed._asdict()).encode("ascii"), only=only)
            stored = self._objects.get(IDENTITY)
        return None if stored is None else _identity(stored)

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


def _worker_name(worker_id: WorkerId) -> str:
    return f"{WORKERS}{quote(worker_id, safe='')}.json"


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
