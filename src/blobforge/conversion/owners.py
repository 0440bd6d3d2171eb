"""Whose an output is from earlier runs: that of the document that it was written from, as long as that is there."""

import os
from collections.abc import Callable, Iterable, Mapping

from blobforge.conversion.document import DocumentReport
from blobforge.domain.errors import BlobForgeError, OutputCollision
from blobforge.domain.ids import SourceHash
from blobforge.ingest.hashing import hash_file
from blobforge.ports.hash_cache import FileStat, HashCache, HashedFile
from blobforge.ports.output_ledger import Output, OutputLedger


def sources_in(ledger: OutputLedger, outputs: Iterable[str]) -> dict[str, str]:
    """From which documents these were made, where that is known."""
    return {path: output.source for path, output in ledger.written(list(outputs)).items() if output.source}


def is_gone(path: str) -> bool:
    """What cannot be looked at, as on a disk that fails, is not gone."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


class Owners:
    """Judges before the work whether a document may have its place. A document is its content: a copy is no other."""

    def __init__(
        self, ledger: OutputLedger, hashes: HashCache, sources: Mapping[str, str], *, stopped: Callable[[], bool]
    ) -> None:
        """`sources` has the documents of the outputs by their paths."""
        self._ledger = ledger
        self._hashes = hashes
        self._sources = sources
        self._stopped = stopped
        self.hashed: list[HashedFile] = []
        """What had to be read for it."""

    def refusal(self, stat: FileStat, output: str) -> OutputCollision | None:
        source = self._sources.get(output)
        if source is None or not _is_of_another(source, stat.path) or self._is_the_same_content(stat, output):
            return None
        return _collision(output, source=source, path=stat.path)

    def _is_the_same_content(self, stat: FileStat, output: str) -> bool:
        before = self._ledger.written([output]).get(output)
        try:
            return before is None or before.source_hash == self._hash(stat)
        except BlobForgeError:
            return True  # it fails for a reason of its own, if it still does when it is its turn

    def _hash(self, stat: FileStat) -> SourceHash:
        known = self._hashes.known([stat]).get(stat.path)
        if known is not None:
            return known
        self.hashed.append(hash_file(stat.path, stopped=self._stopped))
        return self.hashed[-1].source_hash


def require_own(output: Output, before: Output | None, *, force: bool) -> None:
    """The same when a result is about to be written: another run may have been here since. Raises OutputCollision."""
    if before is None or force or before.source_hash == output.source_hash:
        return
    if before.source and _is_of_another(before.source, output.source):
        raise _collision(output.path, source=before.source, path=output.source)


def with_owner(output: Output, before: Output | None) -> Output:
    """An output of a copy stays that of the document it was first written from, as long as that is there."""
    is_copy = before is not None and before.source_hash == output.source_hash
    if before is not None and is_copy and before.source and not is_gone(before.source):
        return output._replace(source=before.source)
    return output


def hand_over(ledger: OutputLedger, current: Iterable[DocumentReport], sources: Mapping[str, str]) -> None:
    """Outputs whose documents are gone are those of their copies that this run has found."""
    heirs = {
        report.output: report.path
        for report in current
        if report.output is not None
        and (source := sources.get(report.output)) not in (None, report.path)
        and is_gone(str(source))
    }
    if heirs:
        outputs = ledger.written(list(heirs))
        ledger.write([output._replace(source=heirs[path]) for path, output in outputs.items()])


def _is_of_another(source: str, path: str) -> bool:
    return source != path and not is_gone(source) and not _is_one_file(source, path)


def _is_one_file(one: str, other: str) -> bool:
    """By a link, or another way to the same folder."""
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 - strings, and any name
    except OSError:
        return False


def _collision(output: str, *, source: str, path: str) -> OutputCollision:
    return OutputCollision(
        f"{output} was written from {source}, which is still there; {path} is not written over it. Give -o another "
        f"place, rename one of the two, or use --force to replace it"
    )
