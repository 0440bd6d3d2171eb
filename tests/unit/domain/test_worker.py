"""A worker as it is first seen."""

from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.testing.builders import ALICE
from blobforge.testing.clock import START


def test_a_worker_that_said_nothing_of_itself_is_idle() -> None:
    worker = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START)

    assert (worker.current_job_id, worker.metadata) == (None, {})
