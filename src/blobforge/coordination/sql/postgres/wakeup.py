"""The wake-up of PostgreSQL: a connection of its own that LISTENs for new jobs."""

import os
import select
from collections.abc import Callable
from typing import Any

import psycopg
from sqlalchemy import URL

from blobforge.coordination.sql.postgres import statements
from blobforge.coordination.sql.postgres.driver import split_url
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0


class ListenWakeup:
    """Each listener has a connection of its own, outside of the pool: it is idle nearly all the time."""

    def __init__(self, url: URL, *, on_notify: Callable[[], None], runtime: Runtime = SYSTEM_RUNTIME) -> None:
        """`on_notify` is called before any listener."""
        self._on_notify = on_notify
        self._runtime = runtime
        place, self._parameters = split_url(url)
        # The URL of the driver, without SQLAlchemy's prefix.
        self._place = place.set(drivername="postgresql").render_as_string(hide_password=False)

    def subscribe(self, listener: Callable[[], None]) -> "ListenSubscription":
        def notify() -> None:
            self._on_notify()
            listener()

        return ListenSubscription(self._connect, notify, runtime=self._runtime)

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self._place, autocommit=True, **self._parameters)
        connection.execute(statements.LISTEN)
        return connection


class ListenSubscription:
    """Reconnects with exponential back-off; after a reconnection it notifies once, for what was missed."""

    def __init__(
        self,
        connect: Callable[[], psycopg.Connection[Any]],
        listener: Callable[[], None],
        *,
        runtime: Runtime = SYSTEM_RUNTIME,
    ) -> None:
        self._connect = connect
        self._listener = listener
        self._closed = runtime.event()
        # Written to by close(), so that the thread can wait without a timeout.
        self._wake_from, self._wake_to = os.pipe()
        # LISTEN before subscribe() returns, so that no NOTIFY after it is missed.
        self._connection = self._try_to_connect()
        self._thread = runtime.thread(self._listen, name="wakeup")
        self._thread.start()

    def close(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            os.write(self._wake_to, b".")
        self._thread.join()

    def _listen(self) -> None:
        wait = FIRST_WAIT_SECONDS
        try:
            while not self._closed.is_set():
                if self._connection is None:
                    if self._closed.wait(wait):
                        return
                    wait = min(wait * 2, LONGEST_WAIT_SECONDS)
                    self._connection = self._try_to_connect()
                    if self._connection is not None:
                        wait = FIRST_WAIT_SECONDS
                        self._call_listener()
                elif self._wait_for_notify(self._connection):
                    self._call_listener()
        finally:
            if self._connection is not None:
                self._connection.close()
            os.close(self._wake_from)
            os.close(self._wake_to)

    def _wait_for_notify(self, connection: psycopg.Connection[Any]) -> bool:
        """Waits for a NOTIFY or for close(); several NOTIFYs at once count as one."""
        try:
            waiting = select.poll()
            for source in (connection.fileno(), self._wake_from):
                waiting.register(source, select.POLLIN)
            waiting.poll()
            return bool(list(connection.notifies(timeout=0)))
        except (psycopg.Error, OSError):
            connection.close()
            self._connection = None
            return False

    def _call_listener(self) -> None:
        if not self._closed.is_set():
            self._listener()

    def _try_to_connect(self) -> psycopg.Connection[Any] | None:
        try:
            return self._connect()
        except psycopg.Error:
            return None
