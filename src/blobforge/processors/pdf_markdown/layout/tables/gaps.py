"""Gaps that run down between the cells of a table, measured from word to word.

A gap between cells is often no wider than the one that ends a line, so a line may hold several cells. What tells the
two apart is that the gap is wider than the other gaps of its line, and that all rows of the table keep it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model import Line, Word
from blobforge.processors.pdf_markdown.layout.tables.grid import Row, rows_of

_WIDE = 0.4
"""Of the size: no gap between words of running text that is set ragged is so wide."""
_WIDE_MONO = 0.9
"""The same where a space is as wide as any letter."""
_WIDER = 1.4
"""Of the other gaps of the line: in a justified line all are wide alike. (A header is bold, and not justified.)"""
_FEWEST_ROWS = 3
_MOST = 0.8
_MONEY = frozenset("$€£¥₩₹")
_OPEN = float("inf")


class Gap(NamedTuple):
    """`is_sure` where it parts two lines; within a line it may be no more than a wide space."""

    left: float
    right: float
    is_sure: bool = False

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def is_closed(self) -> bool:
        """Whether there is text on both sides."""
        return self.left > -_OPEN and self.right < _OPEN

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


Gaps = list[Gap]
"""Left to right. The first and the last are the open margins on both sides."""


def cells_in(line: Line) -> list[list[Word]]:
    """The words of a line, parted where the gap is wide for this line."""
    words = line.words
    if len(words) == 1:
        return [[words[0]]]
    gaps = [after.left - before.right for before, after in pairwise(words)]
    least = (_WIDE_MONO if line.style.mono else _WIDE) * line.size
    if max(gaps) < least:
        return [list(words)]
    if len(gaps) > 2 and not line.is_bold:
        least = max(least, _WIDER * median(sorted(gaps)[: (len(gaps) + 1) // 2]))
    found: list[list[Word]] = [[words[0]]]
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap >= least and word.spaced:
            found.append([])
        found[-1].append(word)
    return found


def gaps_of(row: Row) -> Gaps:
    gaps: Gaps = []
    end, before = -_OPEN, ""
    for line in row:
        for place, words in enumerate(cells_in(line)):
            if before not in _MONEY or not _is_amount(words[0].text):
                gaps.append(Gap(end, words[0].left, is_sure=place == 0 and bool(gaps)))
            end, before = words[-1].right, words[0].text if len(words) == 1 else ""
    return [*gaps, Gap(end, _OPEN)]


def _is_amount(text: str) -> bool:
    """After a sign of money: the sign at the left end of a column, the figure at the right.

    Not each row has the sign, so that it would be a column of its own in some rows only."""
    return text.lstrip("(-−–")[:1].isdecimal()


def shared(one: Gaps, other: Gaps, *, least: float) -> Gaps:
    """What is free in both. Of a sure gap one part stays sure: where the other is sure as well, else the widest.

    A part that lies between two texts of the other row counts double: it is more than one at its open side."""
    found: list[Gap] = []
    parents: list[tuple[Gap, Gap]] = []
    first = second = 0
    while first < len(one) and second < len(other):
        mine, theirs = one[first], other[second]
        gap = Gap(max(mine.left, theirs.left), min(mine.right, theirs.right), mine.is_sure and theirs.is_sure)
        if gap.width >= least:
            found.append(gap)
            parents.append((mine, theirs))
        if mine.right < theirs.right:
            first += 1
        else:
            second += 1
    if len(found) > max(len(one), len(other)):
        found = [
            gap._replace(is_sure=False) if gap.is_sure and _is_sliver(place, found, parents) else gap
            for place, gap in enumerate(found)
        ]
    for side in (0, 1):
        for parent in {pair[side] for pair in parents if pair[side].is_sure}:
            parts = [place for place, pair in enumerate(parents) if pair[side] is parent]
            if not any(found[place].is_sure for place in parts):
                weights = {place: found[place].width * (1 + parents[place][1 - side].is_closed) for place in parts}
                widest = max(parts, key=lambda place: weights[place])
                found[widest] = found[widest]._replace(is_sure=True)
    return found


def _is_sliver(place: int, gaps: Gaps, parents: Sequence[tuple[Gap, Gap]]) -> bool:
    """Whether both gaps that it is a part of have wider parts: two columns that come close in different rows."""
    return all(
        any(
            pair[side] is parents[place][side] and gaps[other].width > gaps[place].width
            for other, pair in enumerate(parents)
        )
        for side in (0, 1)
    )


def finer_columns(xs: list[float], lines: Iterable[Line]) -> list[float]:
    """The bounds of columns, and others where all lines between two of them keep the same gaps."""
    rows = rows_of(lines)
    found = list(xs)
    for left, right in pairwise(xs):
        within = (_between(row, left, right) for row in rows)
        found += [gap.middle for gap in _kept_gaps([row for row in within if row])]
    return sorted(found)


def _between(row: Row, left: float, right: float) -> Row:
    return [line for line in row if left <= (line.left + line.right) / 2 < right]


def _kept_gaps(rows: Sequence[Row]) -> Gaps:
    """Between texts in most rows, and crossed by none."""
    if sum(len(row) > 1 for row in rows) < max(_FEWEST_ROWS, _MOST * len(rows)):
        return []
    kept = gaps_of(rows[0])
    for row in rows[1:]:
        kept = shared(kept, gaps_of(row), least=_WIDE * row[0].size)
    return [gap for gap in kept[1:-1] if gap.is_sure]


def lost(before: Gaps, after: Gaps) -> int:
    """How many of the sure gaps before have nothing left of them."""
    return sum(
        gap.is_sure and not any(gap.left < rest.right and rest.left < gap.right for rest in after) for gap in before
    )


def columns_between(gaps: Gaps, *, least: float) -> Gaps:
    """Without those that may be spaces: neither sure nor so wide."""
    return [gap for gap in gaps if gap.is_sure or gap.width >= least]


def inner_edges(gaps: Gaps) -> list[float]:
    """The middles of the gaps between columns."""
    return [gap.middle for gap in gaps[1:-1]]
