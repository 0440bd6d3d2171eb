"""Every wake-up under the one contract."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from tests.postgres import Server

from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres_queue
from blobforge.coordination.sql.wakeup import FileWakeup
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions
from blobforge.ports.wakeup import Wakeup
from blobforge.testing.job_store.steps import added
from blobforge.testing.wakeup_contract import WakeupContract


class TestFileWakeup(WakeupContract):
    @pytest.fixture
    def database(self, tmp_path: Path) -> Path:
        return tmp_path / "queue.db"

    @pytest.fixture
    def change_queue(self, database: Path) -> Iterator[Callable[[], None]]:
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE news (n)")

            def make() -> None:
                connection.execute("INSERT INTO news VALUES (1)")

            yield make

    @pytest.fixture
    def wakeup(self, database: Path, change_queue: object) -> Wakeup:
        return FileWakeup(database)


class TestFileWakeupOfAQueueThatIsNotThereYet(WakeupContract):
    @pytest.fixture
    def wakeup(self, tmp_path: Path) -> Wakeup:
        return FileWakeup(tmp_path / "queue.db")

    @pytest.fixture
    def change_queue(self, tmp_path: Path) -> Callable[[], None]:
        """Opens and closes the database each time, so that its log comes and goes."""

        def make() -> None:
            with closing(sqlite3.connect(tmp_path / "queue.db", isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("CREATE TABLE IF NOT EXISTS news (n)")
                connection.execute("INSERT INTO news VALUES (1)")

        return make


class TestListenWakeup(WakeupContract):
    @pytest.fixture
    def queue(self, postgres_server: Server) -> Iterator[OpenedQueue]:
        opened = open_postgres_queue(postgres_server.empty_queue(), QueueOptions())
        with closing(opened.store):
            yield opened

    @pytest.fixture
    def wakeup(self, queue: OpenedQueue) -> Wakeup:
        return queue.wakeup

    @pytest.fixture
    def change_queue(self, queue: OpenedQueue) -> Callable[[], None]:
        numbers = count()

        def make() -> None:
            added(queue.store, f"document {next(numbers)}")

        return make
