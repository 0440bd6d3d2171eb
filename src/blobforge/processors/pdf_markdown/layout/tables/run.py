"""Grows a table from one row downwards, as long as rows keep its column gaps."""

from bisect import bisect_right
from collections.abc import Sequence
from statistics import median

from blobforge.processors.pdf_markdown.layout.model.content import Colour, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.table import Row
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator
from blobforge.processors.pdf_markdown.layout.tables.cell_text import (
    begins_with_figures,
    is_mostly_prose,
    is_of_figures,
    is_prose,
    is_text,
)
from blobforge.processors.pdf_markdown.layout.tables.gaps import ColumnGaps, columns_between, inner_edges, lost, shared
from blobforge.processors.pdf_markdown.layout.tables.region import Region

_TALLEST_HEADER = 3
_TALLEST_STUB = 4
_BESIDE = 0.7
"""Of the size: a line so little above another is not over it but beside it, in a cell that is centred otherwise."""
_LARGER = 1.15
_NOTE = 0.95
_LOOSEST = 4.0
_FLUSH = 0.15
_FEWEST_GAPS = 3
"""With those at both sides: a word may begin over one gap by chance."""
_FEWEST_BELOW = 3
_APART = 1.25
"""Of the usual step: what follows at a longer one stands apart."""


class TableRun:
    """The rows of a region from `first` to `last`, and the gaps that they share. `is_marked`: rules say it is one."""

    def __init__(self, region: Region, first: int, *, is_marked: bool) -> None:
        self._region = region
        self._is_marked = is_marked
        self._least = max(2.0, (0.28 if is_marked else 0.45) * region.size(first))
        self._counted = 1
        self.first = self.last = first
        self.gaps = region.gaps[first]
        self.is_head_tight = False

    @property
    def rows(self) -> Sequence[Row]:
        return self._region.rows[self.first : self.last + 1]

    def grow(self) -> None:
        while self.last + 1 < len(self._region) and self._take(self.last + 1):
            self.last += 1
        while self.last > self.first and not self._is_marked and self._is_in_first_column(self.last):
            if self._reads_on(self.last):
                break
            self.last -= 1
        least = (0.5 if self._counted > 2 else 1.0) * self._region.size(self.first)
        self.gaps = columns_between(self._gaps_under_header(), least=least)

    def reach_up(self, limit: int) -> None:
        """Takes rows above: no rule or stripe need be close to the first one. Those before `limit` are taken."""
        for place in range(self.first - 1, limit - 1, -1):
            if self.first - place > _TALLEST_HEADER + 1 or self._region.step(place + 1) > self._longest_step(place):
                return
            is_beside = self._region.step(place + 1) < _BESIDE * self._region.size(place)
            is_header = self._region.is_header(place)
            is_lone_head = self._is_lone_head(place)
            if self._region.is_header(self.first) and not is_header and not is_beside and not is_lone_head:
                return
            if self._region.has_cells(place) and (self._is_title(place) or is_text([self._region.rows[place]])):
                return
            tight = self._tight_head(place)
            if tight:
                self.first, self.gaps, self.is_head_tight = place, tight, True
                return
            gaps = self._narrowed(place)
            if lost(self.gaps, gaps) or len(gaps) < len(self.gaps):
                if not is_header or not self._is_parted(place):
                    return
                gaps = self.gaps
            elif not self._region.has_cells(place) and len(gaps) > len(self.gaps):
                return
            if self._region.has_cells(place) or is_beside or is_lone_head:
                self.first, self.gaps = place, gaps

    def _tight_head(self, place: int) -> ColumnGaps:
        """The gaps with a line in bold above them whose heads fill their columns: a word begins right over each."""
        region = self._region
        if len(region.rows[place]) > 1 or not region.is_bold(place) or len(self.gaps) <= _FEWEST_GAPS:
            return []
        words = region.rows[place][0].words
        slack = _FLUSH * region.size(place)
        found = [self.gaps[0]]
        for gap in self.gaps[1:-1]:
            starts = [at for at, word in enumerate(words) if at and abs(word.left - gap.right) <= slack]
            if not starts:
                return []
            found.append(gap._replace(left=max(gap.left, words[starts[0] - 1].right)))
        return [*found, self.gaps[-1]._replace(left=max(self.gaps[-1].left, words[-1].right))]

    def _is_lone_head(self, place: int) -> bool:
        """A line in bold over a later column: what stands in the first needs no head, or its head is lower."""
        region = self._region
        line = region.rows[place][0]
        if region.has_cells(place) or not region.is_bold(place) or line.left < self.gaps[1].middle:
            return False
        return not region.is_bold(self.first) or region.step(place + 1) <= self._longest_in_cell(place)

    def is_table(self) -> bool:
        region, columns = self._region, len(self.gaps) - 1
        has_head, is_ruled = self._has_head(), bool(self.marks())
        parted = sum(map(self._is_parted, range(self.first + 1, self.last + 1)))
        several = sum(map(region.has_cells, range(self.first, self.last + 1)))
        below = range(self.first + 1, self.last + 1)
        stands_out = has_head and not (region.is_bold(self.first) and all(map(region.is_bold, below)))
        if columns < 2 or several < (2 if parted or (stands_out and columns > 2) else 3):
            return False
        if self._is_title(self.first) or self._begins_with_running_head():
            return False
        if is_ruled and (parted > 1 or (has_head and self._is_parted(self.first + 1))):
            return True
        if self._reads_as_prose(has_head=has_head, is_parted=parted > 0) or not any(gap.is_sure for gap in self.gaps):
            return False
        return is_ruled or has_head or columns > 3 or several > 3 or is_of_figures(self.rows)

    def _begins_with_running_head(self) -> bool:
        """Whether the first row stands apart over the only rule, and reaches beyond all that is below it."""
        if len(self.rows) < _FEWEST_BELOW or len(self.marks()) != 1 or not self._is_parted(self.first + 1):
            return False
        steps = self._steps()
        ends = max(row[-1].right for row in self.rows[1:])
        return self.rows[0][-1].left > ends and steps[0] > _APART * median(steps[1:])

    def _reads_as_prose(self, *, has_head: bool, is_parted: bool) -> bool:
        """But under a head rows may begin with numbers, whatever the other cells say."""
        if is_prose(self.rows):
            return not (has_head and begins_with_figures(self.rows[1:], end=self.gaps[1].middle))
        return not has_head and not is_parted and is_mostly_prose(self.rows)

    def is_parted(self) -> bool:
        """Whether a separator runs between two of the rows."""
        return any(self.rows[0][0].base < mark.y < self.rows[-1][0].base for mark in self.marks())

    def marks(self) -> list[Separator]:
        """The separators that belong to these rows: they are as wide as all of them."""
        box = around(line.box for row in self.rows for line in row)
        size = self._region.size(self.first)
        return [
            mark
            for mark in self._region.separators
            if box.top - 1.5 * size <= mark.y <= box.bottom + 1.5 * size
            and mark.left <= box.left + size
            and mark.right >= box.right - size
        ]

    def _take(self, place: int) -> bool:
        """Narrows the gaps by one row more; False when that row does not belong here."""
        if self._begins_another(place):
            return False
        if self._region.step(place) > self._longest_step(place) and not self._is_between_rules(place):
            return False
        gaps = self._narrowed(place)
        if not self._region.has_cells(place):
            return self._takes_lone(place, gaps)
        if lost(self.gaps, gaps):
            if self._counted == 1 and self._heads_body():
                gaps = self._region.gaps[place]
            elif self._is_parted(place) and self._is_parted(place + 1):
                gaps = self.gaps
            elif self._counted > 1:
                return False
        self.gaps = gaps
        self._counted += 1
        return len(gaps) > 2

    def _is_between_rules(self, place: int) -> bool:
        """Whether a rule follows right under it; or one runs above it, and another below it."""
        if self._is_parted(place + 1):
            return True
        region = self._region
        is_near = region.step(place) <= _LOOSEST * region.size(place)
        return is_near and self._is_parted(place) and region.is_closed_below(place, like=self.first)

    def _narrowed(self, place: int) -> ColumnGaps:
        return shared(self.gaps, self._region.gaps[place], least=self._least)

    def _takes_lone(self, place: int, gaps: ColumnGaps) -> bool:
        """Whether a line by itself is one more line of a cell, or a row with one cell."""
        is_last = place + 1 == len(self._region)
        if lost(self.gaps, gaps) or len(gaps) > len(self.gaps):
            is_enclosed = not is_last and self._is_parted(place) and self._is_parted(place + 1)
            return is_enclosed or self._is_label(place)
        if self._goes_on(place) or self._is_centred_beside(place):
            return True
        if self._is_in_first_column(place):
            is_taken = self._ends_row(place) or self._is_row_between_rules(place) or self._reads_on(place)
            return is_taken or (is_last and self._is_marked)
        if self._is_parted(place) and not all(map(self._region.is_bold, range(self.first, place))):
            # Under the last rule of a table the text goes on, perhaps right under one of its columns.
            return self._region.is_closed_below(place, like=self.first)
        return self._region.step(place) <= self._longest_in_cell(place)

    def _is_centred_beside(self, place: int) -> bool:
        """Whether it is too close to the line above or below to be under it: they are cells of one row."""
        region = self._region
        nearest = region.step(place)
        if place + 1 < len(region):
            nearest = min(nearest, region.step(place + 1))
        return self._counted > 1 and nearest < _BESIDE * region.size(place)

    def _is_row_between_rules(self, place: int) -> bool:
        """Whether it is a row with nothing but its first cell."""
        is_enclosed = self._is_parted(place) and self._is_parted(place + 1) and place + 1 < len(self._region)
        return is_enclosed and self._region.step(place) <= _APART * median(self._steps() or [0.0])

    def _reads_on(self, place: int) -> bool:
        """Whether the words of a first cell go on in it. (Where all begin with small letters, that says nothing.)"""
        starts = [row[0].text[:1] for row in self._region.rows[self.first : place] if len(row) > 1]
        is_low = self._region.rows[place][0].text[:1].islower() and not any(map(str.islower, starts))
        return is_low and self._region.step(place) <= self._longest_in_cell(place)

    def _ends_row(self, place: int) -> bool:
        """Whether it is one of the last lines of a first cell that is taller than those beside it: a rule follows."""
        region = self._region
        for below in range(place, min(place + _TALLEST_STUB, len(region))):
            if self._is_parted(below) or not self._is_in_first_column(below):
                return False
            if self._is_parted(below + 1):
                return True
            if below + 1 < len(region) and region.step(below + 1) > self._longest_in_cell(below + 1):
                return False
        return False

    def _is_label(self, place: int) -> bool:
        """A line over the rows of a section of the table: it begins with the first column, and keeps the step."""
        if self._counted < 3 or place + 1 >= len(self._region):
            return False
        line, above = self._region.rows[place][0], self._region.rows[place - 1]
        begins = abs(line.left - above[0].left) < 0.5 * line.size
        is_short = line.right < (above[0].left + above[-1].right) / 2
        step = max(self._region.step(place), self._region.step(place + 1))
        return begins and is_short and step <= _APART * median(self._steps()) and self._goes_on(place)

    def _goes_on(self, place: int) -> bool:
        """Whether a row of several cells follows soon."""
        for below in range(place + 1, min(place + 4, len(self._region))):
            if self._region.step(below) > 2.4 * self._region.size(below) or self._begins_another(below):
                return False
            if lost(self.gaps, self._narrowed(below)):
                return False
            if self._region.has_cells(below):
                return True
        return False

    def _begins_another(self, place: int) -> bool:
        """A larger line, a note under the last rule, a new header, or a title in bold with a header right after it."""
        region = self._region
        if self._is_note(place) or self._is_title_again(place):
            return True
        largest = max(line.size for line in region.rows[place])
        if largest > region.survey.size and largest > _LARGER * max(line.size for line in region.rows[self.first]):
            return True
        if region.is_header(place):
            return not all(map(region.is_header, range(self.first, place))) and self._heads_another(place)
        is_title = not region.has_cells(place) and region.is_bold(place)
        return is_title and place + 1 < len(region) and region.is_header(place + 1)

    def _is_title_again(self, place: int) -> bool:
        """Whether it stands apart, and looks like the line over the first row: the title of the next table."""
        region = self._region
        if self.first == 0 or self._counted < 2 or region.has_cells(place) or region.has_cells(self.first - 1):
            return False
        line, title = region.rows[place][0], region.rows[self.first - 1][0]
        is_alike = line.style == title.style and line.text.isupper() == title.text.isupper()
        if (
            not is_alike
            or abs(line.left - title.left) > _BESIDE * line.size
            or not (line.is_bold or line.text.isupper())
        ):
            return False
        return region.step(place) > _APART * median(region.steps(self.first, place - 1))

    def _is_note(self, place: int) -> bool:
        """Whether it is smaller than all rows, under a rule that no other follows."""
        region = self._region
        largest = max(line.size for line in region.rows[place])
        if self._counted < 3 or largest >= _NOTE * region.size(place - 1):
            return False
        if not self._is_parted(place) or region.is_closed_below(place, like=self.first):
            return False
        return largest < _NOTE * min(line.size for row in region.rows[self.first : place] for line in row)

    def _heads_another(self, place: int) -> bool:
        """Whether a row in bold is a header again, and not one of sums: it stands apart and has rows under it."""
        region = self._region
        if [line.text for line in region.rows[place]] == [line.text for line in region.rows[self.first]]:
            return True
        steps = region.steps(self.first, place - 1)
        stands_apart = not steps or region.step(place) > _APART * median(steps)
        follows = place + 1 < len(region) and region.has_cells(place + 1)
        return stands_apart and follows and not region.is_header(place + 1)

    def _has_head(self) -> bool:
        """Whether the first row looks unlike those below it: bold, or slanted, or in another colour."""
        if self._region.is_header(self.first):
            return True
        looks = {_look(line) for line in self.rows[0]}
        below = {_look(line) for row in self.rows[1:] for line in row}
        return len(looks) == 1 and not looks & below and self._region.has_cells(self.first)

    def _heads_body(self) -> bool:
        """Whether the first row is a header whose cells need not keep to the columns."""
        return self._region.is_header(self.first) or self._is_parted(self.first + 1)

    def _gaps_under_header(self) -> ColumnGaps:
        """Without the header where its cells lie across gaps that all rows under it keep."""
        region = self._region
        head = self._last_of_head()
        body = [
            place for place in range(head + 1, self.last + 1) if region.has_cells(place) and not region.is_header(place)
        ]
        if len(body) < 2 or head < self.first:
            return self.gaps
        gaps = region.gaps[body[0]]
        for place in body[1:]:
            narrowed = shared(gaps, region.gaps[place], least=self._least)
            gaps = gaps if lost(gaps, narrowed) else narrowed
        return gaps if len(gaps) > len(self.gaps) and not lost(self.gaps, gaps) else self.gaps

    def _last_of_head(self) -> int:
        """The last row of a header in bold, or with a rule under it. Without one it is the row above the first."""
        if self._region.is_header(self.first):
            return self.first
        rows = range(self.first, min(self.first + _TALLEST_HEADER, self.last))
        return next((place for place in rows if self._is_parted(place + 1)), self.first - 1)

    def _is_title(self, place: int) -> bool:
        """Whether it is one line whose gaps are but wide spaces, over few columns: in spread letters, say."""
        row = self._region.rows[place]
        starts = [gap.right for gap in self._region.gaps[place][:-1]]
        over = {bisect_right(inner_edges(self.gaps), start) for start in starts}
        return len(row) == 1 and 2 * len(over) <= len(self.gaps) - 1

    def _is_in_first_column(self, place: int) -> bool:
        line = self._region.rows[place][0]
        return not self._region.has_cells(place) and line.right < self.gaps[1].right

    def _is_parted(self, place: int) -> bool:
        return self._is_marked and self._region.is_parted(place, like=self.first)

    def _steps(self) -> list[float]:
        return self._region.steps(self.first, self.last)

    def _longest_in_cell(self, place: int) -> float:
        """How far below the line above a line of the same cell may stand: no farther than the closest rows."""
        size = self._region.size(place)
        usual = 1.5 * self._region.survey.leading * size
        steps = [step for step in self._steps() if step > _BESIDE * size]
        return min(usual, 1.1 * min(steps)) if len(steps) > 1 else usual

    def _longest_step(self, place: int) -> float:
        """How far below the row above another may stand."""
        steps, size = self._steps(), self._region.size(place)
        if steps:
            return max(2.5 * size, 1.75 * median(steps))
        if place + 1 < len(self._region) and abs(self._region.step(place) - self._region.step(place + 1)) < size / 4:
            # Nothing but rows of a table keeps the same wide step.
            return _LOOSEST * size
        return (3.4 if self._is_marked else 2.5) * size


def _look(line: TextLine) -> tuple[bool, bool, Colour]:
    return line.is_bold, line.style.italic, line.style.colour
