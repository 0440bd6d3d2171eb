"""Databases of SQLite: set up by several at once, and what their errors mean to a person."""

import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_ISREG

_ASK_AGAIN_SECONDS = 0.01
_PERHAPS_FULL = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""What SQLite says when it can make no file beside a database, or not make it longer."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LEAST_BYTES = 64 * 1024
"""The file by which processes share a log has 32 KiB, and the log itself needs some."""


def use_log(connection: sqlite3.Connection, *, busy_seconds: float) -> None:
    """Turns on the write-ahead log. Raises sqlite3.OperationalError.

    Of two that open a new database at once, SQLite refuses one without waiting: it asks again.
    """
    give_up = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(_ASK_AGAIN_SECONDS)
        else:
            return


def give_rights_back(database: Path) -> None:
    """Who could only read a database left files beside it with no more rights than it had then, and SQLite never gives
    them more: whoever may write it by now could not, because of them."""
    with suppress(OSError):
        rights = S_IMODE(database.stat().st_mode)
        for path in _beside(database):
            facts = path.lstat()
            if S_ISREG(facts.st_mode) and rights & ~S_IMODE(facts.st_mode):
                path.chmod(S_IMODE(facts.st_mode) | rights)


def has_wal_reset_defect(version: tuple[int, int, int]) -> bool:
    """Whether two processes that write at the same moment may, very rarely, damage a database with a write-ahead log.

    SQLite has it since 3.7.0; it is mended in 3.51.3, 3.50.7 and 3.44.6: https://sqlite.org/wal.html#walresetbug
    """
    mended = version >= (3, 51, 3) or (3, 50, 7) <= version < (3, 51) or (3, 44, 6) <= version < (3, 45)
    return version >= (3, 7) and not mended


def is_damaged(error: Exception) -> bool:
    """The database itself is wrong, and waiting mends nothing."""
    return _kind(error) in _DAMAGED


def _kind(error: Exception) -> int | None:
    """An error of the driver itself has no code; the first byte of one is its kind."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def meaning(error: Exception, database: str | Path | None = None) -> str:
    """SQLite's own words, where they tell a person what is wrong; `database` is the file that it is about."""
    kind = _kind(error)
    folder = None if database is None else Path(database).parent
    if kind == sqlite3.SQLITE_FULL or (kind in _PERHAPS_FULL and folder is not None and _is_full(folder)):
        return f"no space left on the disk{'' if folder is None else f'; make room in {folder}'} ({error})"
    if kind == sqlite3.SQLITE_READONLY and database is not None:
        lacking = " and ".join(map(str, _unwritable(Path(database))))
        return f"this user may not write {lacking} ({error}): give the right to write it, and its folder, to this user"
    if is_damaged(error):
        named = "the file" if database is None else str(database)
        return (
            f"{error}: {named} is damaged; bring it back from a backup ('sqlite3 FILE .recover' saves what can still "
            "be read), or move it away, with its -wal and -shm, and begin anew"
        )
    if kind == sqlite3.SQLITE_CANTOPEN and database is not None:
        return _unopened(error, Path(database))
    return str(error)


def _unopened(error: Exception, database: Path) -> str:
    if database.exists() and not os.access(database, os.R_OK):
        return f"this user may not read {database} ({error}): give the right to read and write it to this user"
    return f"{error}: {database}"


def _beside(database: Path) -> list[Path]:
    """The log and what processes share of it, where they are."""
    return [path for end in ("-wal", "-shm") if (path := Path(f"{database}{end}")).exists()]


def _unwritable(database: Path) -> list[Path]:
    return [path for path in (database, *_beside(database)) if not os.access(path, os.W_OK)] or [database]


def _is_full(folder: Path) -> bool:
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    # Some file systems do not count their files.
    return disk.f_bavail * disk.f_frsize < _LEAST_BYTES or (disk.f_files > 0 and disk.f_favail == 0)
