"""The lines of a column or a box as a search for tables sees them: by baseline, with the gaps and the rules."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model.table import Row
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.tables.gaps import ColumnGaps, gaps_of

_TALLEST_CELL = 8
"""In lines: so far below the first line of a row the rule or stripe under it is looked for."""


@dataclass(slots=True)
class Region:
    """`places` in what follows count baselines, top down."""

    rows: Sequence[Row]
    separators: Sequence[Separator]
    survey: DocumentSurvey
    gaps: list[ColumnGaps] = field(init=False)

    def __post_init__(self) -> None:
        self.gaps = [gaps_of(row) for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def size(self, place: int) -> float:
        return self.rows[place][0].size

    def step(self, place: int) -> float:
        """From the baseline above to this one."""
        return self.rows[place][0].base - self.rows[place - 1][0].base

    def steps(self, first: int, last: int) -> list[float]:
        return [lower[0].base - upper[0].base for upper, lower in pairwise(self.rows[first : last + 1])]

    def has_cells(self, place: int) -> bool:
        """Whether there is a gap in it; else it is one line by itself."""
        return len(self.gaps[place]) > 2

    def is_bold(self, place: int) -> bool:
        return all(line.is_bold for line in self.rows[place])

    def is_header(self, place: int) -> bool:
        return self.has_cells(place) and self.is_bold(place)

    def is_marked(self, place: int) -> bool:
        """Whether a rule or the edge of a stripe of about its width lies close to it."""
        row, size = self.rows[place], self.size(place)
        left, right = row[0].left, row[-1].right
        return any(
            mark.left <= left + 6
            and mark.right >= right - 6
            and -1.5 * size <= mark.y - row[0].base <= 3.2 * size
            and (mark.left > left - 2 * size or mark.right - mark.left < 1.6 * (right - left) + 60)
            for mark in self.separators
        )

    def is_parted(self, place: int, *, like: int) -> bool:
        """Whether a separator as wide as another row lies between this row and the one above."""
        if place == 0:
            return False
        size = self.size(min(place, len(self) - 1))
        upper = self.rows[place - 1][0].base
        lower = self.rows[place][0].base if place < len(self) else upper + 2 * size
        return self._is_between(upper - 0.1 * size, lower - 0.4 * size, like)

    def is_closed_below(self, place: int, *, like: int) -> bool:
        """Whether such a separator follows within the height of a row."""
        base = self.rows[place][0].base
        return self._is_between(base, base + _TALLEST_CELL * self.survey.leading * self.size(place), like)

    def _is_between(self, top: float, bottom: float, like: int) -> bool:
        row, slack = self.rows[like], self.size(like)
        left, right = row[0].left + slack, row[-1].right - slack
        return any(top < mark.y <= bottom and mark.left <= left and mark.right >= right for mark in self.separators)
