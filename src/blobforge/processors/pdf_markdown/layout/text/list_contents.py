"""Entries of contents: titles, each with its page at the right end of the column, with or without a leader."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.text.list_entries import BULLET, has_leader

_FEWEST = 4
_FEWEST_WORDS = 2.5
"""Of a title, on average: fewer are the label of a figure in a table, unless it is said what they are."""
_NAMES = frozenset(
    (
        *("contents", "table of contents", "inhalt", "inhaltsverzeichnis", "sommaire", "table des matières"),
        *("contenido", "índice", "indice", "sommario", "inhoud", "sumário", "spis treści", "目次", "目录"),
    )
)
_LONGEST_PAGE = 4
_PARTED = 1.5
_SAME_END = 0.3
"""Of the size."""


def contents_in(lines: Sequence[TextLine]) -> set[int]:
    """The ids of the lines of a column that are entries: their pages end at one place, and never fall.

    A long title leaves no room for a gap before its page; it is an entry where its page comes in order."""
    paged = [line for line in lines if page_of(line.text) is not None and not BULLET.fullmatch(line.words[0].text)]
    sure = [line for line in paged if has_leader(line) or _stands_apart(line)]
    if len(sure) < _FEWEST or not _are_in_order(sure):
        return set()
    if fmean(len(line.words) - 1 for line in sure) < _FEWEST_WORDS and not _are_named(lines):
        return set()
    known = {id(line) for line in sure}
    found = set(known)
    for place, line in enumerate(paged[1:-1], start=1):
        beside = paged[place - 1], line, paged[place + 1]
        if id(line) not in known and id(beside[0]) in known and id(beside[2]) in known and _are_in_order(beside):
            found.add(id(line))
    return found


def _are_named(lines: Sequence[TextLine]) -> bool:
    return any(line.text.casefold().strip(" :") in _NAMES for line in lines)


def is_contents_entry(passage: Passage | None) -> bool:
    return (
        passage is not None
        and passage.role is PassageRole.ITEM
        and passage.is_parted
        and page_of(passage.plain) is not None
    )


def page_of(text: str) -> int | None:
    """The number that ends a title with words in it."""
    title, _, last = text.rpartition(" ")
    is_page = last.isdecimal() and len(last) <= _LONGEST_PAGE and any(map(str.isalpha, title))
    return int(last) if is_page else None


def _stands_apart(line: TextLine) -> bool:
    return line.words[-1].left - line.words[-2].right > _PARTED * line.size


def _are_in_order(lines: Sequence[TextLine]) -> bool:
    pages = [page_of(line.text) or 0 for line in lines]
    rises = pages[0] < pages[-1] and all(upper <= lower for upper, lower in pairwise(pages))
    return rises and max(line.right for line in lines) - min(line.right for line in lines) <= _SAME_END * lines[0].size
