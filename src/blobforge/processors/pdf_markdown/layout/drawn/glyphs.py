"""The glyphs of a page as pdf-oxide finds them, put together into pieces of text.

A page has thousands of glyphs and hundreds of pieces, so this loop is the only one that touches each glyph.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.drawn.glyph_names import Ligatures, with_named_ligatures
from blobforge.processors.pdf_markdown.layout.drawn.icons import (
    has_doubtful_signs,
    signs_of,
    with_signs,
)
from blobforge.processors.pdf_markdown.layout.drawn.libraries import Character
from blobforge.processors.pdf_markdown.layout.drawn.ligatures import (
    FoundGlyph,
    GlyphLookup,
    GlyphPosition,
    Raw,
    in_place,
    remembering,
    with_lost_letters,
)
from blobforge.processors.pdf_markdown.layout.drawn.private_codes import with_private_codes
from blobforge.processors.pdf_markdown.layout.drawn.turns import (
    MUCH_TURNED,
    STRAIGHT,
    further_angles,
    is_slanted,
    main_angles,
    slanted_letters,
    turned_back,
    turned_box,
)
from blobforge.processors.pdf_markdown.layout.drawn.vertical import may_run_down, run_down
from blobforge.processors.pdf_markdown.layout.model.content import Colour, Point, Rectangle, Style, TextRun
from blobforge.processors.pdf_markdown.layout.words import fonts
from blobforge.processors.pdf_markdown.layout.words.characters import LOST, cleaned
from blobforge.processors.pdf_markdown.layout.words.lines import SAME_PLACE, SPACE

_OUTSIDE = 2.0
"""So far beyond the edge of the page a glyph may lie; what is farther out is cut off in print."""
_SMALLEST = 0.05
"""Sizes are told to a tenth of a point."""
_ASKED = 3
_FIELDS = attrgetter(
    "char", "origin_x", "origin_y", "advance_width", "font_name", "font_size", "color", "rotation_degrees"
)
_UNKNOWN = re.compile("[\ufffd\x80-\x9f\ue000-\uf8ff]")
_HEAVY = {"SemiBold", "Bold", "ExtraBold", "Black", "Heavy"}


class Glyphs(NamedTuple):
    """`page` is the visible box after turning, in the file's own direction: up.

    `turned` is text at another angle than most, `turned_by`, read as if the page were turned so.
    """

    pieces: list[TextRun]
    turned: list[TextRun]
    unknown: float
    angle: float
    page: Rectangle
    turned_by: float = 0
    slanted: Sequence[Point] = ()
    """Letters at other angles, on the page as it was turned, in the file's own direction."""
    asides: Sequence[tuple[float, list[TextRun]]] = ()
    """Words at further angles, read as if the page were turned by each."""


_NONE: Ligatures = {}


def _see_nothing(_places: Sequence[GlyphPosition]) -> Mapping[GlyphPosition, FoundGlyph]:
    return {}


def _as_told(_place: GlyphPosition, _angle: float) -> bool:
    return False


def read_glyphs(
    chars: Sequence[Character],
    page: Rectangle,
    *,
    look: GlyphLookup = _see_nothing,
    again: Callable[[], Sequence[Character]] = list,
    is_mirrored: Callable[[GlyphPosition, float], bool] = _as_told,
    ligatures: Ligatures = _NONE,
) -> Glyphs:
    """A page most of whose text is turned by a quarter or more is turned back first.

    `look` is only asked when letters are lost, or where `ligatures` may be. `again` reads the page with another
    reader, where much of it is turned, for pdf-oxide tells no widths then, or where letters have a negative size, whose
    order it mistakes; and where it took up for down, `is_mirrored`.
    """
    chars, raws = _measured(chars)
    turned = [raw for raw in raws if raw[7]]
    is_odd = len(turned) >= MUCH_TURNED or any(raw[5] < 0 or is_slanted(raw[7]) for raw in turned)
    if is_odd and (read := again()):
        chars, raws = _measured(read)
    elif turned and any(is_mirrored(GlyphPosition(*raw[1:3], raw[5]), raw[7]) for raw in turned[:_ASKED]):
        raws = [(*raw[:7], -raw[7]) for raw in raws]
    raws = with_named_ligatures(raws, ligatures, look)
    characters = {raw[0] for raw in raws}
    if has_doubtful_signs(characters):
        raws = with_signs(raws, look)
    if LOST in characters:
        look = remembering(look)
        chars, raws = in_place(chars, raws, look)
        known = with_lost_letters(raws, look)
        chars = [char for char, raw in zip(chars, known, strict=True) if raw is not None]
        raws = [raw for raw in known if raw is not None]
    is_upright = not turned
    if may_run_down(characters):
        raws = run_down(raws)
        is_upright = {raw[7] for raw in raws} <= {0.0}
    angle, other = (0.0, None) if is_upright else main_angles(raws)
    aside = [] if other is None else _read_aside(chars, raws, other, page)
    asides, slanted = ([], []) if is_upright else _further(chars, raws, (angle, other), page)
    if angle:
        chars, raws = turned_back(chars, raws, angle)
        page = turned_box(page, angle)
    pieces = _pieces(chars, raws, page)
    unknown = _share_of_unknown(pieces, raws)
    return Glyphs(fonts.with_typewriters(pieces), aside, unknown, angle, page, other or 0, slanted, asides)


def _further(
    chars: Sequence[Character], raws: Sequence[Raw], read: tuple[float, float | None], page: Rectangle
) -> tuple[list[tuple[float, list[TextRun]]], list[Point]]:
    """The words at further angles than these, and the letters that stand at angles of their own."""
    known = [angle for angle in read if angle is not None]
    angles = further_angles(raws, known)
    asides = [(angle, _read_aside(chars, raws, angle, page)) for angle in angles]
    return asides, slanted_letters(raws, [*known, *angles], page)


def _measured(chars: Sequence[Character]) -> tuple[Sequence[Character], list[Raw]]:
    """Those that can be seen. In a damaged file a glyph may be of no size, or nowhere: all that comes after this
    divides by sizes and counts in places."""
    raws: list[Raw] = list(map(_FIELDS, chars))
    sizes = {abs(raw[5]) for raw in raws}
    places = sum(raw[1] + raw[2] + raw[3] + raw[7] for raw in raws)
    places += sum(char.bbox[2] for char, raw in zip(chars, raws, strict=True) if not raw[3])
    if math.isfinite(places + sum(sizes)) and min(sizes, default=_SMALLEST) >= _SMALLEST:
        return chars, raws
    seen = [(char, raw) for char, raw in zip(chars, raws, strict=True) if _is_seen(char, raw)]
    return [char for char, _ in seen], [raw for _, raw in seen]


def _is_seen(char: Character, raw: Raw) -> bool:
    _, x, y, advance, _, size, _, angle = raw
    return abs(size) >= _SMALLEST and all(map(math.isfinite, (x, y, advance or char.bbox[2], size, angle)))


def _share_of_unknown(pieces: Sequence[TextRun], raws: Sequence[Raw]) -> float:
    letters = sum(len(piece.text) for piece in pieces)
    unknown = sum(len(_UNKNOWN.findall(piece.text)) for piece in pieces if not piece.text.isascii())
    return min((unknown + with_private_codes(raws)) / max(letters, 1), 1.0)


def _read_aside(chars: Sequence[Character], raws: Sequence[Raw], angle: float, page: Rectangle) -> list[TextRun]:
    """Text at another angle than most, with its places on a page that is turned so."""
    return _pieces(*turned_back(chars, raws, angle), turned_box(page, angle))


def _pieces(chars: Sequence[Character], raws: Sequence[Raw], page: Rectangle) -> list[TextRun]:
    reader = _RunBuilder(page)
    reader.read(chars, raws)
    return reader.pieces


class _RunBuilder:
    """Puts upright glyphs together. `page` is the visible box; what lies outside is cut off."""

    def __init__(self, page: Rectangle) -> None:
        self.pieces: list[TextRun] = []
        self._limits = page.left, page.bottom, page.width + _OUTSIDE, page.height + _OUTSIDE
        self._looks: dict[tuple[str, float, Colour], tuple[Style, Mapping[int, str] | None]] = {}

    def read(self, chars: Sequence[Character], raws: Iterable[Raw]) -> None:  # noqa: C901, PLR0915
        # One long loop, for a call for each glyph would double the time that a page takes.
        text = ""
        last_char = ""
        left = right = last_x = last_y = last_size = widest = 0.0
        last_font: str | None = None
        last_colour: Colour = ()
        before = False
        add = self._add
        for index, (char, x, y, advance, font, size, colour, angle) in enumerate(raws):
            if angle and abs(angle) >= STRAIGHT:
                continue
            if not char or char.isspace():
                if text:
                    add(text, left, right, last_y, before, True)
                    text = ""
                before = True
                continue
            if size != last_size or font != last_font or colour != last_colour:
                if text:
                    add(text, left, right, last_y, before, False)
                    text, before = "", False
                last_size, last_font, last_colour = size, font, colour
                widest = SPACE * size
                self._set_style(chars[index], font, size, colour)
            elif text and (y != last_y or not -widest < x - right < widest):
                if char == last_char and abs(x - last_x) < SAME_PLACE * size and abs(y - last_y) < SAME_PLACE * size:
                    continue
                add(text, left, right, last_y, before, False)
                text, before = "", False
            if not text:
                left = x
            text += char
            last_char, last_x, last_y = char, x, y
            right = x + (advance or chars[index].bbox[2])
        if text:
            add(text, left, right, last_y, before, False)

    def _set_style(self, char: Character, font: str, size: float, colour: Colour) -> None:
        look = (font, size, colour)
        known = self._looks.get(look)
        if known is None:
            known = self._looks[look] = _style(char, font, size, colour), signs_of(font)
        self._style, self._signs = known

    def _add(self, text: str, left: float, right: float, y: float, before: bool, after: bool) -> None:  # noqa: FBT001
        edge, bottom, last, lowest = self._limits
        left, right, base = left - edge, right - edge, bottom - y
        if right < -_OUTSIDE or left > last or not -_OUTSIDE <= base <= lowest:
            return
        if self._signs is not None:
            text = text.translate(self._signs)
        if not text.isascii() or not text.isprintable():
            text = cleaned(text)
            if not text:
                return
        self.pieces.append(TextRun(text, left, right, base, self._style, before, after))


def _style(char: Character, font: str, size: float, colour: Colour) -> Style:
    name = font.rpartition("+")[2]
    return Style(
        font=name,
        size=round(size, 1),
        bold=fonts.is_bold(name, is_said=char.font_weight in _HEAVY),
        italic=char.is_italic or fonts.is_italic(name),
        mono=fonts.is_typewriter(name),
        colour=tuple(round(part, 2) for part in colour),
    )
