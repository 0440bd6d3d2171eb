"""The jobs of a worker whose account somebody disables: it did nothing wrong by them, nor did they."""

from collections.abc import Iterator
from contextlib import suppress

from blobforge.domain.account import is_process_of
from blobforge.domain.errors import InvalidMove, NotFound
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job, State
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter

MOST_OF_A_PROCESS = 10_000


def give_back_jobs_of(name: str, queue: Coordinator) -> list[WorkerId]:
    """All that its processes hold is free at once, with the attempt. After it is shut out, so that it claims no more.

    The processes that lost a lease.
    """
    lost: dict[WorkerId, None] = {}
    for job in _held_by(name, queue):
        # One that has ended meanwhile is nobody's.
        with suppress(InvalidMove, NotFound):
            queue.requeue(job.id)
            lost[job.worker_id or WorkerId(name)] = None
    return list(lost)


def _held_by(name: str, queue: Coordinator) -> Iterator[Job]:
    processes = {worker.id for worker in queue.workers() if is_process_of(worker.id, name)}
    for process in sorted({*processes, WorkerId(name)}):
        yield from queue.page(JobFilter(state=State.RUNNING, worker_id=process), limit=MOST_OF_A_PROCESS)
