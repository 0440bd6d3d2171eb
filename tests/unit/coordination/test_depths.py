"""What is ready in a queue, by type and priority."""

from contextlib import closing
from pathlib import Path

from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue
from blobforge.domain.ids import WorkerId
from blobforge.ports.job_store import Queue
from blobforge.ports.queue_backend import QueueDepth, QueueOptions
from blobforge.testing.builders import LEASE, new_job
from blobforge.testing.clock import FakeClock


def test_depths_count_what_is_ready_and_name_the_oldest(tmp_path: Path) -> None:
    opened = open_queue(f"sqlite:///{tmp_path}/queue.db", QueueOptions(durable=False))
    clock = FakeClock()
    began = clock.now()
    assert opened.depths is not None
    with closing(CoordinationService(opened.store, clock=clock, lease_for=LEASE)) as queue:
        for number, priority in enumerate((3, 3, 1, 3)):
            queue.submit([new_job(f"document {number}", priority=priority)])
            clock.advance(seconds=10)
        queue.claim(Queue("default", ("pdf",)), worker_id=WorkerId("rack4"))

        assert opened.depths() == [QueueDepth("pdf", 3, 3, began)]
