"""Steps of one thread that share a commit of SQLite."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine

from blobforge.coordination.sql.schema import prepare
from blobforge.coordination.sql.sqlite import SqliteDriver, sqlite_engine
from blobforge.coordination.sql.store import SqlJobStore
from blobforge.domain.errors import AlreadyExists, StoreUnavailable
from blobforge.domain.job import State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.testing.builders import ALICE, a_job
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, take


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "queue.db"


@pytest.fixture
def engine(path: Path) -> Engine:
    made = sqlite_engine(path, synchronous="NORMAL")
    prepare(made)
    return made


@pytest.fixture
def driver(engine: Engine) -> SqliteDriver:
    return SqliteDriver(engine)


@pytest.fixture
def store(engine: Engine, driver: SqliteDriver) -> Iterator[SqlJobStore]:
    with closing(SqlJobStore(engine, driver)) as opened:
        yield opened


def jobs_in(path: Path) -> int:
    """As another program sees them."""
    with closing(sqlite3.connect(path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM jobs").fetchone()
        return int(count)


def test_others_see_none_of_the_steps_before_all_are_done(driver: SqliteDriver, store: SqlJobStore, path: Path) -> None:
    with driver.together():
        store.insert([a_job("a")])
        store.insert([a_job("b")])
        seen_before = jobs_in(path)

    assert seen_before == 0
    assert jobs_in(path) == 2


def test_a_step_sees_what_those_before_it_did(driver: SqliteDriver, store: SqlJobStore) -> None:
    (job,) = added(store, "a")

    with driver.together():
        first = take(store)
        second = take(store)

    assert [taken.id for taken in first] == [job.id]
    assert second == []


def test_a_step_that_fails_is_undone_alone(driver: SqliteDriver, store: SqlJobStore, path: Path) -> None:
    def fail() -> None:
        with driver.transaction() as transaction:
            transaction.add([a_job("lost")])
            raise AlreadyExists("there is one")

    with driver.together():
        store.insert([a_job("a")])
        with pytest.raises(AlreadyExists):
            fail()
        store.insert([a_job("b")])

    assert jobs_in(path) == 2


def test_of_a_commit_that_fails_nothing_is_left(driver: SqliteDriver, store: SqlJobStore, path: Path) -> None:
    def work() -> None:
        with driver.together():
            store.insert([a_job("a")])
            # A token of nobody, which SQLite refuses at the commit and not before.
            with driver._connections.step() as cursor:
                cursor.execute("PRAGMA defer_foreign_keys = ON")
                cursor.execute(
                    "INSERT INTO api_tokens (user_id, token_hash, role, created_at, description) "
                    "VALUES ('nobody', 'hash', 'viewer', '2026-01-01', '')"
                )

    with pytest.raises(StoreUnavailable, match="FOREIGN KEY"):
        work()

    assert jobs_in(path) == 0
    store.insert([a_job("b")])
    assert jobs_in(path) == 1


def test_after_a_failure_that_took_the_steps_before_none_counts(
    driver: SqliteDriver, store: SqlJobStore, path: Path
) -> None:
    def fail_as_on_a_full_disk() -> None:
        with driver._connections.step() as cursor:
            cursor.execute("ROLLBACK")
            raise sqlite3.OperationalError("database or disk is full")

    def work() -> None:
        with driver.together():
            store.insert([a_job("a")])
            with pytest.raises(sqlite3.OperationalError):
                fail_as_on_a_full_disk()
            with pytest.raises(StoreUnavailable):
                store.insert([a_job("b")])

    with pytest.raises(StoreUnavailable, match="full"):
        work()

    assert jobs_in(path) == 0


def test_who_leaves_in_the_middle_undoes_all_steps(driver: SqliteDriver, store: SqlJobStore, path: Path) -> None:
    def work() -> None:
        with driver.together():
            store.insert([a_job("a")])
            raise KeyError

    with pytest.raises(KeyError):
        work()

    assert jobs_in(path) == 0
    store.insert([a_job("b")])
    assert jobs_in(path) == 1


def test_what_goes_over_another_connection_neither_waits_for_the_steps_nor_misses_them(
    driver: SqliteDriver, store: SqlJobStore
) -> None:
    (job,) = added(store, "a")

    with driver.together():
        take(store)
        seen = store.get(job.id)
        take(store)
        store.put_worker(Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START))
        store.insert([a_job("b")])
        moved = store.archive(completed_before=START, stretch=10)

    assert seen.state is State.RUNNING
    assert [worker.id for worker in store.workers()] == [ALICE]
    assert moved == 0
