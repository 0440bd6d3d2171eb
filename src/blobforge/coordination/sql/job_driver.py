"""The statements that run once or more for every job, as a driver must offer them.

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
    """A job as it was read, and as it shall be; and the record of the attempt that this ends."""

    before: Job
    after: Job
    attempt: Attempt | None = None


class EventRow(NamedTuple):
    """An event is named by the revision of the job that it led to."""

    rev: int
    event: Event


class FileRow(NamedTuple):
    job_id: JobId
    record: FileRecord
    created_at: datetime


class JobTransaction(Protocol):
    """One write transaction. What it reads is locked until it ends."""

    def ready(self, queue: Queue, *, limit: int) -> list[Job]:
        """Pending jobs that no other transaction holds, in claim order."""
        ...

    def due(self, *, now: datetime, limit: int) -> list[Job]:
        """Jobs whose `due_at` has passed and that no other transaction holds, earliest first."""
        ...

    def locked(self, job_ids: Sequence[JobId]) -> dict[JobId, Job]:
        """Those that exist; archived ones come back from the archive."""
        ...

    def existing(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        """Archived ones, too; they stay where they are."""
        ...

    def add(self, jobs: Sequence[Job]) -> dict[JobKey, Job]:
        """Adds those whose key is new, also to the archive, in their order, and gives them with their ids.

        No two of them have the same key.
        """
        ...

    def write(self, writes: Sequence[Write]) -> list[Job | None]:
        """The jobs with their new rev, in order; None where the row is no longer as it was read.

        The attempts of those that were written are recorded with them.
        """
        ...

    def postpone(self, jobs: Sequence[Job]) -> None:
        """Moves `due_at` to the time that the job itself names."""
        ...

    def forget(self, job_ids: Sequence[JobId]) -> None:
        """Removes jobs that `locked` gave, and all that was recorded of them."""
        ...

    def record(self, *, events: Sequence[EventRow], files: Sequence[FileRow]) -> None: ...


class JobDriver(Protocol):
    def transaction(self) -> AbstractContextManager[JobTransaction]:
        """Commits at the end of the block, rolls back on an exception. Raises StoreUnavailable, TransientFailure."""
        ...

    def has_ready(self, queue: Queue) -> bool:
        """A look without a transaction, so that an idle worker takes no lock."""
        ...

    def has_due(self, now: datetime) -> bool: ...

    def close(self) -> None: ...
