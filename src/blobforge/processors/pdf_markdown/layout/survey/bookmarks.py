"""Bookmarks: the outline that a PDF brings along, top down."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import OutlineEntry


class Bookmark(NamedTuple):
    """A bookmark; pages and levels are counted from 1."""

    page: int
    level: int
    title: str


def bookmarks_of(outline: Iterable[OutlineEntry], *, level: int = 1) -> Iterator[Bookmark]:
    """The entries of an outline as `Source.outline` gives it, top down; those that point nowhere are left out."""
    for mark in outline:
        title, page = key_of(str(mark.get("title") or "")), mark.get("page")
        if title and isinstance(page, int):
            yield Bookmark(page + 1, level, title)
        yield from bookmarks_of(mark.get("children") or (), level=level + 1)


def key_of(text: str) -> str:
    """Letters and figures alone: titles differ in their quotes and spaces."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
