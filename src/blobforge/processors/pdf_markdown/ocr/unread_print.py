"""Lines of print in a small picture of a page, as far as no text was told there: dark rows between light ones.

Cheaper than OCR by far. A photograph has no such rows, or few: what is dark in it is not parted by paper.
"""

from collections.abc import Iterable, Iterator, Sequence
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
_WHOLE = 0.6
"""Of the ink of a line: so much must be left of one that no told text touches."""
_SHARED = 0.5
"""Of their height: pieces in strips beside each other are of one line, on a page that lies a little askew, too."""
_BOX = 4
"""Pillow's name for the mean of an area."""


class PrintPlace(NamedTuple):
    """In pixels."""

    left: int
    top: int
    right: int
    bottom: int


class Print(NamedTuple):
    """`lines` is how much print there is, in lines as wide as the page; `share` is how much of all ink that is;
    `longest` is how wide the longest line is, of the width of the page."""

    lines: float
    share: float
    longest: float


class _Line(NamedTuple):
    """Of one strip, in rows."""

    top: int
    bottom: int
    ink: int


def print_in(image: Any, told: Iterable[PrintPlace] = ()) -> tuple[Print, Print]:
    """What is printed where no text was told, and all that is; `told` is where text was.

    `image` is Pillow's, in grey, with a pixel a point. The longest of what was not told is a line of which no told
    text touches much: what sticks out of told text that lies a little beside its print is a lower one.
    """
    ground = ground_of(image)
    lines, total = _strips(image, ground)
    for place in told:
        image.paste(ground, place)
    left, ink = _strips(image, ground)
    whole = [_kept_whole(one, before) for one, before in zip(left, lines, strict=True)]
    return _print(left, ink, longest=_longest(whole)), _print(lines, total, longest=_longest(lines))


def _print(strips: Sequence[list[_Line]], ink: int, *, longest: int) -> Print:
    lines = [line for strip in strips for line in strip]
    share = sum(line.ink for line in lines) / ink if ink else 0.0
    return Print(len(lines) / _COLUMNS, share, longest / _COLUMNS)


def _strips(image: Any, ground: int) -> tuple[list[list[_Line]], int]:
    """The lines of print in each strip, from left to right, and how much ink there is in all."""
    ink = image.point([255 * (abs(level - ground) > _CONTRAST) for level in range(256)])
    strips = ink.resize((_COLUMNS, ink.height), resample=_BOX).tobytes()
    return [list(_lines_in(strips[column::_COLUMNS])) for column in range(_COLUMNS)], sum(strips)


def _kept_whole(lines: Iterable[_Line], before: Iterable[_Line]) -> list[_Line]:
    """Those of which as good as nothing was taken away."""
    return [
        line
        for line in lines
        if any(one.top <= line.top and line.bottom <= one.bottom and line.ink >= _WHOLE * one.ink for one in before)
    ]


def _longest(strips: Iterable[list[_Line]]) -> int:
    """Through how many strips a line runs from one to the next."""
    longest = 0
    ending: list[tuple[_Line, int]] = []
    for lines in strips:
        ending = [(line, 1 + max((run for one, run in ending if _goes_on(one, line)), default=0)) for line in lines]
        longest = max(longest, *(run for _, run in ending), 0)
    return longest


def _goes_on(one: _Line, other: _Line) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared >= _SHARED * min(one.bottom - one.top, other.bottom - other.top)


def ground_of(image: Any) -> int:
    """The level of grey that most of the picture has, more or less."""
    levels = image.histogram()
    around = [sum(levels[max(level - 4, 0) : level + 5]) for level in range(256)]
    return max(range(256), key=lambda level: around[level])


def _lines_in(rows: bytes) -> Iterator[_Line]:
    begin = 0
    for is_blank, group in groupby(rows, key=_is_blank):
        run = list(group)
        end = begin + len(run)
        if not is_blank and _LOWEST <= len(run) <= _HIGHEST and end < len(rows):
            dark = sum(level >= _INKED for level in run)
            if dark >= _LOWEST - 1 and sum(run) <= _MOST_INK * len(run):
                yield _Line(begin, end, sum(run))
        begin = end


def _is_blank(level: int) -> bool:
    return level <= _BLANK
