"""What was written where, so that a second run knows what is current and what a person has changed since."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from blobforge.domain.ids import RecipeId, SourceHash


class WrittenFile(NamedTuple):
    """A file as it was right after we wrote it. `name` is relative to the folder of the Markdown file."""

    name: str
    size: int
    mtime_ns: int
    checksum: str


class Output(NamedTuple):
    """One converted document in an output folder; the first of its files is the Markdown."""

    path: str
    source_hash: SourceHash
    recipe_id: RecipeId
    pages: int
    pages_failed: int
    codes: tuple[str, ...]
    files: tuple[WrittenFile, ...]


class OutputLedger(Protocol):
    """Keyed by the path of the Markdown file. A lost ledger loses no document: files are then compared by content."""

    def written(self, paths: Sequence[str]) -> dict[str, Output]:
        """What is known of these, by path."""
        ...

    def write(self, outputs: Iterable[Output]) -> None: ...
