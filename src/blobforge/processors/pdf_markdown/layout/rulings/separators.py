"""Rules and stripes that separate the rows of tables, and boxes that keep text together.

The bar of a fraction is a rule, too, but none of a table."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.rulings.frames import ruled_frames

_SHORTEST = 24.0
TALLEST_ROW = 160.0
BACKGROUND = 0.5
"""Of the page: a larger fill is the paper, not a thing on it."""
_LEVEL = 1.5
"""What differs by no more is at the same height."""
_GAP = 2.5
"""Pieces of one rule or stripe lie no farther apart."""
_LOWEST_ROW = 4.0

_AXIS = 0.5
"""Of the size: so little above the baseline of what stands beside it runs a bar."""
_BESIDE_BAR = 1.2
_CLOSE_TO_BAR = 1.5
_SAME_END = 0.3


class Separator(NamedTuple):
    left: float
    right: float
    y: float


def separators_of(page: PageContent) -> list[Separator]:
    """Horizontal rules, and the upper and lower edges of stripes, top down."""
    found = [Separator(rule.left, rule.right, rule.top) for rule in joined_rules(page.horizontals)]
    for stripe in joined_fills(page):
        if stripe.height < TALLEST_ROW:
            found += [Separator(stripe.left, stripe.right, y) for y in (stripe.top, stripe.bottom)]
    return sorted({mark for mark in found if mark.right - mark.left > _SHORTEST}, key=lambda mark: (mark.y, mark.left))


def joined_rules(rules: Iterable[Rectangle]) -> list[Rectangle]:
    """Rules that were drawn cell by cell, put together."""
    joined: list[Rectangle] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.top), rule.left)):
        place = _last(joined, rule, _meet)
        if place is None:
            joined.append(rule)
        else:
            other = joined[place]
            joined[place] = Rectangle(min(other.left, rule.left), other.top, max(other.right, rule.right), other.top)
    return joined


def _meet(one: Rectangle, other: Rectangle) -> bool:
    return abs(one.top - other.top) <= 1 and other.left <= one.right + _GAP and other.right >= one.left - _GAP


def joined_fills(page: PageContent) -> list[Rectangle]:
    """Fills side by side in one colour, put together; the page's own background is none."""
    most = BACKGROUND * page.width * page.height
    joined: list[Rectangle] = []
    for colour in {fill.colour for fill in page.fills}:
        boxes = [fill.box for fill in page.fills if fill.colour == colour]
        joined += _joined_boxes(box for box in boxes if box.area < most and box.height > _LOWEST_ROW)
    return joined


def _joined_boxes(boxes: Iterable[Rectangle]) -> list[Rectangle]:
    joined: list[Rectangle] = []
    for box in sorted(boxes, key=lambda box: (round(box.top), box.left)):
        place = _last(joined, box, _touch)
        if place is None:
            joined.append(box)
        else:
            joined[place] = joined[place]._replace(right=max(joined[place].right, box.right))
    return joined


def _touch(left: Rectangle, right: Rectangle) -> bool:
    return (
        abs(left.top - right.top) <= _LEVEL
        and abs(left.bottom - right.bottom) <= _LEVEL
        and -1 <= right.left - left.right <= _GAP
    )


def _last(boxes: Sequence[Rectangle], box: Rectangle, fit: Callable[[Rectangle, Rectangle], bool]) -> int | None:
    """Where the last one is that this fits to; they are sorted by top, so those far above need no look."""
    for place in range(len(boxes) - 1, -1, -1):
        if boxes[place].top < box.top - 2 * _LEVEL:
            return None
        if fit(boxes[place], box):
            return place
    return None


def boxes_of(page: PageContent, lines: Sequence[TextLine], size: float) -> list[Rectangle]:
    """Tinted or framed places with several lines in them, the outermost ones."""
    most = 0.6 * page.width * page.height
    places = [*(fill.box for fill in page.fills), *page.frames, *ruled_frames(page.horizontals, page.verticals)]
    boxes: list[Rectangle] = []
    for box in sorted(places, key=lambda box: -box.area):
        if box.area >= most or box.height <= 3.2 * size or box.width <= 12 * size:
            continue
        if not any(other.holds(box, slack=1) for other in boxes) and sum(inside(box, line) for line in lines) > 1:
            boxes.append(box)
    return boxes


def inside(box: Rectangle, line: TextLine) -> bool:
    return box.left - 2 <= line.left and line.right <= box.right + 2 and box.top - 2 <= line.base <= box.bottom + 2


def without_fractions(separators: Iterable[Separator], lines: Sequence[TextLine]) -> list[Separator]:
    return [mark for mark in separators if not _is_bar(mark, lines)]


def _is_bar(mark: Separator, lines: Sequence[TextLine]) -> bool:
    """Whether it is as long as what stands above and below it, and a formula goes on beside it at its height."""
    if not any(_stands_beside(line, mark) for line in lines):
        return False
    near = [line for line in lines if mark.left - line.size < line.left and line.right < mark.right + line.size]
    above = [line for line in near if 0 <= mark.y - line.base < _CLOSE_TO_BAR * line.size]
    below = [line for line in near if 0 < line.base - mark.y < _CLOSE_TO_BAR * line.size]
    if not above or not below:
        return False
    slack = _SAME_END * above[0].size
    left, right = min(line.left for line in (*above, *below)), max(line.right for line in (*above, *below))
    return abs(left - mark.left) <= slack and abs(right - mark.right) <= slack


def _stands_beside(line: TextLine, mark: Separator) -> bool:
    if not 0 < line.base - mark.y <= _AXIS * line.size:
        return False
    return min(abs(mark.left - line.right), abs(line.left - mark.right)) <= _BESIDE_BAR * line.size
