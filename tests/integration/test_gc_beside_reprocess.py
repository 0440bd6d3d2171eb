"""`gc` beside `reprocess`: a result that no job published may be published again while others are deleted."""

import json
import os
import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.beside import Beside
from tests.postgres import Databases

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore, UnpublishedBlobStore
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue as open_sqlite
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres
from blobforge.domain import lifecycle
from blobforge.domain.endings import Completed
from blobforge.domain.job import Job, State, lease_of
from blobforge.domain.recipe import Recipe
from blobforge.ports.blob_store import BlobKey, BlobStat, BlobStore, DeleteAsSeen, result_key, source_key
from blobforge.ports.job_store import JobStore, Transition
from blobforge.ports.queue_backend import QueueOptions
from blobforge.results.garbage_collection import GarbageCollector
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.job_store.steps import added, take
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.worker.results import AcceptedResult, ResultStore

DOCUMENT = hash_of("a")
INFO = '{"tally": {"pages": 1}}'
RECIPES = [Recipe(processor="echo", version="1", engine="echo", engine_version=name) for name in ("first", "second")]
FIRST, SECOND = RECIPES
OTHER = next(name for name in map(str, range(99)) if hash_of(name) < DOCUMENT)
"""Its result is deleted before that of the document."""
WEEK = timedelta(days=7)


class Place(NamedTuple):
    """`unpublished` is where results lie that no job publishes, `others` the store as another process sees it. `age`
    makes what is stored so much older. What happens `beside` waits where that store waits."""

    jobs: JobStore
    blobs: BlobStore
    unpublished: BlobStore
    others: BlobStore
    age: Callable[[timedelta], None]
    beside: Beside
    close: Callable[[], None]


def in_folder(jobs: JobStore, folder: Path) -> Place:
    def age(by: timedelta) -> None:
        for path in (folder / "store" / "outputs").rglob("*.zip"):
            then = path.stat().st_mtime - by.total_seconds()
            os.utime(path, (then, then))

    blobs = DirectoryBlobStore(folder / "store")
    return Place(jobs, blobs, blobs, blobs, age, Beside(), jobs.close)


def in_bucket(jobs: JobStore) -> Place:
    bucket, beside = SimulatedBucket(), Beside()
    blobs, others = BucketBlobStore(bucket.objects(), runtime=beside), BucketBlobStore(bucket.objects())
    return Place(jobs, blobs, blobs, others, bucket.advance, beside, jobs.close)


def queue_in_bucket() -> Place:
    bucket = SimulatedBucket()
    objects = bucket.objects()
    staging, of_others = BucketStaging(objects), BucketStaging(objects)
    jobs = BucketJobStore(objects, staging=staging)

    def close() -> None:
        staging.close()
        jobs.close()

    beside = Beside()
    unpublished = UnpublishedBlobStore(objects, staging, runtime=beside)
    others = LibraryBlobStore(objects, of_others)
    blobs = LibraryBlobStore(objects, staging, runtime=beside)
    return Place(jobs, blobs, unpublished, others, bucket.advance, beside, close)


@pytest.fixture(params=["memory", "sqlite", "postgres", "sqlite and a bucket", "a bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    match request.param:
        case "memory":
            place = in_folder(MemoryJobStore(), tmp_path)
        case "sqlite":
            place = in_folder(open_sqlite(f"sqlite:///{tmp_path / 'jobs.db'}", QueueOptions()).store, tmp_path)
        case "postgres":
            server: Databases = request.getfixturevalue("postgres_server")
            place = in_folder(open_postgres(server.empty_queue(), QueueOptions()).store, tmp_path)
        case "sqlite and a bucket":
            place = in_bucket(open_sqlite(f"sqlite:///{tmp_path / 'jobs.db'}", QueueOptions()).store)
        case _:
            place = queue_in_bucket()
    with closing(place):
        yield place


class Meeting:
    """A document that was run by one recipe and then by another; `gc` is about to delete the first result."""

    def __init__(self, place: Place, folder: Path) -> None:
        self._place = place
        self._folder = folder
        self.coordinator = CoordinationService(place.jobs, clock=FakeClock())
        self.results = ResultStore(place.blobs, unpublished=place.unpublished)
        self.collector = GarbageCollector(self.coordinator, place.others)
        (self.job,) = added(place.jobs, "a")
        for recipe in RECIPES:
            held = self.begun()
            self.end(held, self.make(held, recipe))
            self.retry()
        held = self.begun()
        self.end(held, self.make(held, SECOND))
        place.unpublished.adopt(result_key(hash_of(OTHER), FIRST.id), self._archive("other").archive)
        place.age(2 * WEEK)

    def clear(self, meanwhile: Callable[[], None]) -> list[str]:
        """Something happens when the first of the garbage is deleted; what is deleted is returned."""
        survey = self.collector.survey(before=self._now() - WEEK)
        clearing = self._place.others.clearing

        @contextmanager
        def begun(keys: Collection[BlobKey]) -> Iterator[DeleteAsSeen]:
            with clearing(keys) as delete:

                def deleting(seen: BlobStat) -> bool:
                    self._place.beside.begin(meanwhile)
                    return delete(seen)

                yield deleting

        self._place.others.clearing = begun  # type: ignore[method-assign]
        deleted = [item.key for item in self.collector.clear(survey)]
        self._place.beside.end()
        return deleted

    def retry(self) -> None:
        self._place.jobs.update(self.job.id, lambda job: lifecycle.retry(job, now=START))

    def begun(self) -> Job:
        (held,) = take(self._place.jobs)
        return held

    def make(self, held: Job, recipe: Recipe) -> Completed:
        return self.results.completed(held, recipe, self._archive(recipe.engine_version))

    def find(self, held: Job, recipe: Recipe) -> Completed:
        found = self.results.find_for(held, recipe.id)
        assert found is not None
        ending = self.results.completed_by(found, held, recipe)
        assert ending is not None
        return ending

    def end(self, held: Job, ending: Completed) -> None:
        def completing(job: Job) -> Job:
            return lifecycle.complete(job, lease_of(held), result=ending.result, now=START)

        (outcome,) = self._place.jobs.apply([Transition(held, completing)]).outcomes
        assert isinstance(outcome, Job)

    def published(self) -> str:
        """What the archive holds that the job names."""
        job = self._place.jobs.get(self.job.id)
        assert job.state is State.COMPLETED
        with self.results.open(BlobKey(json.loads(job.result or "{}")["key"])) as archive:
            return archive.read("document.md").decode()

    def _now(self) -> datetime:
        """By the clock of the store."""
        probe = self._place.unpublished.adopt(source_key(hash_of("probe")), self._archive("probe").archive)
        self._place.unpublished.delete(probe.key)
        return probe.modified

    def _archive(self, text: str) -> AcceptedResult:
        path = self._folder / f"{text}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("document.md", text)
            archive.writestr("info.json", INFO)
        return AcceptedResult(path, {"pages": 1}, path.stat().st_size, "c" * 64)


@pytest.fixture
def meeting(place: Place, tmp_path: Path) -> Meeting:
    return Meeting(place, tmp_path)


@pytest.mark.parametrize("way", [Meeting.find, Meeting.make], ids=["found", "made"])
def test_a_result_that_is_published_while_others_are_deleted_stays(
    meeting: Meeting, way: Callable[[Meeting, Job, Recipe], Completed]
) -> None:
    def run() -> None:
        meeting.retry()
        held = meeting.begun()
        meeting.end(held, way(meeting, held, FIRST))

    deleted = meeting.clear(run)

    assert result_key(hash_of(OTHER), FIRST.id) in deleted
    assert meeting.published() == "first"


def test_a_result_that_a_run_has_found_stays_until_its_job_ends(meeting: Meeting) -> None:
    ending: list[tuple[Job, Completed]] = []

    def begin() -> None:
        meeting.retry()
        held = meeting.begun()
        ending.append((held, meeting.find(held, FIRST)))

    meeting.clear(begin)
    meeting.end(*ending[0])

    assert meeting.published() == "first"


def test_a_result_that_goes_away_as_a_run_finds_it_is_made_anew(meeting: Meeting) -> None:
    meeting.retry()
    held = meeting.begun()
    found = meeting.results.find_for(held, FIRST.id)
    assert found is not None

    meeting.results.discard(found.key)

    assert meeting.results.completed_by(found, held, FIRST) is None
