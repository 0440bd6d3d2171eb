"""All tables of a page: grids, tables whose rules cross what would be a gutter, and those of a column or a box."""

from collections.abc import Iterable, Sequence

from blobforge.processors.pdf_markdown.layout.model import Line, PageContent
from blobforge.processors.pdf_markdown.layout.separators import Separator, separators_of
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.table_finder import TableFinder
from blobforge.processors.pdf_markdown.layout.table_grids import GridTable, lattices_of
from blobforge.processors.pdf_markdown.layout.tables import Table


class TableSearch:
    def __init__(self, page: PageContent, survey: Survey) -> None:
        self._survey = survey
        self._separators = separators_of(page)
        self._lattices = lattices_of(page)

    def across(self, lines: Sequence[Line]) -> list[Table]:
        """Tables that are known by what is drawn, so that they can be found before the columns."""
        found = self._grids(lines)
        rest = without_tables(lines, found)
        for left, right, top, bottom in _chains(self._separators):
            reach = 2.5 * self._survey.size
            near = [
                line
                for line in rest
                if left - 4 <= line.left and line.right <= right + 4 and top - reach <= line.base <= bottom + reach
            ]
            tables = self._aligned(near)
            found += tables
            rest = without_tables(rest, tables)
        return found

    def within(self, lines: Sequence[Line]) -> list[Table]:
        """Tables of one column or one box."""
        grids = self._grids(lines)
        return grids + self._aligned(without_tables(lines, grids))

    def _grids(self, lines: Sequence[Line]) -> list[Table]:
        found: list[Table] = []
        for lattice in self._lattices:
            table = GridTable(lattice).table(lines)
            if table is not None:
                found.append(table)
                lines = without_tables(lines, [table])
        return found

    def _aligned(self, lines: Sequence[Line]) -> list[Table]:
        return TableFinder(lines, self._separators, self._survey).find()


def without_tables(lines: Iterable[Line], tables: Iterable[Table]) -> list[Line]:
    gone = {id(line) for table in tables for line in table.lines}
    return [line for line in lines if id(line) not in gone]


def _chains(separators: Iterable[Separator]) -> list[tuple[float, float, float, float]]:
    """Extents of separators of one width that follow each other closely."""
    chains: list[list[float]] = []
    for mark in separators:
        for chain in chains:
            alike = abs(chain[0] - mark.left) <= 4 and abs(chain[1] - mark.right) <= 4  # noqa: PLR2004
            if alike and mark.y - chain[3] <= 90:  # noqa: PLR2004
                chain[3] = mark.y
                chain[4] += 1
                break
        else:
            chains.append([mark.left, mark.right, mark.y, mark.y, 1])
    return [(left, right, top, bottom) for left, right, top, bottom, count in chains if count > 1]
