"""The connections of a SQLite queue, one a thread, and its transactions: one step each, or several steps together."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast
from weakref import WeakSet

from sqlalchemy import Engine, PoolProxiedConnection


class SqliteConnections:
    """Threads may share it: each has a connection of its own, and steps together are those of one thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._local = threading.local()
        self._lock = threading.Lock()
        # Weak references, so that the connection of a thread that has ended returns to the pool.
        self._held: WeakSet[PoolProxiedConnection] = WeakSet()

    def cursor(self) -> sqlite3.Cursor:
        """Each thread keeps its connection: taking one from the pool would cost as much as a small transaction."""
        connection: PoolProxiedConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._engine.raw_connection()
            with self._lock:
                self._held.add(connection)
        return cast("sqlite3.Cursor", connection.cursor())

    @contextmanager
    def step(self) -> Iterator[sqlite3.Cursor]:
        """A transaction of its own, or a part of the one that is open: undone alone where it raises."""
        group = self._group()
        if group is not None:
            with group.step() as cursor:
                yield cursor
            return
        cursor = self.cursor()
        _begin(cursor)
        try:
            yield cursor
            cursor.execute("COMMIT")
        except BaseException:
            _roll_back(cursor)
            raise

    @contextmanager
    def together(self) -> Iterator[None]:
        """The steps of this thread share one commit. Raises sqlite3.Error where it failed: none of them counts."""
        group = self._local.group = _Group(self.cursor())
        try:
            yield
            group.commit()
        finally:
            self._local.group = None
            group.roll_back()

    def commit_so_far(self) -> None:
        """Before this thread reads or writes over another connection, which would not see its steps, or wait for them
        in vain."""
        if (group := self._group()) is not None:
            group.commit()

    def close(self) -> None:
        with self._lock:
            held, self._held = list(self._held), WeakSet()
        for connection in held:
            connection.close()
        self._local = threading.local()

    def _group(self) -> "_Group | None":
        return getattr(self._local, "group", None)


class _Group:
    """Begins with its first step. After a failure that took all with it, nothing goes on as if it were there."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor
        self._is_begun = False
        self._failure: sqlite3.Error | None = None

    @contextmanager
    def step(self) -> Iterator[sqlite3.Cursor]:
        self._require_sound()
        if not self._is_begun:
            _begin(self._cursor)
            self._is_begun = True
        try:
            self._cursor.execute("SAVEPOINT step")
            yield self._cursor
            self._cursor.execute("RELEASE step")
        except BaseException as error:
            self._undo_step(error)
            raise

    def commit(self) -> None:
        self._require_sound()
        if not self._is_begun:
            return
        self._is_begun = False
        try:
            self._cursor.execute("COMMIT")
        except sqlite3.Error as error:
            self._failure = error
            _roll_back(self._cursor)
            raise

    def roll_back(self) -> None:
        """Nothing where all was committed."""
        if self._is_begun:
            self._is_begun = False
            _roll_back(self._cursor)

    def _undo_step(self, error: BaseException) -> None:
        if self._cursor.connection.in_transaction:
            self._cursor.execute("ROLLBACK TO step")
            self._cursor.execute("RELEASE step")
            return
        # A full disk has ended the transaction, with the steps before this one.
        self._is_begun = False
        self._failure = error if isinstance(error, sqlite3.Error) else sqlite3.OperationalError(str(error))

    def _require_sound(self) -> None:
        if self._failure is not None:
            raise self._failure


def _begin(cursor: sqlite3.Cursor) -> None:
    # SQLite takes its write lock at the first write by default, which lets two readers both decide to write.
    # IMMEDIATE takes it at BEGIN, like FOR UPDATE.
    cursor.execute("BEGIN IMMEDIATE")


def _roll_back(cursor: sqlite3.Cursor) -> None:
    """A full disk may have ended the transaction already; a commit that failed has not."""
    if cursor.connection.in_transaction:
        cursor.execute("ROLLBACK")
