"""What all uses of SQLite share: waiting for another's set-up, and errors in a person's words."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from blobforge.sqlite_files import give_rights_back, has_wal_reset_defect, meaning, use_log


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new.db"


@pytest.fixture
def maker(path: Path) -> Iterator[sqlite3.Connection]:
    """Another that has begun to make the database."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        yield connection


def test_a_database_that_another_is_making_is_waited_for(
    maker: sqlite3.Connection, connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: maker.execute("COMMIT"))

    use_log(connection, busy_seconds=30)

    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.usefixtures("maker")
def test_a_database_that_another_makes_for_too_long_is_given_up(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        use_log(connection, busy_seconds=0.03)


def test_a_file_that_is_no_database_is_not_waited_for(path: Path, connection: sqlite3.Connection) -> None:
    path.write_bytes(b"no database" * 1_000)

    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        use_log(connection, busy_seconds=30)


def test_a_full_disk_is_called_that(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE words (word TEXT)")
    connection.execute("PRAGMA max_page_count = 2")

    with pytest.raises(sqlite3.OperationalError) as refusal:
        connection.execute("INSERT INTO words VALUES (?)", ("x" * 100_000,))

    assert meaning(refusal.value) == "no space left on the disk (database or disk is full)"


def test_a_disk_error_is_a_full_disk_only_where_the_disk_is_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    here = os.statvfs(path.parent)
    full = os.statvfs_result((*here[:4], 0, *here[5:]))

    assert (meaning(error), meaning(error, path)) == ("disk I/O error", "disk I/O error")
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    assert meaning(error, path) == f"no space left on the disk; make room in {path.parent} (disk I/O error)"


def test_a_database_that_may_not_be_written_is_named_with_what_to_do(path: Path) -> None:
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY

    assert meaning(error) == "attempt to write a readonly database"
    assert meaning(error, path) == (
        f"this user may not write {path} ({error}): give the right to write it, and its folder, to this user"
    )


def test_a_database_that_may_not_be_opened_is_named(path: Path) -> None:
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN

    assert meaning(error, path) == f"unable to open database file: {path}"


def test_other_errors_keep_their_words(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError) as refusal:
        connection.execute("SELECT * FROM absent")

    assert meaning(refusal.value) == "no such table: absent"
    assert meaning(sqlite3.ProgrammingError("Cannot operate on a closed database.")).startswith("Cannot operate")


def test_who_meets_a_damaged_database_is_told_what_to_do(path: Path, connection: sqlite3.Connection) -> None:
    path.write_bytes(b"no database" * 1_000)

    with pytest.raises(sqlite3.DatabaseError) as caught:
        connection.execute("SELECT * FROM words")

    told = meaning(caught.value, path)
    assert told.startswith(f"file is not a database: {path} is damaged; bring it back from a backup")


def test_a_database_of_another_user_is_called_that(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who runs the tests may be allowed to read everything."""
    path.touch()
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.R_OK)
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN

    assert meaning(error, path).startswith(f"this user may not read {path}")


@pytest.mark.parametrize("version", [(3, 7, 0), (3, 40, 1), (3, 44, 5), (3, 45, 0), (3, 50, 6), (3, 51, 2)])
def test_versions_that_may_damage_a_log_are_known(version: tuple[int, int, int]) -> None:
    assert has_wal_reset_defect(version)


@pytest.mark.parametrize("version", [(3, 6, 23), (3, 44, 6), (3, 50, 7), (3, 51, 3), (3, 53, 0)])
def test_versions_that_are_mended_or_have_no_log_are_good(version: tuple[int, int, int]) -> None:
    assert not has_wal_reset_defect(version)


@pytest.mark.parametrize("name", ["new.db-wal", "new.db-shm"])
def test_what_a_look_left_beside_a_database_gets_the_rights_of_that(path: Path, name: str) -> None:
    path.touch(mode=0o640)
    path.with_name(name).touch(mode=0o400)

    give_rights_back(path)

    assert path.with_name(name).stat().st_mode & 0o777 == 0o640


def test_no_other_file_gets_rights(path: Path, tmp_path: Path) -> None:
    path.touch(mode=0o600)
    (tmp_path / "mine").touch(mode=0o400)
    path.with_name("new.db-shm").symlink_to(tmp_path / "mine")
    path.with_name("new.db-wal").touch()
    path.with_name("new.db-wal").chmod(0o660)

    give_rights_back(path)
    give_rights_back(tmp_path / "gone.db")

    assert (tmp_path / "mine").stat().st_mode & 0o777 == 0o400
    assert path.with_name("new.db-wal").stat().st_mode & 0o777 == 0o660


def test_all_files_are_named_that_may_not_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = sqlite3.OperationalError("attempt to write a readonly database")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY
    for name in ("new.db", "new.db-shm", "new.db-wal"):
        path.with_name(name).touch()
    lacking = {path.with_name("new.db-shm"), path.with_name("new.db-wal")}
    monkeypatch.setattr(os, "access", lambda file, _mode: Path(file) not in lacking)

    told = meaning(error, path)

    assert told.startswith(f"this user may not write {path}-wal and {path}-shm (attempt to write")
