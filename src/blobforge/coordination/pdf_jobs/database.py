"""One connection to the foreign database: made when it is needed, and again after it broke."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import errors

from blobforge.coordination.postgres_links import CONNECTION, first_line
from blobforge.domain.errors import StoreUnavailable

_OF_THE_OWNER = (errors.InsufficientPrivilege, errors.UndefinedTable, errors.UndefinedColumn)


class Refused(StoreUnavailable):
    """The database answers, and does not take what is written: it is of another form than the contract, or its owner
    does not let it pass."""


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
        """Raises StoreUnavailable, also when nobody knows whether it was committed, and Refused."""
        with self._lock, self._telling():
            connection = self._connected()
            with connection.transaction(), connection.cursor() as cursor:
                # Columns without a time zone mean the same moment to every worker, also behind a pooler that gives
                # each transaction another session.
                cursor.execute("SET LOCAL TIME ZONE 'UTC'")
                yield Transaction(cursor)

    def close(self) -> None:
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connected(self) -> "psycopg.Connection[tuple[Any, ...]]":
        if self._connection is None or self._connection.closed:
            facts = {**CONNECTION, **self._place, "application_name": "blobforge lab-worker"}
            self._connection = psycopg.connect(**facts, autocommit=True, prepare_threshold=None)
        return self._connection

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise StoreUnavailable(f"{self._name()} did not answer: {first_line(error)}") from error
        except _OF_THE_OWNER as error:
            hint = "docs/howto/lab-worker.md says what a worker must be granted"
            raise StoreUnavailable(f"{self._name()}: {first_line(error)}; {hint}") from error
        except psycopg.Error as error:
            # Without the database's own words: they quote the row, and that is a report.
            reason = f"{type(error).__name__}, SQLSTATE {error.sqlstate}"
            raise Refused(f"{self._name()} refused what was written: {reason}") from None

    def _name(self) -> str:
        return f"the database {self._place['dbname']} on {self._place['host']}"
