"""Outputs whose documents were moved or deleted: found by the ledger, and removed when someone says so."""

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from blobforge.conversion.owners import is_gone
from blobforge.conversion.tree import assets_folder
from blobforge.conversion.writing import drop_if_empty, is_as_written, writing
from blobforge.ports.output_ledger import Output, OutputLedger


class Pruned(NamedTuple):
    """By the paths of the Markdown files. What a person has edited is kept, with all that belongs to it."""

    removed: list[str]
    kept: list[str]


def left_behind(sources: Mapping[str, str], *, wanted: Collection[str]) -> list[str]:
    """Of these Markdown files, with the documents that they were made from, those that no document stands for any more;
    `wanted` are those of this run.

    Whether the document itself is gone decides, and not whether this run has looked at it: others may have been
    converted into the same folder.
    """
    others = {output: source for output, source in sources.items() if output not in wanted}
    return sorted(output for output, source in others.items() if is_gone(source) and os.path.lexists(output))


def emptied(
    sources: Mapping[str, str], outputs: Collection[str], *, paths: Iterable[Path], met: Collection[str]
) -> list[str]:
    """Those of the paths below which nothing was met, and from which some of these outputs come: a disk that is not
    mounted looks like one whose documents were all deleted."""
    if not outputs:
        return []
    gone = [sources[output] for output in outputs if output in sources]
    named = [os.path.abspath(path) for path in paths]  # noqa: PTH100 - by the name that the ledger has, too
    return [path for path in named if _any_below(path, gone) and not _any_below(path, met)]


def prune(ledger: OutputLedger, folder: str, outputs: Iterable[str]) -> Pruned:
    """Removes them as far as they are what was written, and folders that are empty then. Raises OutputError."""
    pruned = Pruned([], [])
    for path, output in ledger.written(list(outputs)).items():
        with writing(Path(path)):
            is_removed = _remove(output)
        (pruned.removed if is_removed else pruned.kept).append(path)
        if is_removed:
            _drop_folders(Path(path).parent, top=Path(folder))
    ledger.forget(pruned.removed)
    return pruned


def _remove(output: Output) -> bool:
    parent = Path(output.path).parent
    if not all(is_as_written(parent / file.name, file) for file in output.files):
        return False
    for file in output.files:
        (parent / file.name).unlink(missing_ok=True)
    drop_if_empty(Path(assets_folder(output.path)))
    return True


def _drop_folders(folder: Path, *, top: Path) -> None:
    with suppress(OSError):
        while folder != top and folder.is_relative_to(top):
            folder.rmdir()
            folder = folder.parent


def _any_below(folder: str, paths: Iterable[str]) -> bool:
    start = os.path.join(folder, "")  # noqa: PTH118 - with a slash at its end
    return any(path.startswith(start) for path in paths)
