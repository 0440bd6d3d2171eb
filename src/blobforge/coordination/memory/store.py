"""The simplest store that fulfils the whole contract: a dictionary under one lock."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from operator import attrgetter

from blobforge.domain.errors import BlobForgeError, NotFound
from blobforge.domain.events import Attempt, Event, History, attempt_of, event_of, history_of
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import FINAL_STATES, Job, State, claim_order, is_ready
from blobforge.domain.needs import are_met
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
    Queue,
    References,
    Transition,
    matches,
)


class MemoryJobStore:
    """The reference of what the port promises; for tests, and for jobs that end with the process."""

    def __init__(self) -> None:
        # Reentrant, because a change may read the store that applies it.
        self._lock = threading.RLock()
        self._last_id = 0
        self._jobs: dict[JobId, Job] = {}
        self._ids: dict[JobKey, JobId] = {}
        self._events: list[Event] = []
        self._attempts: list[Attempt] = []
        self._files: list[tuple[JobId, FileRecord]] = []
        self._workers: dict[WorkerId, Worker] = {}
        self._identity: QueueIdentity | None = None
        self._pauses: dict[tuple[str, str], Pause] = {}
        self._records: dict[str, ServiceRecord] = {}

    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        with self._lock:
            return [self._insert(job) for job in jobs]

    def get(self, job_id: JobId) -> Job:
        with self._lock:
            try:
                return self._jobs[job_id]
            except KeyError as error:
                raise NotFound(f"there is no job #{job_id}") from error

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        with self._lock:
            return [self._jobs[job_id] for job_id in dict.fromkeys(job_ids) if job_id in self._jobs]

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        with self._lock:
            return {key: self._jobs[self._ids[key]] for key in keys if key in self._ids}

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        return {key: job.state for key, job in self.find(keys).items()}

    def find_by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        with self._lock:
            found = (
                job for job in self._jobs.values() if job.project == project and job.source_hash.startswith(prefix)
            )
            return sorted(found, key=attrgetter("source_hash", "type"))[:limit]

    def update(self, job_id: JobId, change: Change) -> Job:
        with self._lock:
            return self._apply(self.get(job_id), change)

    def apply(
        self,
        transitions: Sequence[Transition],
        *,
        take: Change | None = None,
        queue: Queue | None = None,
        limit: int = 0,
    ) -> Applied:
        with self._lock, self._rolled_back_on_error():
            outcomes = [self._try(transition) for transition in transitions]
            taken: list[Job] = []
            if take is not None and queue is not None:
                types = tuple(kind for kind in queue.types if (queue.project, kind) not in self._pauses)
                open_lanes = queue._replace(types=types)
                ready = sorted((job for job in self._jobs.values() if _is_ready(job, open_lanes)), key=claim_order)
                taken = self._change(ready[:limit], take)
            return Applied(outcomes, taken)

    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        with self._lock, self._rolled_back_on_error():
            due = sorted((when, job.id) for job in self._jobs.values() if (when := _due_at(job)) and when <= now)
            return self._change([self._jobs[job_id] for _, job_id in due[:limit]], change)

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        with self._lock:
            newest_first = sorted(self._jobs.values(), key=attrgetter("id"), reverse=True)
            return [job for job in newest_first if matches(job, wanted) and (after is None or job.id < after)][:limit]

    def count(self, wanted: JobFilter, *, most: int) -> int:
        with self._lock:
            return min(sum(matches(job, wanted) for job in self._jobs.values()), most + 1)

    def references(self) -> References:
        with self._lock:
            return References(frozenset(job.source_hash for job in self._jobs.values()))

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        with self._lock:
            return Counter((job.type, job.state) for job in self._jobs.values() if project in (None, job.project))

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        with self._lock:
            ready = (job for job in self._jobs.values() if is_ready(job) and job.project == project)
            return Counter((job.type, job.needs) for job in ready)

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._by_type(JobFilter(project=project, gaps=True))

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        return self._by_type(JobFilter(project=project, doubts=True))

    def _by_type(self, wanted: JobFilter) -> Mapping[str, int]:
        with self._lock:
            return Counter(job.type for job in self._jobs.values() if matches(job, wanted))

    def history(self, job_id: JobId) -> History:
        with self._lock:
            attempts = [attempt for attempt in self._attempts if attempt.job_id == job_id]
            return history_of(self.get(job_id), attempts, [event for event in self._events if event.job_id == job_id])

    def files(self, job_id: JobId) -> list[FileRecord]:
        with self._lock:
            return [record for owner, record in self._files if owner == job_id]

    def archive(self, *, completed_before: datetime, stretch: int) -> int:  # noqa: ARG002 - fixed by the port
        """Not needed: every claim scans all jobs anyway."""
        return 0

    def reconcile(self, *, dry_run: bool) -> list[Inconsistency]:  # noqa: ARG002 - fixed by the port
        """Every step is made under the lock: there is nothing to repair."""
        return []

    def forget(self, jobs: Sequence[Job]) -> int:
        with self._lock:
            gone = {job.id for job in jobs if self._is_unchanged(job) and self._jobs[job.id].state in FINAL_STATES}
            for job_id in gone:
                del self._ids[self._jobs.pop(job_id).key]
            self._events = [event for event in self._events if event.job_id not in gone]
            self._attempts = [attempt for attempt in self._attempts if attempt.job_id not in gone]
            self._files = [(owner, record) for owner, record in self._files if owner not in gone]
            return len(gone)

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        with self._lock:
            if proposed is not None and self._identity in (None, instead_of):
                self._identity = proposed
            return self._identity

    def pause(self, pause: Pause) -> Pause:
        with self._lock:
            return self._pauses.setdefault((pause.project, pause.type), pause)

    def resume(self, project: str, job_type: str) -> Pause | None:
        with self._lock:
            return self._pauses.pop((project, job_type), None)

    def pauses(self, *, project: str | None = None) -> list[Pause]:
        with self._lock:
            return sorted(pause for pause in self._pauses.values() if project in (None, pause.project))

    def put_worker(self, worker: Worker) -> None:
        with self._lock:
            self._workers[worker.id] = worker

    def remove_worker(self, worker_id: WorkerId) -> None:
        with self._lock:
            self._workers.pop(worker_id, None)

    def workers(self) -> list[Worker]:
        with self._lock:
            return sorted(self._workers.values(), key=attrgetter("id"))

    def change_record(
        self,
        name: str,
        change: Callable[[ServiceRecord], ServiceRecord],
        *,
        now: datetime,  # noqa: ARG002 - the port
    ) -> ServiceRecord:
        with self._lock:
            self._records[name] = change(self._records.get(name, ServiceRecord()))
            return self._records[name]

    def records(self) -> dict[str, ServiceRecord]:
        with self._lock:
            return dict(sorted(self._records.items()))

    def close(self) -> None:
        """There is nothing to release."""

    @contextmanager
    def _rolled_back_on_error(self) -> Iterator[None]:
        jobs, events, attempts, files = dict(self._jobs), len(self._events), len(self._attempts), len(self._files)
        try:
            yield
        except BaseException:
            self._jobs = jobs
            del self._events[events:], self._attempts[attempts:], self._files[files:]
            raise

    def _insert(self, job: Job) -> Inserted:
        if job.key in self._ids:
            return Inserted(self._jobs[self._ids[job.key]], created=False)
        self._last_id += 1
        job = job._replace(id=JobId(self._last_id))
        self._jobs[job.id] = job
        self._ids[job.key] = job.id
        return Inserted(job, created=True)

    def _is_unchanged(self, job: Job) -> bool:
        return job.id in self._jobs and self._jobs[job.id].rev == job.rev

    def _try(self, transition: Transition) -> Job | BlobForgeError:
        try:
            after = self._apply(self.get(transition.seen.id), transition.change)
        except BlobForgeError as error:
            return error
        self._files.extend((after.id, record) for record in transition.files)
        return after

    def _change(self, jobs: Sequence[Job], change: Change) -> list[Job]:
        """Those that changed; a job that `change` refuses is left out."""
        changed: list[Job] = []
        for job in jobs:
            with suppress(BlobForgeError):
                after = self._apply(job, change)
                if after is not job:
                    changed.append(after)
        return changed

    def _apply(self, before: Job, change: Change) -> Job:
        after = change(before)
        if after == before:
            return before
        after = after._replace(rev=before.rev + 1)
        self._jobs[after.id] = after
        if (event := event_of(before, after)) is not None:
            self._events.append(event)
        if (attempt := attempt_of(before, after)) is not None:
            self._attempts.append(attempt)
        return after


def _is_ready(job: Job, queue: Queue) -> bool:
    is_of_queue = job.project == queue.project and job.type in queue.types
    return is_ready(job) and is_of_queue and are_met(job.needs, queue.has)


def _due_at(job: Job) -> datetime | None:
    return job.lease_expires_at or job.available_at
