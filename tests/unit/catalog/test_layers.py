"""Two hash caches as one."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from blobforge.catalog.layers import LayeredHashCache, ReadOnlyHashCache
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.ports.hash_cache import FileStat, HashedFile
from blobforge.testing.builders import hash_of

A = FileStat("/books/a.pdf", 1, 1)
B = FileStat("/books/b.pdf", 2, 2)


@pytest.fixture
def caches(tmp_path: Path) -> Iterator[tuple[SqliteCatalog, SqliteCatalog]]:
    with ExitStack() as stack:
        first, second = (stack.enter_context(closing(SqliteCatalog(tmp_path / name))) for name in ("1.db", "2.db"))
        yield first, second


def test_each_knows_its_part_and_the_first_learns_the_other(caches: tuple[SqliteCatalog, SqliteCatalog]) -> None:
    first, second = caches
    first.remember([HashedFile(A, hash_of("a"))])
    second.remember([HashedFile(B, hash_of("b"))])

    known = LayeredHashCache(first, second).known([A, B, FileStat("/books/c.pdf", 3, 3)])

    assert known == {A.path: hash_of("a"), B.path: hash_of("b")}
    assert first.known([B]) == {B.path: hash_of("b")}
    assert second.known([A]) == {}


def test_both_remember_and_both_are_asked_for_paths(caches: tuple[SqliteCatalog, SqliteCatalog]) -> None:
    first, second = caches
    second.remember([HashedFile(B, hash_of("a"))])

    LayeredHashCache(first, second).remember(HashedFile(file, hash_of("a")) for file in [A])

    assert first.known([A]) == second.known([A]) == {A.path: hash_of("a")}
    assert LayeredHashCache(first, second).paths_of(hash_of("a")) == [A.path, B.path]


def test_a_look_that_leaves_nothing_behind(caches: tuple[SqliteCatalog, SqliteCatalog]) -> None:
    first, second = caches
    second.remember([HashedFile(B, hash_of("b"))])
    layers = LayeredHashCache(ReadOnlyHashCache(first), ReadOnlyHashCache(second))

    layers.remember([HashedFile(A, hash_of("a"))])

    assert layers.known([A, B]) == {B.path: hash_of("b")}
    assert first.known([A, B]) == {}
    assert layers.paths_of(hash_of("b")) == [B.path]
