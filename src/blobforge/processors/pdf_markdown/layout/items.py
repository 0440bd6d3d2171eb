"""The things that are arranged on a page."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model import Box, Line, around
from blobforge.processors.pdf_markdown.layout.tables.grid import Table


@dataclass(slots=True)
class Framed:
    """Text that a box keeps together."""

    box: Box
    lines: list[Line]


@dataclass(slots=True)
class Figure:
    """A picture; `number` counts those of a page. A caption that is set under it, unlike the text, goes with it.

    Of a drawing that was not found, whose number is 0, there is only the caption."""

    picture: Box
    number: int
    caption: list[Line] = field(default_factory=list)
    labels: list[Line] = field(default_factory=list)
    """What is written in it."""
    is_drawn: bool = False
    """More than an image: lines, or labels over an image."""

    @property
    def box(self) -> Box:
        """With its caption."""
        return around([self.picture, *(line.box for line in self.caption)])


Thing = Line | Table | Framed | Figure


class Item(NamedTuple):
    box: Box
    thing: Thing


def item_of(thing: Thing) -> Item:
    return Item(thing.box, thing)


def by_top(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (round(item.box.top, 1), item.box.left))
