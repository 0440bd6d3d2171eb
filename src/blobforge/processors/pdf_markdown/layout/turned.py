"""What is set on its side, in the places of the page that it is on."""

from blobforge.processors.pdf_markdown.layout.model import Box, Line, PageContent

_ABOVE_BASE = 0.3
"""Of the size: so far above its baseline is the middle of a line."""


def turned_back(box: Box, turned: PageContent, *, on: PageContent) -> Box:
    """Where a box of a page that was turned to read it lies on the page as it is."""
    match (turned.angle - on.angle) % 360:
        case 90:
            return Box(box.top, turned.width - box.right, box.bottom, turned.width - box.left)
        case 180:
            return Box(
                turned.width - box.right, turned.height - box.bottom, turned.width - box.left, turned.height - box.top
            )
        case 270:
            return Box(turned.height - box.bottom, box.left, turned.height - box.top, box.right)
        case _:
            return box


def stood_up(page: PageContent) -> list[tuple[Line, Line]]:
    """Each turned line, and one that says the same in the middle of its place: a head or a label in a table."""
    turned = page.turned
    if turned is None:
        return []
    return [(line, _upright(line, turned_back(line.box, turned, on=page))) for line in turned.lines]


def _upright(line: Line, place: Box) -> Line:
    words = [word._replace(left=place.left, right=place.right) for word in line.words]
    return Line(words, (place.top + place.bottom) / 2 + _ABOVE_BASE * line.size, line.style, line.order)
