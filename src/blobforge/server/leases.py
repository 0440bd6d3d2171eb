"""Leases that come over the wire: whose they are, and the server's own copy of their jobs."""

import hashlib
import hmac
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from blobforge.domain import lifecycle
from blobforge.domain.errors import BlobForgeError, LeaseLost
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job, title
from blobforge.domain.job import Lease as DomainLease
from blobforge.ports.coordinator import Coordinator
from blobforge.wire.queue import Lease

KEPT = 20_000


class LeaseTokens:
    """A token proves a lease without a column for it: any server with the same key makes the same one. `generation` is
    that of the database: one that was restored from a backup may give the number of a job again."""

    def __init__(self, key: bytes, *, generation: str) -> None:
        self._key = key
        self._generation = generation

    def token(self, job_id: JobId, number: int, process: WorkerId) -> str:
        said = f"{self._generation}\n{job_id}\n{number}\n{process}".encode()
        return hmac.new(self._key, said, hashlib.sha256).hexdigest()[:32]

    def of(self, job: Job) -> str:
        assert job.worker_id is not None, "only a claimed job has a lease"
        return self.token(job.id, job.lease_number, job.worker_id)

    def is_right(self, lease: Lease) -> bool:
        """A lease without a token says nothing wrong."""
        expected = self.token(JobId(lease.job_id), lease.number, WorkerId(lease.process))
        return lease.token is None or hmac.compare_digest(lease.token.encode("utf-8", "replace"), expected.encode())


class LeasedJobs:
    """The server's copies of the jobs that were claimed through it. A copy that is missing or old costs one read: what
    is true stands in the queue alone. Threads share it."""

    def __init__(self, tokens: LeaseTokens) -> None:
        self.tokens = tokens
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int], Job] = OrderedDict()
        self._of_process: dict[str, set[tuple[int, int]]] = {}

    def keep(self, jobs: Sequence[Job]) -> None:
        with self._lock:
            for job in jobs:
                self._kept[job.id, job.lease_number] = job
                self._kept.move_to_end((job.id, job.lease_number))
                if job.worker_id is not None:
                    self._of_process.setdefault(job.worker_id, set()).add((job.id, job.lease_number))
            while len(self._kept) > KEPT:
                self._drop(next(iter(self._kept)))

    def forget(self, leases: Sequence[Lease]) -> None:
        with self._lock:
            for lease in leases:
                self._drop((lease.job_id, lease.number))

    def given_besides(self, known: Sequence[int], process: WorkerId, coordinator: Coordinator) -> list[Job]:
        """What the process was given through this server and still holds, besides the jobs that it knows of. The queue
        is asked only where it knows less than the server remembers."""
        with self._lock:
            unheard = [key for key in self._of_process.get(process, ()) if key[0] not in known]
        found = coordinator.get_many([JobId(job_id) for job_id, _ in unheard]) if unheard else []
        held = [job for job in found if job.worker_id == process and (job.id, job.lease_number) in unheard]
        with self._lock:
            for key in set(unheard) - {(job.id, job.lease_number) for job in held}:
                self._drop(key)
        return held

    def _drop(self, key: tuple[int, int]) -> None:
        job = self._kept.pop(key, None)
        if job is None or job.worker_id is None:
            return
        keys = self._of_process[job.worker_id]
        keys.discard(key)
        if not keys:
            del self._of_process[job.worker_id]

    def copies(
        self, leases: Sequence[Lease], coordinator: Coordinator, *, sees: Callable[[str], bool], anew: bool = False
    ) -> list[Job | BlobForgeError]:
        """The job of each lease, or why the lease does not count. A job of a project that its holder does not see is as
        if there were none: any number can be asked for. `anew` asks the queue for all of them."""
        with self._lock:
            kept = [None if anew else self._kept.get((lease.job_id, lease.number)) for lease in leases]
        missing = [JobId(lease.job_id) for lease, job in zip(leases, kept, strict=True) if job is None]
        read = {job.id: job for job in coordinator.get_many(missing)} if missing else {}
        found = [job or read.get(JobId(lease.job_id)) for lease, job in zip(leases, kept, strict=True)]
        return [
            self.checked(lease, job if job is not None and sees(job.project) else None)
            for lease, job in zip(leases, found, strict=True)
        ]

    def checked(self, lease: Lease, job: Job | None) -> Job | BlobForgeError:
        """The job, or why the lease does not count for it."""
        if job is None:
            return LeaseLost(f"job #{lease.job_id}: there is no such job any more")
        if not self.tokens.is_right(lease):
            return LeaseLost(f"{title(job)}: lease {lease.number} was given to somebody else")
        try:
            lifecycle.require_held(job, DomainLease(job.id, WorkerId(lease.process), lease.number))
        except LeaseLost as error:
            return error
        return job
