"""Chinese and Japanese written from top to bottom, in columns from right to left.

Seen from its right edge such a page is one of lines from left to right: so its glyphs are told as if they were turned,
and the whole page is turned like any other that lies on its side.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import Raw

DOWN = 270
"""Degrees: text that runs down the page."""
_FIRST, _LAST = "\u2e80", "\u9fff"
"""From here on, characters are as wide as high, and may be written downwards; to there they are Chinese or Japanese."""
_CLOSE = (0.75, 1.2)
"""Of the size: so far apart stand the characters of a line, be it across or down. Lines stand farther apart."""
_FEWEST = 8
_IN_LINE = 0.4
_NEXT = 1.4


def may_run_down(characters: Iterable[str]) -> bool:
    return any(_FIRST <= character <= _LAST for character in characters)


def run_down(raws: Sequence[Raw]) -> list[Raw]:
    """The same, turned where most of them follow each other downwards."""
    square = [raw for raw in raws if raw[0] >= _FIRST and raw[7] == 0.0]
    down = _steps((raw[1], raw[2], raw[5]) for raw in square)
    across = _steps((raw[2], raw[1], raw[5]) for raw in square)
    if len(square) < _FEWEST or 2 * down < len(square) or down <= 2 * across:
        return list(raws)
    columns: dict[int, list[Raw]] = defaultdict(list)
    for raw in square:
        columns[round(raw[1])].append(raw)
    return [_turned(raw) if raw[7] == 0.0 and (raw[0] >= _FIRST or _is_within(raw, columns)) else raw for raw in raws]


def _steps(places: Iterable[tuple[float, float, float]]) -> int:
    """How many follow another at the distance of a character. Each is told by its line, its place there, its size."""
    lines: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for line, along, size in places:
        lines[round(line)].append((along, size))
    least, most = _CLOSE
    return sum(
        least * size < after - before < most * size
        for members in lines.values()
        for (before, _), (after, size) in pairwise(sorted(members))
    )


def _is_within(raw: Raw, columns: dict[int, list[Raw]]) -> bool:
    """Whether a figure or a Latin letter stands in a column, upright as the others are."""
    _, x, y, _, _, size, _, _ = raw
    reach = range(round(x - _IN_LINE * size), round(x + _IN_LINE * size) + 1)
    return any(0 < abs(other[2] - y) < _NEXT * size for place in reach for other in columns.get(place, ()))


def _turned(raw: Raw) -> Raw:
    char, x, y, _, font, size, colour, _ = raw
    return char, x, y, size, font, size, colour, float(DOWN)
