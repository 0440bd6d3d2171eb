"""Names in the output folder: one Markdown file a document, and a folder for its pictures beside it."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator

from blobforge.conversion.document import DocumentReport, InputDocument, failed
from blobforge.domain.errors import OutputCollision
from blobforge.ingest.scan import FoundFile, Seen, Unreadable, is_named_as_pdf
from blobforge.ports.hash_cache import FileStat

MARKDOWN = ".md"
ASSETS = ".assets"
LONGEST_NAME = 255
"""Bytes; what file systems allow."""

Refusal = Callable[[FileStat, str], OutputCollision | None]
"""Why a document may not have a place of which no other document of this run was seen to have it."""


def assign(seen: Iterable[Seen], out: str, *, refusal: Refusal) -> Iterator[InputDocument | DocumentReport]:
    """Gives each document its place; of two that want the same, the second is told so. One found twice is one."""
    return _assigned(seen, lambda entry: f"{out}/{markdown_name(entry.relative)}", refusal)


def assign_to(seen: Iterable[Seen], output: str, *, refusal: Refusal) -> Iterator[InputDocument | DocumentReport]:
    """Gives the one document that is expected this place."""
    return _assigned(seen, lambda _: output, refusal)


def assign_beside(seen: Iterable[Seen]) -> Iterator[InputDocument | DocumentReport]:
    """Gives each document its place beside itself. Of several in a folder that want the same, the first by name has
    it, whichever of them are asked for."""
    return _assigned(seen, lambda entry: markdown_name(entry.stat.path), _Neighbours().refusal)


def _assigned(
    seen: Iterable[Seen], place: Callable[[FoundFile], str], refusal: Refusal
) -> Iterator[InputDocument | DocumentReport]:
    taken: dict[str, str] = {}
    for entry in seen:
        if isinstance(entry, Unreadable):
            yield failed(entry.path, entry.error)
            continue
        output = place(entry)
        path = entry.stat.path
        holder = taken.get(output)
        if holder == path:
            continue
        refused = refusal(entry.stat, output) if holder is None else _collision(path, output, holder)
        if refused is None:
            taken[output] = path
            yield InputDocument(stat=entry.stat, output=output)
        else:
            yield failed(path, refused)


class _Neighbours:
    """The documents of folders by the Markdown file that each would become; each folder is looked at once."""

    def __init__(self) -> None:
        self._first: dict[str, dict[str, str]] = {}

    def refusal(self, stat: FileStat, output: str) -> OutputCollision | None:
        first = self._first_for(output)
        return None if first in (None, stat.path) else _collision(stat.path, output, str(first))

    def _first_for(self, output: str) -> str | None:
        folder = output.rpartition("/")[0]
        if folder not in self._first:
            self._first[folder] = self._look(folder)
        return self._first[folder].get(output)

    def _look(self, folder: str) -> dict[str, str]:
        first: dict[str, str] = {}
        try:
            with os.scandir(f"{folder}/") as entries:
                names = sorted(entry.name for entry in entries if entry.is_file())
        except OSError:
            return first
        for name in names:
            if is_named_as_pdf(name):
                first.setdefault(markdown_name(f"{folder}/{name}"), f"{folder}/{name}")
        return first


def assets_folder(markdown: str) -> str:
    """The folder of a Markdown file's pictures."""
    return markdown.removesuffix(MARKDOWN) + ASSETS


def markdown_name(relative: str) -> str:
    """The name of the Markdown file that a document of this name becomes."""
    folder, _, name = relative.rpartition("/")
    stem = name[:-4] if name[-4:].lower() == ".pdf" and len(name) > 4 else name
    name = _short(stem) + MARKDOWN
    return f"{folder}/{name}" if folder else name


def _short(stem: str) -> str:
    """Cuts a name that would be too long with its new endings; a part of its hash keeps it apart from others."""
    room = LONGEST_NAME - len(ASSETS)
    raw = os.fsencode(stem)
    if len(raw) <= room:
        return stem
    mark = "~" + hashlib.sha256(raw).hexdigest()[:8]
    kept = raw[: room - len(mark)]
    # Do not cut through a character.
    return kept.decode("utf-8", "ignore") + mark


def _collision(path: str, output: str, holder: str) -> OutputCollision:
    return OutputCollision(f"{path} and {holder} would both be written to {output}; rename one of them")
