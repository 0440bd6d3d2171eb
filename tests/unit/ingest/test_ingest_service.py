"""Libraries on their way into the store, the queue and the manifest."""

import hashlib
import os
from pathlib import Path

import pytest
from tests.unit.ingest.ingest_harness import PDF, IngestHarness, book

from blobforge.domain.endings import Completed, Failed
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.ids import JobKey, SourceHash, WorkerId
from blobforge.domain.job import Failure, State
from blobforge.ingest import arrivals, service
from blobforge.ports.blob_store import source_key
from blobforge.ports.hash_cache import FileStat, HashedFile
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.testing.flaky_store import LostReply

ALICE = WorkerId("alice")
PDFS = Queue("default", ("pdf",))


def hash_of(path: Path) -> SourceHash:
    return SourceHash(hashlib.sha256(path.read_bytes()).hexdigest())


def test_a_new_document_is_stored_queued_and_seen(harness: IngestHarness, docs: Path) -> None:
    """R0-28, R0-30, R0-36."""
    path = book(docs / "shelf" / "one.pdf")

    heard = harness.ingest(docs, tags=("rules",))

    (job,) = harness.queue.page(JobFilter())
    (sighting,) = harness.manifest.written
    assert heard.outcomes == {"one.pdf": ("queued", None)}
    assert (heard.found, heard.uploaded, heard.queued) == (1, 1, 1)
    assert (job.source_hash, job.source_path, job.state) == (hash_of(path), str(path), State.PENDING)
    assert [record.key for record in harness.queue.files(job.id)] == [source_key(hash_of(path))]
    assert sighting[:5] == (hash_of(path), "shelf/one.pdf", path.stat().st_size, ("rules",), "docs")
    with harness.blobs.open(source_key(hash_of(path))) as stored:
        assert stored.read() == path.read_bytes()


def test_what_is_stored_says_how_it_was_called(harness: IngestHarness, docs: Path) -> None:
    """R0-38."""
    path = book(docs / "one.pdf")

    harness.ingest(docs, tags=("rules",))

    assert harness.blobs.labels == {"original-name": "one.pdf", "tags": "['rules']", "size": str(path.stat().st_size)}


@pytest.mark.parametrize("state", State)
def test_a_document_with_a_job_is_skipped_whatever_its_state(harness: IngestHarness, docs: Path, state: State) -> None:
    """R0-31, R0-32, R0-33, R0-34, R0-35."""
    book(docs / "one.pdf")
    harness.ingest(docs)
    (job,) = harness.queue.page(JobFilter())
    if state is State.CANCELLED:
        harness.queue.cancel(job.id)
    elif state is not State.PENDING:
        (held,) = harness.queue.claim(PDFS, worker_id=ALICE)
        trouble = Failure("timed_out", "it took too long", retryable=state is State.FAILED)
        if state is not State.RUNNING:
            ending = Completed(held, "{}") if state is State.COMPLETED else Failed(held, trouble)
            harness.queue.end([ending])

    heard = harness.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("skipped", state.value)}
    assert (heard.uploaded, heard.queued, dict(heard.skipped)) == (0, 0, {state.value: 1})
    assert harness.queue.get(job.id).state is state


@pytest.mark.parametrize("priority", range(1, 6))
def test_a_document_of_any_priority_is_known_all_the_same(harness: IngestHarness, docs: Path, priority: int) -> None:
    """R0-35."""
    book(docs / "one.pdf")
    harness.ingest(docs)
    harness.queue.reprioritize(harness.queue.page(JobFilter())[0].id, priority=priority)

    assert harness.ingest(docs).outcomes == {"one.pdf": ("skipped", "pending")}


def test_a_second_path_and_more_tags_go_to_the_manifest(harness: IngestHarness, docs: Path) -> None:
    """R0-23."""
    book(docs / "one.pdf", "same")
    harness.ingest(docs, tags=("a",))
    book(docs / "two.pdf", "same")

    heard = harness.ingest(docs, tags=("b",))

    assert heard.outcomes == {"one.pdf": ("skipped", "pending"), "two.pdf": ("skipped", "pending")}
    assert [(seen.path, seen.tags) for seen in harness.manifest.written] == [
        ("one.pdf", ("a",)),
        ("one.pdf", ("b",)),
        ("two.pdf", ("b",)),
    ]
    assert harness.blobs.copied == 1


def test_the_manifest_is_told_of_many_documents_at_once(
    harness: IngestHarness, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R0-25. New ones, and those with a job."""
    for slow in (service, arrivals):
        monkeypatch.setattr(slow, "SECONDS", 3600)  # however long the machine takes
    for number in range(5):
        book(docs / f"{number}.pdf")

    harness.ingest(docs)
    of_new_ones = harness.manifest.records, harness.manifest.flushes, len(harness.manifest.written)
    harness.ingest(docs)

    assert of_new_ones == (1, 1, 5)
    assert (harness.manifest.records, harness.manifest.flushes, len(harness.manifest.written)) == (2, 2, 10)


def test_the_same_content_twice_in_one_run_is_queued_once(harness: IngestHarness, docs: Path) -> None:
    book(docs / "one.pdf", "same")
    book(docs / "two.pdf", "same")

    heard = harness.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("queued", None), "two.pdf": ("skipped", "pending")}
    assert (harness.blobs.copied, len(harness.manifest.written)) == (1, 2)


def test_what_is_in_the_store_already_is_not_uploaded_again(harness: IngestHarness, docs: Path) -> None:
    """R0-36."""
    path = book(docs / "one.pdf")
    harness.blobs.put(source_key(hash_of(path)), path)

    heard = harness.ingest(docs)

    assert (heard.uploaded, heard.queued, harness.blobs.copied) == (0, 1, 1)


def test_the_first_bytes_and_not_the_name_tell_a_pdf(harness: IngestHarness, docs: Path) -> None:
    book(docs / "no name at all")
    (docs / "page.pdf").write_bytes(b"<html>" + b" " * 2000)
    (docs / "small.pdf").write_bytes(b"<html>")
    (docs / "empty.pdf").touch()
    (docs / "notes.txt").write_bytes(b" " * 2000)

    heard = harness.ingest(docs)

    assert heard.outcomes == {
        "no name at all": ("queued", None),
        "page.pdf": ("skipped", "not_a_pdf"),
        "small.pdf": ("skipped", "not_a_pdf"),
        "empty.pdf": ("skipped", "not_a_pdf"),
    }


def test_a_file_that_is_named_and_no_pdf_is_told_of(harness: IngestHarness, docs: Path) -> None:
    (docs / "notes.txt").write_bytes(b" " * 2000)

    assert harness.ingest(docs / "notes.txt").outcomes == {"notes.txt": ("skipped", "not_a_pdf")}


def test_a_hash_in_a_cache_makes_no_pdf(harness: IngestHarness, docs: Path) -> None:
    paths = [docs / "page.pdf", docs / "notes.txt"]
    for path in paths:
        path.write_bytes(b"<html>" + b" " * 2000)
        os.utime(path, (1_000, 1_000))
        stat = FileStat(str(path), path.stat().st_size, path.stat().st_mtime_ns)
        harness.catalog.remember([HashedFile(stat, hash_of(path))])

    heard = harness.ingest(docs)

    assert heard.outcomes == {"page.pdf": ("skipped", "not_a_pdf")}
    assert harness.queue.page(JobFilter()) == []


def test_what_cannot_be_read_is_told_by_its_code_and_the_others_go_on(harness: IngestHarness, docs: Path) -> None:
    (docs / "broken.pdf").symlink_to("nowhere")
    book(docs / "good.pdf")

    heard = harness.ingest(docs)

    assert heard.outcomes == {"broken.pdf": ("failed", "source_unreadable"), "good.pdf": ("queued", None)}
    assert dict(heard.failed) == {"source_unreadable": 1}


def test_a_document_that_changes_while_it_is_uploaded_leaves_no_false_blob(harness: IngestHarness, docs: Path) -> None:
    book(docs / "one.pdf", "before")
    harness.blobs.before = lambda: book(docs / "one.pdf", "after")

    heard = harness.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("failed", "source_changed")}
    assert (list(harness.blobs.list("")), harness.queue.page(JobFilter()), harness.manifest.written) == ([], [], [])


def test_a_remembered_hash_that_is_wrong_is_found_out_at_the_upload(harness: IngestHarness, docs: Path) -> None:
    path = book(docs / "one.pdf")
    stat = FileStat(str(path), path.stat().st_size, path.stat().st_mtime_ns)
    harness.catalog.remember([HashedFile(stat, SourceHash("0" * 64))])

    heard = harness.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("queued", None)}
    assert [blob.key for blob in harness.blobs.list("")] == [source_key(hash_of(path))]
    assert [job.source_hash for job in harness.queue.page(JobFilter())] == [hash_of(path)]
    assert [seen.source_hash for seen in harness.manifest.written] == [hash_of(path)]


def test_a_second_look_reads_nothing(harness: IngestHarness, docs: Path) -> None:
    """R2-35."""
    book(docs / "one.pdf")

    first, second = harness.ingest(docs), harness.ingest(docs)

    assert (first.hashed, second.hashed) == (["one.pdf"], [])


def test_many_files_are_asked_about_in_one_question(harness: IngestHarness, docs: Path) -> None:
    for number in range(300):
        book(docs / f"{number}.pdf")
    harness.ingest(docs)
    harness.jobs.calls.clear()

    heard = harness.ingest(docs)

    assert (heard.skipped.total(), harness.jobs.calls) == (300, ["states"])


def test_a_batch_that_is_full_is_settled_before_the_rest_is_read(
    harness: IngestHarness, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "AT_ONCE", 2)
    for number in range(5):
        book(docs / f"{number}.pdf")

    heard = harness.ingest(docs)

    assert (heard.queued, harness.jobs.calls.count("states")) == (5, 3)


def test_what_was_begun_is_finished_when_somebody_says_stop(harness: IngestHarness, docs: Path) -> None:
    for number in range(5):
        book(docs / f"{number}.pdf")
    harness.is_stopped = lambda: harness.blobs.copied == 2

    heard = harness.ingest(docs)
    harness.is_stopped = lambda: False
    again = harness.ingest(docs)

    assert (heard.uploaded, heard.queued, len(harness.queue.page(JobFilter()))) == (2, 2, 5)
    assert (again.queued, dict(again.skipped)) == (3, {"pending": 2})


def test_hashes_and_sightings_survive_a_queue_that_is_lost_on_the_way(harness: IngestHarness, docs: Path) -> None:
    book(docs / "one.pdf")
    harness.jobs.lose("insert", LostReply.REQUEST)

    with pytest.raises(StoreUnavailable):
        harness.ingest(docs)
    again = harness.ingest(docs)

    assert (again.hashed, again.uploaded, again.queued) == ([], 0, 1)
    assert [seen.path for seen in harness.manifest.written] == ["one.pdf"]


def test_a_crash_between_the_job_and_the_manifest_is_mended_by_the_next_run(harness: IngestHarness, docs: Path) -> None:
    path = book(docs / "one.pdf")
    harness.ingest(docs)
    harness.manifest.written.clear()

    harness.ingest(docs)

    assert [seen.source_hash for seen in harness.manifest.written] == [hash_of(path)]


def test_a_job_that_others_added_meanwhile_is_skipped_by_its_state(harness: IngestHarness, docs: Path) -> None:
    path = book(docs / "one.pdf")
    harness.blobs.meanwhile = lambda: harness.ingest(docs) if harness.blobs.copied == 1 else None

    heard = harness.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("skipped", "pending")}
    assert harness.queue.states([JobKey("default", "pdf", hash_of(path))]) != {}


def test_a_pdf_smaller_than_a_pointer_is_a_document(harness: IngestHarness, docs: Path) -> None:
    (docs / "tiny.pdf").write_bytes(PDF)

    assert harness.ingest(docs).outcomes == {"tiny.pdf": ("queued", None)}
