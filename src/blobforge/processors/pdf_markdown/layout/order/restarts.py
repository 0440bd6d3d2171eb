"""Where columns begin anew in the middle of a page, though nothing crosses them: under a heading over all of them."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.items import Item
from blobforge.processors.pdf_markdown.layout.order.gutters import ColumnGutter, Rules, best_gutter
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey

_HEADING = 1.15
_LARGE_HEADING = 1.3
_SENTENCE_ENDS = ".!?:;”\"')]|"


def restart(items: Sequence[Item], gutter: ColumnGutter, survey: DocumentSurvey, rules: Rules) -> float | None:
    """The height of a short heading in the first column that stops all columns."""
    if not any(_is_heading(item, survey, _HEADING) for item in items[1:]):
        return None
    gutter = _first_gutter(items, gutter, survey, rules)
    first = [item for item in items if item.box.middle < gutter.middle]
    others = [item for item in items if item.box.middle >= gutter.middle]
    place = 1
    while place < len(first):
        if not _is_heading(first[place], survey, _HEADING):
            place += 1
            continue
        last = _last_of_heading(first, place, survey)
        if _stops_all(first, place, last, others, survey):
            return first[place].box.top - 0.1
        place = last + 1
    return None


def _last_of_heading(first: Sequence[Item], place: int, survey: DocumentSurvey) -> int:
    """A heading may have several lines."""
    last = place
    while last + 1 < len(first) and _is_heading(first[last + 1], survey, _HEADING):
        if first[last + 1].box.top - first[last].box.bottom > survey.size:
            break
        last += 1
    return last


def _stops_all(first: Sequence[Item], place: int, last: int, others: Sequence[Item], survey: DocumentSurvey) -> bool:
    if _is_heading(first[place - 1], survey, _HEADING) and place > 1:
        return False
    top, bottom = first[place].box.top, first[last].box.bottom
    above = [other for other in others if other.box.top < top]
    below = [other for other in others if other.box.top >= top]
    if any(other.box.bottom > top + 1 for other in above) or any(other.box.top < bottom - 1 for other in below):
        return False
    return _begins_anew(first, place, last, above, below, survey)


def _is_heading(item: Item, survey: DocumentSurvey, larger: float) -> bool:
    return isinstance(item.thing, TextLine) and item.thing.size >= larger * survey.size


def _first_gutter(items: Sequence[Item], gutter: ColumnGutter, survey: DocumentSurvey, rules: Rules) -> ColumnGutter:
    """The one right of the first column."""
    while True:
        left = [item for item in items if item.box.middle < gutter.middle]
        before = best_gutter(left, survey, rules)
        if before is None:
            return gutter
        items, gutter = left, before


def _begins_anew(
    first: Sequence[Item], place: int, last: int, above: Sequence[Item], below: Sequence[Item], survey: DocumentSurvey
) -> bool:
    """`above` and `below` are what the other columns hold."""
    if above and _is_unfinished(first[:place], survey):
        return True
    if below:
        heading = around(item.box for item in first[place : last + 1])
        return last + 1 < len(first) and _is_level(heading, first[last + 1], above, below, survey)
    if not above or not _is_heading(first[place], survey, _LARGE_HEADING):
        return False
    # The columns above it are balanced: they end at about the same height.
    ends = max(item.box.bottom for item in first[:place]), max(item.box.bottom for item in above)
    return abs(ends[0] - ends[1]) <= 3.2 * survey.size


def _is_unfinished(column: Sequence[Item], survey: DocumentSurvey) -> bool:
    """Text that breaks off before the heading goes on in the next column, above it."""
    last = column[-1].thing
    if not isinstance(last, TextLine) or abs(last.size - survey.size) > 0.05 * survey.size or last.is_bold:
        return False
    right = max(item.box.right for item in column)
    fills = last.right >= right - survey.size
    return fills and last.text[-1] not in _SENTENCE_ENDS


def _is_level(
    heading: Rectangle, after: Item, above: Sequence[Item], below: Sequence[Item], survey: DocumentSurvey
) -> bool:
    """The other columns leave as much blank as the heading takes, and go on where the first column does."""
    following = min(below, key=lambda item: item.box.top)
    if above:
        end = max(item.box.bottom for item in above)
        if heading.top - end < 0.4 * survey.size or following.box.top - end < heading.height + 0.8 * survey.size:
            return False
    late = following.box.top - after.box.top
    # A heading has space above it, also where a column begins.
    return abs(late) <= 1.1 * survey.size or (
        _is_heading(following, survey, _HEADING) and 0 < late <= 3.2 * survey.size
    )
