"""The baselines of a table become its rows: a cell may have several lines."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median

from blobforge.processors.pdf_markdown.layout.model import Line, around
from blobforge.processors.pdf_markdown.layout.separators import Separator
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.table_gaps import Gaps, cells_in, inner_edges
from blobforge.processors.pdf_markdown.layout.tables import Cell, Row, Table, slot

_TIGHT = 1.12
"""Of the leading: lines closer than this are lines of one cell."""
_BESIDE = 0.6
_SPARSE = 0.85
"""Of the cells that a row fills at its first line: when its other lines fill fewer than this, they are no rows."""


class Stack:
    """The lines of one table by baseline, with the gaps between its columns."""

    def __init__(self, rows: Sequence[Row], gaps: Gaps, marks: Sequence[Separator], survey: Survey) -> None:
        self._rows = rows
        self._edges = inner_edges(gaps)
        self._marks = marks
        self._size = median(row[0].size for row in rows)
        self._tight = _TIGHT * self._leading(survey.leading * self._size)
        self._placed = [self._cells(row) for row in rows]

    def table(self) -> Table:
        merged: list[list[Cell]] = []
        for group in self._groups():
            cells: list[Cell] = [[] for _ in range(len(self._edges) + 1)]
            for place in group:
                for column, lines in enumerate(self._placed[place]):
                    cells[column] += lines
            merged.append(cells)
        lines = [line for row in self._rows for line in row]
        box = around(line.box for line in lines)
        edges = (box.left, *self._edges, box.right)
        return Table(box, merged, edges, min(line.order for line in lines), lines)

    def _leading(self, usual: float) -> float:
        """From line to line in a cell: as in the body, or closer when the table itself is set closer."""
        steps = [lower[0].base - upper[0].base for upper, lower in pairwise(self._rows)]
        return min((step for step in steps if 0.95 * self._size <= step < usual), default=usual)

    def _cells(self, row: Row) -> list[Cell]:
        cells: list[Cell] = [[] for _ in range(len(self._edges) + 1)]
        edges = [float("-inf"), *self._edges, float("inf")]
        for line in row:
            for words in cells_in(line):
                piece = Line(words, line.base, words[0].style, line.order) if words != line.words else line
                start = (piece.left + min(piece.right, piece.left + 8)) / 2
                cells[slot(edges, start)].append(piece)
        return cells

    def _groups(self) -> list[list[int]]:
        """Which baselines make one row of the table."""
        slots = self._slots()
        if self._is_row_by_row(slots):
            return slots
        is_padded = self._is_padded(slots)
        groups: list[list[int]] = []
        for places in slots:
            groups.append([places[0]])
            for place in places[1:]:
                if self._goes_on(place, is_padded=is_padded):
                    groups[-1].append(place)
                else:
                    groups.append([place])
        return groups

    def _slots(self) -> list[list[int]]:
        """Baselines between two separators."""
        slots = [[0]]
        for place, (upper, lower) in enumerate(pairwise(self._rows), start=1):
            top, bottom = upper[0].base - 0.1 * self._size, lower[0].base - 0.4 * self._size
            heads = slots == [list(range(place))] and _is_bold(upper) and not _is_bold(lower)
            if (heads and not self._is_beside(place)) or any(top < mark.y <= bottom for mark in self._marks):
                slots.append([place])
            else:
                slots[-1].append(place)
        return slots

    def _is_row_by_row(self, slots: Sequence[Sequence[int]]) -> bool:
        """Whether each slot is one row: the lines in it are closer than those around a separator, and fill less."""
        inner = [self._step(place) for places in slots for place in places[1:]]
        if len(slots) < 3 or not inner:
            return len(slots) > 2
        outer = [self._step(places[0]) for places in slots[1:]]
        if max(inner) > self._tight and max(inner) >= min(outer):
            return False
        firsts = self._mean_filled([places[0] for places in slots if len(places) > 1])
        return self._mean_filled([place for places in slots for place in places[1:]]) <= _SPARSE * firsts

    def _is_padded(self, slots: Sequence[Sequence[int]]) -> bool:
        """Whether rows stand farther apart than the lines of a cell."""
        inner = [place for places in slots for place in places[1:] if not self._is_beside(place)]
        loose = [place for place in inner if self._step(place) > self._tight]
        if len(loose) >= 0.3 * len(inner):
            return bool(loose)
        tight = [place for place in inner if self._step(place) <= self._tight]
        return len(loose) > 1 and self._mean_filled(tight) <= _SPARSE * self._mean_filled(loose)

    def _goes_on(self, place: int, *, is_padded: bool) -> bool:
        is_bare = not self._placed[place][0]
        if self._is_beside(place):
            return True
        if self._step(place) <= self._tight:
            return is_padded or is_bare
        return is_bare and not is_padded and place > 1

    def _is_beside(self, place: int) -> bool:
        """Whether it is too close to the line above to lie under it: cells of one row may be centred in its height."""
        return self._step(place) < _BESIDE * self._tight

    def _step(self, place: int) -> float:
        return self._rows[place][0].base - self._rows[place - 1][0].base

    def _mean_filled(self, places: Sequence[int]) -> float:
        """How many cells the baselines have text in."""
        return fmean(sum(map(bool, self._placed[place])) for place in places)


def _is_bold(row: Row) -> bool:
    return all(line.is_bold for line in row)
