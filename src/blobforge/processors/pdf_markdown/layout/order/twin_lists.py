"""Lists that are set side by side: each is read by itself, though they are too short to show a gutter."""

from collections.abc import Sequence
from itertools import groupby

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Item, by_top
from blobforge.processors.pdf_markdown.layout.text.list_entries import marker_of

_FEWEST_ROWS = 2
_SAME_ROW = 2.0


def with_twins_apart(items: Sequence[Item]) -> list[list[Item]]:
    """What stands above the lists, the left one, the right one, and what stands below; or all as it is."""
    rows = _rows(items)
    runs = [(is_twin, list(run)) for is_twin, run in groupby(rows, key=_is_twin)]
    for place, (is_twin, run) in enumerate(runs):
        if is_twin and len(run) >= _FEWEST_ROWS:
            middle = min(row[1].box.left for row in run)
            if all(row[0].box.right < middle for row in run):
                parts = [
                    [item for _, other in runs[:place] for row in other for item in row],
                    [row[0] for row in run],
                    [row[1] for row in run],
                    [item for _, other in runs[place + 1 :] for row in other for item in row],
                ]
                return [part for part in parts if part]
    return [list(items)]


def _rows(items: Sequence[Item]) -> list[list[Item]]:
    rows: list[list[Item]] = []
    for item in by_top(items):
        if rows and abs(_base(rows[-1][0]) - _base(item)) < _SAME_ROW:
            rows[-1].append(item)
        else:
            rows.append([item])
    return [sorted(row, key=lambda item: item.box.left) for row in rows]


def _base(item: Item) -> float:
    return item.thing.base if isinstance(item.thing, TextLine) else item.box.bottom


def _is_twin(row: Sequence[Item]) -> bool:
    return len(row) == 2 and all(isinstance(item.thing, TextLine) and marker_of(item.thing) == "-" for item in row)
