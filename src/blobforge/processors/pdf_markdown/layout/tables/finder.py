"""Finds tables: runs of rows that keep the same gaps. Rules and stripes are evidence, and separate rows."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.model.table import DetectedTable, rows_of
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.tables.cell_text import (
    entries_of_contents,
    is_of_columns,
    is_sparse,
    is_text,
)
from blobforge.processors.pdf_markdown.layout.tables.heads import with_heads_placed
from blobforge.processors.pdf_markdown.layout.tables.region import Region
from blobforge.processors.pdf_markdown.layout.tables.rows import BaselineStack
from blobforge.processors.pdf_markdown.layout.tables.run import TableRun


class TableFinder:
    """For the lines of one column or box. `marked_only`: only where a rule or a stripe says that there is a table."""

    def __init__(
        self,
        lines: Sequence[TextLine],
        separators: Sequence[Separator],
        survey: DocumentSurvey,
        *,
        marked_only: bool = False,
    ) -> None:
        self._region = Region(rows_of(lines), separators, survey)
        self._marked_only = marked_only
        self._contents = entries_of_contents(self._region.rows)

    def find(self) -> list[DetectedTable]:
        tables: list[DetectedTable] = []
        first = free = 0
        while first < len(self._region):
            run = self._run(first)
            table = self._table(run, free) if run is not None else None
            if run is None or table is None:
                first += 1
                continue
            tables.append(table)
            first = free = run.last + 1
        return tables

    def find_at_top(self) -> DetectedTable | None:
        """The table that the first row is the header of."""
        run = self._run(0) if len(self._region) else None
        return self._table(run, 0) if run is not None else None

    def _run(self, first: int) -> TableRun | None:
        row = self._region.rows[first]
        if not self._region.has_cells(first) or is_text([row]):
            return None
        is_marked = self._region.is_marked(first)
        if not is_marked and (self._marked_only or first in self._contents or (len(row) == 1 and not row[0].is_bold)):
            return None
        run = TableRun(self._region, first, is_marked=is_marked)
        run.grow()
        return run if run.is_table() else None

    def _table(self, run: TableRun, free: int) -> DetectedTable | None:
        """Rows from `free` on belong to no other table."""
        run.reach_up(free)
        stack = BaselineStack(run.rows, run.gaps, run.marks(), self._region.survey, is_head_tight=run.is_head_tight)
        table = stack.table()
        if len(table.rows) == 1 or is_sparse(table):
            return None
        if not run.is_parted() and is_of_columns(table):
            return None
        return with_heads_placed(table)
