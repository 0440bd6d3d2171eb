"""Finds tables: runs of rows that keep the same gaps. Rules and stripes are evidence, and separate rows."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from statistics import median

from blobforge.processors.pdf_markdown.layout.model import Line, around
from blobforge.processors.pdf_markdown.layout.separators import Separator
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.tables import Cell, Row, Table, column_of, edges_of, is_header, rows_of

_TIGHT = 1.12
"""Of the leading: lines closer than this are lines of one cell."""
_LEADERS = ("....", ". . .", "·····")


class TableFinder:
    """For the lines of one column or box."""

    def __init__(self, lines: Sequence[Line], separators: Sequence[Separator], survey: Survey) -> None:
        self._rows = rows_of(lines)
        self._separators = separators
        self._survey = survey

    def find(self) -> list[Table]:
        tables: list[Table] = []
        first = 0
        while first < len(self._rows):
            grown = self._grow(first) if self._may_begin(self._rows[first]) else None
            if grown is None:
                first += 1
                continue
            last, edges = grown
            tables.append(self._build(self._rows[first : last + 1], edges))
            first = last + 1
        return tables

    def _may_begin(self, row: Row) -> bool:
        return len(row) > 1 and not any(leader in line.text for line in row for leader in _LEADERS)

    def _grow(self, first: int) -> tuple[int, list[float]] | None:
        """The last row of the table that begins here and its columns; None when it is none."""
        start = self._rows[first]
        is_marked = self._is_marked(start)
        least = max(2.0, (0.28 if is_marked else 0.55) * start[0].size)
        edges, last = edges_of([start], least=least), first
        while last + 1 < len(self._rows):
            grown = self._with_next(first, last, edges, least=least, is_marked=is_marked)
            if grown is None:
                break
            edges, last = grown, last + 1
        while last > first and self._is_stray(self._rows[last], edges) and not is_marked:
            last -= 1
        return (last, edges) if self._is_table(self._rows[first : last + 1], edges) else None

    def _with_next(
        self, first: int, last: int, edges: list[float], *, least: float, is_marked: bool
    ) -> list[float] | None:
        """The columns of the table with one row more; None when that row does not belong to it."""
        rows, row = self._rows[first : last + 1], self._rows[last + 1]
        step = row[0].base - self._rows[last][0].base
        if step > self._longest_step(rows, row, is_marked=is_marked) or self._begins_another(rows, last + 1):
            return None
        if len(row) == 1:
            return edges if self._fits(row[0], last + 1, edges, step=step, is_marked=is_marked) else None
        several = [other for other in rows if len(other) > 1]
        trial = edges_of([*several, row], least=least)
        lost = len(trial) < len(edges)
        if len(trial) < 3 or (lost and len(several) >= (4 if is_marked else 2)):
            return None
        lone = (other[0] for other in rows if len(other) == 1)
        return None if any(column_of(line, trial) is None for line in lone) else trial

    def _begins_another(self, rows: Sequence[Row], place: int) -> bool:
        """A larger line, a new header, or a title in bold with a header right after it."""
        row = self._rows[place]
        if max(line.size for line in row) > 1.15 * max(line.size for line in rows[0]):
            return True
        if is_header(row) and not all(is_header(other) for other in rows):
            return True
        follows = self._rows[place + 1] if place + 1 < len(self._rows) else None
        return len(row) == 1 and row[0].is_bold and follows is not None and is_header(follows)

    def _fits(self, line: Line, place: int, edges: Sequence[float], *, step: float, is_marked: bool) -> bool:
        column = column_of(line, edges)
        if column is None:
            return False
        if column == 0:
            is_last = place == len(self._rows) - 1
            return self._goes_on(place, edges) or (is_last and is_marked)
        return step <= 1.5 * self._survey.leading * line.size or self._goes_on(place, edges)

    def _goes_on(self, place: int, edges: Sequence[float]) -> bool:
        """Whether a row of several cells follows soon."""
        for below in range(place + 1, min(place + 4, len(self._rows))):
            row = self._rows[below]
            if row[0].base - self._rows[below - 1][0].base > 2.4 * row[0].size:
                return False
            if any(column_of(line, edges) is None for line in row):
                return False
            if len(row) > 1:
                return True
        return False

    def _is_stray(self, row: Row, edges: Sequence[float]) -> bool:
        return len(row) == 1 and column_of(row[0], edges) == 0

    def _is_marked(self, row: Row) -> bool:
        """Whether a rule or the edge of a stripe of about its width lies close to it."""
        left, right, size = row[0].left, row[-1].right, row[0].size
        return any(
            mark.left <= left + 6
            and mark.right >= right - 6
            and -1.2 * size <= mark.y - row[0].base <= 3.2 * size
            and mark.right - mark.left < 1.6 * (right - left) + 60
            for mark in self._separators
        )

    def _longest_step(self, rows: Sequence[Row], row: Row, *, is_marked: bool) -> float:
        steps = [lower[0].base - upper[0].base for upper, lower in zip(rows, rows[1:], strict=False)]
        usual = 2.5 * row[0].size
        if steps:
            return max(usual, 1.75 * median(steps))
        return (3.4 if is_marked else 2.5) * row[0].size

    def _is_table(self, rows: Sequence[Row], edges: Sequence[float]) -> bool:
        several = sum(len(row) > 1 for row in rows)
        has_head = is_header(rows[0])
        is_ruled = bool(self._within(rows))
        stands_out = has_head and not all(line.is_bold for row in rows[1:] for line in row)
        if len(edges) < 3 or several < (2 if is_ruled or stands_out else 3):
            return False
        if is_ruled:
            return True
        if _is_prose(rows):
            return False
        return len(edges) > 3 or has_head or several >= 4 or _is_of_figures(rows)

    def _within(self, rows: Sequence[Row]) -> list[Separator]:
        """The separators that belong to these rows."""
        box = around(line.box for row in rows for line in row)
        return [
            mark
            for mark in self._separators
            if box.top - 12 <= mark.y <= box.bottom + 10
            and min(mark.right, box.right) - max(mark.left, box.left) > 0.5 * box.width
        ]

    def _build(self, rows: Sequence[Row], edges: Sequence[float]) -> Table:
        placed = [_cells(row, edges) for row in rows]
        merged: list[list[Cell]] = []
        for group in self._groups(rows, placed):
            cells: list[Cell] = [[] for _ in range(len(edges) - 1)]
            for place in group:
                for column, lines in enumerate(placed[place]):
                    cells[column] += lines
            merged.append(cells)
        lines = [line for row in rows for line in row]
        return Table(around(line.box for line in lines), merged, tuple(edges), min(line.order for line in lines), lines)

    def _groups(self, rows: Sequence[Row], placed: Sequence[Sequence[Cell]]) -> list[list[int]]:
        """Which baselines make one row of the table."""
        size = median(row[0].size for row in rows)
        lead = self._survey.leading * size
        steps = [lower[0].base - upper[0].base for upper, lower in zip(rows, rows[1:], strict=False)]
        is_padded = sum(step > _TIGHT * lead for step in steps) >= 0.3 * len(steps)
        marks = [mark.y for mark in self._within(rows)]
        groups = [[0]]
        for place in range(1, len(rows)):
            upper, lower = rows[place - 1][0].base, rows[place][0].base
            is_tight, is_bare = steps[place - 1] <= _TIGHT * lead, not placed[place][0]
            if any(upper - 0.1 * size < y <= lower - 0.4 * size for y in marks):
                goes_on = False
            elif is_tight:
                goes_on = is_padded or is_bare
            else:
                goes_on = is_bare and not is_padded and place > 1
            if goes_on:
                groups[-1].append(place)
            else:
                groups.append([place])
        return groups


def _cells(row: Row, edges: Sequence[float]) -> list[Cell]:
    cells: list[Cell] = [[] for _ in range(len(edges) - 1)]
    for line in row:
        start = (line.left + min(line.right, line.left + 8)) / 2
        cells[max(0, min(len(cells) - 1, bisect_right(edges, start) - 1))].append(line)
    return cells


def _is_prose(rows: Iterable[Row]) -> bool:
    texts = [line.text for row in rows for line in row]
    is_long = sum(len(text) > 38 for text in texts) > 0.5 * len(texts)
    return is_long or sum(text[:1].islower() for text in texts) > 0.55 * len(texts)


def _is_of_figures(rows: Iterable[Row]) -> bool:
    texts = [line.text for row in rows for line in row[1:]]
    figures = sum(len(text) <= 3 or any(map(str.isdigit, text)) for text in texts)
    return figures >= 0.6 * len(texts)
