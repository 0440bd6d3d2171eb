"""Ligatures that only the names of glyphs tell: `f_t` is "ft".

Where a font has no table of its letters, pdf-oxide reads the first letter of such a name alone, and PDFium gives the
code of the glyph.
"""

import re
from collections.abc import Iterable, Mapping

import pikepdf

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import GlyphLookup, GlyphPosition, Raw
from blobforge.processors.pdf_markdown.layout.words.characters import LOST

_LIGATURE = re.compile(r"/([A-Za-z](?:_[A-Za-z])+)(?:\.\w+)?")

Ligatures = Mapping[str, Mapping[int, str]]
"""By the name of the font, without what tells subsets apart, and the code of the glyph."""


def ligatures_in(fonts: Iterable[pikepdf.Object]) -> Ligatures:
    """Where two fonts of one name say different things of a code, none is known."""
    known: dict[str, dict[int, str]] = {}
    for font in fonts:
        for code, letters in _named_in(font).items():
            codes = known.setdefault(_bare(str(font.get("/BaseFont"))[1:]), {})
            codes[code] = letters if codes.get(code, letters) == letters else ""
    return known


def _named_in(font: pikepdf.Object) -> dict[int, str]:
    encoding = font.get("/Encoding")
    if "/ToUnicode" in font or not isinstance(encoding, pikepdf.Dictionary):
        return {}
    found: dict[int, str] = {}
    code = 0
    for each in encoding.get("/Differences") or ():
        if not isinstance(each, pikepdf.Name):
            code = int(each)
            continue
        if (name := _LIGATURE.fullmatch(str(each))) is not None:
            found[code] = name[1].replace("_", "")
        code += 1
    return found


def with_named_ligatures(raws: list[Raw], ligatures: Ligatures, look: GlyphLookup) -> list[Raw]:
    """All letters of a glyph of which one was read, or none."""
    if not ligatures:
        return raws
    begins = {font: {LOST, *(letters[0] for letters in codes.values() if letters)} for font, codes in ligatures.items()}
    doubtful = [number for number, raw in enumerate(raws) if raw[0] in begins.get(_bare(raw[4]), ())]
    places = {number: GlyphPosition(*raws[number][1:3], raws[number][5]) for number in doubtful}
    found = look(list(places.values())) if places else {}
    mended = list(raws)
    for number, place in places.items():
        code = found[place].letters if place in found else ""
        if len(code) == 1 and code != raws[number][0]:
            letters = ligatures[_bare(raws[number][4])].get(ord(code))
            mended[number] = (letters or raws[number][0], *raws[number][1:])
    return mended


def _bare(font: str) -> str:
    return font.rpartition("+")[2]
