"""Finds tables: runs of rows that keep the same gaps. Rules and stripes are evidence, and separate rows."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model import Line
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.tables.grid import Row, Table, rows_of
from blobforge.processors.pdf_markdown.layout.tables.heads import with_heads_placed
from blobforge.processors.pdf_markdown.layout.tables.region import Region
from blobforge.processors.pdf_markdown.layout.tables.rows import Stack
from blobforge.processors.pdf_markdown.layout.tables.run import Run
from blobforge.processors.pdf_markdown.layout.tables.separators import Separator
from blobforge.processors.pdf_markdown.layout.tables.signs import entries_of_contents, is_of_columns, is_sparse, is_text

_LEADERS = ("....", ". . .", "·····")
_TITLE_AND_PAGE = 2


class TableFinder:
    """For the lines of one column or box. `marked_only`: only where a rule or a stripe says that there is a table."""

    def __init__(
        self, lines: Sequence[Line], separators: Sequence[Separator], survey: Survey, *, marked_only: bool = False
    ) -> None:
        self._region = Region(rows_of(lines), separators, survey)
        self._marked_only = marked_only
        self._contents = entries_of_contents(self._region.rows)

    def find(self) -> list[Table]:
        tables: list[Table] = []
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

    def find_at_top(self) -> Table | None:
        """The table that the first row is the header of."""
        run = self._run(0) if len(self._region) else None
        return self._table(run, 0) if run is not None else None

    def _run(self, first: int) -> Run | None:
        row = self._region.rows[first]
        if not self._region.has_cells(first) or _is_entry(row) or is_text([row]):
            return None
        is_marked = self._region.is_marked(first)
        if not is_marked and (self._marked_only or first in self._contents or (len(row) == 1 and not row[0].is_bold)):
            return None
        run = Run(self._region, first, is_marked=is_marked)
        run.grow()
        return run if run.is_table() else None

    def _table(self, run: Run, free: int) -> Table | None:
        """Rows from `free` on belong to no other table."""
        run.reach_up(free)
        stack = Stack(run.rows, run.gaps, run.marks(), self._region.survey, is_head_tight=run.is_head_tight)
        table = stack.table()
        if len(table.rows) == 1 or is_sparse(table):
            return None
        if not run.is_parted() and is_of_columns(table):
            return None
        return with_heads_placed(table)


def _is_entry(row: Row) -> bool:
    """Whether it is one of contents: a leader, and after it no more than the page."""
    led = [place for place, line in enumerate(row) if any(leader in line.text for leader in _LEADERS)]
    return bool(led) and len(row) - led[0] <= _TITLE_AND_PAGE
