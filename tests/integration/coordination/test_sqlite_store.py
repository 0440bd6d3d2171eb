"""The SQLite store on files that are locked, full, foreign or out of reach."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.pool import QueuePool

from blobforge.coordination.sql import sqlite as sqlite_module
from blobforge.coordination.sql.backend import open_queue
from blobforge.coordination.sql.schema import prepare
from blobforge.coordination.sql.sqlite import SqliteDriver, sqlite_engine
from blobforge.coordination.sql.store import SqlJobStore
from blobforge.coordination.sql.wakeup import FileWakeup
from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.domain.ids import JobId
from blobforge.domain.job import State
from blobforge.domain.service_record import ServiceRecord
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import JobStore
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import ALICE, LEASE, a_job
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import PDFS, added, cancelling, claiming, reap_due, take


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "queue.db"


@pytest.fixture
def store(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JobStore]:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.05)
    with closing(open_queue(f"sqlite:///{path}", QueueOptions()).store) as opened:
        yield opened


@pytest.fixture
def other(path: Path, store: JobStore) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


WRITES: dict[str, Callable[[JobStore], object]] = {
    "insert": lambda store: store.insert([a_job("new")]),
    "update": lambda store: store.update(JobId(1), cancelling),
    "apply": lambda store: take(store, 5),
    "update_due": lambda store: reap_due(store, START + LEASE),
    "put_worker": lambda store: store.put_worker(
        Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START)
    ),
    "remove_worker": lambda store: store.remove_worker(ALICE),
}


# Someone else's lock


@pytest.mark.parametrize("name", WRITES)
def test_a_database_that_another_holds_for_too_long_is_unavailable_to_writers(
    store: JobStore, other: sqlite3.Connection, name: str
) -> None:
    added(store, *"abc")
    take(store)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreUnavailable, match=r"database is locked$"):
        WRITES[name](store)

    assert store.counts() == {("pdf", State.PENDING): 2, ("pdf", State.RUNNING): 1}
    other.execute("ROLLBACK")
    WRITES[name](store)


def test_an_idle_worker_needs_no_lock(store: JobStore, other: sqlite3.Connection) -> None:
    other.execute("BEGIN IMMEDIATE")

    assert take(store, 5) == []
    assert reap_due(store, START) == []


def test_a_new_database_that_another_is_making_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as maker:
        maker.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(time, "sleep", lambda _seconds: maker.execute("COMMIT"))

        with closing(open_queue(f"sqlite:///{path}", QueueOptions()).store) as store:
            assert store.counts() == {}


def test_a_new_database_that_another_makes_for_too_long_is_unavailable(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "BUSY_SECONDS", 0.03)
    with closing(sqlite3.connect(path, isolation_level=None)) as maker:
        maker.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreUnavailable, match=r"cannot be opened: database is locked$"):
            open_queue(f"sqlite:///{path}", QueueOptions())


# Trouble in the middle


def test_a_commit_that_fails_does_not_block_the_next_transaction(path: Path) -> None:
    engine = sqlite_engine(path, synchronous="NORMAL")
    prepare(engine)
    driver = SqliteDriver(engine)

    def commit_in_vain() -> None:
        with driver.transaction() as transaction:
            # Checked at the commit, which is where a full disk would be noticed too.
            cursor = transaction._cursor  # type: ignore[attr-defined]
            cursor.execute("CREATE TABLE note (job_id REFERENCES jobs (id) DEFERRABLE INITIALLY DEFERRED)")
            cursor.execute("INSERT INTO note VALUES (987654)")

    with pytest.raises(StoreUnavailable, match="FOREIGN KEY"):
        commit_in_vain()

    with closing(SqlJobStore(engine, driver)) as store:
        added(store, "a")
        assert store.files(JobId(987_654)) == []


def test_a_full_disk_is_reported_and_loses_nothing(path: Path) -> None:
    engine = sqlite_engine(path, synchronous="NORMAL")
    limit = {"pages": 60}

    @event.listens_for(engine, "checkout")
    def small_disk(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {limit['pages']}")

    prepare(engine)
    with closing(SqlJobStore(engine, SqliteDriver(engine))) as store:
        (job,) = added(store, "a")

        with pytest.raises(StoreUnavailable, match="full"):
            added(store, *(f"document {number}" for number in range(5_000)))

        assert store.counts() == {("pdf", State.PENDING): 1}
        assert store.get(job.id) == job
        assert len(take(store, 5)) == 1


def test_the_connection_of_a_thread_that_is_gone_is_used_again(path: Path) -> None:
    engine = sqlite_engine(path, synchronous="NORMAL")
    prepare(engine)
    with closing(SqlJobStore(engine, SqliteDriver(engine))) as store:
        added(store, "a")
        for _ in range(20):
            thread = threading.Thread(target=lambda: added(store, "b"))
            thread.start()
            thread.join()

        assert isinstance(engine.pool, QueuePool)
        assert engine.pool.checkedout() == 1


# Files that are none


def test_a_file_that_is_no_database_is_refused_in_plain_words(path: Path) -> None:
    path.write_bytes(b"%PDF-1.7 and so on, for longer than a page of a database" * 100)

    with pytest.raises(
        StoreUnavailable,
        match=r"queue\.db cannot be opened: file is not a database: .*queue\.db is damaged; bring it back",
    ):
        open_queue(f"sqlite:///{path}", QueueOptions())


def test_a_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "a file").touch()

    with pytest.raises(StoreUnavailable, match=r"the folder of the queue, .*a file/below, cannot be made"):
        open_queue(f"sqlite:///{tmp_path}/a file/below/queue.db", QueueOptions())


def test_a_folder_in_the_place_of_the_file_is_unavailable(path: Path) -> None:
    path.mkdir()

    with pytest.raises(StoreUnavailable, match="unable to open database file"):
        open_queue(f"sqlite:///{path}", QueueOptions())


def test_a_database_that_was_damaged_later_is_unavailable_to_readers_too(store: JobStore, path: Path) -> None:
    added(store, "a")
    store.close()
    path.write_bytes(b"no database any more" * 1_000)

    with pytest.raises(StoreUnavailable, match="did not answer"):
        store.counts()
    with pytest.raises(StoreUnavailable, match="did not answer"):
        store.apply([], take=claiming(), queue=PDFS, limit=1)


# How it is opened


@pytest.mark.parametrize(("durable", "synchronous"), [(True, 2), (False, 1)])
def test_a_durable_queue_waits_for_the_disk_at_every_commit(path: Path, durable: bool, synchronous: int) -> None:
    opened = open_queue(f"sqlite:///{path}", QueueOptions(durable=durable))
    assert isinstance(opened.store, SqlJobStore)
    with closing(opened.store), opened.store._engine.connect() as connection:
        settings = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("synchronous", "journal_mode", "foreign_keys")
        ]

    assert settings == [synchronous, "wal", 1]
    assert isinstance(opened.wakeup, FileWakeup)


def test_there_are_two_ways_to_be_synchronous(path: Path) -> None:
    with pytest.raises(ValueError, match="FULL or NORMAL"):
        sqlite_engine(path, synchronous="OFF")


def test_a_url_with_three_slashes_is_relative_and_with_four_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()

    open_queue("sqlite:///here/queue.db", QueueOptions()).store.close()
    open_queue(f"sqlite:///{tmp_path}/there/queue.db", QueueOptions()).store.close()

    assert (tmp_path / "here" / "queue.db").exists()
    assert (tmp_path / "there" / "queue.db").exists()


def test_a_path_may_have_any_character(tmp_path: Path) -> None:
    folder = tmp_path / "100% what? #1 ü"

    open_queue(f"sqlite:///{tmp_path}/100%25%20what%3F%20%231%20ü/queue.db", QueueOptions()).store.close()

    assert [path.name for path in folder.iterdir()] == ["queue.db"]


def test_a_relative_path_makes_no_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody left out the fourth slash of an absolute path: the folders of it would be made here."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(InvalidSettings, match=r"'srv/blobforge' is no folder here.*sqlite:////srv/blobforge/queue\.db"):
        open_queue("sqlite:///srv/blobforge/queue.db", QueueOptions())

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite://host/queue.db", "sqlite:queue.db"])
def test_a_url_that_names_no_file_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings, match="names no file: write sqlite:///relative"):
        open_queue(url, QueueOptions())


def test_a_worker_and_its_record_that_cannot_be_read_stop_nobody(store: JobStore, other: sqlite3.Connection) -> None:
    """R2-46."""
    store.put_worker(Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START))
    store.change_record("alice", lambda _: ServiceRecord(completed=3), now=START)

    for nonsense in ("[" * 100_000, "no JSON", "7"):
        other.execute("UPDATE workers SET metadata = ?", (nonsense,))
        other.execute("UPDATE worker_records SET record = ?", (nonsense,))

        assert [worker.metadata for worker in store.workers()] == [{}]
        assert store.records() == {"alice": ServiceRecord()}
