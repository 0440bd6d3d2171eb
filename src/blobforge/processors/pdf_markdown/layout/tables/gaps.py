"""Gaps that run down between the cells of a table, measured from word to word.

A gap between cells is often no wider than the one that ends a line, so a line may hold several cells. What tells the
two apart is that the gap is wider than the other gaps of its line, and that all rows of the table keep it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.model.table import Row, rows_of

_WIDE = 0.4
"""Of the size: no gap between words of running text that is set ragged is so wide."""
_WIDE_MONO = 0.9
"""The same where a space is as wide as any letter."""
_WIDER = 1.4
"""Of the other gaps of the line: in a justified line all are wide alike. (A header is bold, and not justified.)"""
_FEWEST_ROWS = 3
_OPEN = float("inf")


class ColumnGap(NamedTuple):
    """`is_sure` where it parts two lines; within a line it may be no more than a wide space."""

    left: float
    right: float
    is_sure: bool = False

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


ColumnGaps = list[ColumnGap]
"""Left to right. The first and the last are the open margins on both sides."""


def cells_in(line: TextLine) -> list[list[TextWord]]:
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
    found: list[list[TextWord]] = [[words[0]]]
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap >= least and word.spaced:
            found.append([])
        found[-1].append(word)
    return found


def gaps_of(row: Row) -> ColumnGaps:
    gaps: ColumnGaps = []
    end = -_OPEN
    for line in row:
        for place, words in enumerate(cells_in(line)):
            gaps.append(ColumnGap(end, words[0].left, is_sure=place == 0 and bool(gaps)))
            end = words[-1].right
    return [*gaps, ColumnGap(end, _OPEN)]


def shared(one: ColumnGaps, other: ColumnGaps, *, least: float) -> ColumnGaps:
    """What is free in both. Of a sure gap one part stays sure: where the other is sure as well, else the widest."""
    found: list[ColumnGap] = []
    parents: list[tuple[ColumnGap, ColumnGap]] = []
    first = second = 0
    while first < len(one) and second < len(other):
        mine, theirs = one[first], other[second]
        gap = ColumnGap(max(mine.left, theirs.left), min(mine.right, theirs.right), mine.is_sure and theirs.is_sure)
        if gap.width >= least:
            found.append(gap)
            parents.append((mine, theirs))
        if mine.right < theirs.right:
            first += 1
        else:
            second += 1
    for side in (0, 1):
        for parent in {pair[side] for pair in parents if pair[side].is_sure}:
            parts = [place for place, pair in enumerate(parents) if pair[side] is parent]
            if not any(found[place].is_sure for place in parts):
                widest = max(parts, key=lambda place: found[place].width)
                found[widest] = found[widest]._replace(is_sure=True)
    return found


def finer_columns(xs: list[float], lines: Iterable[TextLine]) -> list[float]:
    """The bounds of columns, and others where all lines between two of them keep the same gaps."""
    rows = rows_of(lines)
    found = list(xs)
    for left, right in pairwise(xs):
        within = (_between(row, left, right) for row in rows)
        found += [gap.middle for gap in _kept_gaps([row for row in within if row])]
    return sorted(found)


def _between(row: Row, left: float, right: float) -> Row:
    return [line for line in row if left <= (line.left + line.right) / 2 < right]


def _kept_gaps(rows: Sequence[Row]) -> ColumnGaps:
    """Between texts in several rows, and crossed by none."""
    if sum(len(row) > 1 for row in rows) < _FEWEST_ROWS:
        return []
    kept = gaps_of(rows[0])
    for row in rows[1:]:
        kept = shared(kept, gaps_of(row), least=_WIDE * row[0].size)
    return [gap for gap in kept[1:-1] if gap.is_sure]


def lost(before: ColumnGaps, after: ColumnGaps) -> int:
    """How many of the sure gaps before have nothing left of them."""
    return sum(
        gap.is_sure and not any(gap.left < rest.right and rest.left < gap.right for rest in after) for gap in before
    )


def columns_between(gaps: ColumnGaps, *, least: float) -> ColumnGaps:
    """Without those that may be spaces: neither sure nor so wide."""
    return [gap for gap in gaps if gap.is_sure or gap.width >= least]


def inner_edges(gaps: ColumnGaps) -> list[float]:
    """The middles of the gaps between columns."""
    return [gap.middle for gap in gaps[1:-1]]
