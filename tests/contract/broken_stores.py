"""Job stores with one bug each, of the kind that a new backend may well have."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import Any

from sqlalchemy import Engine

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.sql.job_driver import JobTransaction, Write
from blobforge.coordination.sql.sqlite import SqliteDriver, SqliteTransaction
from blobforge.coordination.sql.sqlite_connections import SqliteConnections
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.events import History
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job
from blobforge.ports.job_store import Applied, Change, Inserted, Queue, Transition

# In memory


class WithoutALock(MemoryJobStore):
    def __init__(self) -> None:
        super().__init__()
        self._lock: AbstractContextManager[Any] = nullcontext()  # type: ignore[assignment]


class AddsAKeyTwiceInOneCall(MemoryJobStore):
    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        known = set(self._ids)
        entries = []
        for job in jobs:
            if job.key not in known:
                self._ids.pop(job.key, None)
            entries.append(self._insert(job))
        return entries


class OverwritesAKnownJob(MemoryJobStore):
    def _insert(self, job: Job) -> Inserted:
        entry = super()._insert(job)
        if entry.created:
            return entry
        self._jobs[entry.job.id] = job._replace(id=entry.job.id)
        return Inserted(self._jobs[entry.job.id], created=False)


class RecordsFilesOfAFailedTransition(MemoryJobStore):
    def _try(self, transition: Transition) -> Job | BlobForgeError:
        outcome = super()._try(transition)
        if isinstance(outcome, BlobForgeError):
            self._files.extend((transition.seen.id, record) for record in transition.files)
        return outcome


class RollsNothingBack(MemoryJobStore):
    @contextmanager
    def _rolled_back_on_error(self) -> Iterator[None]:
        yield


class TrustsTheCallersCopy(MemoryJobStore):
    """No fencing: the job is changed as the caller saw it, not as it is."""

    def _try(self, transition: Transition) -> Job | BlobForgeError:
        try:
            return self._apply(transition.seen, transition.change)
        except BlobForgeError as error:
            return error


class StopsAtTheFirstError(MemoryJobStore):
    def _try(self, transition: Transition) -> Job | BlobForgeError:
        outcome = super()._try(transition)
        if isinstance(outcome, BlobForgeError):
            raise outcome
        return outcome


class SweepsInTheOrderOfIds(MemoryJobStore):
    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        due = (job for job in self._jobs.values() if (job.lease_expires_at or job.available_at or now) <= now)
        return self._change(list(due)[:limit], change)


class MixesHistories(MemoryJobStore):
    def history(self, job_id: JobId) -> History:
        self.get(job_id)
        return History(list(self._attempts), super().history(job_id).events)


class TakesBeforeTransitions(MemoryJobStore):
    def apply(
        self,
        transitions: Sequence[Transition],
        *,
        take: Change | None = None,
        queue: Queue | None = None,
        limit: int = 0,
    ) -> Applied:
        taken = super().apply([], take=take, queue=queue, limit=limit).taken
        return Applied(super().apply(transitions).outcomes, taken)


class ForgetsToCountRevisions(MemoryJobStore):
    def _apply(self, before: Job, change: Change) -> Job:
        after = super()._apply(before, change)
        self._jobs[after.id] = after._replace(rev=0)
        return self._jobs[after.id]


# In SQLite


class PlantedDriver(SqliteDriver):
    """The real driver, open for bugs; by itself it has none."""

    begin = "BEGIN IMMEDIATE"
    on_a_fault = "ROLLBACK"
    transaction_class: Callable[[sqlite3.Cursor], JobTransaction] = SqliteTransaction

    @contextmanager
    def transaction(self) -> Iterator[JobTransaction]:
        cursor = self._connections.cursor()
        cursor.execute(self.begin)
        try:
            yield type(self).transaction_class(cursor)
        except BaseException:
            cursor.execute(self.on_a_fault)
            raise
        cursor.execute("COMMIT")


class LocksAtItsFirstWrite(PlantedDriver):
    begin = "BEGIN"


class CommitsAlsoAfterAFault(PlantedDriver):
    on_a_fault = "COMMIT"


class IgnoresTheLimit(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801 - it takes the place of the attribute
        def ready(self, queue: Queue, *, limit: int) -> list[Job]:
            return super().ready(queue, limit=1_000_000)


class TakesTheNewestFirst(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def ready(self, queue: Queue, *, limit: int) -> list[Job]:
            found = super().ready(queue, limit=1_000_000)
            return sorted(found, key=lambda job: (job.priority, -job.id))[:limit]


class IgnoresThePriority(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def ready(self, queue: Queue, *, limit: int) -> list[Job]:
            found = super().ready(queue, limit=1_000_000)
            return sorted(found, key=lambda job: (job.created_at, job.id))[:limit]


class IgnoresTheTypes(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def ready(self, queue: Queue, *, limit: int) -> list[Job]:
            return super().ready(Queue(queue.project, ("pdf", "echo")), limit=limit)


class IgnoresTheRevision(PlantedDriver):
    """No fencing: the last writer wins."""

    class transaction_class(SqliteTransaction):  # noqa: N801
        def write(self, writes: Sequence[Write]) -> list[Job | None]:
            current = self.locked([write.before.id for write in writes])
            return super().write(
                [
                    write._replace(before=current[before.id]) if before.id in current else write
                    for write in writes
                    for before in [write.before]
                ]
            )


class TakesEveryWriteForDone(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def write(self, writes: Sequence[Write]) -> list[Job | None]:
            done = super().write(writes)
            return [write.after if job is None else job for write, job in zip(writes, done, strict=True)]


class LosesTheResult(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def write(self, writes: Sequence[Write]) -> list[Job | None]:
            return super().write([write._replace(after=write.after._replace(result=None)) for write in writes])


class NeverPostponesTheDueTime(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def postpone(self, jobs: Sequence[Job]) -> None:
            """Renewed leases stay first by `due_at` for ever."""


class IgnoresTheLimitOfASweep(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def due(self, *, now: datetime, limit: int) -> list[Job]:
            return super().due(now=now, limit=1_000_000)


class WritesNoAttempts(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def write(self, writes: Sequence[Write]) -> list[Job | None]:
            return super().write([write._replace(attempt=None) for write in writes])


class WritesNoEvents(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def record(self, *, events: Any, files: Any) -> None:
            super().record(events=[], files=files)


class DoesNotCheckForKnownKeys(PlantedDriver):
    class transaction_class(SqliteTransaction):  # noqa: N801
        def existing(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
            return {}


class GivesOneConnectionToAllThreads(PlantedDriver):
    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._connections = _OneConnection(engine)


class _OneConnection(SqliteConnections):
    def cursor(self) -> sqlite3.Cursor:
        if not self._held:
            self._shared = self._engine.raw_connection()
            self._held.add(self._shared)
        return self._shared.cursor()  # type: ignore[return-value]
