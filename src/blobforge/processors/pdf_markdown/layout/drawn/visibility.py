"""White text on white paper: dropped where the rendered page shows nothing in its place."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Fill, Rectangle, TextLine

_PAPER = 0.95
"""Of white, in each of red, green and blue."""
_FAINTEST = 16
"""Grey levels, of 255: with less contrast than this nothing is seen."""


class Sheet(NamedTuple):
    """A page as it is drawn, a grey pixel a point; `stride` is the length of a row in `pixels`."""

    pixels: bytes
    width: int
    height: int
    stride: int


def seen(
    lines: list[TextLine], fills: Sequence[Fill], images: Sequence[Rectangle], draw: Callable[[], Sheet | None]
) -> list[TextLine]:
    """Without lines that are white on white. The page is drawn only where one of them lies on nothing darker."""
    doubtful = [line for line in lines if _is_white(line) and not _is_on(line.box, fills, images)]
    sheet = draw() if doubtful else None
    if sheet is None:
        return lines
    unseen = {id(line) for line in doubtful if not _has_ink(sheet, line.box)}
    return [line for line in lines if id(line) not in unseen]


def _is_white(line: TextLine) -> bool:
    colour = line.style.colour
    return len(colour) == 3 and min(colour) >= _PAPER


def _is_on(box: Rectangle, fills: Iterable[Fill], images: Iterable[Rectangle]) -> bool:
    """Whether it lies on a picture, or on something that was filled darker."""
    return any(fill.box.overlaps(box) and min(fill.colour, default=0.0) < _PAPER for fill in fills) or any(
        image.overlaps(box) for image in images
    )


def _has_ink(sheet: Sheet, box: Rectangle) -> bool:
    left, right = max(int(box.left), 0), min(int(box.right) + 1, sheet.width)
    top, bottom = max(int(box.top), 0), min(int(box.bottom) + 1, sheet.height)
    found = b"".join(sheet.pixels[row * sheet.stride + left : row * sheet.stride + right] for row in range(top, bottom))
    return not found or max(found) - min(found) >= _FAINTEST
