"""Whether a font is whole. Readers put another in the place of one that is damaged, or take its codes for letters as
they see fit, and say nothing of it."""

import re
from enum import Enum, auto

import pikepdf

from blobforge.processors.pdf_markdown.stream_decoding import MOST_TEXT, decoded

_KINDS = frozenset(("/Type0", "/Type1", "/MMType1", "/Type3", "/TrueType", "/CIDFontType0", "/CIDFontType2"))
_PROGRAMS = frozenset(("/FontFile", "/FontFile2", "/FontFile3"))
_FAULTS = (pikepdf.PdfError, pikepdf.DataDecodingError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)
_DEEPEST = 2
"""A font of many bytes a code has a descendant, and that has none."""
_BEGIN_OF_CMAP = b"begincmap"
_COMMENT = re.compile(rb"%[^\r\n]*+")
_BLOCK = re.compile(rb"(begin|end)(bfchar|bfrange)")
_HEX = rb"\s*+<[0-9A-Fa-f\s]*+>"
_LETTERS = rb"(?:" + _HEX + rb"|\s*+/[^\s/<>\[\](){}%]++)"
_ENTRIES = {
    b"bfchar": re.compile(rb"(?:" + _HEX + _LETTERS + rb")*+\s*+"),
    b"bfrange": re.compile(rb"(?:" + _HEX + _HEX + rb"(?:" + _LETTERS + rb"|\s*+\[" + _LETTERS + rb"*+\s*+\]))*+\s*+"),
}


class FontCondition(Enum):
    WHOLE = auto()
    LETTERS_LOST = auto()
    """Its glyphs can be drawn, and which letters they are is damaged: a picture of them tells more."""
    DAMAGED = auto()


def condition_of(font: pikepdf.Object | None) -> FontCondition:
    try:
        if font is None or not _is_drawn_right(font, depth=_DEEPEST):
            return FontCondition.DAMAGED
        return FontCondition.WHOLE if _tells_letters(font) else FontCondition.LETTERS_LOST
    except _FAULTS:
        return FontCondition.DAMAGED


def _is_drawn_right(font: pikepdf.Object | None, *, depth: int) -> bool:
    if not depth or not isinstance(font, pikepdf.Dictionary) or str(font.get("/Subtype")) not in _KINDS:
        return False
    # A key whose value is nowhere in the file is not there for `get`.
    for name, part in font.items():
        if name == "/Encoding" and not _is_encoding(part):
            return False
        if name == "/FontDescriptor" and not _has_whole_program(part):
            return False
    if font.Subtype != pikepdf.Name.Type0:
        return True
    descendants = list(font.get("/DescendantFonts", ()))
    return bool(descendants) and all(_is_drawn_right(each, depth=depth - 1) for each in descendants)


def _is_encoding(part: pikepdf.Object | None) -> bool:
    if isinstance(part, pikepdf.Stream):
        return decoded(part).whole
    return isinstance(part, (pikepdf.Name, pikepdf.Dictionary))


def _has_whole_program(descriptor: pikepdf.Object | None) -> bool:
    if not isinstance(descriptor, pikepdf.Dictionary):
        return False
    return all(_is_program(part) for name, part in descriptor.items() if name in _PROGRAMS)


def _is_program(part: pikepdf.Object | None) -> bool:
    if not isinstance(part, pikepdf.Stream):
        return False
    program, whole = decoded(part)
    return whole and bool(program)


def _tells_letters(font: pikepdf.Object) -> bool:
    for name, part in font.items():
        if name == "/ToUnicode" and not isinstance(part, pikepdf.Name):
            text, whole = decoded(part) if isinstance(part, pikepdf.Stream) else (b"", False)
            return whole and (not text or len(text) >= MOST_TEXT or _is_cmap(text))
    return True


def _is_cmap(text: bytes) -> bool:
    """Whether it has blocks, each with its end and with nothing but entries between."""
    marks = _BLOCK.split(_COMMENT.sub(b"", text))
    if len(marks) == 1:
        return _BEGIN_OF_CMAP in text
    opened = b""
    for edge, kind, following in zip(marks[1::3], marks[2::3], marks[3::3], strict=True):
        if edge == b"begin":
            if opened or _ENTRIES[kind].fullmatch(following) is None:
                return False
            opened = kind
        elif kind != opened:
            return False
        else:
            opened = b""
    return not opened
