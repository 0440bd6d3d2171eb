"""Results of a queue in a bucket: published by completing a job, kept by recipe, never by a worker that lost."""

import json
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.seaweed import Seaweed

from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.errors import LeaseLost, NotFound
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job, State, lease_of
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.ports.blob_store import BlobKey, result_key, source_key
from blobforge.ports.job_store import Change, Transition
from blobforge.testing.builders import BOB, LEASE, a_job, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, cancelling, claiming, reap_due, take

DOCUMENT = hash_of("a")
OUT = f"store/out/{DOCUMENT}.zip"


class Library:
    """A queue and its blobs in one place."""

    def __init__(self, place: Place) -> None:
        self.objects = ObjectStore(place)
        self.staging = BucketStaging(self.objects)
        self.blobs = LibraryBlobStore(self.objects, self.staging)
        self.jobs = BucketJobStore(self.objects, staging=self.staging)

    def close(self) -> None:
        self.staging.close()
        self.jobs.close()


@pytest.fixture
def library(seaweed: Seaweed) -> Iterator[Library]:
    with closing(Library(Place(seaweed.bucket, f"{uuid.uuid4().hex}/", seaweed.access))) as library:
        yield library


def key_of(recipe: str) -> BlobKey:
    return result_key(DOCUMENT, RecipeId(recipe))


def made(library: Library, folder: Path, recipe: str, text: str) -> None:
    """What a worker gives away before it completes its job."""
    path = folder / f"{recipe}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        # Without the time of now, so that equal texts are equal bytes.
        archive.writestr(zipfile.ZipInfo("document.md"), text)
    library.blobs.adopt(key_of(recipe), path)


def completing_with(held: Job, recipe: str) -> Change:
    result = json.dumps({"key": key_of(recipe), "recipe": recipe})
    return lambda job: lifecycle.complete(job, lease_of(held), result=result, now=START)


def run(library: Library, folder: Path, recipe: str, text: str) -> Job:
    (held,) = take(library.jobs)
    made(library, folder, recipe, text)
    (done,) = library.jobs.apply([Transition(held, completing_with(held, recipe))]).outcomes
    assert isinstance(done, Job)
    return done


def text_of(library: Library, recipe: str) -> str:
    return text_in(library, key_of(recipe))


def text_in(library: Library, key: BlobKey) -> str:
    with library.blobs.open(key) as stream, zipfile.ZipFile(stream) as archive:
        return archive.read("document.md").decode()


def test_a_result_is_published_when_its_job_is_completed_and_not_before(library: Library, tmp_path: Path) -> None:
    """R0-3, R0-16."""
    added(library.jobs, "a")
    (held,) = take(library.jobs)
    made(library, tmp_path, "first", "one")
    assert library.objects.head(OUT) is None
    assert text_of(library, "first") == "one"

    library.jobs.apply([Transition(held, completing_with(held, "first"))])

    assert library.objects.head(OUT) is not None
    assert text_of(library, "first") == "one"


def test_the_published_archive_is_whole(library: Library, tmp_path: Path) -> None:
    added(library.jobs, "a")
    run(library, tmp_path, "first", "one")

    target = tmp_path / "fetched.zip"
    library.blobs.fetch(key_of("first"), target)

    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["document.md"]


def test_another_recipe_takes_the_place_and_the_old_result_is_kept(library: Library, tmp_path: Path) -> None:
    (job,) = added(library.jobs, "a")
    run(library, tmp_path, "first", "one")
    library.jobs.update(job.id, lambda done: lifecycle.retry(done, now=START))
    run(library, tmp_path, "second", "two")

    facts = library.objects.head(OUT)

    assert facts is not None
    assert facts.metadata["recipe"] == "second"
    assert text_of(library, "second") == "two"
    assert text_of(library, "first") == "one"
    assert {blob.key for blob in library.blobs.list("outputs/")} == {key_of("first")}


def test_what_another_run_published_meanwhile_is_not_kept_under_the_name_of_the_one_before(
    library: Library, tmp_path: Path
) -> None:
    """Who replaces a result may have read an older one: its name must not lead to what is there now."""
    added(library.jobs, "a")
    done = run(library, tmp_path, "second", "two")

    library.staging.keep_replaced(done, published="first", by="third")

    assert list(library.blobs.list("outputs/")) == []


def test_a_kept_result_is_published_again_without_a_new_run(library: Library, tmp_path: Path) -> None:
    (job,) = added(library.jobs, "a")
    run(library, tmp_path, "first", "one")
    library.jobs.update(job.id, lambda done: lifecycle.retry(done, now=START))
    run(library, tmp_path, "second", "two")
    library.jobs.update(job.id, lambda done: lifecycle.retry(done, now=START))

    (held,) = take(library.jobs)
    library.jobs.apply([Transition(held, completing_with(held, "first"))])

    facts = library.objects.head(OUT)
    assert facts is not None
    assert (facts.metadata["recipe"], facts.metadata["generation"]) == ("first", "3")
    assert text_of(library, "first") == "one"
    assert text_of(library, "second") == "two"


def test_equal_results_of_two_runs_are_different_objects(library: Library, tmp_path: Path) -> None:
    """Or a writer with the ETag of the first could overwrite the second."""
    (job,) = added(library.jobs, "a")
    run(library, tmp_path, "first", "one")
    before = library.objects.head(OUT)
    library.jobs.update(job.id, lambda done: lifecycle.retry(done, now=START))
    run(library, tmp_path, "first", "one")

    after = library.objects.head(OUT)

    assert before is not None
    assert after is not None
    assert before.etag != after.etag


def test_a_worker_that_lost_its_job_publishes_nothing(library: Library, tmp_path: Path) -> None:
    added(library.jobs, "a")
    (held,) = take(library.jobs)
    made(library, tmp_path, "late", "too late")
    reap_due(library.jobs, START + LEASE)
    library.jobs.update(held.id, claiming(BOB, now=START + LEASE))

    (outcome,) = library.jobs.apply([Transition(held, completing_with(held, "late"))]).outcomes

    assert isinstance(outcome, LeaseLost)
    assert library.objects.head(OUT) is None


def test_a_cancelled_job_publishes_nothing(library: Library, tmp_path: Path) -> None:
    """R2-29."""
    added(library.jobs, "a")
    (held,) = take(library.jobs)
    made(library, tmp_path, "late", "too late")
    library.jobs.update(held.id, cancelling)

    (outcome,) = library.jobs.apply([Transition(held, completing_with(held, "late"))]).outcomes

    assert isinstance(outcome, LeaseLost)
    assert library.objects.head(OUT) is None


def test_a_record_that_is_too_long_for_headers_is_found_all_the_same(library: Library, tmp_path: Path) -> None:
    path = "/library/" + "ein sehr langer Name für ein Dokument/" * 60 + "Ausweis.pdf"
    (job,) = library.jobs.insert([a_job("a", source_path=path, tags=json.dumps(["Öffentlich"] * 40))])[0:1]
    done = run(library, tmp_path, "first", "one")

    again = BucketJobStore(library.objects, staging=library.staging).get(job.job.id)

    assert again == done
    assert again.source_path == path


def test_a_job_whose_result_lost_its_headers_is_still_done(library: Library, tmp_path: Path) -> None:
    """As after a copy with a tool that leaves them out."""
    added(library.jobs, "a")
    run(library, tmp_path, "first", "one")
    body = library.objects.get(OUT)
    assert body is not None
    library.objects.put(OUT, body.body)

    (found,) = library.jobs.find_by_prefix(DOCUMENT, project="default", limit=2)

    assert found.state is State.COMPLETED
    assert take(library.jobs) == []
    assert text_in(library, BlobKey(json.loads(found.result or "")["key"])) == "one"
    assert library.blobs.stat(key_of("second")) is None


def test_a_source_is_where_document_000_has_it_and_recorded_by_nobody(library: Library, tmp_path: Path) -> None:
    """R0-2."""
    (job,) = added(library.jobs, "a")
    source = tmp_path / "a.pdf"
    source.write_bytes(b"%PDF-")
    library.blobs.put(source_key(DOCUMENT), source)

    assert library.objects.head(f"store/raw/{DOCUMENT}.pdf") is not None
    assert [blob.key for blob in library.blobs.list("sources/")] == [source_key(DOCUMENT)]
    assert library.jobs.files(job.id) == [
        FileRecord(FileRole.SOURCE, source_key(DOCUMENT), 5, "application/pdf", DOCUMENT)
    ]


def test_a_published_result_cannot_be_deleted_as_a_blob(library: Library, tmp_path: Path) -> None:
    added(library.jobs, "a")
    run(library, tmp_path, "first", "one")

    library.blobs.delete(key_of("first"))

    assert text_of(library, "first") == "one"


def test_a_result_that_nobody_made_is_not_found(library: Library, tmp_path: Path) -> None:
    assert library.blobs.stat(key_of("never")) is None
    with pytest.raises(NotFound):
        library.blobs.open(key_of("never"))
    with pytest.raises(NotFound):
        library.blobs.fetch(key_of("never"), tmp_path / "nothing")


def test_a_worker_that_was_away_while_it_published_finds_its_own_result(library: Library, tmp_path: Path) -> None:
    """The same ending, repeated after an outage, goes on where it was."""
    added(library.jobs, "a")
    (held,) = take(library.jobs)
    made(library, tmp_path, "first", "one")
    library.jobs.apply([Transition(held, completing_with(held, "first"))])

    (again,) = library.jobs.apply([Transition(held, completing_with(held, "first"))]).outcomes

    assert isinstance(again, LeaseLost)
    assert library.jobs.get(held.id).state is State.COMPLETED
    assert library.jobs.get(held.id).completed_at == START
