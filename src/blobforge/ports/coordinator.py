"""What everyone but a backend calls: the queue with its rules."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.events import History
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import Job, NewJob, State
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.pause import Pause
from blobforge.domain.service_record import ServiceRecord
from blobforge.domain.worker import Worker
from blobforge.ports.job_store import ANY, Inserted, JobFilter, Queue, References


class EndedAndClaimed(NamedTuple):
    """One outcome an ending, in order (LeaseLost where another worker has the job), and the jobs claimed next."""

    ended: list[Job | BlobForgeError]
    claimed: list[Job]


class Swept(NamedTuple):
    """`reaped` are the jobs after the sweep, or as it would leave them; `repaired` describes the inconsistencies, and
    `left_alone` the foreign objects, which are not ours to change."""

    reaped: list[Job]
    repaired: list[str]
    left_alone: list[str]


class Cleared(NamedTuple):
    """How many dead jobs were removed, and how many were restored to the result that they have."""

    purged: int
    restored: int


class LeaseKeeper(Protocol):
    """What a worker needs while it works. Each method raises StoreUnavailable when the backend cannot be reached."""

    def renew(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        """Extends the leases of claimed jobs: one outcome a job, in order; LeaseLost in the place of a lost one."""
        ...

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]: ...

    def register_worker(self, worker: Worker) -> None:
        """Writes a worker's registration with its status report; each heartbeat repeats it."""
        ...

    def beat(self, jobs: Sequence[Job], worker: Worker) -> list[Job | BlobForgeError]:
        """A heartbeat: renews the leases of a worker and writes its registration, in one request where each costs."""
        ...

    def deregister_worker(self, worker_id: WorkerId) -> None: ...


class Coordinator(LeaseKeeper, Protocol):
    """Each method raises StoreUnavailable when the backend cannot be reached."""

    def submit(self, jobs: Sequence[NewJob]) -> list[Inserted]:
        """One entry a job, in order; a job of the same key is given back as it is, unless it waits for its source, or
        was given up for want of it, and this one has it: then that came. Raises InvalidValue."""
        ...

    def claim(self, queue: Queue, *, worker_id: WorkerId, limit: int = 1) -> list[Job]:
        """Up to `limit` jobs whose needs the worker meets, most urgent first, each leased to it.

        Expired leases are freed first.
        """
        ...

    def claim_exactly(self, jobs: Sequence[Job], *, worker_id: WorkerId) -> list[Job]:
        """Those of these jobs, as the caller last saw them, that can be claimed now; the others are left out."""
        ...

    def end(self, endings: Sequence[Ending]) -> list[Job | BlobForgeError]:
        """Ends jobs: one outcome an ending, in order; LeaseLost where another worker has the job."""
        ...

    def end_and_claim(
        self, endings: Sequence[Ending], queue: Queue, *, worker_id: WorkerId, limit: int
    ) -> EndedAndClaimed:
        """`end` and `claim` in one step; a job that one of the endings releases can be claimed by it."""
        ...

    def end_and_claim_exactly(
        self, endings: Sequence[Ending], jobs: Sequence[Job], *, worker_id: WorkerId
    ) -> EndedAndClaimed:
        """`end` and `claim_exactly` in one step."""
        ...

    def cancel(self, job_id: JobId, *, rev: int | None = None) -> Job:
        """`rev`: only while it is still as the caller saw it. Raises NotFound, InvalidMove, ChangedMeanwhile."""
        ...

    def cancel_many(self, job_ids: Sequence[JobId], *, still: JobFilter = ANY) -> list[Job | BlobForgeError]:
        """Cancels jobs in one step: one outcome a job, in order. One that is not what is `still` wanted has an error in
        its place; an unknown one, too."""
        ...

    def requeue(self, job_id: JobId) -> Job:
        """Returns a running job to the queue, without counting its attempt. Raises NotFound, InvalidMove."""
        ...

    def retry(
        self,
        job_id: JobId,
        *,
        reset_attempts: bool = True,
        priority: int | None = None,
        metadata: str | None = None,
        source_expected_by: datetime | None = None,
        rev: int | None = None,
    ) -> Job:
        """`rev` as for `cancel`. Raises NotFound, InvalidMove, InvalidValue, ChangedMeanwhile."""
        ...

    def retry_many(
        self,
        job_ids: Sequence[JobId],
        *,
        reset_attempts: bool = True,
        priority: int | None = None,
        still: JobFilter = ANY,
    ) -> list[Job | BlobForgeError]:
        """Retries jobs in one step, as `cancel_many` cancels them. Raises InvalidValue."""
        ...

    def source_arrived(self, job_id: JobId) -> Job:
        """The source of an announced job is there: it is ready, also after it was given up for want of it. A job that
        has its source, and has not ended, stays as it is. Raises NotFound, InvalidMove."""
        ...

    def expect_source(self, job_id: JobId, *, until: datetime, source_size: int | None = None) -> Job:
        """Another time by which the source of an announced job must have come, and its size, if that was told wrongly.
        Raises NotFound, InvalidMove."""
        ...

    def retry_unchanged(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        """Retries jobs as the caller saw them, with their whole budget; an error in the place of one that changed."""
        ...

    def reprocess(self, jobs: Sequence[Job], metadata: Callable[[Job], str]) -> list[Job | BlobForgeError]:
        """Runs jobs by another order, as the caller saw them; an error in the place of one that changed, or runs."""
        ...

    def clear_dead(self, jobs: Sequence[Job]) -> Cleared:
        """Dead jobs leave the queue for good, with their history, as if they had never been submitted.

        One whose earlier run published a result is completed again, with that result. One that is not dead, or is not
        as the caller saw it any more, stays.
        """
        ...

    def reprioritize(self, job_id: JobId, *, priority: int, rev: int | None = None) -> Job:
        """`rev` as for `cancel`. Raises NotFound, InvalidMove, InvalidValue, ChangedMeanwhile."""
        ...

    def amend(self, job_id: JobId, *, metadata: str) -> Job:
        """Another order for a waiting job. Raises NotFound, InvalidMove."""
        ...

    def sweep(self, *, dry_run: bool = False) -> Swept:
        """One pass of the reaper and the reconciler: frees expired leases, ends back-offs, gives up jobs whose source
        never came, repairs inconsistencies.

        Claims do the same from time to time. A dry run changes nothing.
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
        """The state of each of these; unknown ones are left out. Cheap for thousands of keys."""
        ...

    def find_by_prefix(self, prefix: str, *, project: str, limit: int = 10) -> list[Job]: ...

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]: ...

    def count(self, wanted: JobFilter, *, most: int) -> int:
        """How many there are, where they are no more than `most`; else `most` + 1."""
        ...

    def references(self) -> References:
        """Every document that the queue names, in all projects, and its foreign objects."""
        ...

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]: ...

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        """How many jobs are ready by type and by what they need; the empty text is nothing. Those that wait for their
        source are not among them."""
        ...

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        """How many published results miss pages, by type."""
        ...

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        """How many published results are of repaired files or have doubtful pages, by type."""
        ...

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

    def pause(self, project: str, job_type: str, *, by: str) -> Pause:
        """Jobs of a type are claimed no more until `resume`, by whichever worker; what runs goes on. Who claims exactly
        some, as 'convert' does with its own, is not kept from that. `by` is who wants it. Where it is paused, that
        pause stays, and is given back.

        Raises InvalidSettings for a queue that cannot be paused.
        """
        ...

    def resume(self, project: str, job_type: str) -> Pause | None:
        """Ends a pause, and gives it back; None where there is none."""
        ...

    def pauses(self, *, project: str | None = None) -> list[Pause]: ...

    def workers(self) -> list[Worker]: ...

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        """The ids that pair this queue with its store. A proposal is stored only where there is none yet, or where it
        is still `instead_of`: whoever lost the race is given the stored one."""
        ...

    def add_to_record(self, name: str, more: ServiceRecord) -> ServiceRecord:
        """Adds to the service record of a worker, by its name, and returns the sum."""
        ...

    def records(self) -> dict[str, ServiceRecord]:
        """The service records of workers, by name, also of those that are gone."""
        ...
