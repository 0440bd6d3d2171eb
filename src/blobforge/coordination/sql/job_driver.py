"""The port of a driver: the statements that run once or more for every job.

SQLAlchemy builds its statements per call, which costs more than SQLite needs to run them; these are constants
on the driver's own connection, taken from the same pool. Everything else is SQLAlchemy Core in store.py.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple, Protocol

from blobforge.domain.events import Attempt, Event
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job
from blobforge.ports.job_store import Queue


class Write(NamedTuple):
    """A job before and after a change, and the attempt that the change ends."""

    before: Job
    after: Job
    attempt: Attempt | None = None


class EventWrite(NamedTuple):
    """An event is identified by the revision of the job that it led to."""

    rev: int
    event: Event


class FileWrite(NamedTuple):
    job_id: JobId
    record: FileRecord
    created_at: datetime


class JobTransaction(Protocol):
    """One write transaction. What it reads is locked until it ends."""

    def ready(self, queue: Queue, *, limit: int) -> list[Job]:
        """Pending jobs that no other transaction has locked, in claim order."""
        ...

    def due(self, *, now: datetime, limit: int) -> list[Job]:
        """Jobs whose `due_at` has passed and that no other transaction has locked, earliest first."""
        ...

    def locked(self, job_ids: Sequence[JobId]) -> dict[JobId, Job]:
        """Reads and locks those that exist; archived ones are moved back."""
        ...

    def existing(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        """Archived ones too, which stay in the archive."""
        ...

    def add(self, jobs: Sequence[Job]) -> dict[JobKey, Job]:
        """Adds those whose key is neither in the jobs nor in the archive, in order, and returns them with their ids.

        No two of them have the same key.
        """
        ...

    def write(self, writes: Sequence[Write]) -> list[Job | None]:
        """The jobs with their new rev, in order; None where the row is no longer as it was read.

        The attempts of those that were written are recorded with them.
        """
        ...

    def postpone(self, jobs: Sequence[Job]) -> None:
        """Sets `due_at` to the end of the lease or back-off of each job."""
        ...

    def forget(self, job_ids: Sequence[JobId]) -> None:
        """Deletes jobs that `locked` returned, with their attempts, events and files."""
        ...

    def record(self, *, events: Sequence[EventWrite], files: Sequence[FileWrite]) -> None: ...


class JobDriver(Protocol):
    """What SQLite and PostgreSQL do differently; the store above it is the same for both."""

    def transaction(self) -> AbstractContextManager[JobTransaction]:
        """Commits at the end of the block, rolls back on an exception. Raises StoreUnavailable, TransientFailure."""
        ...

    def commit_so_far(self) -> None:
        """Where transactions of this thread share one commit, those until now have it. Raises StoreUnavailable."""
        ...

    def has_ready(self, queue: Queue) -> bool:
        """Reads without a transaction, so that an idle worker takes no lock."""
        ...

    def has_due(self, now: datetime) -> bool: ...

    def tell_of_work(self) -> None:
        """After a commit that made jobs claimable without writing them."""
        ...

    def close(self) -> None: ...
