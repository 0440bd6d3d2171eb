"""Where things that stand beside the text are read: between two paragraphs, as near to their height as can be."""

from collections.abc import Iterator, Sequence
from statistics import median_low
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.items import Figure, Item
from blobforge.processors.pdf_markdown.layout.model import Box, Line
from blobforge.processors.pdf_markdown.layout.survey import Survey

_ENDS = ".!?:”\"’)"
_LARGER = 1.08


class _Place(NamedTuple):
    column: int
    place: int
    y: float


def placed(columns: list[list[Item]], item: Item, survey: Survey) -> None:
    """Puts the item into one of the columns. Its box says afterwards where it is read, not where it stands."""
    places = [
        _Place(number, place, y) for number, column in enumerate(columns) for place, y in breaks_of(column, survey)
    ]
    if not places:
        columns.append([item])
        return
    # What stands beside a paragraph was written after the one that ends above it.
    lowest = item.box.top + 0.25 * survey.size
    best = min(places, key=lambda at: (at.y > lowest, abs(at.y - item.box.top)))
    columns[best.column].insert(best.place, _moved(item, columns[best.column], best))


def breaks_of(column: Sequence[Item], survey: Survey) -> Iterator[tuple[int, float]]:
    """The places between paragraphs, and their heights: before the first, after the last, and where one ends."""
    if not column:
        return
    usual = median_low([item.thing.size for item in column if isinstance(item.thing, Line)] or [survey.size])
    yield 0, column[0].box.top
    for place in range(1, len(column)):
        upper, lower = column[place - 1], column[place]
        right = max(column[place - 2].box.right if place > 1 else 0.0, lower.box.right)
        if not _is_heading(upper, usual) and _is_break(upper, lower, right, survey):
            yield place, upper.box.bottom
    yield len(column), max(item.box.bottom for item in column)


def _is_heading(item: Item, usual: float) -> bool:
    return isinstance(item.thing, Line) and item.thing.size > _LARGER * usual


def _is_break(upper: Item, lower: Item, right: float, survey: Survey) -> bool:
    """`right` is where the lines around end."""
    above, below = upper.thing, lower.thing
    if not isinstance(above, Line) or not isinstance(below, Line):
        return True
    if below.base - above.base > 1.25 * survey.leading * max(above.size, below.size):
        return True
    is_indented = below.left - above.left > 0.8 * survey.size
    ends = above.text[-1:] in _ENDS
    return ends and (is_indented or above.right < right - 3 * survey.size)


def _moved(item: Item, column: Sequence[Item], at: _Place) -> Item:
    """With a top between those of its neighbours, for what is read is sorted by top again."""
    before = column[at.place - 1].box.top if at.place else column[0].box.top - 2
    after = column[at.place].box.top if at.place < len(column) else column[-1].box.bottom
    top = (before + max(after, before)) / 2 if at.place < len(column) else max(after, before + 1)
    box = item.box
    return Item(Box(box.left, top, box.right, top + box.height), item.thing)


def with_figures_placed(column: list[Item], survey: Survey) -> list[Item]:
    """Text that runs around a picture is not torn apart by it."""
    figures = [item for item in column if isinstance(item.thing, Figure) and _is_in_text(item, column)]
    if not figures:
        return column
    columns = [[item for item in column if item not in figures]]
    for figure in figures:
        placed(columns, figure, survey)
    return columns[0]


def _is_in_text(figure: Item, column: Sequence[Item]) -> bool:
    top, bottom = figure.box.top, figure.box.bottom
    return any(item is not figure and top < (item.box.top + item.box.bottom) / 2 < bottom for item in column)
