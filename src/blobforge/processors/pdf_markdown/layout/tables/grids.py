"""Closed grids: rules or edges of fills that run both ways and meet. What lies in one is a table, whatever it says."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Fill, PageContent, Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.table import Cell, DetectedTable, Row, pieces, rows_of, slot
from blobforge.processors.pdf_markdown.layout.rulings.separators import BACKGROUND, TALLEST_ROW, joined_rules
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.tables.cell_text import is_prose
from blobforge.processors.pdf_markdown.layout.tables.gaps import ColumnGap, finer_columns
from blobforge.processors.pdf_markdown.layout.tables.rows import BaselineStack
from blobforge.processors.pdf_markdown.layout.tables.spans import CellPlace, closed_spans, shifted, told

_NEAR = 3.0
"""Edges so close are one: the two sides of a thin gap between fills, or of a thick rule."""
_SMALLEST = 4.0
_MOST_PIECES = 3000
_MOST_EDGES = 600
"""A page with more of them is a map or a chart; to compare each with each would take long."""
_FILLED = 0.2
"""Of the cells: a chart has its lines and bars too, but few of its cells hold text."""
_HEADER_ABOVE = 2.2
"""In sizes: so far above a grid its header may stand."""
_ROW_BETWEEN = 2.0
"""Of the tallest row of a grid: so tall may a row without a tint below or above it be."""
_FEW_ROWS = 2
"""A grid with so few rows may have rules only under its header."""
_FEWEST_LINES = 3
_FEWEST_CELLS = 1.6
_ASIDE = 1.0
"""In sizes: text may begin so far before the edges of the rows below."""
_RUNS_ACROSS = 0.35
_RUNS_ALONG = 0.3
"""Of the grid's height: an upright edge shorter than this in all does not bound a column."""


class Lattice(NamedTuple):
    """Where columns and rows are bounded, and the edges that were drawn there."""

    xs: list[float]
    ys: list[float]
    horizontals: list[Rectangle]
    verticals: list[Rectangle]

    @property
    def box(self) -> Rectangle:
        return Rectangle(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def has_upright(self, x: float, y: float) -> bool:
        """Whether an edge runs down through this point."""
        return any(abs(rule.left - x) <= _NEAR and rule.top <= y <= rule.bottom for rule in self.verticals)

    def has_level(self, x: float, y: float) -> bool:
        return any(abs(rule.top - y) <= _NEAR and rule.left <= x <= rule.right for rule in self.horizontals)


def lattices_of(page: PageContent) -> list[Lattice]:
    if not page.verticals and len(page.fills) < 2:
        return []
    fills = _cells_of(page)
    across = [*page.horizontals, *(edge for box in fills for edge in _across(box))]
    down = [*page.verticals, *(edge for box in fills for edge in _down(box))]
    if not across or not down or len(across) + len(down) > _MOST_PIECES:
        return []
    across = joined_rules(across)
    down = [_turned(rule) for rule in joined_rules(map(_turned, down))]
    if len(across) + len(down) > _MOST_EDGES:
        return []
    found = (_lattice(*group) for group in _meeting(across, down))
    return [lattice for lattice in found if lattice is not None and not _goes_on(lattice, fills)]


def _goes_on(lattice: Lattice, fills: Iterable[Rectangle]) -> bool:
    """Whether cells of the same columns lie a row farther: then every other row is tinted, and this is but a part."""
    columns = [(left, right) for left, right in pairwise(lattice.xs)]
    far = _ROW_BETWEEN * max(lower - upper for upper, lower in pairwise(lattice.ys))
    near = {
        column
        for fill in fills
        for column, (left, right) in enumerate(columns)
        if abs(fill.left - left) <= _NEAR
        and abs(fill.right - right) <= _NEAR
        and (_NEAR < fill.top - lattice.ys[-1] <= far or _NEAR < lattice.ys[0] - fill.bottom <= far)
    }
    return len(near) > 1


def _cells_of(page: PageContent) -> list[Rectangle]:
    """Fills that may be cells. One within another of its colour is not seen: writers shade the lines of a cell anew."""
    cells: list[Fill] = []
    if len(page.fills) > _MOST_EDGES:
        return []
    for fill in sorted((fill for fill in page.fills if fill.box.height > _SMALLEST), key=lambda fill: -fill.box.area):
        if not any(cell.colour == fill.colour and cell.box.holds(fill.box, slack=1) for cell in cells):
            cells.append(fill)
    return [cell.box for cell in cells if _is_cell(cell.box, page)]


def _is_cell(box: Rectangle, page: PageContent) -> bool:
    return (
        box.width > _SMALLEST
        and _SMALLEST < box.height < TALLEST_ROW
        and box.area < BACKGROUND * page.width * page.height
    )


def _across(box: Rectangle) -> tuple[Rectangle, Rectangle]:
    return box._replace(bottom=box.top), box._replace(top=box.bottom)


def _down(box: Rectangle) -> tuple[Rectangle, Rectangle]:
    return box._replace(right=box.left), box._replace(left=box.right)


def _turned(rule: Rectangle) -> Rectangle:
    return Rectangle(rule.top, rule.left, rule.bottom, rule.right)


def _meeting(
    across: Sequence[Rectangle], down: Sequence[Rectangle]
) -> Iterable[tuple[list[Rectangle], list[Rectangle]]]:
    """Groups of edges that touch each other."""
    left_across, left_down = list(across), list(down)
    while left_down:
        group_across: list[Rectangle] = []
        group_down, fresh = [left_down[0]], [left_down.pop(0)]
        while fresh:
            reached = [rule for rule in left_across if any(_touch(rule, other) for other in fresh)]
            left_across = [rule for rule in left_across if rule not in reached]
            fresh = [rule for rule in left_down if any(_touch(other, rule) for other in reached)]
            left_down = [rule for rule in left_down if rule not in fresh]
            group_across += reached
            group_down += fresh
        yield group_across, group_down


def _touch(across: Rectangle, down: Rectangle) -> bool:
    return (
        across.left - _NEAR <= down.left <= across.right + _NEAR
        and down.top - _NEAR <= across.top <= down.bottom + _NEAR
    )


def _lattice(across: list[Rectangle], down: list[Rectangle]) -> Lattice | None:
    if not across:
        return None
    # A table may be open at its sides: the rules of the other direction tell how far it reaches.
    ends = min(rule.top for rule in down), max(rule.bottom for rule in down)
    sides = min(rule.left for rule in across), max(rule.right for rule in across)
    ys = _places((*ends, *(rule.top for rule in across)))
    least = _RUNS_ALONG * (ys[-1] - ys[0])
    xs = [
        x
        for x in _places((*sides, *(rule.left for rule in down)))
        if x <= sides[0] + _NEAR
        or x >= sides[1] - _NEAR
        or sum(rule.height for rule in down if abs(rule.left - x) <= _NEAR) >= least
    ]
    # A tint or a frame in one cell bounds no row.
    least = _RUNS_ACROSS * (sides[1] - sides[0])
    ys = [
        y
        for y in ys
        if y <= ends[0] + _NEAR
        or y >= ends[1] - _NEAR
        or sum(rule.width for rule in across if abs(rule.top - y) <= _NEAR) >= least
    ]
    if len(xs) < 3 or len(ys) < 3:
        return None
    return Lattice(xs, ys, across, down)


def _places(values: Iterable[float]) -> list[float]:
    places: list[list[float]] = []
    for value in sorted(values):
        if places and value - places[-1][-1] <= _NEAR:
            places[-1].append(value)
        else:
            places.append([value])
    return [(place[0] + place[-1]) / 2 for place in places]


@dataclass(slots=True)
class GridTable:
    """The cells of a lattice, filled with lines. Cells without an edge between them are one."""

    lattice: Lattice
    survey: DocumentSurvey

    def table(self, lines: Sequence[TextLine]) -> DetectedTable | None:
        """None when the lattice is empty, or its text does not keep to the columns."""
        box = self.lattice.box
        inner = [line for line in lines if _lies_in(box, line)]
        if len(inner) < 2 or self._crossing(inner) > 0.1 * len(inner):
            return None
        heads = self._heads(inner)
        rows = self._filled(inner, heads)
        used = {column for row in rows for column, cell in enumerate(row) if cell}
        if len(used) < 2 or _is_empty(rows):
            return None
        parts = [[row] if any(row) else [] for row in rows]
        if sum(map(bool, parts)) <= _FEW_ROWS:
            finer = finer_columns(self.lattice.xs, inner)
            if finer != self.lattice.xs:
                return GridTable(self.lattice._replace(xs=finer), self.survey).table(lines)
            parts = [self._split(row) if any(row) else [] for row in rows]
        header = self._header_above(lines)
        above = [self._row_of(header)] if header else []
        spans = shifted(closed_spans(heads, self.lattice), [*map(len, parts)], above=len(above))
        rows = [*above, *(row for part in parts for row in part)]
        if len(rows) < 2:
            return None
        inner = [*header, *inner]
        order = min(line.order for line in inner)
        whole = around((box, *(line.box for line in inner)))
        return DetectedTable(whole, rows, tuple(self.lattice.xs), order, inner, told(spans, rows))

    def is_chart(self, lines: Iterable[TextLine]) -> bool:
        """Whether it is drawn like a table, but hardly any cell has text. (A page in a frame has much text in one.)"""
        inner = [line for line in lines if _lies_in(self.lattice.box, line)]
        rows = self._filled(inner, self._heads(inner))
        return _is_empty(rows) and len(inner) <= len(rows) * len(rows[0])

    def _split(self, row: list[Cell]) -> list[list[Cell]]:
        """The rows within one row of the lattice: where no rules run between them, their lines tell."""
        rows = rows_of(line for cell in row for line in cell)
        beside = [len(other) for other in rows if other[0] in row[0]]
        if len(beside) < _FEWEST_LINES or fmean(beside) < _FEWEST_CELLS:
            return [row]
        gaps = [ColumnGap(x, x, is_sure=True) for x in self.lattice.xs]
        return BaselineStack(rows, gaps, [], self.survey).table().rows

    def _header_above(self, lines: Iterable[TextLine]) -> Row:
        """A line of text right above, with a piece for each of several columns."""
        box = self.lattice.box
        rows = rows_of(line for line in lines if 0 <= box.top - line.base < _HEADER_ABOVE * line.size)
        if not rows or len(rows[-1]) < 2 or is_prose(rows[-1:]):
            return []
        row = rows[-1]
        columns = [(slot(self.lattice.xs, line.left), slot(self.lattice.xs, line.right)) for line in row]
        keeps = all(first == last for first, last in columns) and len(set(columns)) == len(row)
        return row if keeps and all(box.left <= line.left and line.right <= box.right for line in row) else []

    def _row_of(self, header: Row) -> list[Cell]:
        cells: list[Cell] = [[] for _ in pairwise(self.lattice.xs)]
        for line in header:
            cells[slot(self.lattice.xs, line.left)].append(line)
        return cells

    def _crossing(self, lines: Sequence[TextLine]) -> int:
        """How many lines an upright edge cuts through a word of."""
        return sum(
            any(
                word.left + _NEAR < rule.left < word.right - _NEAR and rule.top + 1 < line.base < rule.bottom
                for rule in self.lattice.verticals
                for word in line.words
            )
            for line in lines
        )

    def _filled(self, lines: Iterable[TextLine], heads: Sequence[Sequence[CellPlace]]) -> list[list[Cell]]:
        xs, ys = self.lattice.xs, self.lattice.ys
        rows: list[list[Cell]] = [[[] for _ in pairwise(xs)] for _ in pairwise(ys)]
        for line in sorted(lines, key=lambda line: (line.base, line.left)):
            row = slot(ys, line.base - 0.3 * line.size)
            edges = [x for column, x in enumerate(xs) if heads[row][min(column, len(xs) - 2)] == (row, column)]
            for piece in pieces(line, edges[1:] or [xs[-1]]):
                row_head, column_head = heads[row][slot(xs, (piece.left + piece.right) / 2)]
                rows[row_head][column_head].append(piece)
        return rows

    def _heads(self, lines: Sequence[TextLine]) -> list[list[CellPlace]]:
        """For each place the cell that it belongs to: itself, or one left of it or above it."""
        xs, ys = self.lattice.xs, self.lattice.ys
        heads: list[list[CellPlace]] = []
        for row, (top, bottom) in enumerate(pairwise(ys)):
            heads.append([])
            for column, (left, right) in enumerate(pairwise(xs)):
                middle = (top + bottom) / 2
                start = xs[heads[row][column - 1][1]] if column else left
                bounded = self.lattice.has_upright(left, middle) or _part(
                    lines, left, Rectangle(start, top, right, bottom)
                )
                if column and not bounded:
                    heads[row].append(heads[row][column - 1])
                elif row and not self.lattice.has_level((left + right) / 2, top):
                    heads[row].append(heads[row - 1][column])
                else:
                    heads[row].append((row, column))
        return heads


def _is_empty(rows: Sequence[Sequence[Cell]]) -> bool:
    return sum(bool(cell) for row in rows for cell in row) < _FILLED * len(rows) * len(rows[0])


def _part(lines: Iterable[TextLine], x: float, around_it: Rectangle) -> bool:
    """Whether texts side by side keep clear of a place where no edge was drawn, or of one close to it."""
    row = [line for line in lines if around_it.top < line.base - 0.3 * line.size < around_it.bottom]
    starts = (line.left for line in row if x - _ASIDE * line.size <= line.left < x)
    return any(_keep_clear(row, place, around_it) for place in (x, *starts))


def _keep_clear(row: Sequence[TextLine], x: float, around_it: Rectangle) -> bool:
    crossing = any(line.left < x < line.right for line in row)
    beside = {round(line.base) for line in row if around_it.left <= line.left and line.right <= x}
    return not crossing and any(round(line.base) in beside for line in row if x <= line.left < around_it.right)


def _lies_in(box: Rectangle, line: TextLine) -> bool:
    return box.left - _NEAR <= line.left and line.right <= box.right + _NEAR and box.top < line.base < box.bottom + 1
