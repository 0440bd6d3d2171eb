"""The archive of a database really takes jobs in; the contract allows a store to keep all in place."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, func, select
from tests.postgres import Databases

from blobforge.coordination.sql import completed_archive as archive_module
from blobforge.coordination.sql import tables
from blobforge.coordination.sql.backend import open_queue
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres_queue
from blobforge.coordination.sql.store import SqlJobStore
from blobforge.domain.job import Job
from blobforge.ports.job_store import JobFilter, JobStore, Transition
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import a_job
from blobforge.testing.clock import START
from blobforge.testing.job_store.archiving import completed
from blobforge.testing.job_store.steps import added, completing, renewing, take
from blobforge.testing.races import at_once

LATER = START + timedelta(days=40)


@pytest.fixture
def postgres_url(postgres_server: Databases) -> str:
    return postgres_server.new_database()


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[JobStore]:
    with closing(open_postgres_queue(postgres_url, QueueOptions()).store) as store:
        yield store


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[JobStore]:
    with closing(open_queue(f"sqlite:///{tmp_path / 'queue.db'}", QueueOptions(durable=False)).store) as store:
        yield store


@pytest.fixture(params=["sqlite_store", "postgres_store"])
def store(request: pytest.FixtureRequest) -> JobStore:
    opened: JobStore = request.getfixturevalue(request.param)
    return opened


def rows_in(store: JobStore, table: Any) -> int:
    assert isinstance(store, SqlJobStore)
    with store._engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def test_all_that_is_old_is_taken_in_stretch_by_stretch(store: JobStore) -> None:
    completed(store, *(f"document {number}" for number in range(25)))

    moved = [store.archive(completed_before=LATER, stretch=10) for _ in range(3)]

    assert moved == [10, 10, 5]
    assert (rows_in(store, tables.jobs), rows_in(store, tables.jobs_archive)) == (0, 25)


def test_what_was_too_young_is_archived_by_a_later_scan(store: JobStore) -> None:
    completed(store, *(f"document {number}" for number in range(25)))
    assert [store.archive(completed_before=START, stretch=10) for _ in range(3)] == [0, 0, 0]

    moved = sum(store.archive(completed_before=LATER, stretch=10) for _ in range(3))

    assert moved == 25


def test_the_leases_of_archived_jobs_are_forgotten(postgres_store: JobStore, postgres_url: str) -> None:
    added(postgres_store, *"ab")
    done, held = take(postgres_store, 2)
    postgres_store.apply([Transition(job, renewing(job)) for job in (done, held)])
    postgres_store.apply([Transition(done, completing(done))])

    assert postgres_store.archive(completed_before=LATER, stretch=1_000) == 1

    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT job_id FROM job_leases").fetchall() == [(held.id,)]


def test_a_key_that_is_added_while_its_job_is_on_its_way_to_the_archive_is_known(
    postgres_store: JobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old,) = completed(postgres_store, "a")
    is_moved, is_added = threading.Event(), threading.Event()
    forget = archive_module._delete_leases

    def wait_before_the_commit(connection: Connection, first: int, last: int) -> None:
        is_moved.set()
        is_added.wait(timeout=0.5)
        forget(connection, first, last)

    def add() -> Job:
        assert is_moved.wait(timeout=10)
        (entry,) = postgres_store.insert([a_job("a")])
        is_added.set()
        return entry.job

    monkeypatch.setattr(archive_module, "_delete_leases", wait_before_the_commit)
    archive: Callable[[], int] = lambda: postgres_store.archive(completed_before=LATER, stretch=1_000)  # noqa: E731
    moved, known = at_once(archive, add)

    assert moved == 1
    assert known == old
    assert postgres_store.page(JobFilter()) == [old]
