"""All tables of a page: grids, tables whose rules cross what would be a gutter, and those of a column or a box."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.table import DetectedTable, Row, rows_of
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator, separators_of, without_fractions
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.tables.cell_text import is_prose
from blobforge.processors.pdf_markdown.layout.tables.finder import TableFinder
from blobforge.processors.pdf_markdown.layout.tables.gaps import cells_in
from blobforge.processors.pdf_markdown.layout.tables.grids import GridTable, lattices_of
from blobforge.processors.pdf_markdown.layout.tables.heads import spread_heads, with_heads_joined
from blobforge.processors.pdf_markdown.layout.tables.invisible_cells import invisible_cell_tables
from blobforge.processors.pdf_markdown.layout.words.turned import stood_up

_SLACK = 4.0
"""So far from each other the ends of rules that belong together may lie, and text may stick out of its table."""
_MOST_GROUPS = 60
"""Rules of more lengths than this are a drawing."""
_FEWEST_HEADS = 3
_MOST = 0.8
_HEADING = 1.1
"""Of the body's size: what is larger heads a section, not a column of a table."""


class TableSearch:
    def __init__(self, page: PageContent, survey: DocumentSurvey) -> None:
        self._survey = survey
        self._separators = without_fractions(separators_of(page), page.lines)
        lattices = lattices_of(page)
        charts = [lattice for lattice in lattices if GridTable(lattice, survey).is_chart(page.lines)]
        self._lattices = [lattice for lattice in lattices if lattice not in charts]
        self._charts = [_grown(lattice.box, 2 * survey.size) for lattice in charts]
        self._unseen = page.unseen
        self._stood_up = stood_up(page.turned, on=page) if self._lattices else []
        self.turned_taken: list[TextLine] = []
        """Lines on their side that are in cells."""
        self._grids: list[DetectedTable] = []
        """Those of all lattices, which are filled once."""
        self._searched: list[tuple[frozenset[int], Sequence[TextLine], list[DetectedTable]]] = []
        """Ids of lines, these lines, which keeps their ids, and the tables among them."""

    def across(self, lines: Sequence[TextLine]) -> list[DetectedTable]:
        """Tables that are known by what is drawn, so that they can be found before the columns."""
        lines = self._outside_charts(lines)
        found = invisible_cell_tables(self._unseen, lines)
        self._grids = self._filled_lattices(without_tables(lines, found))
        found += self._grids
        rest = without_tables(lines, found)
        groups = _alike(self._separators, self._survey.size)
        for marks in groups:
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
        return self._with_spans(with_heads_joined(found))

    def within(self, lines: Sequence[TextLine]) -> list[DetectedTable]:
        """Tables of one column or one box, after `across`. The column of a box is often all of it: it is asked once."""
        ids = frozenset(map(id, lines))
        known = next((tables for others, _, tables in self._searched if others == ids), None)
        if known is not None:
            return known
        outside = self._outside_charts(lines)
        own = ids | {id(label) for _, label in self._stood_up}
        grids = [grid for grid in self._grids if all(id(line) in own for line in grid.lines)]
        found = self._with_spans(with_heads_joined(grids + self._aligned(without_tables(outside, grids))))
        self._searched.append((ids, lines, found))
        return found

    def _with_spans(self, tables: list[DetectedTable]) -> list[DetectedTable]:
        """A rule under a head is no rule of the whole table, so all of the page are asked."""
        for table in tables:
            if not table.spans:
                spread_heads(table, self._separators)
        return tables

    def _outside_charts(self, lines: Sequence[TextLine]) -> Sequence[TextLine]:
        """The labels along the axes of a chart stand in rows and columns, too."""
        if not self._charts:
            return lines
        return [line for line in lines if not any(chart.overlaps(line.box) for chart in self._charts)]

    def _filled_lattices(self, lines: Sequence[TextLine]) -> list[DetectedTable]:
        found: list[DetectedTable] = []
        for lattice in self._lattices:
            labels = [label for _, label in self._stood_up if lattice.box.holds(label.box)]
            table = GridTable(lattice, self._survey).table([*lines, *labels])
            if table is not None:
                self.turned_taken += [line for line, label in self._stood_up if label in table.lines]
                found.append(table)
                lines = without_tables(lines, [table])
        return found

    def _headed(self, header: Sequence[TextLine], lines: Sequence[TextLine]) -> DetectedTable | None:
        """What begins under a header belongs to its columns, however far the last one reaches."""
        # A cell that is centred under the first header may begin somewhat left of it.
        left, right, top = header[0].left - 3 * header[0].size, header[-1].right, header[0].base - 1
        if header[0] not in lines or max(line.size for line in header) > _HEADING * self._survey.size:
            return None
        below = [line for line in lines if left <= line.left <= right and top <= line.base]
        table = TableFinder(below, self._separators, self._survey).find_at_top()
        if table is None:
            return None
        stub = _stub_of(table, lines)
        if stub:
            whole = TableFinder([*stub, *table.lines], self._separators, self._survey).find_at_top()
            if whole is not None and len(whole.rows[0]) > len(table.rows[0]):
                return whole
        return table

    def _aligned(self, lines: Sequence[TextLine]) -> list[DetectedTable]:
        return TableFinder(lines, self._separators, self._survey).find()


def _grown(box: Rectangle, by: float) -> Rectangle:
    return Rectangle(box.left - by, box.top - by, box.right + by, box.bottom + by)


def without_tables(lines: Iterable[TextLine], tables: Iterable[DetectedTable]) -> list[TextLine]:
    gone = {id(line) for table in tables for line in table.lines}
    return [line for line in lines if id(line) not in gone]


def _headers(lines: Iterable[TextLine]) -> list[Row]:
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


def _stub_of(table: DetectedTable, lines: Iterable[TextLine]) -> list[TextLine]:
    """Words left of almost each row, where the first column has no head; not those of a column of text."""
    size = table.lines[0].size
    bases = [row[0].base for row in rows_of(table.lines)][1:]
    left = [line for line in lines if line.right < table.box.left and bases[0] - size < line.base < bases[-1] + size]
    beside = [line for line in left if any(abs(line.base - base) < size / 4 for base in bases)]
    if len(beside) < max(_FEWEST_HEADS, _MOST * len(bases)) or len(beside) < _MOST * len(left):
        return []
    return [] if is_prose([line] for line in beside) else beside


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
