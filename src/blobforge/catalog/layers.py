"""Two hash caches as one: the quicker is asked first, and the other for what that does not know."""

from collections.abc import Iterable, Sequence

from blobforge.domain.ids import SourceHash
from blobforge.ports.hash_cache import FileStat, HashCache, HashedFile


class LayeredHashCache:
    def __init__(self, first: HashCache, second: HashCache) -> None:
        self._first = first
        self._second = second

    def known(self, files: Sequence[FileStat]) -> dict[str, SourceHash]:
        """What only the second knows, the first learns."""
        found = self._first.known(files)
        missing = [file for file in files if file.path not in found] if len(found) < len(files) else []
        more = self._second.known(missing) if missing else {}
        if more:
            self._first.remember(HashedFile(file, more[file.path]) for file in missing if file.path in more)
            found.update(more)
        return found

    def remember(self, files: Iterable[HashedFile]) -> None:
        hashed = list(files)
        self._first.remember(hashed)
        self._second.remember(hashed)

    def paths_of(self, source_hash: SourceHash) -> list[str]:
        return list(dict.fromkeys(self._first.paths_of(source_hash) + self._second.paths_of(source_hash)))


class ReadOnlyHashCache:
    """For dry runs: nothing is stored."""

    def __init__(self, cache: HashCache) -> None:
        self._cache = cache

    def known(self, files: Sequence[FileStat]) -> dict[str, SourceHash]:
        return self._cache.known(files)

    def remember(self, files: Iterable[HashedFile]) -> None:
        """It stays as it is."""

    def paths_of(self, source_hash: SourceHash) -> list[str]:
        return self._cache.paths_of(source_hash)
