"""Finds tables: runs of rows that keep the same gaps. Rules and stripes are evidence, and separate rows."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from blobforge.processors.pdf_markdown.layout.model import Colour, Line, around
from blobforge.processors.pdf_markdown.layout.separators import Separator
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.table_gaps import Gaps, columns_between, gaps_of, lost, shared
from blobforge.processors.pdf_markdown.layout.table_rows import Stack
from blobforge.processors.pdf_markdown.layout.table_signs import is_mostly_prose, is_of_figures, is_prose, is_sparse
from blobforge.processors.pdf_markdown.layout.tables import Row, Table, rows_of

_TALLEST_HEADER = 3
_TALLEST_CELL = 8
"""In lines: so far below the first line of a row the rule or stripe under it is looked for."""
_BESIDE = 0.7
"""Of the size: a line so little above another is not over it but beside it, in a cell that is centred otherwise."""
_LEADERS = ("....", ". . .", "·····")


class TableFinder:
    """For the lines of one column or box. `marked_only`: only where a rule or a stripe says that there is a table."""

    def __init__(
        self, lines: Sequence[Line], separators: Sequence[Separator], survey: Survey, *, marked_only: bool = False
    ) -> None:
        self._rows = rows_of(lines)
        self._gaps = [gaps_of(row) for row in self._rows]
        self._separators = separators
        self._survey = survey
        self._marked_only = marked_only

    def find(self) -> list[Table]:
        tables: list[Table] = []
        first = free = 0
        while first < len(self._rows):
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
        run = self._run(0) if self._rows else None
        return self._table(run, 0) if run is not None else None

    def _table(self, run: "_Run", free: int) -> Table | None:
        run.reach_up(free)
        table = Stack(run.rows, run.gaps, run.marks(), self._survey).table()
        return None if len(table.rows) == 1 or is_sparse(table) else table

    def _run(self, first: int) -> "_Run | None":
        row = self._rows[first]
        if len(self._gaps[first]) < 3 or any(leader in line.text for line in row for leader in _LEADERS):
            return None
        is_marked = self._is_marked(row)
        if not is_marked and (self._marked_only or (len(row) == 1 and not row[0].is_bold)):
            return None
        run = _Run(self._rows, self._gaps, self._separators, self._survey, first, is_marked=is_marked)
        run.grow()
        return run if run.is_table() else None

    def _is_marked(self, row: Row) -> bool:
        """Whether a rule or the edge of a stripe of about its width lies close to it."""
        left, right, size = row[0].left, row[-1].right, row[0].size
        return any(
            mark.left <= left + 6
            and mark.right >= right - 6
            and -1.5 * size <= mark.y - row[0].base <= 3.2 * size
            and (mark.left > left - 2 * size or mark.right - mark.left < 1.6 * (right - left) + 60)
            for mark in self._separators
        )


class _Run:
    """Rows that may be a table, from the first one on."""

    def __init__(
        self,
        rows: Sequence[Row],
        gaps: Sequence[Gaps],
        separators: Sequence[Separator],
        survey: Survey,
        first: int,
        *,
        is_marked: bool,
    ) -> None:
        self._all = rows
        self._free = gaps
        self._separators = separators
        self._survey = survey
        self.first = self.last = first
        self.gaps = gaps[first]
        self._is_marked = is_marked
        self._least = max(2.0, (0.28 if is_marked else 0.45) * rows[first][0].size)
        self._counted = 1

    @property
    def rows(self) -> Sequence[Row]:
        return self._all[self.first : self.last + 1]

    def grow(self) -> None:
        while self.last + 1 < len(self._all) and self._take(self.last + 1):
            self.last += 1
        while self.last > self.first and not self._is_marked and self._is_lone(self.last, column=0):
            self.last -= 1
        self.gaps = columns_between(
            self.gaps, least=(0.5 if self._counted > 2 else 1.0) * self._all[self.first][0].size
        )

    def reach_up(self, limit: int) -> None:
        """Takes rows above: no rule or stripe need be close to the first one. Those before `limit` are taken."""
        for place in range(self.first - 1, limit - 1, -1):
            row, below = self._all[place], self._all[place + 1]
            passed = self.first - place - 1
            if below[0].base - row[0].base > self._longest_step(row) or passed > _TALLEST_HEADER:
                return
            is_header = self._is_header(place)
            is_beside = below[0].base - row[0].base < _BESIDE * row[0].size
            if not is_header and not is_beside and self._is_header(self.first):
                return
            gaps = shared(self.gaps, self._free[place], least=self._least)
            if lost(self.gaps, gaps) or len(gaps) < len(self.gaps):
                if not is_header or not self._is_parted(place):
                    return
                gaps = self.gaps
            elif len(self._free[place]) == 2 and len(gaps) > len(self.gaps):
                return
            if len(self._free[place]) > 2 or is_beside:
                self.first, self.gaps = place, gaps

    def _is_header(self, place: int) -> bool:
        return len(self._free[place]) > 2 and all(line.is_bold for line in self._all[place])

    def _has_head(self) -> bool:
        """Whether the first row looks unlike those below it: bold, or slanted, or in another colour."""
        if self._is_header(self.first):
            return True
        looks = {_look(line) for line in self._all[self.first]}
        below = {_look(line) for row in self.rows[1:] for line in row}
        return len(looks) == 1 and not looks & below and len(self._free[self.first]) > 2

    def _take(self, place: int) -> bool:
        """Narrows the gaps by one row more; False when that row does not belong here."""
        row = self._all[place]
        step = row[0].base - self._all[place - 1][0].base
        if self._begins_another(place) or (step > self._longest_step(row) and not self._is_parted(place + 1)):
            return False
        gaps = shared(self.gaps, self._free[place], least=self._least)
        if len(self._free[place]) == 2:
            return self._take_lone(place, gaps, step=step)
        if lost(self.gaps, gaps):
            if self._counted == 1 and self._heads_body():
                gaps = self._free[place]
            elif self._is_parted(place) and self._is_parted(place + 1):
                gaps = self.gaps
            elif self._counted > 1:
                return False
        self.gaps = gaps
        self._counted += 1
        return len(gaps) > 2

    def _take_lone(self, place: int, gaps: Gaps, *, step: float) -> bool:
        row = self._all[place]
        if lost(self.gaps, gaps) or len(gaps) > len(self.gaps):
            return self._is_parted(place) and self._is_parted(place + 1) and place + 1 < len(self._all)
        if self._is_lone(place, column=0):
            is_last = place == len(self._all) - 1
            ends_row = self._is_parted(place + 1) and not self._is_parted(place)
            return self._goes_on(place) or ends_row or (is_last and self._is_marked)
        is_near = step <= self._longest_in_cell(row)
        if self._is_parted(place) and not all(line.is_bold for other in self.rows for line in other):
            # Under the last rule of a table the text goes on, perhaps right under one of its columns.
            is_near = self._is_closed_below(row[0])
        return is_near or self._goes_on(place)

    def _heads_body(self) -> bool:
        """Whether the first row is a header whose cells need not keep to the columns."""
        return self._is_header(self.first) or self._is_parted(self.first + 1)

    def _is_parted(self, place: int) -> bool:
        """Whether a rule or the edge of a stripe lies between this row and the one above."""
        if not self._is_marked or place == 0:
            return False
        row = self._all[min(place, len(self._all) - 1)]
        upper = self._all[place - 1][0].base
        lower = row[0].base if place < len(self._all) else upper + 2 * row[0].size
        size = row[0].size
        return any(
            upper - 0.1 * size < mark.y <= lower - 0.4 * size and self._covers(mark) for mark in self._separators
        )

    def _is_closed_below(self, line: Line) -> bool:
        reach = _TALLEST_CELL * self._survey.leading * line.size
        return any(line.base < mark.y < line.base + reach and self._covers(mark) for mark in self._separators)

    def _covers(self, mark: Separator) -> bool:
        first = self._all[self.first]
        return mark.left <= first[0].left + first[0].size and mark.right >= first[-1].right - first[0].size

    def _begins_another(self, place: int) -> bool:
        """A larger line, a new header, or a title in bold with a header right after it."""
        row = self._all[place]
        largest = max(line.size for line in row)
        if largest > self._survey.size and largest > 1.15 * max(line.size for line in self._all[self.first]):
            return True
        if self._is_header(place) and not all(map(self._is_header, range(self.first, place))):
            return self._heads_another(place)
        is_title = len(self._free[place]) == 2 and row[0].is_bold
        return is_title and place + 1 < len(self._all) and self._is_header(place + 1)

    def _heads_another(self, place: int) -> bool:
        """Whether a row in bold is a header again, and not one of sums: it stands apart and has rows under it."""
        row, first = self._all[place], self._all[self.first]
        if [line.text for line in row] == [line.text for line in first]:
            return True
        steps = [lower[0].base - upper[0].base for upper, lower in pairwise(self._all[self.first : place])]
        stands_apart = row[0].base - self._all[place - 1][0].base > 1.25 * median(steps) if steps else True
        follows = place + 1 < len(self._all) and len(self._free[place + 1]) > 2
        return stands_apart and follows and not self._is_header(place + 1)

    def _is_lone(self, place: int, *, column: int) -> bool:
        row = self._all[place]
        if len(self._free[place]) > 2 or column + 1 >= len(self.gaps):
            return False
        return self.gaps[column].left < row[0].left and row[0].right < self.gaps[column + 1].right

    def _goes_on(self, place: int) -> bool:
        """Whether a row of several cells follows soon."""
        for below in range(place + 1, min(place + 4, len(self._all))):
            row = self._all[below]
            if row[0].base - self._all[below - 1][0].base > 2.4 * row[0].size or self._begins_another(below):
                return False
            if lost(self.gaps, shared(self.gaps, self._free[below], least=self._least)):
                return False
            if len(self._free[below]) > 2:
                return True
        return False

    def _longest_in_cell(self, row: Row) -> float:
        """How far below the line above a line of the same cell may stand: no farther than the closest rows."""
        usual = 1.5 * self._survey.leading * row[0].size
        steps = [lower[0].base - upper[0].base for upper, lower in pairwise(self.rows)]
        steps = [step for step in steps if step > _BESIDE * row[0].size]
        return min(usual, 1.1 * min(steps)) if len(steps) > 1 else usual

    def _longest_step(self, row: Row) -> float:
        steps = [lower[0].base - upper[0].base for upper, lower in pairwise(self.rows)]
        usual = 2.5 * row[0].size
        if steps:
            return max(usual, 1.75 * median(steps))
        return (3.4 if self._is_marked else 2.5) * row[0].size

    def is_table(self) -> bool:
        rows = self.rows
        has_head = self._has_head()
        is_ruled = bool(self.marks())
        stands_out = has_head and not all(line.is_bold for row in rows[1:] for line in row)
        several = sum(len(free) > 2 for free in self._free[self.first : self.last + 1])
        parted = sum(self._is_parted(place) for place in range(self.first + 1, self.last + 1))
        columns = len(self.gaps) - 1
        if columns < 2 or several < (2 if parted or (stands_out and columns > 2) else 3):
            return False
        if is_ruled and (parted > 1 or (has_head and self._is_parted(self.first + 1))):
            return True
        if is_prose(rows) or not any(gap.is_sure for gap in self.gaps):
            return False
        if not has_head and parted == 0 and is_mostly_prose(rows):
            return False
        return is_ruled or columns > 3 or has_head or several >= 4 or is_of_figures(rows)

    def marks(self) -> list[Separator]:
        """The separators that belong to these rows: they are as wide as all of them."""
        box = around(line.box for row in self.rows for line in row)
        size = self._all[self.first][0].size
        return [
            mark
            for mark in self._separators
            if box.top - 1.5 * size <= mark.y <= box.bottom + 1.5 * size
            and mark.left <= box.left + size
            and mark.right >= box.right - size
        ]


def _look(line: Line) -> tuple[bool, bool, Colour]:
    return line.is_bold, line.style.italic, line.style.colour
