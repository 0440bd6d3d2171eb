"""Maps lines of text at another angle to their places on the page."""

import math

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, TextLine

_ABOVE_BASE = 0.3
"""Of the size: so far above its baseline is the middle of a line."""


def turned_back(box: Rectangle, turned: PageContent, *, on: PageContent) -> Rectangle:
    """Where a box of a page that was turned to read it lies on the page as it is."""
    match (turned.angle - on.angle) % 360:
        case 90:
            return Rectangle(box.top, turned.width - box.right, box.bottom, turned.width - box.left)
        case 180:
            return Rectangle(
                turned.width - box.right, turned.height - box.bottom, turned.width - box.left, turned.height - box.top
            )
        case 270:
            return Rectangle(turned.height - box.bottom, box.left, turned.height - box.top, box.right)
        case 0:
            return box
        case angle:
            return _turned_about_middle(box, angle, turned, on)


def _turned_about_middle(box: Rectangle, angle: float, turned: PageContent, on: PageContent) -> Rectangle:
    """The middle of a sheet stays where it is, however it is turned."""
    across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    xs: list[float] = []
    ys: list[float] = []
    for x in (box.left - turned.width / 2, box.right - turned.width / 2):
        for y in (box.top - turned.height / 2, box.bottom - turned.height / 2):
            xs.append(on.width / 2 + x * across + y * up)
            ys.append(on.height / 2 - x * up + y * across)
    return Rectangle(min(xs), min(ys), max(xs), max(ys))


def stood_up(turned: PageContent | None, *, on: PageContent) -> list[tuple[TextLine, TextLine]]:
    """Each turned line, and one that says the same in the middle of its place: a head or a label in a table."""
    if turned is None:
        return []
    return [(line, _upright(line, turned_back(line.box, turned, on=on))) for line in turned.lines]


def _upright(line: TextLine, place: Rectangle) -> TextLine:
    words = [word._replace(left=place.left, right=place.right) for word in line.words]
    return TextLine(words, (place.top + place.bottom) / 2 + _ABOVE_BASE * line.size, line.style, line.order)
