"""The tables of a queue have what document 001 asks of them, or what took its place."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from blobforge.coordination.sql.schema import prepare
from blobforge.coordination.sql.sqlite import sqlite_engine


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = tmp_path / "queue.db"
    engine = sqlite_engine(path, synchronous="NORMAL")
    prepare(engine)
    engine.dispose()
    with closing(sqlite3.connect(path)) as connection:
        yield connection


def columns(database: sqlite3.Connection, table: str) -> dict[str, str | None]:
    """Each with its default."""
    return {row[1]: row[4] for row in database.execute(f"PRAGMA table_info({table})")}


def indexes(database: sqlite3.Connection, table: str) -> list[list[str]]:
    names = [row[1] for row in database.execute(f"PRAGMA index_list({table})")]
    return [[row[2] for row in database.execute(f"PRAGMA index_info({name})")] for name in names]


def test_workers_have_what_was_asked_for(database: sqlite3.Connection) -> None:
    """R1-2."""
    asked = {"id", "type", "status", "last_heartbeat", "current_job_id", "metadata", "created_at", "updated_at"}

    assert asked <= set(columns(database, "workers"))


def test_the_secret_of_a_worker_is_in_its_account(database: sqlite3.Connection) -> None:
    """R1-3."""
    assert {"secret_hash", "enabled"} <= set(columns(database, "worker_accounts"))


def test_jobs_have_what_was_asked_for(database: sqlite3.Connection) -> None:
    """R1-4, R1-5, R1-6, R1-7, R1-8."""
    found = columns(database, "jobs")

    assert {"id", "type", "status", "source_hash", "source_path", "source_size", "worker_id"} <= set(found)
    assert {"started_at", "completed_at", "last_error", "tags", "metadata", "result"} <= set(found)
    assert {"created_at", "updated_at"} <= set(found)
    assert [found[name] for name in ("priority", "attempts", "max_attempts")] == ["3", "0", "3"]
    (made,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'jobs'").fetchone()
    assert "AUTOINCREMENT" in made


def test_jobs_are_found_by_what_took_the_place_of_the_indexes(database: sqlite3.Connection) -> None:
    """R1-9, R1-10, R1-11, R1-12."""
    found = indexes(database, "jobs")

    assert ["source_hash", "type", "project"] in found
    assert ["project", "type", "needs", "priority", "created_at", "id"] in found
    assert ["project", "type", "status", "id"] in found
    assert ["due_at"] in found


def test_files_have_what_was_asked_for_and_are_found_by_job_and_key(database: sqlite3.Connection) -> None:
    """R1-13, R1-14."""
    asked = {"id", "job_id", "type", "s3_key", "size", "content_type", "checksum", "metadata", "created_at"}

    assert asked == set(columns(database, "files"))
    assert {"job_id", "s3_key"} <= {index[0] for index in indexes(database, "files")}
