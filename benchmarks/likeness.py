"""How like two Markdown texts are: in their words and order, their headings, their tables. From 0 to 1."""

import re
import statistics
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rapidfuzz.distance import Indel

from benchmarks.html_tables import html_tables

_PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
_SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00ad": None})
_ALIKE = 0.5
"""Texts less like each other than this are different texts."""

Thing = TypeVar("Thing")


class Heading(NamedTuple):
    level: int
    text: str


class Reading(NamedTuple):
    text: str
    headings: list[Heading]
    tables: list[list[list[str]]]


class Likeness(NamedTuple):
    """None where neither text has such a thing."""

    text: float
    headings: float | None
    tables: float | None

    @property
    def overall(self) -> float:
        return statistics.mean(part for part in self if part is not None)


def likeness(truth: str, found: str) -> Likeness:
    wanted, read = reading_of(truth), reading_of(found)
    return Likeness(
        text=_likeness(wanted.text, read.text),
        headings=_of_headings(wanted.headings, read.headings),
        tables=_of_tables(wanted.tables, read.tables),
    )


def reading_of(markdown: str) -> Reading:
    reader = _Reader()
    for token in _PARSER.parse(markdown):
        reader.take(token)
    return Reading(" ".join(filter(None, reader.words)), reader.headings, reader.tables)


class _Reader:
    def __init__(self) -> None:
        self.words: list[str] = []
        self.headings: list[Heading] = []
        self.tables: list[list[list[str]]] = []
        self._level = 0
        self._in_cell = False

    def take(self, token: Token) -> None:
        match token.type:
            case "heading_open" | "heading_close":
                self._level = int(token.tag[1]) if token.nesting > 0 else 0
            case "td_open" | "th_open" | "td_close" | "th_close":
                self._in_cell = token.nesting > 0
            case "table_open":
                self.tables.append([])
            case "tr_open":
                self.tables[-1].append([])
            case "inline" | "fence" | "code_block":
                self._read(_text(token))
            case "html_block" if "<table" in token.content:
                for table in html_tables(token.content):
                    self.tables.append([[_normal(text) for text in row] for row in table])
                    self.words += [text for row in self.tables[-1] for text in row]

    def _read(self, text: str) -> None:
        self.words.append(text)
        if self._in_cell:
            self.tables[-1][-1].append(text)
        if self._level and text:
            self.headings.append(Heading(self._level, text))


def _text(token: Token) -> str:
    children = token.children
    if children is None:
        return _normal(token.content)
    return _normal(" ".join(child.content for child in children if child.type in ("text", "code_inline")))


def _normal(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).translate(_SAME)
    return " ".join(re.sub(r"<[^>]+>", " ", text).casefold().split())


def _likeness(one: str, other: str) -> float:
    return Indel.normalized_similarity(one, other) if one or other else 1.0


def _of_headings(wanted: Sequence[Heading], found: Sequence[Heading]) -> float | None:
    """Half the worth where the level is another, counted from the level that most agree with."""
    if not wanted:
        return 1 / (1 + len(found)) if found else None

    def worth(shift: int) -> float:
        def like(one: Heading, other: Heading) -> float:
            return _if_alike(one.text, other.text) * (1.0 if one.level == other.level + shift else 0.5)

        return _aligned(wanted, found, like)

    return max(map(worth, range(-3, 4))) / max(len(wanted), len(found))


def _of_tables(wanted: Sequence[list[list[str]]], found: Sequence[list[list[str]]]) -> float | None:
    if not wanted:
        return 1 / (1 + len(found)) if found else None
    left = list(found)
    total = 0.0
    for table in wanted:
        best = max(left, key=lambda other: _of_cells(table, other), default=None)
        if best is not None:
            total += _of_cells(table, best)
            left.remove(best)
    return total / max(len(wanted), len(found))


def _of_cells(table: list[list[str]], other: list[list[str]]) -> float:
    cells = max(sum(map(len, table)), sum(map(len, other)))
    return _aligned(table, other, lambda row, its: _aligned(row, its, _if_alike)) / cells if cells else 1.0


def _if_alike(one: str, other: str) -> float:
    found = _likeness(one, other)
    return found if found >= _ALIKE else 0.0


def _aligned(wanted: Sequence[Thing], found: Sequence[Thing], like: Callable[[Thing, Thing], float]) -> float:
    """The most that can be had when both are read in their order, some passed over."""
    best = [0.0] * (len(found) + 1)
    for one in wanted:
        row = [0.0]
        for place, other in enumerate(found):
            row.append(max(best[place + 1], row[-1], best[place] + like(one, other)))
        best = row
    return best[-1]
