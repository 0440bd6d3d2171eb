"""The one write that publishes a result: what goes into it, and what goes before it."""

import json
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

import pytest
from tests.unit.coordination.bucket.interrupted import Interrupted

from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.errors import BlobForgeError, NotFound
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job, State, lease_of
from blobforge.ports.blob_store import BlobKey, result_key
from blobforge.ports.job_store import JobFilter, Transition
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, completing, releasing, take
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.thread_pool import ThreadPool

DOCUMENT = hash_of("a")


class Library:
    """A queue and its results in one bucket."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.bucket = SimulatedBucket()
        objects = self.bucket.objects()
        self.staging = BucketStaging(objects)
        self.blobs = LibraryBlobStore(objects, self.staging)
        self.jobs = BucketJobStore(objects, staging=self.staging)

    def run(self, recipe: str) -> None:
        (held,) = take(self.jobs)
        path = self._folder / f"{recipe}.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("document.md", recipe)
        self.blobs.adopt(key_of(recipe), path)
        assert isinstance(self.end_with(held, recipe), Job)

    def end_with(self, held: Job, recipe: str) -> Job | BlobForgeError:
        result = json.dumps({"key": key_of(recipe), "recipe": recipe})

        def completing(job: Job) -> Job:
            return lifecycle.complete(job, lease_of(held), result=result, now=START)

        (outcome,) = self.jobs.apply([Transition(held, completing)]).outcomes
        return outcome

    def text(self, recipe: str) -> str:
        with self.blobs.open(key_of(recipe)) as stream, zipfile.ZipFile(stream) as archive:
            return archive.read("document.md").decode()

    def close(self) -> None:
        self.staging.close()
        self.jobs.close()


def key_of(recipe: str) -> BlobKey:
    return result_key(DOCUMENT, RecipeId(recipe))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with closing(Library(tmp_path)) as library:
        yield library


@pytest.fixture
def held(library: Library) -> Job:
    """A job that is run again with the recipe "first", whose result was replaced by that of "second"."""
    (job,) = added(library.jobs, "a")
    for recipe in ("first", "second"):
        library.run(recipe)
        library.jobs.update(job.id, lambda done: lifecycle.retry(done, now=START))
    (held,) = take(library.jobs)
    return held


def test_a_result_that_was_deleted_before_it_is_published_takes_nobodys_place(library: Library, held: Job) -> None:
    library.blobs.delete(key_of("first"))

    outcome = library.end_with(held, "first")

    assert isinstance(outcome, NotFound)
    assert library.text("second") == "second"


def test_a_job_whose_result_was_deleted_can_be_run_again(library: Library, held: Job) -> None:
    library.blobs.delete(key_of("first"))
    library.end_with(held, "first")

    library.jobs.apply([Transition(held, releasing(held))])
    library.run("first")

    done = library.jobs.get(held.id)
    assert (done.state, library.text("first")) == (State.COMPLETED, "first")


class Killed(BaseException):
    """The process is gone."""


@pytest.mark.parametrize(
    ("flaw", "wanted"),
    [({"pages_failed": 1}, JobFilter(gaps=True)), ({"repaired": True}, JobFilter(doubts=True))],
    ids=["gap", "doubt"],
)
def test_a_result_with_a_flaw_is_listed_by_it_whenever_its_worker_was_killed(
    flaw: dict[str, int], wanted: JobFilter
) -> None:
    """The entry in the index comes first: one too many is ignored, and a missing one would hide the flaw."""

    def kill() -> None:
        raise Killed

    for number in count():
        bucket = SimulatedBucket()
        (job,) = added(BucketJobStore(bucket.objects(), pool=ThreadPool(1)), "a")
        worker = BucketJobStore(connected(Interrupted(bucket, number, kill)), pool=ThreadPool(1))
        is_done = False
        with suppress(Killed):
            (held,) = take(worker)
            worker.update(job.id, completing(held, result=json.dumps({"pages": 2, **flaw})))
            is_done = True
        seen = BucketJobStore(bucket.objects(), pool=ThreadPool(1))
        was_published = seen.get(job.id).state is State.COMPLETED
        assert [entry.id for entry in seen.page(wanted)] == ([job.id] if was_published else []), number
        if is_done:
            break
    assert number > 1
    assert was_published
