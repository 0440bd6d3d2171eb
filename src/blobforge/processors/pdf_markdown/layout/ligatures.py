"""Glyphs that stand for several letters: lost (U+FFFD) in the characters of pdf-oxide, but not in its spans."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

LOST = "\ufffd"
_MOST_LIGATURES = 3
_LEVEL = 1.0
_BESIDE = 1.5
_EXACT = 0.03
"""Points."""

Raw = tuple[str, float, float, float, str, float, tuple[float, ...], float]
"""Character, origin, advance, font, size, colour, angle."""


class Span(NamedTuple):
    text: str
    left: float
    base: float
    right: float


def spans_in(found: Iterable[Any]) -> list[Span]:
    """From pdf-oxide's own. It breaks them within words, so those that touch are put together again."""
    spans: list[Span] = []
    for each in found:
        left, base, width, height = each.bbox
        before = spans[-1] if spans else None
        if before is not None and abs(before.base - base) <= _LEVEL and abs(left - before.right) < 0.2 * height:
            spans[-1] = Span(before.text + each.text, before.left, base, left + width)
        else:
            spans.append(Span(each.text, left, base, left + width))
    return spans


def with_lost_letters(raws: Sequence[Raw], spans: Sequence[Span]) -> list[Raw]:
    """The same characters, the lost ones with the letters that the span at their place has there."""
    mended = list(raws)
    place = 0
    while place < len(mended):
        if mended[place][0] != LOST:
            place += 1
            continue
        first, last = _word_around(raws, place)
        for number, letters in _letters(raws, first, last, spans):
            mended[number] = _mended(raws, number, letters)
        place = last + 1
    return mended


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


def _word_around(raws: Sequence[Raw], place: int) -> tuple[int, int]:
    first = last = place
    while first > 0 and _is_next(raws[first - 1], raws[first]):
        first -= 1
    while last + 1 < len(raws) and _is_next(raws[last], raws[last + 1]):
        last += 1
    return first, last


def _is_next(before: Raw, after: Raw) -> bool:
    if not _is_letter(before[0]) or not _is_letter(after[0]) or abs(before[2] - after[2]) > _LEVEL:
        return False
    # The width of a lost glyph is not known.
    if before[0] == LOST:
        return 0 < after[1] - before[1] < 1.2 * before[5]
    return -before[5] < after[1] - before[1] - before[3] < 0.15 * before[5]


def _is_letter(char: str) -> bool:
    return char == LOST or char.isalnum()


def _letters(raws: Sequence[Raw], first: int, last: int, spans: Sequence[Span]) -> list[tuple[int, str]]:
    """What each lost character of a word is; what no span tells stays as it is, but gets its width."""
    lost = [place for place in range(first, last + 1) if raws[place][0] == LOST]
    # Where many are lost they are no ligatures; and the ways to share out letters among them would be too many.
    any_letters = r"(\w{1,3}?)" if len(lost) <= _MOST_LIGATURES else r"(\w)"
    pieces = [any_letters if raws[place][0] == LOST else re.escape(raws[place][0]) for place in range(first, last + 1)]
    pattern = re.compile(rf"(?<!\w){''.join(pieces)}(?!\w)")
    _, x, y, *_ = raws[lost[0]]
    for span in spans:
        if abs(span.base - y) <= _LEVEL and span.left - _BESIDE <= x <= span.right + _BESIDE:
            found = pattern.search(span.text)
            if found is not None:
                return list(zip(lost, found.groups(), strict=True))
    return [(place, LOST) for place in lost]


def _mended(raws: Sequence[Raw], place: int, letters: str) -> Raw:
    _, x, y, advance, font, size, colour, angle = raws[place]
    follows = raws[place + 1] if place + 1 < len(raws) else None
    step = follows[1] - x if follows is not None and abs(follows[2] - y) <= _LEVEL else 0.0
    if not advance or abs(advance - size) <= _EXACT:
        advance = step if 0 < step < 1.2 * size else size / 2
    return letters, x, y, advance, font, size, colour, angle
