"""A forgotten job leaves no row behind, in any table."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.postgres import Databases

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.backend import open_queue
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres_queue
from blobforge.coordination.sql.store import SqlJobStore
from blobforge.ports.job_store import JobStore, Transition
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.job_store.forgetting import NOT_A_PDF, retrying
from blobforge.testing.job_store.steps import OUTPUT, added, cancelling, failing, renewing, take


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[JobStore]:
    if request.param == "sqlite":
        opened = open_queue(f"sqlite:///{tmp_path / 'queue.db'}", QueueOptions(durable=False))
    else:
        server: Databases = request.getfixturevalue("postgres_server")
        opened = open_postgres_queue(server.empty_queue(), QueueOptions())
    with closing(opened.store):
        yield opened.store


OF_NO_JOB = {"jobs_archive", "workers", "queue_identity", "worker_records", "paused_lanes"} | {
    table.name for table in tables.CLOSED
}


def rows(store: JobStore) -> dict[str, int]:
    assert isinstance(store, SqlJobStore)
    with store._engine.connect() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in tables.tables_for(connection.dialect.name)
        }


def test_a_forgotten_job_leaves_no_row_behind(store: JobStore) -> None:
    """R2-27."""
    added(store, "a")
    (held,) = take(store)
    store.apply([Transition(held, renewing(held))])
    store.apply([Transition(held, failing(held, NOT_A_PDF), (OUTPUT,))])
    store.update(held.id, retrying)
    cancelled = store.update(held.id, cancelling)
    before = rows(store)

    assert store.forget([cancelled]) == 1

    assert all(before[name] for name in before if name not in OF_NO_JOB)
    assert set(rows(store).values()) == {0}
