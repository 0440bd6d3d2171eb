"""What everyone but a backend calls: the queue with its rules."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.events import History
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import Job, NewJob, State
from blobforge.domain.worker import Worker
from blobforge.ports.job_store import Inserted, JobFilter, Queue


class Settled(NamedTuple):
    """One outcome an ending, in order (LeaseLost where another worker has the job), and the jobs claimed next."""

    ended: list[Job | BlobForgeError]
    claimed: list[Job]


class Swept(NamedTuple):
    """`woken` are the jobs as they are after it, or would be."""

    woken: list[Job]
    mended: list[str]


class LeaseKeeper(Protocol):
    """What a worker asks for while it works. Each method raises StoreUnavailable when the backend cannot be reached."""

    def renew(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        """Extends the leases of jobs as their claims gave them; LeaseLost in the place of a lost one."""
        ...

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]: ...

    def register_worker(self, worker: Worker) -> None:
        """Says that a worker is there and what it does; also its heartbeat."""
        ...

    def deregister_worker(self, worker_id: WorkerId) -> None: ...


class Coordinator(LeaseKeeper, Protocol):
    """Each method raises StoreUnavailable when the backend cannot be reached."""

    def submit(self, jobs: Sequence[NewJob]) -> list[Inserted]:
        """One entry a job, in order; a job of the same key is given back as it is. Raises InvalidValue."""
        ...

    def claim(self, queue: Queue, *, worker_id: WorkerId, limit: int = 1) -> list[Job]:
        """Up to `limit` jobs, most urgent first, each leased to the worker. Expired leases are looked at first."""
        ...

    def claim_exactly(self, jobs: Sequence[Job], *, worker_id: WorkerId) -> list[Job]:
        """Those of these jobs, as the caller last saw them, that can be claimed now; the others are left out."""
        ...

    def settle(
        self,
        endings: Sequence[Ending],
        *,
        queue: Queue | None = None,
        worker_id: WorkerId | None = None,
        limit: int = 0,
        wanted: Sequence[Job] = (),
    ) -> Settled:
        """Ends some jobs and claims the next, in one step: those wanted by name, or up to `limit` of the queue."""
        ...

    def cancel(self, job_id: JobId) -> Job:
        """Raises NotFound, InvalidMove."""
        ...

    def requeue(self, job_id: JobId) -> Job:
        """Gives a running job back to the queue, and its attempt with it. Raises NotFound, InvalidMove."""
        ...

    def retry(
        self, job_id: JobId, *, reset_attempts: bool = True, priority: int | None = None, metadata: str | None = None
    ) -> Job:
        """Raises NotFound, InvalidMove, InvalidValue."""
        ...

    def retry_unchanged(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        """Retries jobs as the caller saw them, with their whole budget; an error in the place of one that changed."""
        ...

    def forget_dead(self, jobs: Sequence[Job]) -> int:
        """Dead jobs leave the queue for good, with their history, as if they had never been submitted; how many.

        One that is not dead, or is not as the caller saw it any more, stays.
        """
        ...

    def reprioritize(self, job_id: JobId, *, priority: int) -> Job:
        """Raises NotFound, InvalidMove, InvalidValue."""
        ...

    def amend(self, job_id: JobId, *, metadata: str) -> Job:
        """Another order for a waiting job. Raises NotFound, InvalidMove."""
        ...

    def sweep(self, *, dry_run: bool = False) -> Swept:
        """What time and crashes ask for: frees expired leases, promotes failed jobs, mends the store.

        Workers see to it by themselves now and then. A dry run only tells.
        """
        ...

    def expire_worker(self, worker_id: WorkerId) -> list[Job]:
        """Frees the jobs of a worker that is known to be gone, without waiting for its leases. The attempts count."""
        ...

    def get(self, job_id: JobId) -> Job:
        """Raises NotFound."""
        ...

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]: ...

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        """How each of these is doing; unknown ones are left out. Cheap for thousands of keys."""
        ...

    def find_by_prefix(self, prefix: str, *, project: str, limit: int = 10) -> list[Job]: ...

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]: ...

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]: ...

    def history(self, job_id: JobId) -> History:
        """Raises NotFound."""
        ...

    def record_files(self, job_id: JobId, files: Sequence[FileRecord]) -> None:
        """Adds to a job's files. Raises NotFound."""
        ...

    def record_many(self, records: Sequence[tuple[Job, FileRecord]]) -> None:
        """Adds to the files of several jobs, as the caller last saw them, in one step; unknown jobs are passed over."""
        ...

    def files(self, job_id: JobId) -> list[FileRecord]: ...

    def workers(self) -> list[Worker]: ...
