"""Columns and reading order.

A region is cut where a gutter runs down between text on both sides. What crosses the gutter either stops the columns,
so that they begin anew below it, or floats among them, and is read between two paragraphs near its height.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.items import Framed, Item, by_top, item_of
from blobforge.processors.pdf_markdown.layout.order.float_placement import placed, with_insets_placed
from blobforge.processors.pdf_markdown.layout.order.gutters import NO_RULES, ColumnGutter, Rules, best_gutter
from blobforge.processors.pdf_markdown.layout.order.margins import framed_item, is_aside
from blobforge.processors.pdf_markdown.layout.order.restarts import restart
from blobforge.processors.pdf_markdown.layout.order.sections import sections_of
from blobforge.processors.pdf_markdown.layout.order.twin_lists import with_twins_apart
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.words.bidi import reads_from_right

Column = list[Item]
"""What is read from top to bottom without a jump."""
_WIDE = 0.6
"""Of the region: a table, box or picture at least so wide stops the columns when nothing stands beside it."""

_FAR = 2.5
"""Of the body's size: what stands so far below all columns does not belong to them."""
_LEVEL = 3.0
_UNDER = 1.2
"""Of the size: the rule under a title is no farther from it."""


class _Crossing(NamedTuple):
    breaks: list[Item]
    floats: list[Item]


def columns_in_order(items: Sequence[Item], survey: DocumentSurvey, rules: Rules = NO_RULES) -> list[Column]:
    from_right = reads_from_right(item.thing for item in items if isinstance(item.thing, TextLine))
    return _Regions(survey, rules, from_right).columns(items)


class _Regions(NamedTuple):
    survey: DocumentSurvey
    rules: Rules
    from_right: bool
    known: tuple[ColumnGutter, ...] = ()
    """Gutters of the page above and below."""

    def columns(self, items: Sequence[Item]) -> list[Column]:
        items = by_top(items)
        wide = _wide(items)
        if wide and len(wide) < len(items):
            return self._around(items, wide)
        gutter = best_gutter(items, self.survey, self.rules, self.known)
        if gutter is None:
            sections = sections_of(items, self.survey, self.rules)
            if len(sections) > 1:
                return [column for section in sections for column in self.columns(section)]
            return [with_insets_placed(part, self.survey) for part in with_twins_apart(items)] if items else []
        return self._beside(items, gutter)

    def _beside(self, items: Sequence[Item], gutter: ColumnGutter) -> list[Column]:
        """What the gutter divides; first of all what crosses it."""
        crossing = _sorted_out(items, gutter, self.survey, self.rules)
        around_it = self._replace(known=(*self.known, gutter))
        if crossing.breaks:
            return around_it._around(items, crossing.breaks)
        if crossing.floats:
            rest = [item for item in items if not _is_one_of(item, crossing.floats)]
            return self._with_floats(self.columns(rest), crossing.floats)
        cut = restart(items, gutter, self.survey, self.rules)
        if cut is not None:
            upper, lower = _divided(items, lambda item: item.box.top < cut)
            if upper and lower:
                return around_it.columns(upper) + around_it.columns(lower)
        left, right = _divided(items, lambda item: item.box.middle < gutter.middle)
        blank = _blank_across(left, right, self.survey)
        if blank is not None:
            upper, lower = _divided(items, lambda item: item.box.top < blank)
            return around_it.columns(upper) + around_it.columns(lower)
        for aside, main in ((left, right), (right, left)):
            if is_aside(aside, main, self.survey):
                return self._with_aside(self.columns(main), framed_item(aside))
        first, second = (right, left) if self.from_right else (left, right)
        return self.columns(first) + self.columns(second)

    def _with_aside(self, columns: list[Column], aside: Item) -> list[Column]:
        """A sidebar as high as the text follows it; one that begins lower is read where it stands."""
        tops = [item.box.top for column in columns for item in column if _is_body(item, self.survey)]
        if not tops or aside.box.top <= min(tops) + 2 * self.survey.size:
            columns.append([aside])
        else:
            placed(columns, aside, self.survey)
        return columns

    def _around(self, items: Sequence[Item], breaks: Sequence[Item]) -> list[Column]:
        """Above the first break, the break with all that follow it closely, and below."""
        first = breaks[0]
        others = [item for item in items if not _is_one_of(item, breaks)]
        above = [item for item in others if _middle(item) <= first.box.bottom]
        rest = [item for item in others if _middle(item) > first.box.bottom]
        ceiling = min((item.box.top for item in rest), default=float("inf"))
        group = [first, *(item for item in breaks[1:] if item.box.top < ceiling)]
        below = [item for item in items if not _is_one_of(item, above) and not _is_one_of(item, group)]
        return [*self.columns(above), group, *self.columns(below)]

    def _with_floats(self, columns: list[Column], floats: Sequence[Item]) -> list[Column]:
        for item in _grouped(floats, self.survey):
            near = [column for column in columns if _shared_width(column, item) > 0]
            placed(near or columns, item, self.survey)
        return columns


def _divided(items: Sequence[Item], is_first: Callable[[Item], bool]) -> tuple[list[Item], list[Item]]:
    return [item for item in items if is_first(item)], [item for item in items if not is_first(item)]


def _blank_across(left: Sequence[Item], right: Sequence[Item], survey: DocumentSurvey) -> float | None:
    """Where both columns leave a band blank, so that what is below is read after both: the height it ends at."""
    reach = max(min(item.box.top for item in side) for side in (left, right))
    for item in by_top([*left, *right]):
        if item.box.top - reach > _FAR * survey.size:
            return item.box.top - 0.1
        reach = max(reach, item.box.bottom)
    return None


def _middle(item: Item) -> float:
    return (item.box.top + item.box.bottom) / 2


def _is_one_of(item: Item, items: Sequence[Item]) -> bool:
    return any(item.thing is other.thing for other in items)


def _wide(items: Sequence[Item]) -> list[Item]:
    """Tables, boxes and pictures across the region with nothing beside them; also several in one row."""
    rows: list[list[Item]] = []
    for item in items:
        if isinstance(item.thing, TextLine):
            continue
        if rows and _is_level(rows[-1][0], item):
            rows[-1].append(item)
        else:
            rows.append([item])
    if not rows:
        return []
    region = around(item.box for item in items)
    return [item for row in rows if _is_across(row, region, items) for item in row]


def _is_level(one: Item, other: Item) -> bool:
    return abs(one.box.top - other.box.top) <= _LEVEL and abs(one.box.bottom - other.box.bottom) <= _LEVEL


def _is_across(row: Sequence[Item], region: Rectangle, items: Sequence[Item]) -> bool:
    box = around(item.box for item in row)
    whole = Item(box, row[0].thing)
    return box.width >= _WIDE * region.width and not any(
        _is_beside(other, whole) for other in items if not _is_one_of(other, row)
    )


def _sorted_out(items: Sequence[Item], gutter: ColumnGutter, survey: DocumentSurvey, rules: Rules) -> _Crossing:
    """What crosses a gutter stops the columns when nothing stands beside it, or when it is body text itself.

    A title with a rule under it that crosses the gutter does so too."""
    crossing = _Crossing([], [])
    for item in items:
        is_underlined = _is_underlined_title(item, gutter, survey, rules)
        if not is_underlined and not gutter.is_crossed_by(item):
            continue
        beside = [other for other in items if other is not item and _is_beside(other, item)]
        if is_underlined and beside:
            continue
        stands_alone = not any(other.box.middle < gutter.middle for other in beside) or not any(
            other.box.middle > gutter.middle for other in beside
        )
        (crossing.breaks if stands_alone or _is_body(item, survey) else crossing.floats).append(item)
    return crossing


def _is_underlined_title(item: Item, gutter: ColumnGutter, survey: DocumentSurvey, rules: Rules) -> bool:
    line = item.thing
    if not isinstance(line, TextLine) or (_is_body(item, survey) and not line.is_bold):
        return False
    return any(
        0 <= rule.top - line.base < _UNDER * line.size
        and rule.left <= line.left + 1
        and rule.left < gutter.middle < rule.right
        and rule.right > line.right
        for rule in rules.horizontals
    )


def _is_beside(other: Item, item: Item) -> bool:
    shared = min(other.box.bottom, item.box.bottom) - max(other.box.top, item.box.top)
    return shared > 0.5 * min(other.box.height, item.box.height)


def _is_body(item: Item, survey: DocumentSurvey) -> bool:
    line = item.thing
    return isinstance(line, TextLine) and abs(line.size - survey.size) < 0.05 * survey.size and not line.style.italic


def _grouped(floats: Sequence[Item], survey: DocumentSurvey) -> list[Item]:
    """Lines of one float, such as a pull quote, stay together."""
    groups: list[list[TextLine]] = []
    grouped = [item for item in floats if not isinstance(item.thing, TextLine)]
    for line in (item.thing for item in floats if isinstance(item.thing, TextLine)):
        if groups and line.base - groups[-1][-1].base < 1.5 * survey.leading * line.size:
            groups[-1].append(line)
        else:
            groups.append([line])
    for lines in groups:
        box = around(line.box for line in lines)
        grouped.append(item_of(lines[0]) if len(lines) == 1 else Item(box, Framed(box, lines)))
    return grouped


def _shared_width(column: Column, item: Item) -> float:
    box = around(other.box for other in column)
    return min(box.right, item.box.right) - max(box.left, item.box.left)
