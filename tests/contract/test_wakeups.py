"""Every wakeup that rings under the one contract."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from blobforge.coordination.sql.wakeup import FileWakeup
from blobforge.ports.wakeup import Wakeup
from blobforge.testing.wakeup_contract import WakeupContract


class TestFileWakeup(WakeupContract):
    @pytest.fixture
    def database(self, tmp_path: Path) -> Path:
        return tmp_path / "queue.db"

    @pytest.fixture
    def make_news(self, database: Path) -> Iterator[Callable[[], None]]:
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE news (n)")

            def make() -> None:
                connection.execute("INSERT INTO news VALUES (1)")

            yield make

    @pytest.fixture
    def wakeup(self, database: Path, make_news: object) -> Wakeup:
        return FileWakeup(database)


class TestFileWakeupOfAQueueThatIsNotThereYet(WakeupContract):
    @pytest.fixture
    def wakeup(self, tmp_path: Path) -> Wakeup:
        return FileWakeup(tmp_path / "queue.db")

    @pytest.fixture
    def make_news(self, tmp_path: Path) -> Callable[[], None]:
        """Opens and closes the database each time, so that its log comes and goes."""

        def make() -> None:
            with closing(sqlite3.connect(tmp_path / "queue.db", isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("CREATE TABLE IF NOT EXISTS news (n)")
                connection.execute("INSERT INTO news VALUES (1)")

        return make
