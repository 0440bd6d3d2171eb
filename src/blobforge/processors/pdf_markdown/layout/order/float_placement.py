"""Where floats are read: pictures, boxes and margin notes go between two paragraphs near their height."""

from collections.abc import Iterator, Sequence
from statistics import median_low
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Figure, Framed, Item
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey

_ENDS = '.!?:”"’)'
_LARGER = 1.08


class _InsertionPoint(NamedTuple):
    column: int
    place: int
    y: float


def placed(columns: list[list[Item]], item: Item, survey: DocumentSurvey) -> None:
    """Puts the item into one of the columns. Its box says afterwards where it is read, not where it stands."""
    places = _places(columns, item, survey)
    if not places:
        columns.append([item])
        return
    best = _nearest(places, item, survey)
    columns[best.column].insert(best.place, _moved(item, columns[best.column], best))


def placed_note(columns: list[list[Item]], note: Item, survey: DocumentSurvey) -> None:
    """Puts a note of the margin into one of the columns: one that begins beside a paragraph is read after it.

    Level with its first line it may as well stand for what is said before."""
    places = _places(columns, note, survey)
    if not places:
        columns.append([note])
        return
    best = _nearest(places, note, survey)
    later = [at for at in places if at.column == best.column and at.place > best.place]
    first = columns[best.column][best.place] if later else note
    if isinstance(first.thing, TextLine) and first.box.bottom < note.box.top < later[0].y:
        best = later[0]
    columns[best.column].insert(best.place, _moved(note, columns[best.column], best))


def _places(columns: Sequence[Sequence[Item]], item: Item, survey: DocumentSurvey) -> list[_InsertionPoint]:
    return [
        _InsertionPoint(number, place, y)
        for number, column in enumerate(columns)
        for place, y in breaks_of(column, survey)
        if place or not (_is_under_heading(item, column[0], survey) or _is_right_of(item, column[0]))
    ]


def _nearest(places: Sequence[_InsertionPoint], item: Item, survey: DocumentSurvey) -> _InsertionPoint:
    """What stands beside a paragraph was written after the one that ends above it."""
    lowest = item.box.top + 0.25 * survey.size
    return min(places, key=lambda at: (at.y > lowest, abs(at.y - item.box.top)))


def breaks_of(column: Sequence[Item], survey: DocumentSurvey) -> Iterator[tuple[int, float]]:
    """The places between paragraphs, and their heights: before the first, after the last, and where one ends."""
    if not column:
        return
    usual = median_low([item.thing.size for item in column if isinstance(item.thing, TextLine)] or [survey.size])
    yield 0, column[0].box.top
    for place in range(1, len(column)):
        if not _is_heading(column[place - 1], usual) and _is_break(column, place, survey):
            yield place, column[place - 1].box.bottom
    yield len(column), max(item.box.bottom for item in column)


def _is_heading(item: Item, usual: float) -> bool:
    return isinstance(item.thing, TextLine) and item.thing.size > _LARGER * usual


def _is_under_heading(item: Item, first: Item, survey: DocumentSurvey) -> bool:
    return _is_heading(first, survey.size) and item.box.top >= first.box.bottom


def _is_right_of(item: Item, first: Item) -> bool:
    """Beside the first line and after it: the text begins left of it."""
    is_level = item.box.top < first.box.bottom and first.box.top < item.box.bottom
    return is_level and isinstance(first.thing, TextLine) and item.box.left >= first.box.right


def _is_break(column: Sequence[Item], place: int, survey: DocumentSurvey) -> bool:
    """Whether a paragraph ends before the item."""
    upper, lower = column[place - 1].thing, column[place].thing
    if not isinstance(upper, TextLine) or not isinstance(lower, TextLine):
        return True
    if lower.base - upper.base > 1.25 * survey.leading * max(upper.size, lower.size):
        return True
    if upper.text[-1:] not in _ENDS:
        return False
    before = column[place - 2].box.right if place > 1 else 0.0
    is_short = upper.right < max(before, lower.right) - 3 * survey.size
    return is_short or _is_indented(column, place, survey)


def _is_indented(column: Sequence[Item], place: int, survey: DocumentSurvey) -> bool:
    """A first line that stands in; where the next one does too, it is a list item that hangs."""
    left, indent = column[place].box.left, 0.8 * survey.size
    hangs = place + 1 < len(column) and column[place + 1].box.left > left - indent
    return left - column[place - 1].box.left > indent and not hangs


def _moved(item: Item, column: Sequence[Item], at: _InsertionPoint) -> Item:
    """With a top between those of its neighbours, for what is read is sorted by top again."""
    before = column[at.place - 1].box.top if at.place else column[0].box.top - 2
    after = column[at.place].box.top if at.place < len(column) else column[-1].box.bottom
    top = (before + max(after, before)) / 2 if at.place < len(column) else max(after, before + 1)
    box = item.box
    return Item(Rectangle(box.left, top, box.right, top + box.height), item.thing)


def with_insets_placed(column: list[Item], survey: DocumentSurvey) -> list[Item]:
    """Text that runs around a picture or a box is not torn apart by it."""
    insets = [item for item in column if isinstance(item.thing, Figure | Framed) and _is_in_text(item, column)]
    if not insets:
        return column
    text = [item for item in column if item not in insets]
    for inset in insets:
        if _is_wrapped(inset, text, survey):
            columns = [text]
            placed(columns, inset, survey)
        else:
            beside = [place for place, item in enumerate(text) if item.box.bottom > inset.box.top]
            is_first = beside and inset.box.middle < text[beside[0]].box.middle
            place = beside[0] if is_first else len(text)
            text.insert(place, _moved(inset, text, _InsertionPoint(0, place, 0.0)))
    return text


def _is_wrapped(inset: Item, column: Sequence[Item], survey: DocumentSurvey) -> bool:
    """Whether text above or below takes the width that the inset takes here. Else it is a column by itself.

    The title over both tells nothing."""
    left, right = inset.box.left, inset.box.right
    return any(
        min(item.box.right, right) - max(item.box.left, left) > 2 * survey.size
        for item in column
        if not _is_heading(item, survey.size)
    )


def _is_in_text(inset: Item, column: Sequence[Item]) -> bool:
    top, bottom = inset.box.top, inset.box.bottom
    return any(
        isinstance(item.thing, TextLine) and top < (item.box.top + item.box.bottom) / 2 < bottom for item in column
    )
