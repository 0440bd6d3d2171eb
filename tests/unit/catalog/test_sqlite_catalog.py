"""The catalogue's file: other versions, full disks, foreign files, and two that open it at once."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from blobforge.catalog import sqlite as catalog_module
from blobforge.catalog.nothing import NothingSeen
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.domain.errors import StoreUnavailable
from blobforge.ports.hash_cache import FileStat, HashCache, HashedFile
from blobforge.testing.builders import hash_of
from blobforge.testing.output_ledger_contract import an_output
from blobforge.testing.races import at_once

A = HashedFile(FileStat("/books/a.pdf", 1, 1), hash_of("a"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "catalog.db"


@pytest.fixture
def catalog(path: Path) -> Iterator[SqliteCatalog]:
    with closing(SqliteCatalog(path)) as opened:
        yield opened


def test_its_folder_is_made_where_it_is_missing(path: Path) -> None:
    SqliteCatalog(path).close()

    assert path.exists()


def test_what_is_remembered_outlives_the_process(path: Path) -> None:
    with closing(SqliteCatalog(path)) as first:
        first.remember([A])

    with closing(SqliteCatalog(path)) as second:
        assert second.known([A.stat]) == {A.stat.path: A.source_hash}


def test_a_catalogue_of_another_version_begins_anew(path: Path) -> None:
    with closing(SqliteCatalog(path)) as first:
        first.remember([A])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")

    with closing(SqliteCatalog(path)) as second:
        assert second.known([A.stat]) == {}
        second.remember([A])
        assert second.known([A.stat]) == {A.stat.path: A.source_hash}


def test_a_catalogue_of_the_last_release_keeps_its_entries(path: Path) -> None:
    output = an_output()
    with closing(SqliteCatalog(path)) as first:
        first.remember([A])
        first.write([output])
    with closing(sqlite3.connect(path)) as connection:
        for column in ("source", "doubts", "result_size", "warnings"):
            connection.execute(f"ALTER TABLE outputs DROP COLUMN {column}")
        connection.execute("PRAGMA user_version = 2")

    with closing(SqliteCatalog(path)) as second:
        assert second.known([A.stat]) == {A.stat.path: A.source_hash}
        assert second.written([output.path]) == {output.path: output}
        assert second.sources_below("/out") == {}


def test_of_two_that_open_a_new_catalogue_at_once_the_second_keeps_what_the_first_wrote(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_have_looked = threading.Barrier(2)
    look = SqliteCatalog._version
    looks = threading.local()

    def look_together(catalog: SqliteCatalog) -> int:
        version = look(catalog)
        if not hasattr(looks, "first"):
            looks.first = version
            both_have_looked.wait(timeout=10)
        return version

    monkeypatch.setattr(SqliteCatalog, "_version", look_together)

    def open_and_remember(file: HashedFile) -> None:
        with closing(SqliteCatalog(path)) as opened:
            opened.remember([file])

    b = HashedFile(FileStat("/books/b.pdf", 1, 1), hash_of("b"))
    at_once(lambda: open_and_remember(A), lambda: open_and_remember(b))

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM sources").fetchone() == (2,)


def test_a_new_catalogue_that_another_is_making_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as maker:
        maker.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(time, "sleep", lambda _seconds: maker.execute("COMMIT"))

        with closing(SqliteCatalog(path)) as catalog:
            assert catalog.known([A.stat]) == {}


def test_a_new_catalogue_that_another_makes_for_too_long_is_unavailable(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_module, "BUSY_SECONDS", 0.03)
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as maker:
        maker.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreUnavailable, match="cannot be opened: database is locked"):
            SqliteCatalog(path)


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"%PDF-1.7 and so on, for longer than a page of a database" * 100)

    with pytest.raises(StoreUnavailable, match=r"catalog\.db is damaged \(file is not a database\).*move it away"):
        SqliteCatalog(path)


@pytest.mark.parametrize("name", ["a file/catalog.db", "a folder"])
def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a file").touch()
    (tmp_path / "a folder").mkdir()

    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        SqliteCatalog(tmp_path / name)


def test_a_full_disk_is_said_to_be_that_and_hurts_only_this_write(catalog: SqliteCatalog) -> None:
    catalog.remember([A])
    catalog._connection.execute("PRAGMA max_page_count = 10")
    many = [HashedFile(FileStat(f"/books/{number}.pdf", 1, 1), hash_of("x")) for number in range(10_000)]

    with pytest.raises(StoreUnavailable, match="no space left on the disk"):
        catalog.remember(many)

    assert catalog.known([A.stat, many[0].stat]) == {A.stat.path: A.source_hash}
    catalog._connection.execute("PRAGMA max_page_count = 100000")
    catalog.remember(many)
    assert len(catalog.paths_of(hash_of("x"))) == 10_000


def test_a_fault_in_the_middle_undoes_the_whole_write(catalog: SqliteCatalog) -> None:
    too_large = HashedFile(FileStat("/books/b.pdf", 2**63, 1), hash_of("b"))

    with pytest.raises(OverflowError):
        catalog.remember([A, too_large])

    assert catalog.known([A.stat]) == {}
    catalog.remember([A])
    assert catalog.known([A.stat]) == {A.stat.path: A.source_hash}


def test_a_catalogue_that_another_holds_for_too_long_is_unavailable(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog_module, "BUSY_SECONDS", 0.05)
    with closing(SqliteCatalog(path)) as catalog, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreUnavailable, match="locked"):
            catalog.remember([A])

        assert catalog.known([A.stat]) == {}
        other.execute("ROLLBACK")
        catalog.remember([A])
        assert catalog.known([A.stat]) == {A.stat.path: A.source_hash}


@pytest.mark.parametrize(
    "call",
    [
        lambda catalog: catalog.known([A.stat]),
        lambda catalog: catalog.remember([A]),
        lambda catalog: catalog.paths_of(A.source_hash),
        lambda catalog: catalog.written(["/out/a.md"]),
    ],
)
def test_a_closed_catalogue_is_unavailable(path: Path, call: Callable[[SqliteCatalog], object]) -> None:
    catalog = SqliteCatalog(path)
    catalog.close()
    catalog.close()

    with pytest.raises(StoreUnavailable):
        call(catalog)


def test_a_cache_may_know_nothing_at_all() -> None:
    cache: HashCache = NothingSeen()
    cache.remember([A])

    assert cache.known([A.stat]) == {}
    assert cache.paths_of(A.source_hash) == []
