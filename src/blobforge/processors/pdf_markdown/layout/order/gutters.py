"""Gutters: empty strips that run down between text on both sides."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from statistics import median
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Figure, Framed, Item
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.list_entries import is_list
from blobforge.processors.pdf_markdown.layout.text.list_index import is_index

_TOLERANCE = (0.0, 0.12, 0.4)
"""How much of the text's height may cross a gutter: as little as possible, and more where nothing else is found."""
_NARROWEST = 0.7
"""Of the body's size."""
_FEWEST_ROWS = 3
_OVERLAP = 2.0
_SHORT_TEXT = 22


class ColumnGutter(NamedTuple):
    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def is_crossed_by(self, item: Item) -> bool:
        return item.box.left < self.left - _OVERLAP and item.box.right > self.right + _OVERLAP

    def is_one_of(self, known: Sequence["ColumnGutter"]) -> bool:
        """Whether it lies where the page has a gutter elsewhere: there a few lines are enough."""
        return any(other.left < self.right and self.left < other.right for other in known)


class Rules(NamedTuple):
    """The straight lines of a page, and the edges of its stripes."""

    horizontals: Sequence[Rectangle] = ()
    verticals: Sequence[Rectangle] = ()

    def mark(self, gutter: ColumnGutter, extent: Rectangle, *, reach: float) -> bool:
        """Whether they end at a gutter on both sides, or one runs down in it. The rules of a table cross its gaps."""
        across = [rule for rule in self.horizontals if extent.top - reach <= rule.top <= extent.bottom + reach]
        if any(rule.left < gutter.left and rule.right > gutter.right for rule in across):
            return False
        down = sum(
            min(rule.bottom, extent.bottom) - max(rule.top, extent.top)
            for rule in self.verticals
            if gutter.left - 1 <= rule.left <= gutter.right + 1
        )
        ends = any(gutter.left - reach < rule.right < gutter.right for rule in across)
        begins = any(gutter.left < rule.left < gutter.right + reach for rule in across)
        return (ends and begins) or down > 0.6 * extent.height


NO_RULES = Rules()


def best_gutter(
    items: Sequence[Item], survey: DocumentSurvey, rules: Rules = NO_RULES, known: Sequence[ColumnGutter] = ()
) -> ColumnGutter | None:
    """The gutter with most text beside it, among those that least text crosses. Pictures and boxes make no columns."""
    texts = [item for item in items if not isinstance(item.thing, Figure | Framed)]
    if len(texts) < 2:
        return None
    start, cover = _cover(texts)
    usual = sorted(cover)[int(0.8 * len(cover))]
    for tolerance in _TOLERANCE:
        found = [
            (rows, gutter)
            for gutter in _candidates(start, cover, most=tolerance * usual + 0.01, narrowest=_NARROWEST * survey.size)
            if (rows := _rows_beside(items, gutter, survey, rules)) >= (1 if gutter.is_one_of(known) else _FEWEST_ROWS)
        ]
        if found:
            return max(found, key=lambda each: (each[0], -each[1].left))[1]
    return None


def _cover(items: Sequence[Item]) -> tuple[float, list[float]]:
    """How much text stands at each point from left to right, from the first on."""
    start = min(item.box.left for item in items)
    width = int(max(item.box.right for item in items) - start) + 2
    changes = [0.0] * (width + 1)
    for left, top, right, bottom in (item.box for item in items):
        changes[max(0, int(left - start))] += bottom - top
        changes[min(width, int(right - start) + 1)] -= bottom - top
    return start, list(accumulate(changes[:-1]))


def _candidates(start: float, cover: Sequence[float], *, most: float, narrowest: float) -> Iterator[ColumnGutter]:
    # Most points are covered: only the others are walked over.
    free = [x for x, covered in enumerate(cover) if covered <= most]
    ends = [x + 1 for x, after in pairwise(free) if after > x + 1]
    begins = [after for x, after in pairwise(free) if after > x + 1]
    # What is free on to the last point is no gutter.
    ends += [x + 1 for x in free[-1:] if x + 1 < len(cover)]
    for begin, end in zip([*free[:1], *begins], ends, strict=False):
        if begin > 0 and end - begin >= narrowest:
            yield ColumnGutter(start + begin, start + end)


def _rows_beside(items: Sequence[Item], gutter: ColumnGutter, survey: DocumentSurvey, rules: Rules) -> int:
    """How many lines stand side by side with the gutter between them; none when it is a gap of a table."""
    left = [item for item in items if item.box.right <= gutter.left + _OVERLAP]
    right = [item for item in items if item.box.left >= gutter.right - _OVERLAP]
    if not _is_textual(left, survey) or not _is_textual(right, survey):
        return 0
    beside, facing = _level_with(left, right), _level_with(right, left)
    if not beside or not facing:
        return 0
    if _is_gap_of_table(beside, facing) and not rules.mark(gutter, _extent(beside, facing), reach=2 * survey.size):
        return 0
    height = min(sum(item.box.height for item in beside), sum(item.box.height for item in facing))
    return int(height / survey.size)


def _extent(beside: Sequence[Item], facing: Sequence[Item]) -> Rectangle:
    """The part of the page where the two sides face each other."""
    top = max(min(item.box.top for item in side) for side in (beside, facing))
    bottom = min(max(item.box.bottom for item in side) for side in (beside, facing))
    return Rectangle(beside[0].box.left, top, facing[0].box.right, bottom)


def _is_textual(items: Sequence[Item], survey: DocumentSurvey) -> bool:
    texts = [item.box for item in items if not isinstance(item.thing, Figure | Framed)]
    tall = sum(box.height for box in texts) >= 2.0 * survey.size
    return tall and any(box.width > 5.5 * survey.size for box in texts)


def _level_with(items: Sequence[Item], others: Sequence[Item]) -> list[Item]:
    """Those with some of the others at their height."""
    tops: list[float] = []
    bottoms: list[float] = []
    for top, bottom in sorted((other.box.top, other.box.bottom) for other in others):
        if bottoms and top <= bottoms[-1]:
            bottoms[-1] = max(bottoms[-1], bottom)
        else:
            tops.append(top)
            bottoms.append(bottom)
    level: list[Item] = []
    for item in items:
        place = bisect_right(bottoms, item.box.top)
        if place < len(tops) and tops[place] < item.box.bottom:
            level.append(item)
    return level


def _is_gap_of_table(left: Sequence[Item], right: Sequence[Item]) -> bool:
    """Rows that match on both sides, of short texts that do not read on."""
    lines = [[item.thing for item in side if isinstance(item.thing, TextLine)] for side in (left, right)]
    if not all(lines):
        return False
    bases = [{round(line.base) for line in side} for side in lines]
    fewer, more = sorted(bases, key=len)
    matching = sum(bool({base - 1, base, base + 1} & more) for base in fewer)
    if matching < 0.8 * len(fewer) or all(map(_is_list, lines)) or all(map(is_index, lines)):
        return False
    if _are_labelled(*lines):
        return False
    texts = [line.text for side in lines for line in side]
    reads_on = sum(text[:1].islower() for text in texts) >= 0.22 * len(texts)
    return not reads_on and median(map(len, texts)) < _SHORT_TEXT


def _are_labelled(left: Sequence[TextLine], right: Sequence[TextLine]) -> bool:
    """Whether both sides have labels in bold over their lines, and not in the same rows: an address beside a date."""
    if not left[0].is_bold or not right[0].is_bold:
        return False
    levels = [{round(line.base) for line in side if line.is_bold} for side in (left, right)]
    apart = levels[0] ^ levels[1]
    labels = [line for line in (*left, *right) if round(line.base) in apart and line.is_bold]
    # The figures of a table may be bold one by one.
    return bool(labels) and not any(char.isdigit() for line in labels for char in line.text)


def _is_list(lines: Sequence[TextLine]) -> bool:
    """Whether most lines are items, or go on under one."""
    marks = [line.left for line in lines if is_list([line.words])]
    within = sum(line.left >= min(marks) - _OVERLAP for line in lines) if len(marks) > 1 else 0
    return is_list(line.words for line in lines) or 2 * within > len(lines)
