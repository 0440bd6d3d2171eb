"""All tables of a page: grids, tables whose rules cross what would be a gutter, and those of a column or a box."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model import Line, PageContent
from blobforge.processors.pdf_markdown.layout.separators import Separator, separators_of
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.table_finder import TableFinder
from blobforge.processors.pdf_markdown.layout.table_gaps import cells_in
from blobforge.processors.pdf_markdown.layout.table_grids import GridTable, lattices_of
from blobforge.processors.pdf_markdown.layout.table_signs import fills_columns
from blobforge.processors.pdf_markdown.layout.tables import Row, Table, rows_of

_SLACK = 4.0
"""So far from each other the ends of rules that belong together may lie, and text may stick out of its table."""
_FEWEST_HEADS = 3
_HEADING = 1.1
"""Of the body's size: what is larger heads a section, not a column of a table."""


class TableSearch:
    def __init__(self, page: PageContent, survey: Survey) -> None:
        self._survey = survey
        self._separators = separators_of(page)
        self._lattices = lattices_of(page)

    def across(self, lines: Sequence[Line]) -> list[Table]:
        """Tables that are known by what is drawn, so that they can be found before the columns."""
        found = self._grids(lines)
        rest = without_tables(lines, found)
        for marks in _alike(self._separators, self._survey.size):
            left, right = marks[0].left - _SLACK, marks[0].right + _SLACK
            between = [line for line in rest if left <= line.left and line.right <= right]
            tables = TableFinder(between, marks, self._survey, marked_only=True).find()
            found += tables
            rest = without_tables(rest, tables)
        for header in _headers(rest):
            table = self._headed(header, rest)
            if table is not None:
                found.append(table)
                rest = without_tables(rest, [table])
        return found

    def within(self, lines: Sequence[Line]) -> list[Table]:
        """Tables of one column or one box."""
        grids = self._grids(lines)
        return grids + self._aligned(without_tables(lines, grids))

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


def without_tables(lines: Iterable[Line], tables: Iterable[Table]) -> list[Line]:
    gone = {id(line) for table in tables for line in table.lines}
    return [line for line in lines if id(line) not in gone]


def _headers(lines: Sequence[Line]) -> list[Row]:
    """Cells in bold side by side, at least three; where the first of them comes again, another table begins."""
    found: list[Row] = []
    for row in rows_of(line for line in lines if line.is_bold):
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
