"""Items: what is put into reading order on a page."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.table import DetectedTable


@dataclass(slots=True)
class Framed:
    """Text that a box keeps together."""

    box: Rectangle
    lines: list[TextLine]


@dataclass(slots=True)
class Figure:
    """A picture; `number` counts those of a page. A caption that is set under it, unlike the text, goes with it.

    Of a drawing that was not found, whose number is 0, there is only the caption."""

    picture: Rectangle
    number: int
    caption: list[TextLine] = field(default_factory=list)
    labels: list[TextLine] = field(default_factory=list)
    """What is written in it."""
    is_drawn: bool = False
    """More than an image: lines, or labels over an image."""

    @property
    def box(self) -> Rectangle:
        """With its caption."""
        return around([self.picture, *(line.box for line in self.caption)])


Thing = TextLine | DetectedTable | Framed | Figure


class Item(NamedTuple):
    box: Rectangle
    thing: Thing


def item_of(thing: Thing) -> Item:
    return Item(thing.box, thing)


def by_top(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (round(item.box.top, 1), item.box.left))
