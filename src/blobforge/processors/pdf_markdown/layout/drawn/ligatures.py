"""Glyphs that stand for several letters: lost (U+FFFD) in the characters of pdf-oxide, but not elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from blobforge.processors.pdf_markdown.layout.words.characters import LOST

_LEVEL = 1.0
_EXACT = 0.03
_NEAR = 0.06
"""Points: readers round in different ways."""

Glyph = TypeVar("Glyph")
"""Whatever is told of a glyph beside its raw facts."""
Raw = tuple[str, float, float, float, str, float, tuple[float, ...], float]
"""Character, origin, advance, font, size, colour, angle."""


class GlyphPosition(NamedTuple):
    """Where a glyph begins, and how large it is, in the file's own coordinates."""

    x: float
    y: float
    size: float


class FoundGlyph(NamedTuple):
    """The letters of one glyph, and how far the next one stands, where there is one."""

    letters: str
    width: float | None


GlyphLookup = Callable[[Sequence[GlyphPosition]], Mapping[GlyphPosition, FoundGlyph]]
"""Another reader of the page: what it finds at these places."""


def remembering(look: GlyphLookup) -> GlyphLookup:
    """The same reader, who is asked once for each place."""
    known: dict[GlyphPosition, FoundGlyph | None] = {}

    def remembered(places: Sequence[GlyphPosition]) -> Mapping[GlyphPosition, FoundGlyph]:
        unknown = [place for place in places if place not in known]
        if unknown:
            known.update(dict.fromkeys(unknown) | dict(look(unknown)))
        return {place: found for place in places if (found := known[place]) is not None}

    return remembered


def with_lost_letters(raws: Sequence[Raw], look: GlyphLookup) -> list[Raw | None]:
    """The same characters, the lost ones with the letters that are found at their place.

    A lost one where the next begins is a mark that nobody sees, such as where a word could have been broken: None.
    """
    mended: list[Raw | None] = list(raws)
    seen: list[int] = []
    for number, raw in enumerate(raws):
        if raw[0] == LOST:
            mended[number] = None
            if not _is_unseen(raws, number):
                seen.append(number)
    found = look([_place(raws[number]) for number in seen])
    reach = GlyphPosition(0.0, 0.0, 0.0)
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


def _place(raw: Raw) -> GlyphPosition:
    return GlyphPosition(raw[1], raw[2], raw[5])


def in_place(chars: Sequence[Glyph], raws: Sequence[Raw], look: GlyphLookup) -> tuple[list[Glyph], list[Raw]]:
    """All characters where they were drawn, in the order of the page.

    Where the text of a glyph is told beside it, as browsers do for ligatures, pdf-oxide goes on by the usual width of
    the font and then by that of the glyph: all that was drawn in one go after it stands too far right.
    """
    shifts: dict[int, float] = {}
    for place, raw in enumerate(raws):
        if raw[0] == LOST and raw[3] > _EXACT and not _is_unseen(raws, place):
            too_far = _lost_in_one_place(raws, place) * raw[3]
            first = _first_shifted(raws, place, shifts, too_far, look)
            if first is not None:
                shifts |= dict.fromkeys(_drawn_in_one_go(raws, first), shifts.get(place, 0.0) + too_far)
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


def _lost_in_one_place(raws: Sequence[Raw], place: int) -> int:
    """Of a glyph that stands for three letters, two are told to be lost, the second an advance after the first."""
    _, x, _, advance, _, _, _, _ = raws[place]
    count = 1
    while place + count < len(raws):
        char, left, _, width, _, _, _, _ = raws[place + count]
        if char != LOST or width != advance or abs(left - x - count * advance) > _EXACT:
            break
        count += 1
    return count


def _first_shifted(
    raws: Sequence[Raw], place: int, shifts: Mapping[int, float], too_far: float, look: GlyphLookup
) -> int | None:
    """What was drawn next, where it does not stand where another reader finds it, but so much too far on."""
    _, x, y, _, _, size, _, _ = raws[place]
    seen = GlyphPosition(x - shifts.get(place, 0.0), y, size)
    known = look([seen]).get(seen)
    if known is None or known.width is None or LOST in known.letters:
        return None
    line = range(place + 1, _line_around(raws, place)[1] + 1)
    wanted = seen.x + known.width
    if any(abs(raws[number][1] - shifts.get(number, 0.0) - wanted) <= _NEAR for number in line):
        return None
    told = x + known.width + too_far
    return next((number for number in line if abs(raws[number][1] - told) <= _NEAR), None)


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


def _is_unseen(raws: Sequence[Raw], place: int) -> bool:
    """Whether the next character begins where it does."""
    step = _step(raws, place)
    return step is not None and step <= _EXACT


def _step(raws: Sequence[Raw], place: int) -> float | None:
    """How far the next character stands, where there is one on its line."""
    follows = raws[place + 1] if place + 1 < len(raws) else None
    if follows is None or abs(follows[2] - raws[place][2]) > _LEVEL:
        return None
    return follows[1] - raws[place][1]


def _mended(raw: Raw, step: float | None, found: FoundGlyph | None) -> Raw:
    _, x, y, advance, font, size, colour, angle = raw
    known = ""
    if found is not None:
        known = "".join(letter for letter in found.letters if letter.isprintable() and not letter.isspace())
    # What is said of the width of a glyph that stands for several letters cannot be believed: it is that of any other.
    told = [found.width if found is not None else None, step, None if known.strip(LOST) else advance]
    widths = [width for width in told if width is not None and 0 < width < 1.2 * size]
    advance = min(widths, default=advance if 0 < advance < size else size / 2)
    return known or LOST, x, y, advance, font, size, colour, angle
