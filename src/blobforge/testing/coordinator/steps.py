"""What the tests of a coordinator do again and again."""

from collections.abc import Callable
from typing import Any

from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.retry import RetryPolicy
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, new_job

OpenCoordinator = Callable[[Clock], Coordinator]

UNKNOWN = JobId(987_654)
PDFS = Queue("default", ("pdf",))
POLICY = RetryPolicy(jitter=0)
"""What a coordinator under test waits by. Its leases last `blobforge.testing.builders.LEASE`."""

OUTPUT = FileRecord(FileRole.OUTPUT, "outputs/a.zip", 12, "application/zip", "0" * 64)
TIMED_OUT = Failure("timed_out", "it took too long", retryable=True)
NOT_A_PDF = Failure("not_a_pdf", "it is a web page")


def submitted(coordinator: Coordinator, *names: str, **facts: Any) -> list[Job]:
    return [entry.job for entry in coordinator.submit([new_job(name, **facts) for name in names])]


def claimed(coordinator: Coordinator, *names: str, worker_id: WorkerId = ALICE) -> list[Job]:
    """Jobs of these names, submitted and claimed."""
    submitted(coordinator, *names)
    return coordinator.claim(PDFS, worker_id=worker_id, limit=len(names))


def outcome_of(coordinator: Coordinator, ending: Ending) -> Job | BlobForgeError:
    (outcome,) = coordinator.end([ending])
    return outcome


def brought_to(coordinator: Coordinator, state: State) -> Job:
    """A new job in this state."""
    (job,) = submitted(coordinator, f"a job that is {state}")
    if state is State.PENDING:
        return job
    if state is State.CANCELLED:
        return coordinator.cancel(job.id)
    (held,) = coordinator.claim_exactly([job], worker_id=ALICE)
    endings: dict[State, Ending] = {
        State.COMPLETED: Completed(held, "{}"),
        State.FAILED: Failed(held, TIMED_OUT),
        State.DEAD: Failed(held, NOT_A_PDF),
    }
    if state in endings:
        coordinator.end([endings[state]])
    return coordinator.get(job.id)
