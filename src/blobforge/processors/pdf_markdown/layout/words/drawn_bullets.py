"""Bullets that are drawn instead of written: small discs, rings and squares right before a line."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import FreeShape, Rectangle, TextLine, TextWord

_SMALLEST = 0.1
_FARTHEST = 2.0
"""Of the size: the text that a bullet belongs to begins within so much."""
_HIGHEST = 0.75
_GAP = 0.4
DOT = "•"


class _BulletShape(NamedTuple):
    """How a bullet may lie beside its line, both of the size of the text. A larger one is a thing by itself."""

    largest: float
    below: float
    """How far it may reach under the baseline."""


_SMALL = _BulletShape(0.6, 0.0)
_ORNATE = _BulletShape(0.75, 0.15)


def with_dots(lines: Sequence[TextLine], dots: Iterable[Rectangle]) -> list[TextLine]:
    """Each line with the bullet that was drawn before it as its first word."""
    for dot in dots:
        _mark(lines, dot, _SMALL)
    return list(lines)


def with_ornate_bullets(lines: Sequence[TextLine], marks: Iterable[FreeShape]) -> list[TextLine]:
    """The same for shapes of any kind, where some are alike and one under the other: hexagons, stars, leaves."""
    alike: dict[tuple[int, int, int], list[Rectangle]] = defaultdict(list)
    for mark in marks:
        alike[round(mark.box.left), round(mark.box.width), round(mark.box.height)].append(mark.box)
    for boxes in alike.values():
        for box in boxes if len(boxes) > 1 else ():
            _mark(lines, box, _ORNATE)
    return list(lines)


def _mark(lines: Sequence[TextLine], dot: Rectangle, kind: _BulletShape) -> None:
    after = [line for line in lines if _is_before(dot, line, kind)]
    if after:
        line = min(after, key=lambda line: line.left)
        first = line.words[0]
        # It reaches up to the text, or a column of bullets would look like one of a table.
        mark = TextWord(DOT, dot.left, max(dot.right, first.left - _GAP * line.size), first.style)
        line.words = [mark, first._replace(spaced=True), *line.words[1:]]


def _is_before(dot: Rectangle, line: TextLine, kind: _BulletShape) -> bool:
    is_bullet = _SMALLEST * line.size <= dot.height <= kind.largest * line.size and line.words[0].text != DOT
    is_level = line.base - _HIGHEST * line.size < dot.top and dot.bottom < line.base + kind.below * line.size
    return is_bullet and is_level and 0 < line.left - dot.right < _FARTHEST * line.size
