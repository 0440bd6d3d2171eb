"""LISTEN: a connection of its own that hears when there are new jobs."""

import os
import select
import threading
from collections.abc import Callable
from typing import Any

import psycopg
from sqlalchemy import URL

from blobforge.coordination.sql.postgres import statements
from blobforge.coordination.sql.postgres.driver import place_and_facts

FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 30.0


class ListenWakeup:
    def __init__(self, url: URL, *, on_news: Callable[[], None]) -> None:
        """`on_news` hears of it before any listener."""
        self._on_news = on_news
        place, self._facts = place_and_facts(url)
        # The driver's own name of the place, without SQLAlchemy's prefix.
        self._place = place.set(drivername="postgresql").render_as_string(hide_password=False)

    def subscribe(self, listener: Callable[[], None]) -> "ListenSubscription":
        def tell() -> None:
            self._on_news()
            listener()

        return ListenSubscription(self._connect, tell)

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self._place, autocommit=True, **self._facts)
        connection.execute(statements.LISTEN)
        return connection


class ListenSubscription:
    """A server that goes away is asked for again, ever more seldom; whatever was missed meanwhile rings once."""

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]], listener: Callable[[], None]) -> None:
        self._connect = connect
        self._listener = listener
        self._closed = threading.Event()
        # Written to by close(), so that the thread sleeps for as long as nothing happens.
        self._wake_from, self._wake_to = os.pipe()
        # Listening before subscribe() returns, so that nothing after it is missed.
        self._connection = self._try_to_connect()
        self._thread = threading.Thread(target=self._listen, name="wakeup", daemon=True)
        self._thread.start()

    def close(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            os.write(self._wake_to, b".")
        if threading.current_thread() is not self._thread:
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
                        self._tell()
                elif self._hears_news(self._connection):
                    self._tell()
        finally:
            if self._connection is not None:
                self._connection.close()
            os.close(self._wake_from)
            os.close(self._wake_to)

    def _hears_news(self, connection: psycopg.Connection[Any]) -> bool:
        """Waits until something comes; notices that came together ring once."""
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

    def _tell(self) -> None:
        if not self._closed.is_set():
            self._listener()

    def _try_to_connect(self) -> psycopg.Connection[Any] | None:
        try:
            return self._connect()
        except psycopg.Error:
            return None
