"""Link annotations: the words under one get its target."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine, TextWord

_SCHEMES = ("http://", "https://", "mailto:", "ftp://")
"""What leads out of the document; everything else is a jump within it, or something that should not be followed."""


class Link(NamedTuple):
    box: Rectangle
    target: str


def is_followed(target: str) -> bool:
    return target.lower().startswith(_SCHEMES) and target.isprintable() and " " not in target


def put_links(lines: Sequence[TextLine], links: Iterable[Link]) -> None:
    """Marks the words of each link, also where its place runs over a part of a line."""
    for link in links:
        for line in lines:
            if link.box.top <= line.base - 0.2 * line.size <= link.box.bottom and _meet(link.box, line):
                line.words = [_linked(word, link) for word in line.words]


def _meet(box: Rectangle, line: TextLine) -> bool:
    return line.left < box.right and box.left < line.right


def _linked(word: TextWord, link: Link) -> TextWord:
    middle = (word.left + word.right) / 2
    return word._replace(link=link.target) if link.box.left <= middle <= link.box.right else word
