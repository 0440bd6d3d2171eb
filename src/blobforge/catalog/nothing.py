"""Null objects for runs without a catalogue: every file is read anew."""

from collections.abc import Iterable, Sequence

from blobforge.domain.ids import SourceHash
from blobforge.ports.hash_cache import FileStat, HashedFile
from blobforge.ports.output_ledger import Output


class NothingSeen:
    """A HashCache that stores nothing."""

    def known(self, files: Sequence[FileStat]) -> dict[str, SourceHash]:  # noqa: ARG002 - the form of the port
        return {}

    def remember(self, files: Iterable[HashedFile]) -> None:
        """There is nowhere to keep it."""

    def paths_of(self, source_hash: SourceHash) -> list[str]:  # noqa: ARG002 - the form of the port
        return []


class NothingWritten:
    """An OutputLedger that stores nothing."""

    def written(self, paths: Sequence[str]) -> dict[str, Output]:  # noqa: ARG002 - the form of the port
        return {}

    def write(self, outputs: Iterable[Output]) -> None:
        """There is nowhere to keep it."""

    def sources_below(self, folder: str) -> dict[str, str]:  # noqa: ARG002 - the form of the port
        return {}

    def forget(self, paths: Iterable[str]) -> None:
        """Nothing is known."""
