"""Gaps that run down between the cells of a table, measured from word to word.

A gap between cells is often no wider than the one that ends a line, so a line may hold several cells. What tells the
two apart is that the gap is wider than the other gaps of its line, and that all rows of the table keep it.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model import Line, Word
from blobforge.processors.pdf_markdown.layout.tables import Row

_WIDE = 0.4
"""Of the size: no gap between words of running text that is set ragged is so wide."""
_WIDER = 1.4
"""Of the other gaps of the line: in a justified line all are wide alike."""
_OPEN = float("inf")


class Gap(NamedTuple):
    left: float
    right: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


Gaps = list[Gap]
"""Left to right. The first and the last are the open margins on both sides."""


def cells_in(line: Line) -> list[list[Word]]:
    """The words of a line, parted where the gap is wide for this line."""
    found: list[list[Word]] = [[line.words[0]]]
    if len(line.words) == 1:
        return found
    gaps = [after.left - before.right for before, after in pairwise(line.words)]
    least = _WIDE * line.size
    if max(gaps) >= least:
        inner = sorted(gap for gap, word in zip(gaps, line.words[1:], strict=True) if word.spaced)
        least = max(least, _WIDER * median(inner[: max(1, len(inner) * 2 // 3)]) if len(inner) > 2 else 0)  # noqa: PLR2004
    for gap, word in zip(gaps, line.words[1:], strict=True):
        if gap >= least and word.spaced:
            found.append([])
        found[-1].append(word)
    return found


def gaps_of(row: Row) -> Gaps:
    gaps, end = [], -_OPEN
    for line in row:
        for words in cells_in(line):
            gaps.append(Gap(end, words[0].left))
            end = words[-1].right
    return [*gaps, Gap(end, _OPEN)]


def shared(one: Gaps, other: Gaps, *, least: float) -> Gaps:
    """What is free in both."""
    found: Gaps = []
    first = second = 0
    while first < len(one) and second < len(other):
        gap = Gap(max(one[first].left, other[second].left), min(one[first].right, other[second].right))
        if gap.width >= least:
            found.append(gap)
        if one[first].right < other[second].right:
            first += 1
        else:
            second += 1
    return found


def lost(before: Gaps, after: Gaps) -> int:
    """How many of the gaps before have nothing left of them."""
    return sum(not any(gap.left < rest.right and rest.left < gap.right for rest in after) for gap in before)


def shared_by(rows: Iterable[Row], *, least: float) -> Gaps:
    gaps = [Gap(-_OPEN, _OPEN)]
    for row in rows:
        gaps = shared(gaps, gaps_of(row), least=least)
    return gaps


def inner_edges(gaps: Sequence[Gap]) -> list[float]:
    """The middles of the gaps between columns."""
    return [gap.middle for gap in gaps[1:-1]]
