"""One connection to the foreign database: made when it is needed, and again after it broke."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

from blobforge.coordination.postgres_connections import CONNECTION, first_line
from blobforge.domain.errors import StoreUnavailable, WriteRefused

_PASSING = frozenset({"08", "25", "28", "3D", "40", "53", "55", "57", "58"})
"""Classes of states that are no fault of what is written: connections, read-only times, passwords, deadlocks,
resources, locks, interventions, disks."""
_OF_THE_OWNER = frozenset({"42501", "42P01", "42703"})
"""A right, a table or a column is missing."""
STATEMENT_SECONDS = 60
"""Nothing that is said here takes long; who waits for a lock of the application keeps its own locks meanwhile."""


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
    """Threads may share it: one is served at a time, and a worker takes one connection of somebody else's server."""

    def __init__(self, place: Mapping[str, str | int]) -> None:
        """`place` is host, port, dbname, user and password, as libpq names them."""
        self._place = place
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Raises StoreUnavailable, also when nobody knows whether it was committed, and WriteRefused."""
        with self._lock, self._telling():
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
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._meaning(error) from None

    def _meaning(self, error: psycopg.Error) -> StoreUnavailable:
        """What the database said is repeated only where it speaks for itself: a trigger, or a value that it does not
        take, would quote the row, and that is a report."""
        state = error.sqlstate
        words = first_line(error) if error.diag.context is None else f"SQLSTATE {state}"
        if state is None or state[:2] in _PASSING:
            return StoreUnavailable(f"{self._name()} did not answer: {words}")
        if state in _OF_THE_OWNER:
            return StoreUnavailable(f"{self._name()}: {words}; docs/howto/lab-worker.md says what a worker needs")
        return WriteRefused(f"{self._name()} refused what was written: {type(error).__name__}, SQLSTATE {state}")

    def _name(self) -> str:
        return f"the database {self._place['dbname']} on {self._place['host']}"
