"""Lines of print in a small picture of a page, as far as no text was told there: dark rows between light ones.

Cheaper than OCR by far. A photograph has no such rows, or few: what is dark in it is not parted by paper.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

DPI = 72
_COLUMNS = 16
"""Strips from top to bottom: so narrow that lines which lie askew, or beside each other, stay apart."""
_CONTRAST = 60
"""Levels of grey between the ground and the ink on it, of 255."""
_INKED, _BLANK = 14, 5
"""Of 255: in a strip, a row of print has at least so much ink, and one between two lines at most so much."""
_LOWEST, _HIGHEST = 3, 30
"""Points."""
_MOST_INK = 150
"""Of 255: more is a bar or a picture."""
_BOX = 4
"""Pillow's name for the mean of an area."""


class Place(NamedTuple):
    """In pixels."""

    left: int
    top: int
    right: int
    bottom: int


class Print(NamedTuple):
    """`lines` is how much print there is, in lines as wide as the page; `share` is how much of all ink that is."""

    lines: float
    share: float


def print_in(image: Any, told: Iterable[Place] = ()) -> Print:
    """`image` is Pillow's, in grey, with a pixel a point; `told` is where text was read."""
    ground = ground_of(image)
    for place in told:
        image.paste(ground, place)
    ink = image.point([255 * (abs(level - ground) > _CONTRAST) for level in range(256)])
    strips = ink.resize((_COLUMNS, ink.height), resample=_BOX).tobytes()
    lines = inked = 0
    for column in range(_COLUMNS):
        rows = strips[column::_COLUMNS]
        for run in _lines_in(rows):
            lines += 1
            inked += run
    total = sum(strips)
    return Print(lines / _COLUMNS, inked / total if total else 0.0)


def ground_of(image: Any) -> int:
    """The level of grey that most of the picture has, more or less."""
    levels = image.histogram()
    around = [sum(levels[max(level - 4, 0) : level + 5]) for level in range(256)]
    return max(range(256), key=lambda level: around[level])


def _lines_in(rows: bytes) -> Iterable[int]:
    """The ink of each line of print in a strip."""
    begin = 0
    is_clear = True
    for is_blank, group in groupby(rows, key=_is_blank):
        run = list(group)
        end = begin + len(run)
        if not is_blank and is_clear and _LOWEST <= len(run) <= _HIGHEST and end < len(rows):
            dark = sum(level >= _INKED for level in run)
            if dark >= _LOWEST - 1 and sum(run) <= _MOST_INK * len(run):
                yield sum(run)
        begin = end


def _is_blank(level: int) -> bool:
    return level <= _BLANK
