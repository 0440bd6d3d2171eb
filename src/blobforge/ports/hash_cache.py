"""Hashes of files that were hashed before, so that the next scan costs a stat."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from blobforge.domain.ids import SourceHash


class FileStat(NamedTuple):
    """Size and time of a file; equal stats mean equal content."""

    path: str
    size: int
    mtime_ns: int


class HashedFile(NamedTuple):
    """The hash is that of the file as long as `stat` is."""

    stat: FileStat
    source_hash: SourceHash


class HashCache(Protocol):
    """A cache: it may forget entries, and is never wrong about a file whose stat is unchanged."""

    def known(self, files: Sequence[FileStat]) -> dict[str, SourceHash]:
        """Hashes by path, of those files whose size and time are as they were."""
        ...

    def remember(self, files: Iterable[HashedFile]) -> None: ...

    def paths_of(self, source_hash: SourceHash) -> list[str]:
        """Where this content was last seen."""
        ...
