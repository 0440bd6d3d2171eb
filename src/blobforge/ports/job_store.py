"""The duty of a backend: to apply pure changes to jobs atomically, and to find jobs."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from blobforge.domain.errors import BlobForgeError
from blobforge.domain.events import History
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.worker import Worker

Change = Callable[[Job], Job]
"""A pure move. It may run more than once, and may raise a BlobForgeError, which leaves the job as it was."""


class Queue(NamedTuple):
    """Where a worker looks for work: one project, one or more job types."""

    project: str
    types: tuple[str, ...]


class Move(NamedTuple):
    """A change, and the job as the mover last saw it, which may be old."""

    seen: Job
    change: Change
    files: tuple[FileRecord, ...] = ()
    """Recorded with the move, if it happens."""


class Inserted(NamedTuple):
    """`created` is False where a job of the same key was there before."""

    job: Job
    created: bool


class Exchanged(NamedTuple):
    """One outcome a move, in the order of the moves, and the jobs taken after them."""

    moved: list[Job | BlobForgeError]
    taken: list[Job]


class JobFilter(NamedTuple):
    """None means any."""

    project: str | None = None
    type: str | None = None
    state: State | None = None
    worker_id: WorkerId | None = None


class JobStore(Protocol):
    """Every method is one transaction: all of it happens, or none. Each raises StoreUnavailable."""

    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        """Adds jobs whose key is new (their `id` is ignored; the store gives one), in one transaction.

        Where the key exists, also twice within the call, the stored job comes back unchanged.
        """
        ...

    def get(self, job_id: JobId) -> Job:
        """Raises NotFound."""
        ...

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        """Those that exist, in no particular order."""
        ...

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        """Those that exist."""
        ...

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        """How each of these is doing, archived ones too; unknown ones are left out. Cheap for thousands of keys."""
        ...

    def find_by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        """Jobs whose source hash begins so."""
        ...

    def update(self, job_id: JobId, change: Change) -> Job:
        """Reads, changes and writes one job; nobody writes it in between. Raises NotFound and what `change` raises."""
        ...

    def exchange(
        self, moves: Sequence[Move], *, take: Change | None = None, queue: Queue | None = None, limit: int = 0
    ) -> Exchanged:
        """Moves some jobs and takes others from a queue, in one transaction.

        A move that raises leaves its job alone and gives the error in its place; the others happen. A `seen` that
        is old is read again and changed again; two moves of one job happen after each other, in either order.
        `take` gets up to `limit` pending jobs in the order of priority, created_at, id; what it refuses or gives
        back as it is stays; two callers never take the same one.
        """
        ...

    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        """Applies `change` to up to `limit` jobs whose lease or back-off ends by `now`, earliest first.

        The store may offer a job that is not due any more; `change` gives it back as it is.
        Returns the jobs that it changed.
        """
        ...

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        """Newest first by id, from below `after`."""
        ...

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        """How many jobs there are by type and state; pairs without jobs are left out."""
        ...

    def history(self, job_id: JobId) -> History:
        """What happened to a job. Raises NotFound."""
        ...

    def files(self, job_id: JobId) -> list[FileRecord]:
        """What was recorded of a job's source and outputs, oldest first."""
        ...

    def archive(self, *, completed_before: datetime, stretch: int) -> int:
        """Lets completed jobs leave the way of the others, out of the next `stretch` jobs by id; how many left.

        Nobody notices: they are found as before, and one that is changed comes back. A store may keep all in place.
        """
        ...

    def mend(self, *, dry_run: bool) -> list[str]:
        """Puts right what crashes and other programs left behind, and tells each of it; a dry run only tells.

        A store whose steps are whole has nothing to mend.
        """
        ...

    def forget(self, jobs: Sequence[Job]) -> int:
        """Removes jobs in a final state, with their history and the records of their files; how many were removed.

        A job that is not as the caller saw it any more (another `rev`) stays, and so does one that is not final.
        """
        ...

    def put_worker(self, worker: Worker) -> None:
        """Registers a worker, or replaces what is known of it."""
        ...

    def remove_worker(self, worker_id: WorkerId) -> None:
        """Forgets a worker; an unknown one is no error."""
        ...

    def workers(self) -> list[Worker]:
        """All that are registered, by id."""
        ...

    def close(self) -> None:
        """Lets go of connections and files. Closing twice is no error."""
        ...
