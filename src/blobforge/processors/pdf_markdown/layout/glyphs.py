"""The glyphs of a page as pdf-oxide finds them, put together into pieces of text.

A page has thousands of glyphs and hundreds of pieces, so this loop is the only one that touches each glyph.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from blobforge.processors.pdf_markdown.layout.ligatures import (
    LOST,
    Found,
    Look,
    Place,
    Raw,
    in_place,
    with_lost_letters,
)
from blobforge.processors.pdf_markdown.layout.model import Box, Colour, Piece, Style

SPACE = 0.18
"""Of the size: a gap wider than this is a space, also where none was drawn."""
SAME_PLACE = 0.12
"""Of the size: what is drawn again so close is the same letter. Shadows and some bold type are made so."""
_OUTSIDE = 2.0
"""So far beyond the edge of the page a glyph may lie; what is farther out is cut off in print."""
_STRAIGHT = 1.0
_FIELDS = attrgetter(
    "char", "origin_x", "origin_y", "advance_width", "font_name", "font_size", "color", "rotation_degrees"
)
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[ﬀ-ﬆ]")
_UNKNOWN = re.compile("[\ufffd\x80-\x9f\ue000-\uf8ff]")
_BOLD_NAME = re.compile(r"bold|black|heavy|semib|demi(?!n)|\bmed", re.IGNORECASE)
_ITALIC_NAME = re.compile(r"ital|obliq", re.IGNORECASE)
_HEAVY = {"SemiBold", "Bold", "ExtraBold", "Black", "Heavy"}


class Glyphs(NamedTuple):
    """`page` is the visible box after turning, in the file's own direction: up."""

    pieces: list[Piece]
    turned: list[Piece]
    unknown: float
    angle: int
    page: Box


def _see_nothing(_places: Sequence[Place]) -> Mapping[Place, Found]:
    return {}


def read_glyphs(chars: Sequence[Any], page: Box, *, look: Look = _see_nothing) -> Glyphs:
    """A page most of whose text is turned by a quarter or more is turned back first.

    `look` is only asked when letters are lost.
    """
    raws: list[Raw] = list(map(_FIELDS, chars))
    if LOST in {raw[0] for raw in raws}:
        chars, raws = in_place(chars, raws)
        known = with_lost_letters(raws, look)
        chars = [char for char, raw in zip(chars, known, strict=True) if raw is not None]
        raws = [raw for raw in known if raw is not None]
    is_upright = {raw[7] for raw in raws} <= {0.0}
    angle = 0 if is_upright else _main_angle(raws)
    aside = [] if is_upright else _read_aside(chars, raws, angle)
    if angle:
        chars, raws = _turned(chars, raws, angle)
        page = turned_box(page, angle)
    reader = _Reader(page)
    reader.read(chars, raws)
    letters = sum(len(piece.text) for piece in reader.pieces)
    unknown = sum(len(_UNKNOWN.findall(piece.text)) for piece in reader.pieces if not piece.text.isascii())
    return Glyphs(reader.pieces, aside, unknown / max(letters, 1), angle, page)


def turned_box(box: Box, angle: int) -> Box:
    """The box, in the file's own direction (up), after a turn that makes text at `angle` run to the right."""
    x1, y1 = turned_point(box.left, box.top, angle)
    x2, y2 = turned_point(box.right, box.bottom, angle)
    return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))


def turned_point(x: float, y: float, angle: int) -> tuple[float, float]:
    match angle:
        case 90:
            return y, -x
        case 180:
            return -x, -y
        case 270:
            return -y, x
        case _:
            return x, y


def _main_angle(raws: Sequence[Raw]) -> int:
    """The quarter turn of most glyphs."""
    for angle in (90, 180, 270):
        if 2 * sum(_is_at(raw, angle) for raw in raws) > len(raws):
            return angle
    return 0


def _turned(chars: Sequence[Any], raws: Sequence[Raw], angle: int) -> tuple[list[Any], list[Raw]]:
    """The glyphs at an angle, as if the page were turned back by it.

    pdf-oxide sorts them as if they were upright, and says nothing about how wide they are: where the next one begins
    is the best that is known.
    """
    turned = [(raw, char) for raw, char in zip(raws, chars, strict=True) if _is_at(raw, angle)]
    placed = [((*turned_point(raw[1], raw[2], angle), raw), char) for raw, char in turned]
    placed.sort(key=lambda each: (-round(each[0][1]), each[0][0]))
    upright: list[Raw] = []
    for place, ((x, y, raw), _) in enumerate(placed):
        char, _, _, _, font, size, colour, _ = raw
        step = placed[place + 1][0][0] - x if place + 1 < len(placed) else 0.0
        upright.append((char, x, y, step if 0 < step < size else size / 2, font, size, colour, 0.0))
    return [char for _, char in placed], upright


def _is_at(raw: Raw, angle: int) -> bool:
    return abs((raw[7] - angle + 180) % 360 - 180) < _STRAIGHT


def _read_aside(chars: Sequence[Any], raws: Sequence[Raw], angle: int) -> list[Piece]:
    """Text at another angle than most, each quarter read as if the page were turned so. Its places are its own."""
    pieces: list[Piece] = []
    for other in (90, 180, 270):
        if other != angle and any(_is_at(raw, other) for raw in raws):
            reader = _Reader(None)
            reader.read(*_turned(chars, raws, other))
            pieces += reader.pieces
    return pieces


class _Reader:
    """Puts upright glyphs together. `page` is the visible box; without one nothing is cut off."""

    def __init__(self, page: Box | None) -> None:
        self.pieces: list[Piece] = []
        self._page = page
        self._looks: dict[tuple[str, float, Colour], Style] = {}

    def read(self, chars: Sequence[Any], raws: Iterable[Raw]) -> None:  # noqa: C901, PLR0915
        # One long loop, for a call for each glyph would double the time that a page takes.
        text = ""
        last_char = ""
        left = right = last_x = last_y = last_size = widest = 0.0
        last_font: str | None = None
        last_colour: Colour = ()
        before = False
        for index, (char, x, y, advance, font, size, colour, angle) in enumerate(raws):
            if angle and abs(angle) >= _STRAIGHT:
                continue
            if not char or char.isspace():
                if text:
                    self._add(text, left, right, last_y, before, True)
                    text = ""
                before = True
                continue
            if size != last_size or font != last_font or colour != last_colour:
                if text:
                    self._add(text, left, right, last_y, before, False)
                    text, before = "", False
                last_size, last_font, last_colour = size, font, colour
                widest = SPACE * size
                self._set_style(chars[index], font, size, colour)
            elif text and (y != last_y or not -widest < x - right < widest):
                if char == last_char and abs(x - last_x) < SAME_PLACE * size and abs(y - last_y) < SAME_PLACE * size:
                    continue
                self._add(text, left, right, last_y, before, False)
                text, before = "", False
            if not text:
                left = x
            text += char
            last_char, last_x, last_y = char, x, y
            right = x + (advance or chars[index].bbox[2])
        if text:
            self._add(text, left, right, last_y, before, False)

    def _set_style(self, char: Any, font: str, size: float, colour: Colour) -> None:
        look = (font, size, colour)
        style = self._looks.get(look)
        if style is None:
            style = self._looks[look] = _style(char, font, size, colour)
        self._style = style

    def _add(self, text: str, left: float, right: float, y: float, before: bool, after: bool) -> None:  # noqa: FBT001
        page = self._page
        if page is None:
            self.pieces.append(Piece(text, left, right, -y, self._style, before, after))
            return
        left, right, base = left - page.left, right - page.left, page.bottom - y
        if right < -_OUTSIDE or left > page.width + _OUTSIDE or not -_OUTSIDE <= base <= page.height + _OUTSIDE:
            return
        if not text.isascii():
            text = _LIGATURE.sub(lambda found: _LIGATURES[found[0]], text)
        self.pieces.append(Piece(text, left, right, base, self._style, before, after))


def _style(char: Any, font: str, size: float, colour: Colour) -> Style:
    name = font.rpartition("+")[2]
    return Style(
        font=name,
        size=round(size, 1),
        bold=char.font_weight in _HEAVY or _BOLD_NAME.search(name) is not None,
        italic=char.is_italic or _ITALIC_NAME.search(name) is not None,
        mono=char.is_monospace,
        colour=tuple(round(part, 2) for part in colour),
    )
