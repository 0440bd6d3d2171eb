"""The ledger of an output folder: what was written there, so that the next run knows what is current and what a
person has edited since."""

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
    source: str = ""
    """The path of the document that it was made from; empty where an older release wrote it down."""
    doubts: str = ""
    """How far it can be trusted, in words; empty where there is nothing to say."""
    result_size: int = 0
    """Of the result that it was written from, in bytes; 0 where that is not known."""
    warnings: tuple[str, ...] = ()
    """Why pages of it are doubtful; `doubts` says it in words."""

    def is_of(self, other: "Output") -> bool:
        """Whether both were written from the same result. The recipe alone does not tell: another run of it may have
        pages that were missing before."""
        sizes = {self.result_size, other.result_size} - {0}
        return len(sizes) <= 1 and self._account() == other._account()

    def _account(self) -> tuple[object, ...]:
        return self.source_hash, self.recipe_id, self.pages, self.pages_failed, frozenset(self.codes), self.doubts


class OutputLedger(Protocol):
    """Keyed by the path of the Markdown file. A lost ledger loses no document: files are then compared by content."""

    def written(self, paths: Sequence[str]) -> dict[str, Output]:
        """What is known of these, by path."""
        ...

    def write(self, outputs: Iterable[Output]) -> None: ...

    def sources_below(self, folder: str) -> dict[str, str]:
        """By the paths of the Markdown files in a folder and below it: from which documents they were made."""
        ...

    def forget(self, paths: Iterable[str]) -> None:
        """What is not known is no error."""
        ...
