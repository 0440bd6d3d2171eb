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

    A lost one where the next begins is a mark that nobody sees, such as where a word could have been broken: None.
    """
    mended: list[Raw | None] = list(raws)
    seen: list[int] = []
    for number, raw in enumerate(raws):
        if raw[0] == LOST:
            step = _step(raws, number)
            mended[number] = None
            if step is None or step > _EXACT:
                seen.append(number)
    found = look([_place(raws[number]) for number in seen])
    reach = Place(0.0, 0.0, 0.0)
    for number in seen:
        place = _place(raws[number])
        known = found.get(place)
        if known is None and abs(place.y - reach.y) <= _LEVEL and place.x < reach.x - _EXACT:
            continue  # it lies within the one before, which was all there is
        # Where one lost glyph follows another, its place is as doubtful as the width of the first.
        follows_lost = number + 1 < len(raws) and raws[number + 1][0] == LOST and known is not None
        step = None if follows_lost else _step(raws, number)
        mended[number] = after = _mended(raws[number], step, known)
        if known is not None:
            reach = place._replace(x=place.x + after[3])
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
    # What is said of the width of a lost glyph cannot be believed: it is none at all, or that of any other.
    told = [found.width if found is not None else None, step]
    widths = [width for width in told if width is not None and 0 < width < 1.2 * size]
    advance = min(widths, default=advance if 0 < advance < size else size / 2)
    return known or LOST, x, y, advance, font, size, colour, angle
