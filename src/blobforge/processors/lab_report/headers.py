"""Heads of tables: which line is one, and what its columns are."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from blobforge.processors.lab_report.documents import Mark
from blobforge.processors.lab_report.lines import Line
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
        yield _column("", line.pieces, cell)
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
    """A table whose first column has the panel's name for a head has its names there."""
    if any(column.kind == "name" for column in columns) or not columns:
        return columns
    first = columns[0]
    if first.kind == "":
        return (first._replace(kind="name"), *columns[1:])
    # Nothing heads the names: they stand left of the first head.
    return (Column("name", 0.0, max(first.x0 - 1.0, 0.0)), *columns)
