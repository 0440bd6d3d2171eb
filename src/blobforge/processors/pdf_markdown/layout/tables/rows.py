"""The baselines of a table become its rows: a cell may have several lines."""

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, around
from blobforge.processors.pdf_markdown.layout.model.table import Cell, DetectedTable, Row, pieces, slot
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.tables.gaps import ColumnGaps, cells_in, inner_edges

_TIGHT = 1.12
"""Of the leading: lines closer than this are lines of one cell."""
_BESIDE = 0.6
_MOST = 0.6
_FEW = 0.3
_TWO = 2
_ROUNDED = 0.11
"""Of the size."""
_FIGURE = re.compile(r"[$€£¥]? ?[(<>±+−–-]*\d[\d.,:/ ]*[)%°*†]*")
_SPARSE = 0.85
"""Of the cells that a row fills at its first line: when its other lines fill fewer than this, they are no rows."""


class BaselineStack:
    """The lines of one table by baseline, with the gaps between its columns.

    `is_head_tight`: the heads fill their columns, so that the gaps in the first line are but spaces."""

    def __init__(
        self,
        rows: Sequence[Row],
        gaps: ColumnGaps,
        marks: Sequence[Separator],
        survey: DocumentSurvey,
        *,
        is_head_tight: bool = False,
    ) -> None:
        self._rows = rows
        self._edges = inner_edges(gaps)
        self._marks = marks
        self._size = median(row[0].size for row in rows)
        self._tight = _TIGHT * self._leading(survey.leading * self._size)
        self._tight = self._with_like_steps(self._tight)
        self._placed = [self._cells(row) for row in rows]
        if is_head_tight:
            self._placed[0] = [[piece] for line in rows[0] for piece in pieces(line, self._edges)]
        self._begins_low = self._begin_low()

    def table(self) -> DetectedTable:
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
        return DetectedTable(box, merged, edges, min(line.order for line in lines), lines)

    def _begin_low(self) -> bool:
        """Whether first cells begin with small letters by themselves, and not because they go on."""
        starts: list[str] = []
        is_open = False
        for first, *others in self._placed:
            if first and any(others) and not is_open:
                starts.append(first[0].text[:1])
            is_open = bool(first) and not any(others)
        return sum(map(str.islower, starts)) > _FEW * len(starts)

    def _leading(self, usual: float) -> float:
        """From line to line in a cell: as in the body, or closer when the table itself is set closer."""
        steps = [lower[0].base - upper[0].base for upper, lower in pairwise(self._rows)]
        return min((step for step in steps if 0.95 * self._size <= step < usual), default=usual)

    def _with_like_steps(self, tight: float) -> float:
        """Steps that differ by no more than writers round places by are of one kind."""
        steps = sorted(self._step(place) for place in range(1, len(self._rows)))
        for step in steps:
            if tight < step and any(step - _ROUNDED * self._size <= other <= tight for other in steps):
                tight = step
        return tight

    def _cells(self, row: Row) -> list[Cell]:
        cells: list[Cell] = [[] for _ in range(len(self._edges) + 1)]
        edges = [float("-inf"), *self._edges, float("inf")]
        for line in row:
            for words in cells_in(line):
                piece = TextLine(words, line.base, words[0].style, line.order) if words != line.words else line
                start = (piece.left + min(piece.right, piece.left + 8)) / 2
                cells[slot(edges, start)].append(piece)
        self._part(cells)
        return cells

    def _part(self, cells: list[Cell]) -> None:
        """A head may begin left of its column, where the figures are set at the right: then two share a place."""
        for column, edge in enumerate(self._edges):
            if len(cells[column]) > 1 and not cells[column + 1] and cells[column][-1].box.middle > edge:
                cells[column + 1].append(cells[column].pop())

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
        if all(self._is_one_row(places) for places in slots):
            return True
        outer = [self._step(places[0]) for places in slots[1:]]
        if max(inner) > self._tight and max(inner) >= min(outer):
            return False
        tall = [places for places in slots if len(places) > 1]
        firsts, others = [places[0] for places in tall], [place for places in tall for place in places[1:]]
        lasts, before = [places[-1] for places in tall], [place for places in tall for place in places[:-1]]
        # Cells stand at the upper end of their row, or at the lower end.
        return any(
            self._mean_filled(fewer) <= _SPARSE * self._mean_filled(most)
            for fewer, most in ((others, firsts), (before, lasts))
        )

    def _is_one_row(self, places: Sequence[int]) -> bool:
        """Whether cells are centred beside a tall one: no two lines fill most of the cells that have text here."""
        if len(places) == _TWO:
            return False
        filled = [{column for column, cell in enumerate(self._placed[place]) if cell} for place in places]
        used = set().union(*filled)
        tallest = max(sum(column in columns for columns in filled) for column in used)
        is_full = [len(columns) >= _MOST * len(used) for columns in filled]
        return tallest >= _MOST * len(places) and sum(is_full) <= 1

    def _is_padded(self, slots: Sequence[Sequence[int]]) -> bool:
        """Whether rows stand farther apart than the lines of a cell."""
        inner = [place for places in slots for place in places[1:] if not self._is_beside(place)]
        loose = [place for place in inner if self._step(place) > self._tight]
        if len(loose) >= 0.3 * len(inner):
            return bool(loose)
        tight = [place for place in inner if self._step(place) <= self._tight]
        return len(loose) > 1 and self._mean_filled(tight) <= _SPARSE * self._mean_filled(loose)

    def _goes_on(self, place: int, *, is_padded: bool) -> bool:
        is_bare = not self._placed[place][0] or self._reads_on(place)
        if self._is_beside(place):
            return True
        if self._step(place) <= self._tight:
            return is_bare or (is_padded and not self._has_new_figures(place) and not self._begins_anew(place))
        return is_bare and not is_padded and place > 1

    def _reads_on(self, place: int) -> bool:
        """Whether the words of a first cell go on from the line above, and only one of the two has other cells."""
        first, above = self._placed[place][0], self._placed[place - 1]
        if not above[0] or not first[0].text[:1].islower() or self._begins_low:
            return False
        return not any(self._placed[place][1:]) or not any(above[1:])

    def _has_new_figures(self, place: int) -> bool:
        """Whether figures stand under figures: a number does not go on in the next line."""
        both = [
            (upper, lower) for upper, lower in zip(*self._placed[place - 1 : place + 1], strict=True) if upper and lower
        ]
        figures = [_FIGURE.fullmatch(upper[-1].text) and _FIGURE.fullmatch(lower[0].text) for upper, lower in both]
        return bool(both) and 2 * sum(map(bool, figures)) >= len(both)

    def _begins_anew(self, place: int) -> bool:
        """Whether several cells all begin with a capital or a figure: of words that go on, some have small letters."""
        cells = [cell for cell in self._placed[place] if cell]
        above = sum(map(bool, self._placed[place - 1]))
        is_full = len(cells) > _TWO and len(cells) >= above
        return is_full and not any(cell[0].text[:1].islower() for cell in cells)

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
