"""One connection to the foreign database: opened on demand, and again after it broke."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

from blobforge.coordination.postgres_connections import CONNECTION, first_line
from blobforge.domain.errors import StoreUnavailable, WriteRefused

_TRANSIENT = frozenset({"08", "25", "28", "3D", "40", "53", "55", "57", "58"})
"""Classes of SQLSTATEs that are not caused by the written values: connections, read-only mode, passwords, deadlocks,
resources, locks, interventions, disks."""
_MISSING = frozenset({"42501", "42P01", "42703"})
"""A right, a table or a column is missing."""
STATEMENT_SECONDS = 60
"""All statements here are short; one that waits for a lock of the application holds its own locks meanwhile."""


class Transaction:
    def __init__(self, cursor: "psycopg.Cursor[tuple[Any, ...]]") -> None:
        self._cursor = cursor

    def row(self, statement: str, values: Mapping[str, object] | None = None) -> tuple[Any, ...] | None:
        return self._cursor.execute(statement, values).fetchone()

    def rows(self, statement: str, values: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
        return self._cursor.execute(statement, values).fetchall()

    def write(self, statement: str, values: Mapping[str, object]) -> int:
        """How many rows were written."""
        return self._cursor.execute(statement, values).rowcount


class Database:
    """Threads may share it, one at a time: a worker uses one connection of another application's server."""

    def __init__(self, place: Mapping[str, str | int]) -> None:
        """`place` is host, port, dbname, user and password, as libpq names them."""
        self._place = place
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Raises StoreUnavailable, also when it is unknown whether it was committed, and WriteRefused."""
        with self._lock, self._translating_errors():
            connection = self._connected()
            with connection.transaction(), connection.cursor() as cursor:
                # Columns without a time zone mean the same moment to every worker, also behind a pooler that gives
                # each transaction another session.
                cursor.execute(f"SET LOCAL TIME ZONE 'UTC'; SET LOCAL statement_timeout = '{STATEMENT_SECONDS}s'")
                yield Transaction(cursor)

    def close(self) -> None:
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connected(self) -> "psycopg.Connection[tuple[Any, ...]]":
        if self._connection is None or self._connection.closed:
            # In UTF-8, whatever the database and the environment say: results are written as bytes of it.
            own = {"application_name": "blobforge lab-worker", "client_encoding": "utf8"}
            facts = {**CONNECTION, **self._place, **own}
            self._connection = psycopg.connect(**facts, autocommit=True, prepare_threshold=None)
        return self._connection

    @contextmanager
    def _translating_errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._translated(error) from None

    def _translated(self, error: psycopg.Error) -> StoreUnavailable:
        """Quotes the database only where it reports about itself: a trigger, or a refused value, would quote the row,
        which holds a report."""
        state = error.sqlstate
        words = first_line(error) if error.diag.context is None else f"SQLSTATE {state}"
        if state is None or state[:2] in _TRANSIENT:
            return StoreUnavailable(f"{self._name()} did not answer: {words}")
        if state in _MISSING:
            return StoreUnavailable(f"{self._name()}: {words}; docs/howto/lab-worker.md says what a worker needs")
        return WriteRefused(f"{self._name()} refused what was written: {type(error).__name__}, SQLSTATE {state}")

    def _name(self) -> str:
        return f"the database {self._place['dbname']} on {self._place['host']}"
