"""The contract of every HashCache that stores anything.

A subclass gives one fixture: `open_cache`, a function that opens another handle on the same cache at each call.
"""

import os
from collections.abc import Callable, Sequence

import pytest

from blobforge.ports.hash_cache import FileStat, HashCache, HashedFile
from blobforge.testing.builders import hash_of
from blobforge.testing.races import at_once

OpenCache = Callable[[], HashCache]

A = FileStat("/books/a.pdf", 1_000, 1_700_000_000_123_456_789)
ODD_NAMES = [
    os.fsdecode(b"/books/caf\xe9.pdf"),
    "/books/café.pdf",
    "/books/two\nlines.pdf",
    '/books/it\'s 100% \\ "quoted".pdf',
    "/books/" + "ü" * 127 + ".pdf",
    "/books/漢字.pdf",
]


class HashCacheContract:
    @pytest.fixture
    def cache(self, open_cache: OpenCache) -> HashCache:
        return open_cache()

    def test_a_file_that_was_hashed_before_is_known(self, cache: HashCache) -> None:
        cache.remember([HashedFile(A, hash_of("a"))])

        assert cache.known([A]) == {A.path: hash_of("a")}

    def test_a_file_that_was_never_hashed_is_unknown(self, cache: HashCache) -> None:
        cache.remember([HashedFile(A, hash_of("a"))])

        assert cache.known([A._replace(path="/books/b.pdf")]) == {}
        assert cache.known([]) == {}

    @pytest.mark.parametrize(
        "changed",
        [A._replace(size=1_001), A._replace(mtime_ns=A.mtime_ns + 1), A._replace(mtime_ns=A.mtime_ns - 1)],
        ids=["another size", "the same size, later", "the same size, earlier"],
    )
    def test_a_file_that_changed_is_unknown(self, cache: HashCache, changed: FileStat) -> None:
        cache.remember([HashedFile(A, hash_of("a"))])

        assert cache.known([changed]) == {}

    def test_a_file_that_was_hashed_again_has_its_last_hash(self, cache: HashCache) -> None:
        changed = A._replace(mtime_ns=A.mtime_ns + 1)
        cache.remember([HashedFile(A, hash_of("old"))])
        cache.remember([HashedFile(changed, hash_of("new"))])

        assert cache.known([A, changed]) == cache.known([changed, A]) == {A.path: hash_of("new")}
        assert cache.known([A]) == {}

    @pytest.mark.parametrize("stat", [A._replace(size=0), A._replace(size=2**40), A._replace(mtime_ns=-1)])
    def test_every_size_and_time_is_kept_exactly(self, cache: HashCache, stat: FileStat) -> None:
        cache.remember([HashedFile(stat, hash_of("a"))])

        assert cache.known([stat]) == {A.path: hash_of("a")}

    def test_a_name_need_not_be_valid_text(self, cache: HashCache) -> None:
        files = [FileStat(path, 1, 1) for path in ODD_NAMES]

        cache.remember(HashedFile(file, hash_of(repr(file.path))) for file in files)

        assert cache.known(files) == {path: hash_of(repr(path)) for path in ODD_NAMES}
        assert [cache.paths_of(hash_of(repr(path))) for path in ODD_NAMES] == [[path] for path in ODD_NAMES]

    def test_ten_thousand_files_are_known_at_once(self, cache: HashCache) -> None:
        files = [FileStat(f"/books/{number % 100}/{number}.pdf", number, number) for number in range(10_000)]
        cache.remember(HashedFile(file, hash_of(file.path)) for file in files)
        changed = [file._replace(size=file.size + 1) if file.size % 2 else file for file in files]

        assert cache.known(files) == {file.path: hash_of(file.path) for file in files}
        assert set(cache.known(changed)) == {file.path for file in files if file.size % 2 == 0}
        assert len(cache.known(files[:3])) == 3

    def test_content_is_found_wherever_it_was_last_seen(self, cache: HashCache) -> None:
        copy = FileStat("/books/copy of a.pdf", 1_000, 5)
        moved_on = FileStat("/books/b.pdf", 7, 7)
        cache.remember([HashedFile(file, hash_of("a")) for file in (A, copy, moved_on)])
        cache.remember([HashedFile(moved_on, hash_of("b"))])

        assert sorted(cache.paths_of(hash_of("a"))) == [A.path, copy.path]
        assert cache.paths_of(hash_of("b")) == [moved_on.path]
        assert cache.paths_of(hash_of("never seen")) == []

    def test_what_one_handle_remembers_the_next_one_knows(self, open_cache: OpenCache) -> None:
        early = open_cache()
        open_cache().remember([HashedFile(A, hash_of("a"))])

        assert early.known([A]) == open_cache().known([A]) == {A.path: hash_of("a")}

    def test_concurrent_writes_are_both_kept(self, open_cache: OpenCache) -> None:
        first, second = open_cache(), open_cache()
        files = [FileStat(f"/books/{number}.pdf", number, number) for number in range(400)]

        def remember_each(cache: HashCache, files: Sequence[FileStat]) -> None:
            for file in files:
                cache.remember([HashedFile(file, hash_of(file.path))])

        at_once(lambda: remember_each(first, files[:200]), lambda: remember_each(second, files[200:]))

        assert len(open_cache().known(files)) == 400
