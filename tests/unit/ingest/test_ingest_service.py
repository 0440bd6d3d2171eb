"""Libraries on their way into the store, the queue and the manifest."""

import hashlib
import os
from pathlib import Path

import pytest
from tests.unit.ingest.desk import PDF, Desk, book

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


def test_a_new_document_is_stored_queued_and_seen(desk: Desk, docs: Path) -> None:
    """R0-28, R0-30, R0-36."""
    path = book(docs / "shelf" / "one.pdf")

    heard = desk.ingest(docs, tags=("rules",))

    (job,) = desk.queue.page(JobFilter())
    (sighting,) = desk.manifest.written
    assert heard.outcomes == {"one.pdf": ("queued", None)}
    assert (heard.found, heard.uploaded, heard.queued) == (1, 1, 1)
    assert (job.source_hash, job.source_path, job.state) == (hash_of(path), str(path), State.PENDING)
    assert [record.key for record in desk.queue.files(job.id)] == [source_key(hash_of(path))]
    assert sighting[:5] == (hash_of(path), "shelf/one.pdf", path.stat().st_size, ("rules",), "docs")
    with desk.blobs.open(source_key(hash_of(path))) as stored:
        assert stored.read() == path.read_bytes()


def test_what_is_stored_says_how_it_was_called(desk: Desk, docs: Path) -> None:
    """R0-38."""
    path = book(docs / "one.pdf")

    desk.ingest(docs, tags=("rules",))

    assert desk.blobs.labels == {"original-name": "one.pdf", "tags": "['rules']", "size": str(path.stat().st_size)}


@pytest.mark.parametrize("state", State)
def test_a_document_with_a_job_is_skipped_whatever_its_state(desk: Desk, docs: Path, state: State) -> None:
    """R0-31, R0-32, R0-33, R0-34, R0-35."""
    book(docs / "one.pdf")
    desk.ingest(docs)
    (job,) = desk.queue.page(JobFilter())
    if state is State.CANCELLED:
        desk.queue.cancel(job.id)
    elif state is not State.PENDING:
        (held,) = desk.queue.claim(PDFS, worker_id=ALICE)
        trouble = Failure("timed_out", "it took too long", retryable=state is State.FAILED)
        if state is not State.RUNNING:
            ending = Completed(held, "{}") if state is State.COMPLETED else Failed(held, trouble)
            desk.queue.end([ending])

    heard = desk.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("skipped", state.value)}
    assert (heard.uploaded, heard.queued, dict(heard.skipped)) == (0, 0, {state.value: 1})
    assert desk.queue.get(job.id).state is state


def test_a_document_of_another_priority_is_known_all_the_same(desk: Desk, docs: Path) -> None:
    """R0-35."""
    book(docs / "one.pdf")
    desk.ingest(docs)
    desk.queue.reprioritize(desk.queue.page(JobFilter())[0].id, priority=5)

    assert desk.ingest(docs).outcomes == {"one.pdf": ("skipped", "pending")}


def test_a_second_path_and_more_tags_go_to_the_manifest(desk: Desk, docs: Path) -> None:
    """R0-23."""
    book(docs / "one.pdf", "same")
    desk.ingest(docs, tags=("a",))
    book(docs / "two.pdf", "same")

    heard = desk.ingest(docs, tags=("b",))

    assert heard.outcomes == {"one.pdf": ("skipped", "pending"), "two.pdf": ("skipped", "pending")}
    assert [(seen.path, seen.tags) for seen in desk.manifest.written] == [
        ("one.pdf", ("a",)),
        ("one.pdf", ("b",)),
        ("two.pdf", ("b",)),
    ]
    assert desk.blobs.copied == 1


def test_the_manifest_is_told_of_many_documents_at_once(
    desk: Desk, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R0-25. New ones, and those with a job."""
    for slow in (service, arrivals):
        monkeypatch.setattr(slow, "SECONDS", 3600)  # however long the machine takes
    for number in range(5):
        book(docs / f"{number}.pdf")

    desk.ingest(docs)
    of_new_ones = desk.manifest.records, desk.manifest.flushes, len(desk.manifest.written)
    desk.ingest(docs)

    assert of_new_ones == (1, 1, 5)
    assert (desk.manifest.records, desk.manifest.flushes, len(desk.manifest.written)) == (2, 2, 10)


def test_the_same_content_twice_in_one_run_is_queued_once(desk: Desk, docs: Path) -> None:
    book(docs / "one.pdf", "same")
    book(docs / "two.pdf", "same")

    heard = desk.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("queued", None), "two.pdf": ("skipped", "pending")}
    assert (desk.blobs.copied, len(desk.manifest.written)) == (1, 2)


def test_what_is_in_the_store_already_is_not_uploaded_again(desk: Desk, docs: Path) -> None:
    """R0-36."""
    path = book(docs / "one.pdf")
    desk.blobs.put(source_key(hash_of(path)), path)

    heard = desk.ingest(docs)

    assert (heard.uploaded, heard.queued, desk.blobs.copied) == (0, 1, 1)


def test_the_first_bytes_and_not_the_name_tell_a_pdf(desk: Desk, docs: Path) -> None:
    book(docs / "no name at all")
    (docs / "page.pdf").write_bytes(b"<html>" + b" " * 2000)
    (docs / "small.pdf").write_bytes(b"<html>")
    (docs / "empty.pdf").touch()
    (docs / "notes.txt").write_bytes(b" " * 2000)

    heard = desk.ingest(docs)

    assert heard.outcomes == {
        "no name at all": ("queued", None),
        "page.pdf": ("skipped", "not_a_pdf"),
        "small.pdf": ("skipped", "not_a_pdf"),
        "empty.pdf": ("skipped", "not_a_pdf"),
    }


def test_a_file_that_is_named_and_no_pdf_is_told_of(desk: Desk, docs: Path) -> None:
    (docs / "notes.txt").write_bytes(b" " * 2000)

    assert desk.ingest(docs / "notes.txt").outcomes == {"notes.txt": ("skipped", "not_a_pdf")}


def test_a_hash_in_a_cache_makes_no_pdf(desk: Desk, docs: Path) -> None:
    paths = [docs / "page.pdf", docs / "notes.txt"]
    for path in paths:
        path.write_bytes(b"<html>" + b" " * 2000)
        os.utime(path, (1_000, 1_000))
        stat = FileStat(str(path), path.stat().st_size, path.stat().st_mtime_ns)
        desk.catalog.remember([HashedFile(stat, hash_of(path))])

    heard = desk.ingest(docs)

    assert heard.outcomes == {"page.pdf": ("skipped", "not_a_pdf")}
    assert desk.queue.page(JobFilter()) == []


def test_what_cannot_be_read_is_told_by_its_code_and_the_others_go_on(desk: Desk, docs: Path) -> None:
    (docs / "broken.pdf").symlink_to("nowhere")
    book(docs / "good.pdf")

    heard = desk.ingest(docs)

    assert heard.outcomes == {"broken.pdf": ("failed", "source_unreadable"), "good.pdf": ("queued", None)}
    assert dict(heard.failed) == {"source_unreadable": 1}


def test_a_document_that_changes_while_it_is_uploaded_leaves_no_false_blob(desk: Desk, docs: Path) -> None:
    book(docs / "one.pdf", "before")
    desk.blobs.before = lambda: book(docs / "one.pdf", "after")

    heard = desk.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("failed", "source_changed")}
    assert (list(desk.blobs.list("")), desk.queue.page(JobFilter()), desk.manifest.written) == ([], [], [])


def test_a_remembered_hash_that_is_wrong_is_found_out_at_the_upload(desk: Desk, docs: Path) -> None:
    path = book(docs / "one.pdf")
    stat = FileStat(str(path), path.stat().st_size, path.stat().st_mtime_ns)
    desk.catalog.remember([HashedFile(stat, SourceHash("0" * 64))])

    heard = desk.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("queued", None)}
    assert [blob.key for blob in desk.blobs.list("")] == [source_key(hash_of(path))]
    assert [job.source_hash for job in desk.queue.page(JobFilter())] == [hash_of(path)]
    assert [seen.source_hash for seen in desk.manifest.written] == [hash_of(path)]


def test_a_second_look_reads_nothing(desk: Desk, docs: Path) -> None:
    """R2-35."""
    book(docs / "one.pdf")

    first, second = desk.ingest(docs), desk.ingest(docs)

    assert (first.hashed, second.hashed) == (["one.pdf"], [])


def test_many_files_are_asked_about_in_one_question(desk: Desk, docs: Path) -> None:
    for number in range(300):
        book(docs / f"{number}.pdf")
    desk.ingest(docs)
    desk.jobs.calls.clear()

    heard = desk.ingest(docs)

    assert (heard.skipped.total(), desk.jobs.calls) == (300, ["states"])


def test_a_batch_that_is_full_is_settled_before_the_rest_is_read(
    desk: Desk, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "AT_ONCE", 2)
    for number in range(5):
        book(docs / f"{number}.pdf")

    heard = desk.ingest(docs)

    assert (heard.queued, desk.jobs.calls.count("states")) == (5, 3)


def test_what_was_begun_is_finished_when_somebody_says_stop(desk: Desk, docs: Path) -> None:
    for number in range(5):
        book(docs / f"{number}.pdf")
    desk.is_stopped = lambda: desk.blobs.copied == 2

    heard = desk.ingest(docs)
    desk.is_stopped = lambda: False
    again = desk.ingest(docs)

    assert (heard.uploaded, heard.queued, len(desk.queue.page(JobFilter()))) == (2, 2, 5)
    assert (again.queued, dict(again.skipped)) == (3, {"pending": 2})


def test_hashes_and_sightings_survive_a_queue_that_is_lost_on_the_way(desk: Desk, docs: Path) -> None:
    book(docs / "one.pdf")
    desk.jobs.lose("insert", LostReply.REQUEST)

    with pytest.raises(StoreUnavailable):
        desk.ingest(docs)
    again = desk.ingest(docs)

    assert (again.hashed, again.uploaded, again.queued) == ([], 0, 1)
    assert [seen.path for seen in desk.manifest.written] == ["one.pdf"]


def test_a_crash_between_the_job_and_the_manifest_is_mended_by_the_next_run(desk: Desk, docs: Path) -> None:
    path = book(docs / "one.pdf")
    desk.ingest(docs)
    desk.manifest.written.clear()

    desk.ingest(docs)

    assert [seen.source_hash for seen in desk.manifest.written] == [hash_of(path)]


def test_a_job_that_others_added_meanwhile_is_skipped_by_its_state(desk: Desk, docs: Path) -> None:
    path = book(docs / "one.pdf")
    desk.blobs.meanwhile = lambda: desk.ingest(docs) if desk.blobs.copied == 1 else None

    heard = desk.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("skipped", "pending")}
    assert desk.queue.states([JobKey("default", "pdf", hash_of(path))]) != {}


def test_a_pdf_smaller_than_a_pointer_is_a_document(desk: Desk, docs: Path) -> None:
    (docs / "tiny.pdf").write_bytes(PDF)

    assert desk.ingest(docs).outcomes == {"tiny.pdf": ("queued", None)}
