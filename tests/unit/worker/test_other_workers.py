"""What the other workers of a queue can do."""

from dataclasses import replace
from datetime import timedelta

import pytest

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import WorkerId
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.testing.clock import START, FakeClock
from blobforge.worker.other_workers import others_have

TESSERACT = frozenset({"tool:tesseract"})
EQUIPPED = Worker(
    id=WorkerId("rack.1"),
    type="pdf",
    status=WorkerStatus.ONLINE,
    last_heartbeat=START,
    metadata={"has": ["engine:blobforge", "tool:tesseract"], "heartbeat_seconds": 10.0},
)


@pytest.mark.parametrize(
    ("worker", "has"),
    [
        (EQUIPPED, True),
        (replace(EQUIPPED, status=WorkerStatus.OFFLINE), False),
        (replace(EQUIPPED, status=WorkerStatus.DRAINING), False),
        (replace(EQUIPPED, last_heartbeat=START - timedelta(seconds=31)), False),
        (replace(EQUIPPED, metadata={"has": ["engine:blobforge"]}), False),
        (replace(EQUIPPED, id=WorkerId("desk.1")), False),
    ],
    ids=["there", "offline", "draining", "silent", "without", "this one"],
)
def test_only_another_worker_that_is_alive_and_has_it_counts(worker: Worker, has: bool) -> None:
    clock = FakeClock()
    queue = CoordinationService(MemoryJobStore(), clock=clock, lease_for=timedelta(minutes=5))
    queue.register_worker(worker)

    asked = others_have(queue, WorkerId("desk.1"), clock, silent_after=timedelta(minutes=5))

    assert asked(TESSERACT) is has
