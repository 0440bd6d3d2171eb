"""Where columns begin anew in the middle of a page, though nothing crosses them: under a heading over all of them."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.gutters import Gutter, Rules, best_gutter
from blobforge.processors.pdf_markdown.layout.items import Item
from blobforge.processors.pdf_markdown.layout.model import Line
from blobforge.processors.pdf_markdown.layout.survey import Survey

_HEADING = 1.15
_LARGE_HEADING = 1.3
_SENTENCE_ENDS = ".!?:;”\"')"


def restart(items: Sequence[Item], gutter: Gutter, survey: Survey, rules: Rules) -> float | None:
    """The height of a short heading in the first column that stops all columns."""
    if not any(_is_heading(item, survey, _HEADING) for item in items[1:]):
        return None
    gutter = _first_gutter(items, gutter, survey, rules)
    first = [item for item in items if item.box.middle < gutter.middle]
    others = [item for item in items if item.box.middle >= gutter.middle]
    for place, item in enumerate(first):
        if place == 0 or not _is_heading(item, survey, _HEADING):
            continue
        above = [other for other in others if other.box.top < item.box.top]
        below = [other for other in others if other.box.top >= item.box.top]
        if any(other.box.bottom > item.box.top + 1 for other in above):
            continue
        if any(other.box.top < item.box.bottom - 1 for other in below):
            continue
        if _begins_anew(first, place, above, below, survey):
            return item.box.top - 0.1
    return None


def _is_heading(item: Item, survey: Survey, larger: float) -> bool:
    return isinstance(item.thing, Line) and item.thing.size >= larger * survey.size


def _first_gutter(items: Sequence[Item], gutter: Gutter, survey: Survey, rules: Rules) -> Gutter:
    """The one right of the first column."""
    while True:
        left = [item for item in items if item.box.middle < gutter.middle]
        before = best_gutter(left, survey, rules)
        if before is None:
            return gutter
        items, gutter = left, before


def _begins_anew(
    first: Sequence[Item], place: int, above: Sequence[Item], below: Sequence[Item], survey: Survey
) -> bool:
    """`above` and `below` are what the other columns hold."""
    if above and _is_unfinished(first[:place], survey):
        return True
    if below:
        return place + 1 < len(first) and _is_level(first, place, above, below, survey)
    if not above or not _is_heading(first[place], survey, _LARGE_HEADING):
        return False
    # The columns above it are balanced: they end at about the same height.
    ends = max(item.box.bottom for item in first[:place]), max(item.box.bottom for item in above)
    return abs(ends[0] - ends[1]) <= 3.2 * survey.size


def _is_unfinished(column: Sequence[Item], survey: Survey) -> bool:
    """Text that breaks off before the heading goes on in the next column, above it."""
    last = column[-1].thing
    if not isinstance(last, Line) or abs(last.size - survey.size) > 0.05 * survey.size or last.is_bold:
        return False
    right = max(item.box.right for item in column)
    fills = last.right >= right - survey.size
    return fills and last.text[-1] not in _SENTENCE_ENDS and last.text[-1:] not in ")]|" and len(last.words) > 3  # noqa: PLR2004


def _is_level(
    first: Sequence[Item], place: int, above: Sequence[Item], below: Sequence[Item], survey: Survey
) -> bool:
    """The other columns leave as much blank as the heading takes, and go on where the first column does."""
    next_top, following = first[place + 1].box.top, min(below, key=lambda item: item.box.top)
    late = following.box.top - next_top
    is_exact = abs(late) <= 0.35 * survey.size
    taken = next_top - max(item.box.bottom for item in first[:place])
    least = 0.6 * taken if is_exact else taken - 1.1 * survey.leading * survey.size
    if above and following.box.top - max(item.box.bottom for item in above) < least:
        return False
    # A heading has space above it, also where a column begins.
    return abs(late) <= 1.1 * survey.size or (
        _is_heading(following, survey, _HEADING) and 0 < late <= 3.2 * survey.size  # noqa: PLR2004
    )
