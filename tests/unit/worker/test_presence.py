"""A worker's place among the others."""

from datetime import timedelta

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.testing.builders import ALICE, BOB
from blobforge.testing.clock import START, FakeClock
from blobforge.worker.presence import FORGET_AFTER, forget_the_long_lost


def test_who_was_not_heard_of_for_a_week_is_struck_off_the_list() -> None:
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
    for worker_id, ago in ((ALICE, FORGET_AFTER), (BOB, FORGET_AFTER + timedelta(seconds=1))):
        queue.register_worker(Worker(id=worker_id, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START - ago))

    forget_the_long_lost(queue, now=START)

    assert [worker.id for worker in queue.workers()] == [ALICE]
