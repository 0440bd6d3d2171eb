"""Columns and reading order.

A region is cut where a gutter runs down between text on both sides. What crosses the gutter either stops the columns,
so that they begin anew below it, or floats among them, and is read where it begins.
"""

from collections.abc import Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.gutters import Gutter, best_gutter
from blobforge.processors.pdf_markdown.layout.items import Item, by_top
from blobforge.processors.pdf_markdown.layout.model import Line, around
from blobforge.processors.pdf_markdown.layout.survey import Survey

Column = list[Item]
"""What is read from top to bottom without a jump."""


class _Crossing(NamedTuple):
    breaks: list[Item]
    floats: list[Item]


def columns_in_order(items: Sequence[Item], survey: Survey) -> list[Column]:
    items = by_top(items)
    gutter = best_gutter(items, survey)
    if gutter is None:
        return [items] if items else []
    crossing = _sorted_out(items, gutter, survey)
    if crossing.breaks:
        return _around_breaks(items, crossing.breaks, survey)
    if crossing.floats:
        rest = [item for item in items if item not in crossing.floats]
        return _with_floats(columns_in_order(rest, survey), crossing.floats)
    cut = _restart(items, gutter, survey)
    if cut is not None:
        upper = [item for item in items if item.box.top < cut]
        lower = [item for item in items if item.box.top >= cut]
        return columns_in_order(upper, survey) + columns_in_order(lower, survey)
    left = [item for item in items if item.box.middle < gutter.middle]
    right = [item for item in items if item.box.middle >= gutter.middle]
    return columns_in_order(left, survey) + columns_in_order(right, survey)


def _sorted_out(items: Sequence[Item], gutter: Gutter, survey: Survey) -> _Crossing:
    """What crosses a gutter stops the columns when nothing stands beside it, or when it is body text itself."""
    crossing = _Crossing([], [])
    for item in items:
        if not gutter.is_crossed_by(item):
            continue
        beside = [other for other in items if other is not item and _is_beside(other, item)]
        stands_alone = not any(other.box.middle < gutter.middle for other in beside) or not any(
            other.box.middle > gutter.middle for other in beside
        )
        (crossing.breaks if stands_alone or _is_body(item, survey) else crossing.floats).append(item)
    return crossing


def _is_beside(other: Item, item: Item) -> bool:
    shared = min(other.box.bottom, item.box.bottom) - max(other.box.top, item.box.top)
    return shared > 0.5 * min(other.box.height, item.box.height)


def _is_body(item: Item, survey: Survey) -> bool:
    line = item.thing
    return isinstance(line, Line) and abs(line.size - survey.size) < 0.05 * survey.size and not line.style.italic


def _around_breaks(items: Sequence[Item], breaks: Sequence[Item], survey: Survey) -> list[Column]:
    """Above the first break, the break with all that follow it closely, and below."""
    first = breaks[0]
    group = [first]
    above = [item for item in items if item not in breaks and item.box.bottom <= first.box.bottom]
    rest = [item for item in items if item not in breaks and item not in above]
    ceiling = min((item.box.top for item in rest), default=float("inf"))
    for item in breaks[1:]:
        if item.box.top < ceiling:
            group.append(item)
    below = [item for item in items if item not in above and item not in group]
    return columns_in_order(above, survey) + [group] + columns_in_order(below, survey)


def _with_floats(columns: list[Column], floats: Sequence[Item]) -> list[Column]:
    for item in floats:
        column = max(columns, key=lambda column: _shared_width(column, item))
        place = sum(other.box.top < item.box.top for other in column)
        column.insert(place, item)
    return columns


def _shared_width(column: Column, item: Item) -> float:
    box = around(other.box for other in column)
    return min(box.right, item.box.right) - max(box.left, item.box.left)


def _restart(items: Sequence[Item], gutter: Gutter, survey: Survey) -> float | None:
    """Where a heading in the first column stops all columns, and they begin anew below it."""
    left = [item for item in items if item.box.middle < gutter.middle]
    others = [item for item in items if item.box.middle >= gutter.middle]
    for place, item in enumerate(left):
        if place == 0 or not isinstance(item.thing, Line) or item.thing.size < 1.15 * survey.size:
            continue
        above = [other for other in others if other.box.top < item.box.top]
        below = [other for other in others if other.box.top >= item.box.top]
        if any(other.box.bottom > item.box.top + 1 for other in above):
            continue
        if _begins_anew(left, place, above, below, survey):
            return item.box.top - 0.1
    return None


def _begins_anew(
    left: Sequence[Item], place: int, above: Sequence[Item], below: Sequence[Item], survey: Survey
) -> bool:
    heading = left[place]
    if below:
        if place + 1 >= len(left):
            return False
        first = min(item.box.top for item in below)
        return first >= heading.box.bottom - 1 and abs(first - left[place + 1].box.top) <= 1.1 * survey.size
    if not above or not isinstance(heading.thing, Line) or heading.thing.size < 1.3 * survey.size:
        return False
    # The columns above it are balanced: they end at about the same height.
    ends = max(item.box.bottom for item in left[:place]), max(item.box.bottom for item in above)
    return abs(ends[0] - ends[1]) <= 3.2 * survey.size
