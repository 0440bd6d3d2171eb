"""`gc` has had its last look at a blob, and deletes it, when the same bytes are stored anew, or come to be needed."""

import os
import uuid
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.beside import Beside
from tests.postgres import Databases
from tests.seaweed import Seaweed

from blobforge.blobs import set_aside
from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.bucket_transfers import BucketTransfers
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.directory_transfers import DirectoryTransfers
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres
from blobforge.domain.errors import SourceMissing
from blobforge.domain.job import Job, NewJob
from blobforge.domain.recipe import Recipe
from blobforge.ingest.arrivals import Arrivals, ArrivedDocument, Taken
from blobforge.ingest.hashing import hash_file
from blobforge.objectstore.client import ALWAYS, ObjectFacts, ObjectStore, Only
from blobforge.objectstore.deletions import NOTICES
from blobforge.objectstore.place import Place as BucketPlace
from blobforge.ports.blob_store import BlobKey, BlobStore, DeleteAsSeen, result_key, source_key
from blobforge.ports.job_store import Inserted
from blobforge.ports.queue_backend import QueueOptions
from blobforge.ports.transfers import Transfers
from blobforge.results.garbage_collection import GarbageCollector
from blobforge.testing.clock import FakeClock
from blobforge.worker.results import AcceptedResult, ResultStore

INFO = '{"tally": {"pages": 1}}'
RECIPE = Recipe(processor="echo", version="1", engine="echo", engine_version="1")
AGES = timedelta(days=30)
"""So far ahead is the clock of who deletes, and of who asks how old a source is."""

Patch = pytest.MonkeyPatch


class Place(NamedTuple):
    """`at_the_last_look` is done when somebody who deletes has looked for the last time, and before anything is
    deleted. Who stores `beside` it waits where his store waits; where he `looks_late`, nobody deletes any more when he
    looks for notices."""

    coordinator: CoordinationService
    blobs: BlobStore
    of_gc: BlobStore
    transfers: Transfers
    beside: Beside
    at_the_last_look: Callable[[Callable[[], object]], None]
    looks_late: Callable[[], None]


def in_folder(coordinator: CoordinationService, folder: Path, patch: Patch) -> Place:
    store = DirectoryBlobStore(folder / "store")

    def at_the_last_look(act: Callable[[], object]) -> None:
        look, looks = set_aside.looked_at, list[Path]()

        def looked_at(path: Path) -> os.stat_result:
            facts = look(path)
            looks.append(path)
            if len(looks) == 1:
                act()
            return facts

        patch.setattr(set_aside, "looked_at", looked_at)

    def looks_late() -> None:
        """In a folder nobody looks for notices."""

    transfers, of_gc = DirectoryTransfers(store), DirectoryBlobStore(folder / "store")
    return Place(coordinator, store, of_gc, transfers, Beside(), at_the_last_look, looks_late)


def hold_deletions(objects: ObjectStore, patch: Patch) -> Callable[[Callable[[], object]], None]:
    """Of blobs; those of notices are sent."""

    def at_the_last_look(act: Callable[[], object]) -> None:
        delete = objects.delete

        def held(name: str, *, only: Only = ALWAYS, before_each: Callable[[], None] | None = None) -> bool:
            if not name.startswith(NOTICES):
                act()
            return delete(name, only=only, before_each=before_each)

        patch.setattr(objects, "delete", held)

    return at_the_last_look


def hold_looks(objects: ObjectStore, beside: Beside, patch: Patch) -> Callable[[], None]:
    """For notices, until those who delete have ended."""

    def looks_late() -> None:
        listed = objects.all

        def held(prefix: str) -> Iterator[ObjectFacts]:
            if prefix == NOTICES:
                beside.sleep(0)
            return listed(prefix)

        patch.setattr(objects, "all", held)

    return looks_late


def in_bucket(seaweed: Seaweed, stack: ExitStack, patch: Patch, *, of_a_queue: bool) -> Place:
    place, beside = BucketPlace(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access), Beside()
    objects, others = (stack.enter_context(closing(ObjectStore(place))) for _ in range(2))
    blobs: BlobStore = BucketBlobStore(objects, runtime=beside)
    of_gc: BlobStore = BucketBlobStore(others)
    if of_a_queue:
        staging, of_others = (stack.enter_context(closing(BucketStaging(one))) for one in (objects, others))
        blobs, of_gc = LibraryBlobStore(objects, staging, runtime=beside), LibraryBlobStore(others, of_others)
    transfers = BucketTransfers(objects, objects, runtime=beside)
    coordinator = CoordinationService(MemoryJobStore(), clock=FakeClock())
    looks_late = hold_looks(objects, beside, patch)
    return Place(coordinator, blobs, of_gc, transfers, beside, hold_deletions(others, patch), looks_late)


WITH_RESULTS = ["folder", "postgres and a folder", "bucket"]
"""In the bucket of a queue the results that jobs need lie where `gc` deletes nothing."""


@pytest.fixture(params=[*WITH_RESULTS, "bucket of a queue"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: Patch) -> Iterator[Place]:
    with ExitStack() as stack:
        match request.param:
            case "folder":
                coordinator = CoordinationService(MemoryJobStore(), clock=FakeClock())
                yield in_folder(coordinator, tmp_path, monkeypatch)
            case "postgres and a folder":
                server: Databases = request.getfixturevalue("postgres_server")
                jobs = stack.enter_context(closing(open_postgres(server.empty_queue(), QueueOptions()).store))
                yield in_folder(CoordinationService(jobs, clock=FakeClock()), tmp_path, monkeypatch)
            case kind:
                seaweed: Seaweed = request.getfixturevalue("seaweed")
                yield in_bucket(seaweed, stack, monkeypatch, of_a_queue=kind == "bucket of a queue")


class Meeting:
    """A document whose source and result were stored long ago, and that no job names."""

    def __init__(self, place: Place, folder: Path) -> None:
        self.place = place
        self.file = folder / "document.pdf"
        self.file.write_bytes(b"%PDF-1.7 a document")
        hashed = hash_file(str(self.file))
        self.document = ArrivedDocument(hashed.stat, hashed.source_hash, hashed.stat.size, self.file.name)
        self.source = source_key(hashed.source_hash)
        self.result = result_key(hashed.source_hash, RECIPE.id)
        self.results = ResultStore(place.blobs)
        self._folder = folder
        self.uploaded = BlobKey("incoming/1-ab")
        for key in (self.source, self.uploaded):
            place.blobs.put(key, self.file)
        self.ahead = FakeClock(datetime.now(UTC) + AGES)

    def store_result(self) -> None:
        self.place.blobs.adopt(self.result, self._archive().archive)

    def collect_beside(self, act: Callable[[], object]) -> list[str]:
        """`gc` deletes what it finds; at its last look something begins."""
        collector = GarbageCollector(self.place.coordinator, self.place.of_gc)
        survey = collector.survey(before=self.ahead.now())
        self.place.at_the_last_look(lambda: self.place.beside.begin(act))
        deleted = [item.key for item in collector.clear(survey)]
        self.place.beside.end()
        return deleted

    def ingest(self) -> None:
        intake = Arrivals(self.place.coordinator, self.place.blobs, new_job=_job_for, clock=self.ahead)
        (batch,) = intake.take_in([self.document])
        assert [taken.error for taken in batch] == [None]

    def ingest_what_is_young(self) -> None:
        """It is counted on as stored, and no byte of it is sent, unless it is gone by the time that it has a job."""
        intake = Arrivals(self.place.coordinator, self.place.blobs, new_job=_job_for)
        (batch,) = intake.take_in([self.document])
        assert [(taken.error, taken.is_new) for taken in batch] == [(None, True)]

    def copy_upload(self) -> None:
        """As a server does with what was uploaded to it."""
        self.place.transfers.copy(self.uploaded, self.source)

    def make_result(self) -> None:
        self.results.completed(self._job(), RECIPE, self._archive())

    def find_result(self) -> None:
        """One that is gone by then is made."""
        job = self._job()
        found = self.results.find(job.source_hash, RECIPE.id)
        assert found is not None
        if self.results.completed_by(found, job, RECIPE) is None:
            self.results.completed(job, RECIPE, self._archive())

    def _job(self) -> Job:
        (entry,) = self.place.coordinator.submit([_job_for(self.document)])
        return entry.job

    def _archive(self) -> AcceptedResult:
        path = self._folder / f"{uuid.uuid4().hex}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(zipfile.ZipInfo("document.md", (2020, 1, 1, 0, 0, 0)), "text")
            archive.writestr(zipfile.ZipInfo("info.json", (2020, 1, 1, 0, 0, 0)), INFO)
        return AcceptedResult(path, {"pages": 1}, path.stat().st_size, "c" * 64)


def _job_for(document: ArrivedDocument) -> NewJob:
    return NewJob(project="default", type="pdf", source_hash=document.source_hash)


@pytest.fixture
def meeting(place: Place, tmp_path: Path) -> Meeting:
    return Meeting(place, tmp_path)


@pytest.mark.parametrize("act", [Meeting.ingest, Meeting.ingest_what_is_young], ids=["stored", "counted on"])
def test_a_source_that_comes_to_life_behind_the_last_look_stays(
    meeting: Meeting, act: Callable[[Meeting], None]
) -> None:
    meeting.collect_beside(lambda: act(meeting))

    with meeting.place.blobs.open(meeting.source) as stored:
        assert stored.read() == meeting.file.read_bytes()


@pytest.mark.parametrize("place", ["bucket"], indirect=True)
def test_a_source_that_went_and_cannot_be_stored_again_is_told(meeting: Meeting) -> None:
    told: list[Taken] = []

    def ingest() -> None:
        meeting.file.unlink()
        intake = Arrivals(meeting.place.coordinator, meeting.place.blobs, new_job=_job_for)
        told.extend(taken for batch in intake.take_in([meeting.document]) for taken in batch)

    meeting.collect_beside(ingest)

    (taken,) = told
    assert isinstance(taken.error, SourceMissing)
    assert taken.is_new


@pytest.mark.parametrize("place", WITH_RESULTS, indirect=True)
def test_a_source_that_a_server_was_sent_behind_the_last_look_stays(meeting: Meeting) -> None:
    meeting.collect_beside(meeting.copy_upload)

    assert meeting.place.blobs.stat(meeting.source) is not None


@pytest.mark.parametrize("place", WITH_RESULTS, indirect=True)
@pytest.mark.parametrize("act", [Meeting.make_result, Meeting.find_result], ids=["made", "found"])
def test_a_result_that_comes_to_life_behind_the_last_look_stays(
    meeting: Meeting, act: Callable[[Meeting], None]
) -> None:
    meeting.store_result()
    meeting.place.blobs.delete(meeting.source)

    meeting.collect_beside(lambda: act(meeting))

    assert meeting.results.find(meeting.document.source_hash, RECIPE.id) is not None


@pytest.mark.parametrize("act", [Meeting.ingest, Meeting.ingest_what_is_young], ids=["stored", "counted on"])
def test_who_looks_for_notices_when_they_were_taken_back_sees_that_his_source_is_gone(
    meeting: Meeting, act: Callable[[Meeting], None]
) -> None:
    """He began behind the last look of a `gc`, and was slow."""
    meeting.place.looks_late()

    meeting.collect_beside(lambda: act(meeting))

    assert meeting.place.blobs.stat(meeting.source) is not None


@pytest.mark.parametrize("place", WITH_RESULTS, indirect=True)
def test_a_server_that_looks_for_notices_when_they_were_taken_back_sees_that_its_copy_is_gone(meeting: Meeting) -> None:
    meeting.place.looks_late()

    meeting.collect_beside(meeting.copy_upload)

    assert meeting.place.blobs.stat(meeting.source) is not None


@pytest.mark.parametrize("place", WITH_RESULTS, indirect=True)
@pytest.mark.parametrize("act", [Meeting.make_result, Meeting.find_result], ids=["made", "found"])
def test_a_run_that_looks_for_notices_when_they_were_taken_back_sees_that_its_result_is_gone(
    meeting: Meeting, act: Callable[[Meeting], None]
) -> None:
    meeting.store_result()
    meeting.place.looks_late()

    meeting.collect_beside(lambda: act(meeting))

    assert meeting.results.find(meeting.document.source_hash, RECIPE.id) is not None


def test_a_source_that_a_whole_gc_took_between_the_look_at_the_store_and_its_job_is_stored_again(
    meeting: Meeting, monkeypatch: Patch
) -> None:
    """Uploads ahead of it were slow, and its earlier job was cleared meanwhile."""
    submit, deleted = meeting.place.coordinator.submit, list[str]()

    def submitted(jobs: Sequence[NewJob]) -> list[Inserted]:
        collector = GarbageCollector(meeting.place.coordinator, meeting.place.of_gc)
        deleted.extend(item.key for item in collector.clear(collector.survey(before=meeting.ahead.now())))
        return submit(jobs)

    monkeypatch.setattr(meeting.place.coordinator, "submit", submitted)

    meeting.ingest_what_is_young()

    assert deleted == [meeting.source]
    with meeting.place.blobs.open(meeting.source) as stored:
        assert stored.read() == meeting.file.read_bytes()


def test_who_came_to_need_a_source_before_gc_gave_notice_is_known(meeting: Meeting, monkeypatch: Patch) -> None:
    """No byte of it is stored, and it is named by a job when the jobs are asked."""
    clearing = meeting.place.of_gc.clearing

    def begun(keys: Collection[BlobKey]) -> AbstractContextManager[DeleteAsSeen]:
        meeting.ingest_what_is_young()
        return clearing(keys)

    monkeypatch.setattr(meeting.place.of_gc, "clearing", begun)
    collector = GarbageCollector(meeting.place.coordinator, meeting.place.of_gc)

    assert collector.clear(collector.survey(before=meeting.ahead.now())) == []

    assert meeting.place.blobs.stat(meeting.source) is not None


def test_what_nobody_needs_goes(meeting: Meeting) -> None:
    meeting.store_result()

    deleted = meeting.collect_beside(lambda: None)

    assert meeting.source in deleted
    assert meeting.place.blobs.stat(meeting.source) is None
    assert list(meeting.place.blobs.list(NOTICES)) == []
    assert list(meeting.place.blobs.leftovers()) == []
