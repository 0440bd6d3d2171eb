"""Rules and stripes that separate the rows of tables, and boxes that keep text together."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model import Box, Fill, Line, PageContent

_SHORTEST = 24.0
TALLEST_ROW = 160.0
BACKGROUND = 0.5
"""Of the page: a larger fill is the paper, not a thing on it."""


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


def joined_rules(rules: Iterable[Box], *, level: float = 1.0, gap: float = 2.5) -> list[Box]:
    """Rules that were drawn cell by cell, put together."""
    joined: list[Box] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.top), rule.left)):
        for place in range(len(joined) - 1, -1, -1):
            other = joined[place]
            if abs(other.top - rule.top) <= level and rule.left <= other.right + gap and rule.right >= other.left - gap:
                joined[place] = Box(min(other.left, rule.left), other.top, max(other.right, rule.right), other.top)
                break
        else:
            joined.append(rule)
    return joined


def joined_fills(page: PageContent) -> list[Box]:
    """Fills side by side in one colour, put together; the page's own background is none."""
    area = page.width * page.height
    joined: list[Fill] = []
    for fill in sorted(page.fills, key=lambda fill: (round(fill.box.top), fill.box.left)):
        if fill.box.area >= BACKGROUND * area or fill.box.height <= 4:
            continue
        for place in range(len(joined) - 1, -1, -1):
            if _touch(joined[place], fill):
                box = joined[place].box
                joined[place] = Fill(box._replace(right=max(box.right, fill.box.right)), fill.colour)
                break
        else:
            joined.append(fill)
    return [fill.box for fill in joined]


def _touch(left: Fill, right: Fill) -> bool:
    return (
        left.colour == right.colour
        and abs(left.box.top - right.box.top) <= 1.5
        and abs(left.box.bottom - right.box.bottom) <= 1.5
        and -1 <= right.box.left - left.box.right <= 2.5
    )


def boxes_of(page: PageContent, lines: Sequence[Line], size: float) -> list[Box]:
    """Tinted or framed places with several lines in them, the outermost ones."""
    most = 0.6 * page.width * page.height
    places = [*(fill.box for fill in page.fills), *page.frames]
    boxes: list[Box] = []
    for box in sorted(places, key=lambda box: -box.area):
        if box.area >= most or box.height <= 3.2 * size or box.width <= 12 * size:
            continue
        if not any(other.holds(box, slack=1) for other in boxes) and sum(inside(box, line) for line in lines) > 1:
            boxes.append(box)
    return boxes


def inside(box: Box, line: Line) -> bool:
    return box.left - 2 <= line.left and line.right <= box.right + 2 and box.top - 2 <= line.base <= box.bottom + 2
