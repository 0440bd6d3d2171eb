"""The tables of a queue have what document 001 asks of them, or what took its place: in SQLite and in PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, Inspector, inspect
from tests.postgres import Databases

from blobforge.coordination.sql.postgres.backend import place_of
from blobforge.coordination.sql.postgres.driver import postgres_engine
from blobforge.coordination.sql.schema import prepare
from blobforge.coordination.sql.sqlite import sqlite_engine


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    if request.param == "sqlite":
        made = sqlite_engine(tmp_path / "queue.db", synchronous="NORMAL")
    else:
        server: Databases = request.getfixturevalue("postgres_server")
        made = postgres_engine(place_of(server.new_database()), durable=False)
    prepare(made)
    yield made
    made.dispose()


@pytest.fixture
def database(engine: Engine) -> Inspector:
    return inspect(engine)


def columns(database: Inspector, table: str) -> set[str]:
    return {column["name"] for column in database.get_columns(table)}


def required(database: Inspector, table: str) -> set[str]:
    return {column["name"] for column in database.get_columns(table) if not column["nullable"]}


def indexes(database: Inspector, table: str) -> list[list[str | None]]:
    return [index["column_names"] for index in database.get_indexes(table)]


def test_workers_have_what_was_asked_for(database: Inspector) -> None:
    """R1-2."""
    asked = {"id", "type", "status", "last_heartbeat", "current_job_id", "metadata", "created_at", "updated_at"}

    assert asked <= columns(database, "workers")
    assert {"id", "type", "status", "created_at"} <= required(database, "workers")


def test_the_secret_of_a_worker_is_in_its_account(database: Inspector) -> None:
    """R1-3."""
    assert {"secret_hash", "enabled"} <= columns(database, "worker_accounts")
    assert "enabled" in required(database, "worker_accounts")


def test_jobs_have_what_was_asked_for(database: Inspector) -> None:
    """R1-4, R1-5, R1-6, R1-7, R1-8."""
    found = columns(database, "jobs")
    defaults = {column["name"]: str(column["default"]) for column in database.get_columns("jobs")}

    assert {"id", "type", "status", "source_hash", "source_path", "source_size", "worker_id"} <= found
    assert {"started_at", "completed_at", "last_error", "tags", "metadata", "result"} <= found
    assert {"id", "type", "status", "source_hash", "priority", "attempts", "created_at"} <= required(database, "jobs")
    assert not {"source_path", "source_size", "worker_id", "result"} & required(database, "jobs")
    assert [defaults[name] for name in ("priority", "attempts", "max_attempts")] == ["3", "0", "3"]


def test_an_id_of_a_job_is_never_given_again(engine: Engine) -> None:
    """R1-4."""
    made = "SELECT sql FROM sqlite_master WHERE name = 'jobs'"
    sequence = "SELECT pg_get_serial_sequence('jobs', 'id')"
    with engine.connect() as connection:
        is_sqlite = engine.dialect.name == "sqlite"
        (told,) = connection.exec_driver_sql(made if is_sqlite else sequence).one()

    assert ("AUTOINCREMENT" if is_sqlite else "jobs_id_seq") in told


def test_a_job_is_unique_by_what_it_is_of(database: Inspector) -> None:
    """R1-9."""
    unique = [constraint["column_names"] for constraint in database.get_unique_constraints("jobs")]

    assert unique == [["source_hash", "type", "project"]]


def test_jobs_are_found_by_what_took_the_place_of_the_indexes(database: Inspector) -> None:
    """R1-10, R1-11, R1-12."""
    found = indexes(database, "jobs")

    assert ["project", "type", "needs", "priority", "created_at", "id"] in found
    assert ["project", "type", "status", "id"] in found
    assert ["due_at"] in found


def test_files_have_what_was_asked_for_and_are_found_by_job_and_key(database: Inspector) -> None:
    """R1-13, R1-14."""
    asked = {"id", "job_id", "type", "s3_key", "size", "content_type", "checksum", "metadata", "created_at"}

    assert asked == columns(database, "files")
    assert {"job_id", "s3_key"} <= {index[0] for index in indexes(database, "files")}
