"""The driver of PostgreSQL: its connections and transactions."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, cast

import psycopg
from psycopg import errors
from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from blobforge.coordination.postgres_connections import CONNECTION
from blobforge.coordination.sql.claim_partitions import ClaimPartition, partitions_for
from blobforge.coordination.sql.database_errors import TransientFailure, reason, with_retries
from blobforge.coordination.sql.job_driver import JobTransaction
from blobforge.coordination.sql.postgres import statements
from blobforge.coordination.sql.postgres.claim_cursor import ClaimCursors
from blobforge.coordination.sql.postgres.debounced_notify import DebouncedNotify
from blobforge.coordination.sql.postgres.pool_log import tell_in_one_line
from blobforge.coordination.sql.postgres.transaction import PostgresTransaction
from blobforge.domain.errors import StoreUnavailable
from blobforge.ports.job_store import Queue
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

POOL_SECONDS = 30
CONNECTIONS = 5
MORE_CONNECTIONS = 15

_SET_UP = "SET TIME ZONE 'UTC'"
_NOT_DURABLE = "; SET synchronous_commit = off"


PREPARED = "prepared_statements"
"""Our own parameter in a URL: `no` for a pooler that gives every transaction another connection."""


def split_url(url: URL) -> tuple[URL, dict[str, Any]]:
    """Where to connect, and the parameters of every connection unless the URL sets them."""
    parameters = {name: value for name, value in CONNECTION.items() if name not in url.query}
    if url.query.get(PREPARED) == "no":
        parameters["prepare_threshold"] = None
    return url.difference_update_query([PREPARED]), parameters


def postgres_engine(url: URL, *, durable: bool) -> Engine:
    place, parameters = split_url(url)
    engine = create_engine(
        place,
        connect_args=parameters,
        pool_size=CONNECTIONS,
        max_overflow=MORE_CONNECTIONS,
        pool_timeout=POOL_SECONDS,
        # Core statements are single reads or writes; transactions of jobs begin and commit explicitly.
        isolation_level="AUTOCOMMIT",
    )
    tell_in_one_line()
    set_up = _SET_UP if durable else _SET_UP + _NOT_DURABLE

    @event.listens_for(engine, "connect")
    def prepare(connection: psycopg.Connection[Any], _record: object) -> None:
        connection.autocommit = True
        connection.execute(set_up)

    return engine


class PostgresDriver:
    """Sends NOTIFY after a commit that made jobs claimable, never before it."""

    def __init__(self, engine: Engine, *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        self._engine = engine
        self._notify = DebouncedNotify(self._send_notify, runtime=runtime)
        self._cursors = ClaimCursors()
        self._expects_work = False

    @contextmanager
    def transaction(self) -> Iterator[JobTransaction]:
        with self._cursor() as cursor:
            cursor.execute(statements.BEGIN)
            transaction = PostgresTransaction(cursor, self._cursors)
            try:
                yield transaction
            except BaseException:
                if not cursor.connection.closed:
                    cursor.execute("ROLLBACK")
                raise
            _commit(cursor)
        if transaction.ready_jobs:
            self._cursors.rewind_for(transaction.ready_jobs)
            self._notify.notify()

    def expect_work(self) -> None:
        """A NOTIFY came: the next `has_ready` need not query."""
        self._expects_work = True

    def has_ready(self, queue: Queue) -> bool:
        if self._expects_work:
            self._expects_work = False
            return True
        # A valid cursor means that there was work a moment ago; the query would scan the dead entries that it skips.
        return any(
            self._cursors.position(partition) is not None
            or self._is_found(statements.HAS_READY, (*partition, *partition.lane))
            for partition in partitions_for(queue, self._next_needs)
        )

    def commit_so_far(self) -> None:
        """Each transaction has a commit of its own: others commit beside it."""

    def has_due(self, now: datetime) -> bool:
        return self._is_found(statements.HAS_DUE, (now,))

    def tell_of_work(self) -> None:
        self._notify.notify()

    def close(self) -> None:
        self._notify.close()

    def _send_notify(self) -> None:
        self._row(statements.NOTIFY)

    def _next_needs(self, partition: ClaimPartition) -> str | None:
        row = self._row(statements.NEXT_NEEDS, partition)
        return None if row is None else row[0]

    def _is_found(self, query: str, values: Sequence[object]) -> bool:
        return self._row(query, values) is not None

    def _row(self, query: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        def query_once() -> tuple[Any, ...] | None:
            with self._cursor() as cursor:
                # Not prepared: a plan made while few jobs were pending is wrong for a million.
                return cursor.execute(query, values, prepare=False).fetchone()

        return with_retries(query_once)

    @contextmanager
    def _cursor(self) -> Iterator[psycopg.Cursor[tuple[Any, ...]]]:
        try:
            connection = self._engine.raw_connection()
        except (SQLAlchemyError, psycopg.Error) as error:
            raise StoreUnavailable(f"the queue database did not answer: {reason(error)}") from error
        try:
            yield cast("psycopg.Cursor[tuple[Any, ...]]", connection.cursor())
        except psycopg.Error as error:
            is_cut = cast("psycopg.Connection[Any]", connection.driver_connection).closed
            if is_cut:
                connection.invalidate(error)
            # Nothing was written, so a retry is safe: a commit whose reply is lost does not come here (see _commit).
            if is_cut or isinstance(error, errors.DeadlockDetected | errors.SerializationFailure):
                raise TransientFailure(reason(error)) from error
            raise StoreUnavailable(f"the queue database did not answer: {reason(error)}{_hint(error)}") from error
        finally:
            connection.close()


def _commit(cursor: psycopg.Cursor[Any]) -> None:
    try:
        cursor.execute("COMMIT")
    except psycopg.OperationalError as error:
        # The reply was lost: it may have been committed, so it must not be retried.
        raise StoreUnavailable(f"the queue database did not answer: {reason(error)}") from error


def _hint(error: psycopg.Error) -> str:
    if isinstance(error, errors.DuplicatePreparedStatement | errors.InvalidSqlStatementName):
        return f": a pooler is in between; add {PREPARED}=no to the query of the queue's URL"
    return ""
