# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Heads of tables: which line is one, and what its columns are."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from blobforge.processors.lab_report.documents import Mark
from blobforge.processors.lab_report.lines import Line, joined
from blobforge.processors.lab_report.pieces import Piece

_CONNECTORS = frozenset(
    ("and", "&", "/", "und", "et", "y", "e", "и", "та", "і", "(", ")", ",", ":", ".", "*", "-", "in", "of")
)
_ESSENTIAL = frozenset(("name", "value", "unit", "range", "low", "high"))
# Where a cell speaks of several things, the first in this list is what its column holds.
_PRECEDENCE = ("previous", "code", "range", "low", "high", "value", "unit", "method", "name", "flag", "other")


class Column(NamedTuple):
    kind: str
    x0: float
    x1: float

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


def header_of(line: Line) -> tuple[Column, ...]:
    """The columns that a line heads; none where it heads no table."""
    if not line.heads or _is_text(line):
        return ()
    columns = tuple(column for cell in _cells(line) for column in _columns(line, cell))
    kinds = [column.kind for column in columns]
    essential = _ESSENTIAL.intersection(kinds)
    if len(essential) < 2 or not essential & {"value", "range"} or kinds.count("") > 2:
        return ()
    return _named(columns)


def _is_text(line: Line) -> bool:
    """Numbers are under a head, not in it; and a sentence has more words than a head has."""
    if any(mark.label in ("NUMBER", "RANGE", "LIMIT") and mark.last > 1 for mark in line.marks):
        return True
    words = [
        piece
        for piece in line.pieces
        if piece.kind in ("word", "flag", "outcome") and piece.text.lower() not in _CONNECTORS
    ]
    headed = {place for mark in line.heads for place in range(mark.first, mark.last + 1)}
    covered = sum(place in headed for place, piece in enumerate(line.pieces) if piece in words)
    return covered * 2 < len(words)


def _cells(line: Line) -> Iterator[list[int]]:
    places = [place for place, piece in enumerate(line.pieces) if piece.kind != "gap"]
    for _, cell in groupby(places, key=lambda place: line.pieces[place].cell):
        yield list(cell)


def _columns(line: Line, cell: Sequence[int]) -> Iterator[Column]:
    """One column a cell, unless two heads stand side by side in it without a word between them."""
    heads = [mark for mark in line.heads if mark.first in cell]
    if not heads:
        # Signs such as - o + are no heads, but a number sign before the names is one.
        if sum(map(str.isalpha, joined(line.pieces[place] for place in cell))) > 1:
            yield _column("", line.pieces, cell)
        elif cell[0] == 0:
            yield _column("other", line.pieces, cell)
        return
    kinds = {mark.label for mark in heads}
    if len(kinds) == 1 or _are_linked(cell, heads):
        yield _column(min(kinds, key=_PRECEDENCE.index), line.pieces, cell)
        return
    for mark in heads:
        yield _column(mark.label, line.pieces, range(mark.first, mark.last + 1))


def _are_linked(cell: Sequence[int], heads: Sequence[Mark]) -> bool:
    headed = {place for mark in heads for place in range(mark.first, mark.last + 1)}
    between = range(heads[0].first, heads[-1].last + 1)
    return any(place not in headed for place in cell if place in between)


def _column(kind: str, pieces: Sequence[Piece], places: Sequence[int]) -> Column:
    chosen = [pieces[place] for place in places]
    return Column(kind, min(piece.x0 for piece in chosen), max(piece.x1 for piece in chosen))


def _named(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """A column whose head is the panel's name, before one of values, has the names."""
    named: list[Column] = []
    for place, column in enumerate(columns):
        follows_result = any(other.kind in ("value", "range") for other in columns[:place])
        leads_result = place + 1 < len(columns) and columns[place + 1].kind == "value"
        is_panel = column.kind == "" and (place == 0 or (follows_result and leads_result))
        named.append(column._replace(kind="name") if is_panel else column)
    if any(column.kind == "name" for column in named):
        return tuple(named)
    # Nothing heads the names: they stand left of the first head.
    return (Column("name", 0.0, max(columns[0].x0 - 1.0, 0.0)), *columns)
