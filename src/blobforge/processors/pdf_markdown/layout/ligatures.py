"""Glyphs that stand for several letters: lost (U+FFFD) in the characters of pdf-oxide, but not elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

LOST = "\ufffd"
_LEVEL = 1.0
_EXACT = 0.03
"""Points."""

Raw = tuple[str, float, float, float, str, float, tuple[float, ...], float]
"""Character, origin, advance, font, size, colour, angle."""


class Place(NamedTuple):
    """Where a glyph begins, and how large it is, in the file's own coordinates."""

    x: float
    y: float
    size: float


class Found(NamedTuple):
    """The letters of one glyph, and how far the next one stands, where there is one."""

    letters: str
    width: float | None


Look = Callable[[Sequence[Place]], Mapping[Place, Found]]
"""Another reader of the page: what it finds at these places."""


def with_lost_letters(raws: Sequence[Raw], look: Look) -> list[Raw | None]:
    """The same characters, the lost ones with the letters that are found at their place.

    A lost one without any width is a mark that nobody sees, such as where a word could have been broken: None.
    """
    mended: list[Raw | None] = list(raws)
    seen: list[int] = []
    for number, raw in enumerate(raws):
        if raw[0] == LOST:
            step = _step(raws, number)
            mended[number] = None
            if step is None or step > _EXACT or raw[3] > _EXACT:
                seen.append(number)
    found = look([_place(raws[number]) for number in seen])
    for number in seen:
        mended[number] = _mended(raws[number], _step(raws, number), found.get(_place(raws[number])))
    return mended


def _place(raw: Raw) -> Place:
    return Place(raw[1], raw[2], raw[5])


def in_place(chars: Sequence[Any], raws: Sequence[Raw]) -> tuple[list[Any], list[Raw]]:
    """All characters where they were drawn, in the order of the page.

    Where pdf-oxide does not know the width of a lost glyph, it takes a whole em too much, and all that was drawn in
    one go after it stands too far right by that.
    """
    shifts: dict[int, float] = {}
    for place, raw in enumerate(raws):
        if raw[0] == LOST and abs(raw[3] - raw[5]) <= _EXACT:
            first = _first_shifted(raws, place)
            if first is not None:
                run = _drawn_in_one_go(raws, first)
                shifts |= dict.fromkeys(run, shifts.get(place, 0.0) + raw[3])
    placed, moved = list(chars), list(raws)
    for first, last in {_line_around(raws, place) for place in shifts}:
        order = sorted(range(first, last + 1), key=lambda place: raws[place][1] - shifts.get(place, 0.0))
        placed[first : last + 1] = [chars[place] for place in order]
        moved[first : last + 1] = [_shifted(raws[place], shifts.get(place, 0.0)) for place in order]
    return placed, moved


def _line_around(raws: Sequence[Raw], place: int) -> tuple[int, int]:
    first = last = place
    while first > 0 and abs(raws[first - 1][2] - raws[place][2]) <= _EXACT:
        first -= 1
    while last + 1 < len(raws) and abs(raws[last + 1][2] - raws[place][2]) <= _EXACT:
        last += 1
    return first, last


def _shifted(raw: Raw, shift: float) -> Raw:
    char, x, y, advance, font, size, colour, angle = raw
    return char, x - shift, y, advance, font, size, colour, angle


def _first_shifted(raws: Sequence[Raw], place: int) -> int | None:
    """What was drawn next: put back, it stands just after the lost glyph, where nothing else does."""
    _, x, y, advance, _, size, _, _ = raws[place]
    line: list[int] = []
    for number in range(place + 1, len(raws)):
        if abs(raws[number][2] - y) > _LEVEL or raws[number][1] > x + advance + 0.95 * size:
            break
        line.append(number)
    for number in line:
        left = raws[number][1] - advance
        right = left + raws[number][3] - 0.3
        if left - x >= 0.4 * size and not any(x < raws[other][1] < right for other in line if other != number):
            return number
    return None


def _drawn_in_one_go(raws: Sequence[Raw], first: int) -> list[int]:
    """The characters of its line that begin just where the one before ends."""
    run = [first]
    end = raws[first][1] + raws[first][3]
    for number in range(first + 1, len(raws)):
        _, x, y, advance, _, size, _, _ = raws[number]
        if abs(y - raws[first][2]) > _LEVEL or x > end + size:
            break
        if abs(x - end) <= _EXACT:
            run.append(number)
            end = x + advance
    return run


def _step(raws: Sequence[Raw], place: int) -> float | None:
    """How far the next character stands, where there is one on its line."""
    follows = raws[place + 1] if place + 1 < len(raws) else None
    if follows is None or abs(follows[2] - raws[place][2]) > _LEVEL:
        return None
    return follows[1] - raws[place][1]


def _mended(raw: Raw, step: float | None, found: Found | None) -> Raw:
    _, x, y, advance, font, size, colour, angle = raw
    known = ""
    if found is not None:
        known = "".join(letter for letter in found.letters if letter.isprintable() and not letter.isspace())
    # The width of a lost glyph is often not known: none at all, or a whole em.
    if not advance or abs(advance - size) <= _EXACT:
        widths = (found.width if found is not None else None, step, size / 2)
        advance = next(width for width in widths if width is not None and 0 < width < 1.2 * size)
    return known or LOST, x, y, advance, font, size, colour, angle
