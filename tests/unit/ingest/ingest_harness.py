"""An ingest over parts that tests can look into: a queue in memory, a folder as store, a manifest as a list."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.layers import LayeredHashCache
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.catalog.xattrs import XattrHashCache
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import DEFAULT_PROJECT, SourceHash
from blobforge.domain.job import NewJob
from blobforge.domain.manifest import Sighting
from blobforge.ingest.account import IngestAccount
from blobforge.ingest.arrivals import Arrivals, ArrivedDocument
from blobforge.ingest.libraries import Libraries
from blobforge.ingest.repositories import Clones
from blobforge.ingest.service import Ingested, IngestService
from blobforge.ports.blob_store import NO_LABELS, BlobKey, BlobStat
from blobforge.testing.clock import FakeClock
from blobforge.testing.flaky_store import FlakyStore

PDF = b"%PDF-1.4\n"


class ListedSightings:
    """What a manifest was told, how often, and how often it was flushed."""

    def __init__(self) -> None:
        self.waiting: list[Sighting] = []
        self.written: list[Sighting] = []
        self.records = 0
        self.flushes = 0

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:
        return False

    def record(self, sightings: Sequence[Sighting]) -> None:
        self.records += 1
        self.waiting.extend(sightings)

    def flush(self) -> None:
        self.flushes += 1
        self.written += self.waiting
        self.waiting = []

    def finish(self) -> None:
        self.flush()


class WatchedStore(DirectoryBlobStore):
    """Lets a test do something before a file is copied, and when it was, and counts."""

    before: Callable[[], object] = staticmethod(lambda: None)
    meanwhile: Callable[[], object] = staticmethod(lambda: None)
    copied = 0
    labels: Mapping[str, str] = NO_LABELS

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        self.before()
        stat = super().put(key, path, labels=labels, source_hash=source_hash)
        self.copied += 1
        self.labels = labels
        self.meanwhile()
        return stat


class Heard(IngestAccount):
    """The account, and which files were read for their hash."""

    def __init__(self) -> None:
        super().__init__()
        self.hashed: list[str] = []
        self.fetched: list[str] = []

    def hashing(self, path: str, size: int) -> None:
        self.hashed.append(Path(path).name)

    def fetching(self, path: str, size: int) -> None:
        self.fetched.append(Path(path).name)

    def uploading(self, path: str, size: int) -> None:
        """Counted by the store."""

    def transfer_ended(self, path: str) -> None:
        """Counted by the store."""

    def passed_over(self) -> None:
        """Counted nowhere."""

    def settled(self, entries: Sequence[Ingested]) -> None:
        self.add(entries)

    @property
    def outcomes(self) -> dict[str, tuple[str, str | None]]:
        return {Path(entry.path).name: (entry.outcome.value, entry.reason) for entry in self.entries}


class IngestHarness:
    def __init__(self, folder: Path) -> None:
        self.jobs = FlakyStore(MemoryJobStore())
        self.queue = CoordinationService(self.jobs, clock=FakeClock())
        self.blobs = WatchedStore(folder / "blobs")
        self.manifest = ListedSightings()
        self.catalog = SqliteCatalog(folder / "catalog.db")
        self.clones = Clones(folder / "clones")
        self.is_stopped: Callable[[], bool] = lambda: False
        self.uploads = 1
        self.waits_for_room = False

    def _is_stopped(self) -> bool:
        return self.is_stopped()

    def ingest(self, *paths: Path | str, tags: tuple[str, ...] = (), source: str | None = None) -> Heard:
        heard = Heard()
        intake = Arrivals(
            self.queue,
            self.blobs,
            new_job=lambda document: _new_job(document, tags),
            stopped=self._is_stopped,
            steps=heard,
            uploads=self.uploads,
            waits_for_room=self.waits_for_room,
        )
        service = IngestService(
            self.queue,
            intake,
            LayeredHashCache(self.catalog, XattrHashCache()),
            self.manifest,
            project=DEFAULT_PROJECT,
            job_type="pdf",
            tags=tags,
            clock=FakeClock(),
            watcher=heard,
            stopped=self._is_stopped,
        )
        libraries = Libraries([str(path) for path in paths], clones=self.clones, source=source, skip=Path("/nowhere"))
        service.ingest(libraries.files(lambda: False))
        return heard


def _new_job(document: ArrivedDocument, tags: tuple[str, ...]) -> NewJob:
    return NewJob(
        project=DEFAULT_PROJECT,
        type="pdf",
        source_hash=document.source_hash,
        source_path=document.shown_as,
        source_size=document.size,
        tags=str(list(tags)),
    )


@contextmanager
def opened(folder: Path) -> Iterator[IngestHarness]:
    harness = IngestHarness(folder)
    try:
        yield harness
    finally:
        harness.catalog.close()


def book(path: Path, content: str = "", *, at: float | None = None) -> Path:
    """A file that begins as a PDF, larger than any LFS pointer, an hour old or from another time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(PDF + (content or path.name).encode() + b" " * 1024)
    when = time.time() - 3600 if at is None else at
    os.utime(path, (when, when))
    return path
