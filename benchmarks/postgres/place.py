"""A PostgreSQL server as it comes, fsync and all, and databases that are filled once and copied for each run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from psycopg import conninfo
from tests.postgres import Server

# All else as it comes; the name of the database tells whose statements the log has.
SETTINGS = "log_line_prefix = '%d '\n"

_numbers = count(1)

Fill = Callable[[str], None]
"""Makes the tables at a URL, and puts into them what a run begins with."""


class ClaimPosition:
    def __init__(self, folder: Path, url: str) -> None:
        self._folder = folder
        self._url = url
        self._templates: dict[str, str] = {}

    @contextmanager
    def database(self, like: str, fill: Fill) -> Iterator[str]:
        """The URL of a fresh copy. `like` names what `fill` makes; it is called for the first copy only."""
        if like not in self._templates:
            self._templates[like] = self._filled(fill)
        name = self._new(template=self._templates[like])
        try:
            # What the copy left unwritten is not the next run's to write.
            self.execute("CHECKPOINT")
            yield self._url_of(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        name = self._new(template="template1")
        try:
            yield self._url_of(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(statement)

    @contextmanager
    def logged_statements(self, url: str) -> Iterator[Callable[[], int]]:
        """Counts what the database at the URL is asked by connections that open from now on."""
        name = conninfo.conninfo_to_dict(url)["dbname"]
        self.execute(f"ALTER DATABASE {name} SET log_statement = 'all'")
        log = self._folder / "log"
        marks = (f"{name} LOG:  statement: ", f"{name} LOG:  execute ")
        try:
            yield lambda: sum(line.startswith(marks) for line in log.read_text(errors="replace").splitlines())
        finally:
            self.execute(f"ALTER DATABASE {name} RESET log_statement")

    def _filled(self, fill: Fill) -> str:
        name = self._new(template="template1")
        url = self._url_of(name)
        fill(url)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
        return name

    def _new(self, template: str) -> str:
        name = f"bench_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def _url_of(self, name: str) -> str:
        return f"postgresql://postgres:@/{name}?host={self._folder}"


@contextmanager
def place() -> Iterator[ClaimPosition]:
    with TemporaryDirectory(prefix="bench") as folder:
        server = Server(Path(folder), settings=SETTINGS)
        try:
            yield ClaimPosition(Path(folder), server.url)
        finally:
            server.close()
