"""Backends as somebody else's package would bring them: a queue with a Coordinator, a clock and a library of its own,
and a store without a manifest. Their URLs name folders."""

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.coordination.service import CoordinationService
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.blob_store import StoreOptions
from blobforge.ports.queue_backend import OpenedService, QueueBackend, QueueLibrary, QueueOptions
from blobforge.ports.store_backend import StoreBackend
from blobforge.testing.clock import FakeClock

THEN = datetime(2031, 5, 1, tzinfo=UTC)
closed: list[str] = []
"""What was closed, in order."""
rooms: list[Path] = []
"""Where results were told to wait."""


def folder_of(url: str) -> Path:
    path = urlsplit(url).path
    if not path:
        raise InvalidSettings(f"{url!r} names no folder: write other:///FOLDER")
    return Path(path)


def library(url: str, _options: QueueOptions) -> QueueLibrary:
    folder = folder_of(url)
    return QueueLibrary(
        blobs=DirectoryBlobStore(folder / "blobs"),
        unpublished=DirectoryBlobStore(folder / "unpublished"),
        work_in=rooms.append,
        close=lambda: closed.append("library"),
    )


def open_queue(url: str, options: QueueOptions) -> OpenedService:
    clock = FakeClock(THEN)
    rules = CoordinationService(MemoryJobStore(), clock=clock, lease_for=options.lease, policy=options.retry)
    return OpenedService(
        coordinator=rules,
        close=lambda: closed.append("queue"),
        wakeup=NoWakeup(),
        clock=clock,
        library=library(url, options),
    )


def open_store(url: str, options: StoreOptions) -> DirectoryBlobStore:
    return DirectoryBlobStore(folder_of(url), durable=options.durable)


QUEUE = QueueBackend(open=open_queue, check=folder_of, library=library, files=lambda url: [folder_of(url) / "jobs"])
STORE = StoreBackend(open=open_store, check=folder_of)
ENTRY_POINTS = """\
[blobforge.queues]
other = tests.unit.wiring.other_backend:QUEUE
[blobforge.stores]
other = tests.unit.wiring.other_backend:STORE
"""
