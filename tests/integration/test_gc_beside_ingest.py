"""`gc` beside `ingest`: a source that nobody needed may be needed again by a document that is just coming in."""

import os
import shutil
from collections.abc import Callable, Collection
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.job import NewJob
from blobforge.ingest import arrivals
from blobforge.ingest.arrivals import Arrivals, ArrivedDocument
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.lfs import Pointer
from blobforge.ports.blob_store import BlobKey, BlobStat, BlobStore, source_key
from blobforge.ports.job_store import Inserted
from blobforge.results.garbage_collection import GarbageCollector
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.simulated_bucket import SimulatedBucket

WEEK = timedelta(days=7)


class Place(NamedTuple):
    """`age` makes what is stored so much older."""

    blobs: BlobStore
    age: Callable[[timedelta], None]


def folder_place(folder: Path) -> Place:
    def age(by: timedelta) -> None:
        for path in (folder / "store" / "sources").iterdir():
            then = path.stat().st_mtime - by.total_seconds()
            os.utime(path, (then, then))

    return Place(DirectoryBlobStore(folder / "store"), age)


def bucket_place(_folder: Path) -> Place:
    bucket = SimulatedBucket()
    return Place(BucketBlobStore(bucket.objects()), bucket.advance)


def library_place(_folder: Path) -> Place:
    bucket = SimulatedBucket()
    objects = bucket.objects()
    return Place(LibraryBlobStore(objects, BucketStaging(objects)), bucket.advance)


@pytest.fixture(params=[folder_place, bucket_place, library_place], ids=["folder", "bucket", "bucket of a queue"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    made: Place = request.param(tmp_path)
    return made


class Meeting:
    """A document whose source was stored long ago, and whose job is gone, comes in; `gc` comes in between."""

    def __init__(self, place: Place, file: Path) -> None:
        file.write_bytes(b"%PDF-1.7 a document")
        self.coordinator = CoordinationService(MemoryJobStore(), clock=FakeClock())
        self.blobs = place.blobs
        hashed = hash_file(str(file))
        self.document = ArrivedDocument(hashed.stat, hashed.source_hash, hashed.stat.size, file.name)
        self.key = source_key(hashed.source_hash)
        self.blobs.put(self.key, file)
        stored = self.blobs.stat(self.key)
        assert stored is not None
        place.age(2 * WEEK)
        now = stored.modified + (2 * WEEK if stored.modified <= START + WEEK else timedelta())
        self.collector = GarbageCollector(self.coordinator, self.blobs)
        self.before = now - WEEK

    def collect(self) -> None:
        self.collector.clear(self.collector.survey(before=self.before))

    def ingest(self, document: ArrivedDocument | None = None) -> None:
        intake = Arrivals(self.coordinator, self.blobs, new_job=_job_for)
        (batch,) = intake.take_in([document or self.document])
        assert [(taken.error, taken.is_new) for taken in batch] == [(None, True)]

    def has_its_source(self) -> bool:
        return self.blobs.stat(self.key) is not None


def _job_for(document: ArrivedDocument) -> NewJob:
    return NewJob(project="default", type="pdf", source_hash=document.source_hash)


@pytest.fixture
def meeting(place: Place, tmp_path: Path) -> Meeting:
    return Meeting(place, tmp_path / "document.pdf")


def test_a_source_that_is_cleared_after_ingest_has_seen_it_is_stored_again(
    meeting: Meeting, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = meeting.blobs.stat_many

    def look_and_collect(keys: Collection[BlobKey]) -> dict[BlobKey, BlobStat]:
        found = look(keys)
        meeting.collect()
        assert not meeting.has_its_source(), "it was garbage then"
        return found

    monkeypatch.setattr(meeting.blobs, "stat_many", look_and_collect)
    meeting.ingest()

    assert meeting.has_its_source()


@pytest.mark.parametrize("is_pointer", [False, True], ids=["file", "pointer"])
def test_a_source_that_ingest_counts_on_is_young_again_and_not_cleared(
    meeting: Meeting, monkeypatch: pytest.MonkeyPatch, is_pointer: bool
) -> None:
    survey = meeting.collector.survey(before=meeting.before)
    assert [item.key for item in survey.garbage] == [meeting.key]
    submit = meeting.coordinator.submit

    def collect_and_submit(jobs: list[NewJob]) -> list[Inserted]:
        meeting.collector.clear(survey)
        return submit(jobs)

    monkeypatch.setattr(meeting.coordinator, "submit", collect_and_submit)
    pointer = Pointer(meeting.document.source_hash, meeting.document.size, b"")
    meeting.ingest(meeting.document._replace(pointer=pointer) if is_pointer else None)

    assert meeting.has_its_source()


def test_a_damaged_source_behind_a_pointer_is_not_made_young_but_fetched_anew(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "document.pdf"
    meeting = Meeting(place, file)
    (tmp_path / "damaged").write_bytes(b"x" * meeting.document.size)
    meeting.blobs.put(meeting.key, tmp_path / "damaged")
    place.age(2 * WEEK)
    monkeypatch.setattr(arrivals, "materialise", lambda _path, _pointer, target, **_: shutil.copyfile(file, target))

    meeting.ingest(meeting.document._replace(pointer=Pointer(meeting.document.source_hash, meeting.document.size, b"")))

    with meeting.blobs.open(meeting.key) as stored:
        assert stored.read() == file.read_bytes()
