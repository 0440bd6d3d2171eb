"""Databases of SQLite: set up by several at once, and what their errors mean to a person."""

import sqlite3
import time

_ASK_AGAIN_SECONDS = 0.01


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


def meaning(error: Exception) -> str:
    """SQLite's own words, where they tell a person what is wrong."""
    # An error of the driver itself has no code.
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return f"no space left on the disk ({error})"
    return str(error)
