"""Gutters: empty strips that run down between text on both sides."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.items import Item
from blobforge.processors.pdf_markdown.layout.model import Line
from blobforge.processors.pdf_markdown.layout.survey import Survey

_TOLERANCE = (0.0, 0.12, 0.4)
"""How much of the text's height may cross a gutter: as little as possible, and more where nothing else is found."""
_NARROWEST = 0.7
"""Of the body's size."""
_FEWEST_ROWS = 3
_OVERLAP = 2.0


class Gutter(NamedTuple):
    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def is_crossed_by(self, item: Item) -> bool:
        return item.box.left < self.left - _OVERLAP and item.box.right > self.right + _OVERLAP


def best_gutter(items: Sequence[Item], survey: Survey) -> Gutter | None:
    """The gutter with most text beside it, among those that least text crosses."""
    for tolerance in _TOLERANCE:
        found = [
            (rows, gutter)
            for gutter in _candidates(items, tolerance, narrowest=_NARROWEST * survey.size)
            if (rows := _rows_beside(items, gutter, survey)) >= _FEWEST_ROWS
        ]
        if found:
            return max(found, key=lambda each: (each[0], -each[1].left))[1]
    return None


def _candidates(items: Sequence[Item], tolerance: float, *, narrowest: float) -> Iterator[Gutter]:
    if len(items) < 2:
        return
    start = min(item.box.left for item in items)
    width = int(max(item.box.right for item in items) - start) + 2
    changes = [0.0] * (width + 1)
    for item in items:
        changes[max(0, int(item.box.left - start))] += item.box.height
        changes[min(width, int(item.box.right - start) + 1)] -= item.box.height
    cover: list[float] = []
    covered = 0.0
    for change in changes[:-1]:
        covered += change
        cover.append(covered)
    most = tolerance * sorted(cover)[int(0.8 * len(cover))] + 0.01
    x = 0
    while x < width:
        if cover[x] > most:
            x += 1
            continue
        begin = x
        while x < width and cover[x] <= most:
            x += 1
        if begin > 0 and x < width and x - begin >= narrowest:
            yield Gutter(start + begin, start + x)


def _rows_beside(items: Sequence[Item], gutter: Gutter, survey: Survey) -> int:
    """How many lines stand side by side with the gutter between them; none when it is a gap of a table."""
    left = [item for item in items if item.box.right <= gutter.left + _OVERLAP]
    right = [item for item in items if item.box.left >= gutter.right - _OVERLAP]
    if not _is_textual(left, survey) or not _is_textual(right, survey):
        return 0
    beside = [item for item in left if any(_overlap(item, other) for other in right)]
    facing = [item for item in right if any(_overlap(item, other) for other in left)]
    if _is_gap_of_table(beside, facing):
        return 0
    height = min(sum(item.box.height for item in beside), sum(item.box.height for item in facing))
    return int(height / survey.size)


def _is_textual(items: Sequence[Item], survey: Survey) -> bool:
    tall = sum(item.box.height for item in items) >= 2.2 * survey.size
    return tall and any(item.box.width > 5.5 * survey.size for item in items)


def _overlap(one: Item, other: Item) -> bool:
    return one.box.top < other.box.bottom and other.box.top < one.box.bottom


def _is_gap_of_table(left: Sequence[Item], right: Sequence[Item]) -> bool:
    """Rows that match on both sides, of short texts that do not read on."""
    lines = [[item.thing for item in side if isinstance(item.thing, Line)] for side in (left, right)]
    if not all(lines):
        return False
    bases = [{round(line.base) for line in side} for side in lines]
    fewer, more = sorted(bases, key=len)
    matching = sum(bool({base - 1, base, base + 1} & more) for base in fewer)
    if matching < 0.8 * len(fewer):
        return False
    texts = [line.text for side in lines for line in side]
    reads_on = sum(text[:1].islower() for text in texts) >= 0.22 * len(texts)
    return not reads_on and median(map(len, texts)) < 22
