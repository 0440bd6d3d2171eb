"""The glyphs of a page as pdf-oxide finds them: clipped to the page, each once, with its style."""

import re
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from blobforge.processors.pdf_markdown.layout.model import Box, Glyph, Style

_FIELDS = attrgetter(
    "char",
    "origin_x",
    "origin_y",
    "advance_width",
    "bbox",
    "font_name",
    "font_size",
    "font_weight",
    "is_italic",
    "is_monospace",
    "color",
    "rotation_degrees",
)
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_BOLD_NAME = re.compile(r"bold|black|heavy|semib|demi(?!n)|\bmed", re.IGNORECASE)
_ITALIC_NAME = re.compile(r"ital|obliq", re.IGNORECASE)
_HEAVY = {"SemiBold", "Bold", "ExtraBold", "Black", "Heavy"}
_OUTSIDE = 2.0
"""So far beyond the edge of the page a glyph may lie; what is farther out is cut off in print."""
_SAME_PLACE = 2
"""Glyphs are the same when they are drawn within half a point of each other: bold is sometimes made so."""


def read_glyphs(chars: Iterable[Any], page: Box) -> tuple[list[Glyph], list[Glyph]]:
    """The upright glyphs, and those that are turned. `page` is the visible box in the file's own coordinates."""
    upright: list[Glyph] = []
    turned: list[Glyph] = []
    drawn: set[tuple[str, int, int]] = set()
    styles: dict[tuple[Any, ...], Style] = {}
    width, height = page.width, page.height
    for char, x, y, advance, bounds, font, size, weight, italic, mono, colour, angle in map(_FIELDS, chars):
        left, base = x - page.left, page.bottom - y
        if not char or not (-_OUTSIDE <= left <= width + _OUTSIDE and -_OUTSIDE <= base <= height + _OUTSIDE):
            continue
        place = (char, round(left * _SAME_PLACE), round(base * _SAME_PLACE))
        if place in drawn and char != " ":
            continue
        drawn.add(place)
        look = (font, round(size, 1), weight, italic, mono, colour)
        style = styles.get(look)
        if style is None:
            style = styles[look] = _style(*look)
        glyph = Glyph(_LIGATURES.get(char, char), left, left + (advance or bounds[2]), base, style)
        (upright if abs(angle) < 1 else turned).append(glyph)
    return upright, turned


def _style(font: str, size: float, weight: str, italic: bool, mono: bool, colour: tuple[float, ...]) -> Style:
    name = font.rpartition("+")[2]
    return Style(
        font=name,
        size=size,
        bold=weight in _HEAVY or _BOLD_NAME.search(name) is not None,
        italic=italic or _ITALIC_NAME.search(name) is not None,
        mono=mono,
        colour=tuple(round(part, 2) for part in colour),
    )
