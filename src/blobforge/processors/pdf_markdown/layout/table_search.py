"""All tables of a page: grids, tables whose rules cross what would be a gutter, and those of a column or a box."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model import Box, Line, PageContent
from blobforge.processors.pdf_markdown.layout.separators import Separator, separators_of
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.table_finder import TableFinder
from blobforge.processors.pdf_markdown.layout.table_gaps import cells_in
from blobforge.processors.pdf_markdown.layout.table_grids import GridTable, lattices_of
from blobforge.processors.pdf_markdown.layout.table_signs import fills_columns
from blobforge.processors.pdf_markdown.layout.tables import Row, Table, rows_of

_SLACK = 4.0
"""So far from each other the ends of rules that belong together may lie, and text may stick out of its table."""
_MOST_GROUPS = 60
"""Rules of more lengths than this are a drawing."""
_FEWEST_HEADS = 3
_HEADING = 1.1
"""Of the body's size: what is larger heads a section, not a column of a table."""


class TableSearch:
    def __init__(self, page: PageContent, survey: Survey) -> None:
        self._survey = survey
        self._separators = separators_of(page)
        lattices = lattices_of(page)
        charts = [lattice for lattice in lattices if GridTable(lattice, survey).is_chart(page.lines)]
        self._lattices = [lattice for lattice in lattices if lattice not in charts]
        self._charts = [_grown(lattice.box, 2 * survey.size) for lattice in charts]

    def across(self, lines: Sequence[Line]) -> list[Table]:
        """Tables that are known by what is drawn, so that they can be found before the columns."""
        lines = self._outside_charts(lines)
        found = self._grids(lines)
        rest = without_tables(lines, found)
        for marks in _alike(self._separators, self._survey.size):
            left, right = marks[0].left - _SLACK, marks[0].right + _SLACK
            between = [line for line in rest if left <= line.left and line.right <= right]
            tables = TableFinder(between, marks, self._survey, marked_only=True).find()
            found += tables
            rest = without_tables(rest, tables)
        slanted = [line for line in rest if line.style.italic and not self._survey.italic]
        for header in (*_headers(line for line in rest if line.is_bold), *_headers(slanted)):
            table = self._headed(header, rest)
            if table is not None:
                found.append(table)
                rest = without_tables(rest, [table])
        return found

    def within(self, lines: Sequence[Line]) -> list[Table]:
        """Tables of one column or one box."""
        lines = self._outside_charts(lines)
        grids = self._grids(lines)
        return grids + self._aligned(without_tables(lines, grids))

    def _outside_charts(self, lines: Sequence[Line]) -> Sequence[Line]:
        """The labels along the axes of a chart stand in rows and columns, too."""
        if not self._charts:
            return lines
        return [line for line in lines if not any(chart.overlaps(line.box) for chart in self._charts)]

    def _grids(self, lines: Sequence[Line]) -> list[Table]:
        found: list[Table] = []
        for lattice in self._lattices:
            table = GridTable(lattice, self._survey).table(lines)
            if table is not None:
                found.append(table)
                lines = without_tables(lines, [table])
        return found

    def _headed(self, header: Sequence[Line], lines: Sequence[Line]) -> Table | None:
        """What begins under a header belongs to its columns, however far the last one reaches."""
        # A cell that is centred under the first header may begin somewhat left of it.
        left, right, top = header[0].left - 3 * header[0].size, header[-1].right, header[0].base - 1
        if header[0] not in lines or max(line.size for line in header) > _HEADING * self._survey.size:
            return None
        below = [line for line in lines if left <= line.left <= right and top <= line.base]
        table = TableFinder(below, self._separators, self._survey).find_at_top()
        return None if table is None or fills_columns(table) else table

    def _aligned(self, lines: Sequence[Line]) -> list[Table]:
        return TableFinder(lines, self._separators, self._survey).find()


def _grown(box: Box, by: float) -> Box:
    return Box(box.left - by, box.top - by, box.right + by, box.bottom + by)


def without_tables(lines: Iterable[Line], tables: Iterable[Table]) -> list[Line]:
    gone = {id(line) for table in tables for line in table.lines}
    return [line for line in lines if id(line) not in gone]


def _headers(lines: Iterable[Line]) -> list[Row]:
    """Cells of a header side by side, at least three; where the first of them comes again, another table begins."""
    found: list[Row] = []
    for row in rows_of(lines):
        begin = 0
        for place in range(1, len(row) + 1):
            if place == len(row) or row[place].text == row[begin].text:
                found.append(row[begin:place])
                begin = place
    return [row for row in found if sum(len(cells_in(line)) for line in row) >= _FEWEST_HEADS]


def _alike(separators: Iterable[Separator], size: float) -> list[list[Separator]]:
    """Separators that begin and end at the same places, the narrowest first: a narrow table is no part of a wide one.

    But a rule under some cells of a header, or the tint of some cells, comes after the table that it is part of.
    """
    groups: list[list[Separator]] = []
    for mark in separators:
        for group in groups:
            if abs(group[0].left - mark.left) <= _SLACK and abs(group[0].right - mark.right) <= _SLACK:
                group.append(mark)
                break
        else:
            groups.append([mark])
    if len(groups) > _MOST_GROUPS:
        return []
    return sorted(groups, key=lambda group: max(_width(other) for other in groups if _claims(other, group, size)))


def _width(group: Sequence[Separator]) -> float:
    return group[0].right - group[0].left


def _claims(wide: Sequence[Separator], narrow: Sequence[Separator], size: float) -> bool:
    """Whether separators are those of a header that the narrow ones lie in or right under. Each claims itself."""
    if wide is narrow:
        return True
    if wide[0].left > narrow[0].left + _SLACK or wide[0].right < narrow[0].right - _SLACK:
        return False
    return any(
        lower.y - upper.y <= 6 * size and upper.y - 2 * size <= mark.y <= lower.y + 2.5 * size
        for upper, lower in pairwise(wide)
        for mark in narrow
    )
