"""A JobStore whose connection is lost when a test says so, before or after the call has happened."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import TypeVar

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.events import History
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.pause import Pause
from blobforge.domain.service_record import ServiceRecord
from blobforge.domain.worker import Worker
from blobforge.ports.job_store import (
    Applied,
    Change,
    Inconsistency,
    Inserted,
    JobFilter,
    JobStore,
    Queue,
    References,
    Transition,
)

Answer = TypeVar("Answer")


class LostReply(Enum):
    REQUEST = "nothing happened"
    REPLY = "it happened, and nobody was told"


class FlakyStore:
    """Forwards every call to another store. `lose` makes the next calls of a method raise StoreUnavailable."""

    def __init__(self, store: JobStore) -> None:
        self._store = store
        self._losses: dict[str, list[LostReply]] = {}
        self.calls: list[str] = []
        """The names of all calls so far, lost ones included."""

    def lose(self, method: str, *losses: LostReply) -> None:
        self._losses.setdefault(method, []).extend(losses)

    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        return self._through("insert", lambda: self._store.insert(jobs))

    def get(self, job_id: JobId) -> Job:
        return self._through("get", lambda: self._store.get(job_id))

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        return self._through("get_many", lambda: self._store.get_many(job_ids))

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        return self._through("find", lambda: self._store.find(keys))

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        return self._through("states", lambda: self._store.states(keys))

    def find_by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        return self._through("find_by_prefix", lambda: self._store.find_by_prefix(prefix, project=project, limit=limit))

    def update(self, job_id: JobId, change: Change) -> Job:
        return self._through("update", lambda: self._store.update(job_id, change))

    def apply(
        self,
        transitions: Sequence[Transition],
        *,
        take: Change | None = None,
        queue: Queue | None = None,
        limit: int = 0,
    ) -> Applied:
        return self._through("apply", lambda: self._store.apply(transitions, take=take, queue=queue, limit=limit))

    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        return self._through("update_due", lambda: self._store.update_due(change, now=now, limit=limit))

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        return self._through("page", lambda: self._store.page(wanted, after=after, limit=limit))

    def count(self, wanted: JobFilter, *, most: int) -> int:
        return self._through("count", lambda: self._store.count(wanted, most=most))

    def references(self) -> References:
        return self._through("references", self._store.references)

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        return self._through("counts", lambda: self._store.counts(project=project))

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        return self._through("waiting", lambda: self._store.waiting(project=project))

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._through("gaps", lambda: self._store.gaps(project=project))

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._through("doubts", lambda: self._store.doubts(project=project))

    def history(self, job_id: JobId) -> History:
        return self._through("history", lambda: self._store.history(job_id))

    def files(self, job_id: JobId) -> list[FileRecord]:
        return self._through("files", lambda: self._store.files(job_id))

    def archive(self, *, completed_before: datetime, stretch: int) -> int:
        return self._through("archive", lambda: self._store.archive(completed_before=completed_before, stretch=stretch))

    def reconcile(self, *, dry_run: bool) -> list[Inconsistency]:
        return self._through("mend", lambda: self._store.reconcile(dry_run=dry_run))

    def forget(self, jobs: Sequence[Job]) -> int:
        return self._through("forget", lambda: self._store.forget(jobs))

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        return self._through("identity", lambda: self._store.identity(proposed, instead_of=instead_of))

    def change_record(
        self, name: str, change: Callable[[ServiceRecord], ServiceRecord], *, now: datetime
    ) -> ServiceRecord:
        return self._through("change_record", lambda: self._store.change_record(name, change, now=now))

    def records(self) -> dict[str, ServiceRecord]:
        return self._through("records", self._store.records)

    def pause(self, pause: Pause) -> Pause:
        return self._through("pause", lambda: self._store.pause(pause))

    def resume(self, project: str, job_type: str) -> Pause | None:
        return self._through("resume", lambda: self._store.resume(project, job_type))

    def pauses(self, *, project: str | None = None) -> list[Pause]:
        return self._through("pauses", lambda: self._store.pauses(project=project))

    def put_worker(self, worker: Worker) -> None:
        self._through("put_worker", lambda: self._store.put_worker(worker))

    def remove_worker(self, worker_id: WorkerId) -> None:
        self._through("remove_worker", lambda: self._store.remove_worker(worker_id))

    def workers(self) -> list[Worker]:
        return self._through("workers", self._store.workers)

    def close(self) -> None:
        self._store.close()

    def _through(self, method: str, call: Callable[[], Answer]) -> Answer:
        self.calls.append(method)
        losses = self._losses.get(method)
        lost = losses.pop(0) if losses else None
        if lost is LostReply.REQUEST:
            raise StoreUnavailable(f"the request of {method} was lost")
        answer = call()
        if lost is LostReply.REPLY:
            raise StoreUnavailable(f"the reply of {method} was lost")
        return answer
