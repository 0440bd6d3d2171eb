"""Text at an angle: which angles a page has, and its glyphs as if the page were turned back."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter

from blobforge.processors.pdf_markdown.layout.drawn.libraries import Character
from blobforge.processors.pdf_markdown.layout.drawn.ligatures import Raw
from blobforge.processors.pdf_markdown.layout.model.content import Point, Rectangle

STRAIGHT = 1.0
"""Degrees: text that is farther from the level is turned."""
MUCH_TURNED = 40
"""Glyphs, with the spaces between them: fewer are a tab or a stamp in the margin."""
_WORD = 3
"""Letters at one angle: fewer may be those of a text along a curve, each of which has its own."""
_LEVEL = 0.3
"""Points: what was turned by an odd angle lies on one baseline to within this."""
_ANGLE = itemgetter(7)
_QUARTERS = (0, 90, 180, 270)


def main_angles(raws: Sequence[Raw]) -> tuple[float, float | None]:
    """The angle of most glyphs, and that of most others: quarters of a turn, or any other angle of much text."""
    told = Counter(map(_ANGLE, raws))
    counts: dict[float, int] = {angle: sum(told[each] for each in told if _is_near(each, angle)) for angle in _QUARTERS}
    odd = {each: count for each, count in told.items() if is_slanted(each)}
    if odd:
        slant = max(odd, key=lambda each: odd[each])
        found = sum(count for each, count in odd.items() if _is_near(each, slant))
        if found >= MUCH_TURNED:
            counts[slant % 360] = found
    main = max(counts, key=lambda angle: counts[angle])
    main = main if 2 * counts[main] > len(raws) else 0
    other = max((angle for angle in counts if angle != main), key=lambda angle: counts[angle])
    return main, other if counts[other] else None


def is_slanted(angle: float) -> bool:
    """Whether it is no quarter of a turn."""
    return not any(_is_near(angle, quarter) for quarter in _QUARTERS)


def further_angles(raws: Sequence[Raw], read: Sequence[float]) -> list[float]:
    """Those at which words stand, beside these."""
    told = Counter(raw[7] for raw in raws if raw[0].isalnum())
    angles: list[float] = []
    for angle, _ in told.most_common():
        if not any(_is_near(angle, known) for known in (*read, *angles)):
            angles += [angle] if sum(told[each] for each in told if _is_near(each, angle)) >= _WORD else []
    return angles


def slanted_letters(raws: Sequence[Raw], read: Sequence[float], page: Rectangle) -> list[Point]:
    """Those at other angles than these, on the page as it is turned to read it, by the first of them."""
    main = read[0]
    angles = {each for each in set(map(_ANGLE, raws)) if not any(_is_near(each, angle) for angle in read)}
    points = [Point(raw[1], raw[2]) for raw in raws if raw[7] in angles and raw[0].isalnum()]
    return [Point(*turned_point(*point, main)) for point in points if page.has(point)]


def turned_back(chars: Sequence[Character], raws: Sequence[Raw], angle: float) -> tuple[list[Character], list[Raw]]:
    """The glyphs at an angle, as if the page were turned back by it.

    pdf-oxide sorts them as if they were upright, and says nothing about how wide they are: where the next one begins
    is then the best that is known.
    """
    angles = {each for each in set(map(_ANGLE, raws)) if _is_near(each, angle)}
    turned = [(raw, char) for raw, char in zip(raws, chars, strict=True) if raw[7] in angles]
    placed = [((*turned_point(raw[1], raw[2], angle), raw), char) for raw, char in turned]
    if angle % 90:
        levels = _levels([y for (_, y, _), _ in placed])
        placed = [((x, levels[y], raw), char) for (x, y, raw), char in placed]
    placed.sort(key=lambda each: (-round(each[0][1]), each[0][0]))
    upright: list[Raw] = []
    for place, ((x, y, raw), _) in enumerate(placed):
        char, _, _, advance, font, size, colour, _ = raw
        step = placed[place + 1][0][0] - x if place + 1 < len(placed) else 0.0
        width = advance or (step if 0 < step < size else size / 2)
        upright.append((char, x, y, min(width, step) if step > 0 else width, font, size, colour, 0.0))
    return [char for _, char in placed], upright


def _levels(heights: Sequence[float]) -> dict[float, float]:
    """The baseline that each of them lies on."""
    ordered = sorted(set(heights))
    levels = {height: height for height in ordered[:1]}
    for before, height in pairwise(ordered):
        levels[height] = levels[before] if height - before <= _LEVEL else height
    return levels


def turned_box(box: Rectangle, angle: float) -> Rectangle:
    """The box, in the file's own direction (up), after a turn that makes text at `angle` run to the right."""
    corners = [turned_point(x, y, angle) for x in (box.left, box.right) for y in (box.top, box.bottom)]
    xs, ys = zip(*corners, strict=True)
    return Rectangle(min(xs), min(ys), max(xs), max(ys))


def turned_point(x: float, y: float, angle: float) -> tuple[float, float]:
    match angle:
        case 0:
            return x, y
        case 90:
            return y, -x
        case 180:
            return -x, -y
        case 270:
            return -y, x
    across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return x * across + y * up, y * across - x * up


def _is_near(one: float, angle: float) -> bool:
    return abs((one - angle + 180) % 360 - 180) < STRAIGHT
