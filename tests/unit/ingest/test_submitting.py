"""Documents that are submitted, on their way into the queue and the store."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.pdfs import aged
from tests.unit.ingest.ingest_harness import WatchedStore

from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import DEFAULT_PROJECT
from blobforge.domain.job import NewJob
from blobforge.ingest.arrivals import AT_ONCE, Arrivals
from blobforge.ingest.hashing import hash_file
from blobforge.ingest.scan import scan
from blobforge.ingest.submitting import Submission, SubmitService, SubmittedFile
from blobforge.ports.blob_store import source_key
from blobforge.ports.job_store import JobFilter
from blobforge.testing.clock import FakeClock


@pytest.fixture
def blobs(tmp_path: Path) -> WatchedStore:
    return WatchedStore(tmp_path / "blobs")


@pytest.fixture
def queue() -> CoordinationService:
    return CoordinationService(MemoryJobStore(), clock=FakeClock())


@pytest.fixture
def submit(
    tmp_path: Path, docs: Path, blobs: WatchedStore, queue: CoordinationService
) -> Iterator[Callable[[], list[SubmittedFile]]]:
    """Submits the folder, as it is at that moment."""
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    intake = Arrivals(
        queue,
        blobs,
        new_job=lambda document: NewJob(
            project=DEFAULT_PROJECT,
            type="pdf",
            source_hash=document.source_hash,
            source_path=document.stat.path,
        ),
    )
    service = SubmitService(intake, catalog, "{}")
    yield lambda: list(service.submit(list(scan([docs]))))
    catalog.close()


def write(path: Path, content: str) -> Path:
    path.write_text(content)
    return aged(path)


def test_a_document_is_in_the_store_and_in_the_queue(
    submit: Callable[[], list[SubmittedFile]], docs: Path, blobs: WatchedStore, queue: CoordinationService
) -> None:
    path = write(docs / "one.pdf", "content")

    (entry,) = submit()

    source_hash = hash_file(str(path)).source_hash
    (job,) = queue.page(JobFilter())
    assert entry == SubmittedFile(
        path=str(path), outcome=Submission.QUEUED, job_id=job.id, source_hash=source_hash, state="pending"
    )
    (record,) = queue.files(job.id)
    assert (record.role, record.key, record.size, record.checksum) == (
        "source",
        source_key(source_hash),
        7,
        source_hash,
    )
    with blobs.open(source_key(source_hash)) as stored:
        assert stored.read() == b"content"


def test_the_same_content_is_queued_and_copied_once(
    submit: Callable[[], list[SubmittedFile]], docs: Path, blobs: WatchedStore
) -> None:
    for name in ("one.pdf", "two.pdf"):
        write(docs / name, "content")

    first, again = submit(), submit()

    assert [entry.outcome for entry in first] == [Submission.QUEUED, Submission.KNOWN]
    assert {entry.outcome for entry in again} == {Submission.KNOWN}
    assert {entry.job_id for entry in first} == {entry.job_id for entry in again}
    assert blobs.copied == 1


def test_what_cannot_be_read_is_told_and_the_others_go_on(
    submit: Callable[[], list[SubmittedFile]], docs: Path
) -> None:
    (docs / "broken.pdf").symlink_to("nowhere")
    write(docs / "good.pdf", "content")

    entries = {Path(entry.path).name: (entry.outcome, entry.code) for entry in submit()}

    assert entries == {
        "broken.pdf": (Submission.FAILED, "source_unreadable"),
        "good.pdf": (Submission.QUEUED, None),
    }


def test_a_document_that_vanishes_after_the_scan_fails_alone(
    submit: Callable[[], list[SubmittedFile]], docs: Path, blobs: WatchedStore
) -> None:
    write(docs / "a.pdf", "first")
    write(docs / "b.pdf", "second")
    blobs.meanwhile = (docs / "b.pdf").unlink

    entries = submit()

    assert {Path(entry.path).name: entry.code for entry in entries} == {"a.pdf": None, "b.pdf": "source_missing"}


def test_a_document_that_changes_while_it_is_copied_leaves_no_false_blob(
    submit: Callable[[], list[SubmittedFile]], docs: Path, blobs: WatchedStore, queue: CoordinationService
) -> None:
    write(docs / "one.pdf", "before")
    blobs.before = lambda: write(docs / "one.pdf", "after")

    (entry,) = submit()

    assert (entry.outcome, entry.code) == (Submission.FAILED, "source_changed")
    assert list(blobs.list("")) == []
    assert queue.page(JobFilter()) == []


def test_a_document_that_vanishes_while_it_is_copied_is_not_trusted(
    submit: Callable[[], list[SubmittedFile]], docs: Path, blobs: WatchedStore
) -> None:
    write(docs / "one.pdf", "content")
    blobs.before = (docs / "one.pdf").unlink

    (entry,) = submit()

    assert entry.code == "source_missing"
    assert list(blobs.list("")) == []


def test_a_document_that_is_only_touched_while_it_is_copied_is_submitted(
    submit: Callable[[], list[SubmittedFile]], docs: Path, blobs: WatchedStore
) -> None:
    write(docs / "one.pdf", "content")
    blobs.before = lambda: os.utime(docs / "one.pdf", (1, 1))

    (entry,) = submit()

    assert entry.outcome is Submission.QUEUED


def test_half_a_copy_in_the_store_is_replaced(
    submit: Callable[[], list[SubmittedFile]], docs: Path, blobs: WatchedStore, tmp_path: Path
) -> None:
    path = write(docs / "one.pdf", "content")
    key = source_key(hash_file(str(path)).source_hash)
    (tmp_path / "half").write_text("con")
    blobs.put(key, tmp_path / "half")

    submit()

    stored = blobs.stat(key)
    assert stored is not None
    assert stored.size == 7


def test_more_documents_than_go_at_once_all_go(submit: Callable[[], list[SubmittedFile]], docs: Path) -> None:
    for number in range(AT_ONCE + 1):
        write(docs / f"{number:03}.pdf", str(number))

    assert [entry.outcome for entry in submit()] == [Submission.QUEUED] * (AT_ONCE + 1)


def test_a_second_look_costs_no_second_hash(
    submit: Callable[[], list[SubmittedFile]], docs: Path, blobs: WatchedStore
) -> None:
    path = write(docs / "one.pdf", "content")
    facts = path.stat()
    submit()
    # Another content that the stat does not show: whoever reads the file would see it.
    path.write_text("CONTENT")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    (entry,) = submit()

    assert entry.outcome is Submission.KNOWN
