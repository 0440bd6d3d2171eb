"""What a worker that ends with the queue waits for: jobs that others hold, and those that wait for another try."""

from blobforge.domain.access_errors import Forbidden
from blobforge.domain.job import Job, State
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

LOOKED_AT = 1_000


class DrainWait:
    """Tells it once for each time of waiting: it may be a quarter of an hour, for the lease of a worker that died."""

    def __init__(self, coordinator: Coordinator, queue: Queue) -> None:
        self._coordinator = coordinator
        self._queue = queue
        self._is_told = False

    def goes_on(self) -> None:
        if self._is_told:
            return
        self._is_told = True
        try:
            held, later = self._jobs(State.RUNNING), self._jobs(State.FAILED)
        except Forbidden:
            return  # a server shows a worker no jobs but its own
        ends = [job.lease_expires_at for job in held if job.lease_expires_at is not None]
        ends += [job.available_at for job in later if job.available_at is not None]
        if not ends:
            return
        log.info(
            "waiting for jobs that are not this worker's",
            held=len(held),
            held_by=" ".join(sorted({job.worker_id for job in held if job.worker_id})) or "nobody",
            tried_again=len(later),
            until_at_most=max(ends).astimezone().isoformat(timespec="seconds"),
        )

    def is_over(self) -> None:
        self._is_told = False

    def _jobs(self, state: State) -> list[Job]:
        found = self._coordinator.page(JobFilter(project=self._queue.project, state=state), limit=LOOKED_AT)
        return [job for job in found if job.type in self._queue.types]
