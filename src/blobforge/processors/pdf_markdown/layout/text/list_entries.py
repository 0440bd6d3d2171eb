"""Entries of lists: their marks, the leaders of contents and indexes, and how deep they are nested."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole

BULLET = re.compile(r"[•◦▪●○■□‣⁃∙·*✦❖➢►▶▸›✓✔–—-]")  # noqa: RUF001
NUMBER = re.compile(r"\(?\d{1,3}[.)]")
LETTER = re.compile(r"\([a-z]\)|[a-z]\)|\(?[ivx]{1,4}\)")
CHECK_BOXES = "☐☑☒"
_ANSWERS = CHECK_BOXES + "✓✔✗✘"
"""They mark an item, and are a part of what it says."""
_BULLETS = "•◦▪●■‣"
_DOTS = re.compile(r"[.·…]+")
_TOUCHING = re.compile(r"[.·…]{4,}")
"""Dots that touch the title or the page."""
_LEADER = re.compile(r"(?:[.·…] ?){4,}[^.·…]{0,14}\w$")
_FEWEST_DOTS = 4
_DEEPER = 4.0
"""Points that an entry stands further in than the one it belongs to."""


def is_mark(text: str) -> bool:
    """Whether a word is the mark of an item and nothing else."""
    return BULLET.fullmatch(text) is not None or NUMBER.fullmatch(text) is not None or text in _ANSWERS


def marker_of(line: TextLine) -> str:
    """The mark of a list item that the line begins with: "-" for any bullet, a number as it stands, or nothing."""
    first = line.words[0].text
    if len(line.words) > 1 and line.words[1].spaced:
        if BULLET.fullmatch(first) or first in _ANSWERS:
            return "-"
        if NUMBER.fullmatch(first):
            return first
    return "-" if first[0] in _BULLETS and len(first) > 1 else ""


def is_list(texts: Iterable[Sequence[TextWord]]) -> bool:
    """Whether most texts begin with a bullet. (A dash by itself is an empty cell.)"""
    marked = [len(words) > 1 and BULLET.fullmatch(words[0].text) is not None for words in texts]
    return 2 * sum(marked) > len(marked)


def without_marker(words: list[TextWord]) -> list[TextWord]:
    first = words[0]
    if first.text in _ANSWERS:
        return words
    if is_mark(first.text):
        return words[1:]
    return [first._replace(text=first.text[1:]), *words[1:]] if first.text[0] in _BULLETS else words


def has_leader(line: TextLine) -> bool:
    """Whether dots lead across the line, from a title to its page."""
    return _LEADER.search(line.text) is not None


def without_leader(words: Sequence[TextWord]) -> list[TextWord]:
    """The words of a title and its page, without what leads from one to the other."""
    kept: list[TextWord] = []
    for is_dots, run in groupby(words, key=lambda word: _DOTS.fullmatch(word.text) is not None):
        members = list(run)
        if not is_dots or sum(len(word.text) for word in members) < _FEWEST_DOTS:
            kept += [word._replace(text=_TOUCHING.sub(" ", word.text).strip()) for word in members]
    return kept


def set_depths(passages: Sequence[Passage]) -> None:
    """Nests the items that follow each other, by how far they stand in and how they are numbered."""
    open_lists: list[_OpenList] = []
    for passage in passages:
        set_depths(passage.children)
        if passage.role is not PassageRole.ITEM:
            open_lists = []
            continue
        _close(open_lists, passage)
        if not open_lists or not _is_next(open_lists[-1], passage):
            open_lists.append(_OpenList(passage.indent, passage.marker))
        open_lists[-1].marker = passage.marker
        passage.level = len(open_lists) - 1


@dataclass(slots=True)
class _OpenList:
    indent: float
    marker: str
    """Of its last item."""


def _close(lists: list[_OpenList], item: Passage) -> None:
    """Ends those that the item does not belong to: the next number tells more than an indent, which columns change."""
    for place, open_list in enumerate(lists):
        if _number(item.marker) is not None and _number(item.marker) == (_number(open_list.marker) or -1) + 1:
            del lists[place + 1 :]
            lists[place].indent = item.indent
            return
    while lists and item.indent < lists[-1].indent - _DEEPER:
        lists.pop()


def _is_next(open_list: _OpenList, item: Passage) -> bool:
    return item.indent <= open_list.indent + _DEEPER


def _number(marker: str) -> int | None:
    digits = marker.strip("().")
    return int(digits) if digits.isdigit() else None
