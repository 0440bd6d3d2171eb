"""Names in the output folder: one Markdown file a document, and a folder for its pictures beside it."""

import hashlib
import os
from collections.abc import Iterable, Iterator

from blobforge.conversion.document import Document, DocumentReport, failed
from blobforge.domain.errors import OutputCollision
from blobforge.ingest.scan import Found, Seen, Unreadable

MARKDOWN = ".md"
ASSETS = ".assets"
LONGEST_NAME = 255
"""Bytes; what file systems allow."""


def assign(seen: Iterable[Seen], out: str) -> Iterator[Document | DocumentReport]:
    """Gives each document its place; of two that want the same, the second is told so. One found twice is one."""
    taken: dict[str, str] = {}
    for entry in seen:
        if isinstance(entry, Unreadable):
            yield failed(entry.path, entry.error)
            continue
        output = f"{out}/{_markdown_name(entry.relative)}"
        holder = taken.get(output)
        if holder is None:
            taken[output] = entry.stat.path
            yield Document(stat=entry.stat, output=output)
        elif holder != entry.stat.path:
            yield failed(entry.stat.path, _collision(entry, output, holder))


def assets_folder(markdown: str) -> str:
    """The folder of a Markdown file's pictures."""
    return markdown.removesuffix(MARKDOWN) + ASSETS


def _markdown_name(relative: str) -> str:
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


def _collision(entry: Found, output: str, holder: str) -> OutputCollision:
    return OutputCollision(
        f"{entry.stat.path} and {holder} would both be written to {output}; rename one, or convert them separately"
    )
