"""The queue that the commands of a test look at."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.clock import FakeClock


@contextmanager
def queue_at(home: Path) -> Iterator[CoordinationService]:
    """The default queue of someone whose home this is."""
    path = home / ".local" / "share" / "blobforge" / "queue.db"
    service = CoordinationService(open_queue(f"sqlite:///{path}", QueueOptions()).store, clock=FakeClock())
    try:
        yield service
    finally:
        service.close()
