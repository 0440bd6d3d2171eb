"""Two submits of the same bytes from two files, of which one is changed by somebody while it is on its way."""

from collections.abc import Callable
from pathlib import Path

import pytest

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import DEFAULT_PROJECT
from blobforge.domain.job import NewJob
from blobforge.ingest.arrivals import Arrivals, ArrivedDocument, Taken
from blobforge.ingest.hashing import hash_file
from blobforge.objectstore import transfers
from blobforge.ports.blob_store import BlobStore, source_key
from blobforge.testing.clock import FakeClock
from blobforge.testing.simulated_bucket import SimulatedBucket

BYTES = b"%PDF-1.7 the same bytes"


def folder_store(folder: Path) -> BlobStore:
    return DirectoryBlobStore(folder / "store")


def bucket_store(_folder: Path) -> BlobStore:
    return BucketBlobStore(SimulatedBucket().objects())


def library_store(_folder: Path) -> BlobStore:
    objects = SimulatedBucket().objects()
    return LibraryBlobStore(objects, BucketStaging(objects))


@pytest.fixture(params=[folder_store, bucket_store, library_store], ids=["folder", "bucket", "bucket of a queue"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    made: BlobStore = request.param(tmp_path)
    return made


class Steps:
    """Does something when the first upload begins."""

    def __init__(self, before: Callable[[], object]) -> None:
        self._before = [before]

    def fetching(self, path: str, size: int) -> None:
        """Nothing is behind a pointer here."""

    def uploading(self, path: str, size: int) -> None:
        if self._before:
            self._before.pop()()

    def transfer_ended(self, path: str) -> None:
        """Nobody asks."""


def arrived(path: Path) -> ArrivedDocument:
    path.write_bytes(BYTES)
    hashed = hash_file(str(path))
    return ArrivedDocument(hashed.stat, hashed.source_hash, hashed.stat.size, path.name)


def submit(
    document: ArrivedDocument, queue: CoordinationService, blobs: BlobStore, *, before: Callable[[], object]
) -> Taken:
    intake = Arrivals(queue, blobs, new_job=_job_for, steps=Steps(before))
    ((taken,),) = intake.take_in([document])
    return taken


def _job_for(document: ArrivedDocument) -> NewJob:
    return NewJob(project=DEFAULT_PROJECT, type="pdf", source_hash=document.source_hash)


@pytest.mark.parametrize("changed", [b"%PDF-1.7 other bytes", b""], ids=["changed", "emptied"])
@pytest.mark.parametrize("part_size", [transfers.PART_SIZE, 5], ids=["at once", "in parts"])
def test_a_file_that_changes_on_its_way_costs_no_other_job_its_source(
    tmp_path: Path, blobs: BlobStore, changed: bytes, part_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfers, "PART_SIZE", part_size)
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
    first, second = arrived(tmp_path / "a.pdf"), arrived(tmp_path / "b.pdf")
    others: list[Taken] = []

    def meanwhile() -> None:
        others.append(submit(second, queue, blobs, before=lambda: None))
        (tmp_path / "a.pdf").write_bytes(changed)

    taken = submit(first, queue, blobs, before=meanwhile)

    assert taken.error is not None
    assert (taken.error.code, taken.job) == ("source_changed", None)
    assert [(other.error, other.is_new) for other in others] == [(None, True)]
    with blobs.open(source_key(second.source_hash)) as stored:
        assert stored.read() == BYTES
    assert list(blobs.leftovers()) == []


def test_a_file_that_changes_after_it_was_copied_costs_no_other_job_its_source(
    tmp_path: Path, blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own job is of the bytes that are stored."""
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
    first, second = arrived(tmp_path / "a.pdf"), arrived(tmp_path / "b.pdf")
    put = blobs.put

    def put_slowly(*args: object, **options: object) -> object:
        monkeypatch.setattr(blobs, "put", put)
        stat = put(*args, **options)  # type: ignore[arg-type]
        submit(second, queue, blobs, before=lambda: None)
        (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7 edited")
        return stat

    monkeypatch.setattr(blobs, "put", put_slowly)

    taken = submit(first, queue, blobs, before=lambda: None)

    assert taken.error is None
    with blobs.open(source_key(second.source_hash)) as stored:
        assert stored.read() == BYTES
