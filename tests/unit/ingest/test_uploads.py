"""Uploads of which several are under way at once, as into a bucket."""

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError

import pytest
from tests.unit.ingest.ingest_harness import IngestHarness, WatchedStore, book

from blobforge.domain.errors import DiskFull, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.ingest import arrivals as module
from blobforge.ingest.hashing import hash_file
from blobforge.ports.blob_store import NO_LABELS, BlobKey, BlobStat, source_key
from blobforge.ports.hash_cache import FileStat, HashedFile
from blobforge.ports.job_store import JobFilter

AT_ONCE = 4
PATIENCE_SECONDS = 10


class SlowStore(WatchedStore):
    """Lets a test do something before a file is stored, and remembers what was under way."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.before_file: Callable[[Path], object] = lambda _: None
        self.begun: list[str] = []
        self.most = 0
        self._lock = threading.Lock()
        self._now = 0

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        with self._lock:
            self.begun.append(path.name)
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            self.before_file(path)
            return super().put(key, path, labels=labels, source_hash=source_hash)
        finally:
            with self._lock:
                self._now -= 1


@pytest.fixture
def store(harness: IngestHarness, tmp_path: Path) -> SlowStore:
    store = SlowStore(tmp_path / "bucket")
    harness.blobs = store
    harness.uploads = AT_ONCE
    return store


def books(docs: Path, count: int) -> list[Path]:
    return [book(docs / f"{number:02}.pdf") for number in range(count)]


def shown(harness: IngestHarness, docs: Path) -> list[str]:
    return [Path(entry.path).name for entry in harness.ingest(docs).entries]


def test_several_files_are_uploaded_at_once_and_never_more(
    harness: IngestHarness, docs: Path, store: SlowStore
) -> None:
    books(docs, 2 * AT_ONCE)
    together = Barrier(AT_ONCE)
    store.before_file = lambda _: together.wait(PATIENCE_SECONDS)

    heard = harness.ingest(docs)

    assert (heard.uploaded, heard.queued, store.most) == (2 * AT_ONCE, 2 * AT_ONCE, AT_ONCE)


def test_into_a_folder_they_go_one_by_one(harness: IngestHarness, docs: Path, store: SlowStore) -> None:
    harness.uploads = 1
    books(docs, 3)

    harness.ingest(docs)

    assert (store.most, store.begun) == (1, ["00.pdf", "01.pdf", "02.pdf"])


def test_they_are_told_in_the_order_of_the_files(harness: IngestHarness, docs: Path, store: SlowStore) -> None:
    names = [path.name for path in books(docs, AT_ONCE)]
    last_is_stored = threading.Event()

    def before(path: Path) -> None:
        if path.name == names[-1]:
            last_is_stored.set()
        assert last_is_stored.wait(PATIENCE_SECONDS)

    store.before_file = before

    assert shown(harness, docs) == names


def test_the_same_content_is_uploaded_once_while_it_is_on_its_way(
    harness: IngestHarness, docs: Path, store: SlowStore
) -> None:
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        book(docs / name, "the same")
    alone = Barrier(2)

    def before(_: Path) -> None:
        # A second upload of it would come here as well.
        with suppress(BrokenBarrierError):
            alone.wait(0.3)

    store.before_file = before

    heard = harness.ingest(docs)

    assert store.begun == ["a.pdf"]
    assert [(entry.outcome.value, entry.is_uploaded) for entry in heard.entries] == [
        ("queued", True),
        ("skipped", False),
        ("skipped", False),
    ]


def test_the_same_content_is_found_out_under_hashes_that_were_remembered_wrongly(
    harness: IngestHarness, docs: Path, store: SlowStore
) -> None:
    paths = [book(docs / name, "the same") for name in ("a.pdf", "b.pdf")]
    wrong = hash_file(str(book(docs.parent / "other", "other"))).source_hash
    for path in paths:
        facts = path.stat()
        harness.catalog.remember([HashedFile(FileStat(str(path), facts.st_size, facts.st_mtime_ns), wrong)])

    heard = harness.ingest(docs)

    assert (heard.uploaded, heard.queued, store.begun) == (1, 1, ["a.pdf"])


def test_a_copy_is_uploaded_where_the_first_one_changed_on_its_way(
    harness: IngestHarness, docs: Path, store: SlowStore
) -> None:
    first, second = (book(docs / name, "the same") for name in ("a.pdf", "b.pdf"))
    key = source_key(hash_file(str(second)).source_hash)
    store.before_file = lambda path: book(first, "another") if path == first else None

    heard = harness.ingest(docs)

    assert heard.outcomes == {"a.pdf": ("failed", "source_changed"), "b.pdf": ("queued", None)}
    with store.open(key) as stored:
        assert stored.read() == second.read_bytes()


def test_what_is_wrong_with_one_file_is_told_and_the_others_go_on(
    harness: IngestHarness, docs: Path, store: SlowStore
) -> None:
    gone, *_ = books(docs, 2 * AT_ONCE)
    store.before_file = lambda path: path.unlink() if path == gone else None

    heard = harness.ingest(docs)

    assert heard.outcomes["00.pdf"] == ("failed", "source_missing")
    assert (heard.uploaded, heard.queued) == (2 * AT_ONCE - 1, 2 * AT_ONCE - 1)


def test_a_store_that_is_lost_is_told_after_all_uploads_have_ended(
    harness: IngestHarness, docs: Path, store: SlowStore
) -> None:
    books(docs, 5 * AT_ONCE)
    together = Barrier(AT_ONCE)

    def before(path: Path) -> None:
        if int(path.stem) < AT_ONCE:
            together.wait(PATIENCE_SECONDS)
        if path.name == "00.pdf":
            raise StoreUnavailable("the store is gone")

    store.before_file = before

    with pytest.raises(StoreUnavailable):
        harness.ingest(docs)

    threads = [thread.name for thread in threading.enumerate()]
    assert "ordered-tasks" not in threads
    assert len(list(store.list(""))) >= AT_ONCE - 1
    assert len(store.begun) <= 2 * AT_ONCE


def test_whoever_says_stop_waits_only_for_what_is_on_its_way(
    harness: IngestHarness, docs: Path, store: SlowStore
) -> None:
    books(docs, 5 * AT_ONCE)
    together = Barrier(AT_ONCE)
    store.before_file = lambda _: together.wait(PATIENCE_SECONDS)
    harness.is_stopped = lambda: len(store.begun) >= AT_ONCE

    heard = harness.ingest(docs)

    assert (len(store.begun), heard.uploaded, heard.queued) == (AT_ONCE, AT_ONCE, AT_ONCE)
    assert len(harness.queue.page(JobFilter())) == AT_ONCE


def test_what_is_stored_does_not_wait_for_a_large_file(
    harness: IngestHarness, docs: Path, store: SlowStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.05)
    books(docs, 2)
    jobs_meanwhile: list[int] = []

    def before(path: Path) -> None:
        if path.name == "00.pdf":
            assert settled.wait(PATIENCE_SECONDS)
            jobs_meanwhile.append(len(harness.queue.page(JobFilter())))

    settled = threading.Event()
    submit = harness.queue.submit

    def submit_and_tell(*args: object) -> object:
        entries = submit(*args)  # type: ignore[arg-type]
        settled.set()
        return entries

    monkeypatch.setattr(harness.queue, "submit", submit_and_tell)
    store.before_file = before

    heard = harness.ingest(docs)

    assert (jobs_meanwhile, heard.queued) == ([1], 2)


def test_bytes_are_stored_before_their_job_is_there(
    harness: IngestHarness, docs: Path, store: SlowStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R0-36, R0-39."""
    books(docs, 3 * AT_ONCE)
    without_source: list[str] = []
    submit = harness.queue.submit

    def look_and_submit(jobs: list[object]) -> object:
        without_source.extend(
            job.source_hash  # type: ignore[attr-defined]
            for job in jobs
            if store.stat(source_key(job.source_hash)) is None  # type: ignore[attr-defined]
        )
        return submit(jobs)  # type: ignore[arg-type]

    monkeypatch.setattr(harness.queue, "submit", look_and_submit)

    assert (harness.ingest(docs).queued, without_source) == (3 * AT_ONCE, [])


def _no_room() -> None:
    raise DiskFull("no space left to store sources/ab")


def test_a_full_store_is_told_by_the_name_of_the_document(harness: IngestHarness, docs: Path) -> None:
    book(docs / "one.pdf")
    harness.blobs.meanwhile = _no_room

    heard = harness.ingest(docs)

    assert heard.outcomes == {"one.pdf": ("failed", "disk_full")}
    assert str(heard.entries[0].message).startswith(f"{docs}/one.pdf: no space left in the store for its ")


def test_who_comes_again_by_itself_waits_for_room_and_gives_no_document_up(harness: IngestHarness, docs: Path) -> None:
    book(docs / "one.pdf")
    harness.waits_for_room = True
    harness.blobs.meanwhile = _no_room
    with pytest.raises(DiskFull, match=r"one\.pdf: no space left in the store"):
        harness.ingest(docs)
    harness.blobs.meanwhile = lambda: None

    assert harness.ingest(docs).outcomes == {"one.pdf": ("queued", None)}
