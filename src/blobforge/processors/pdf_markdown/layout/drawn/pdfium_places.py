"""What PDFium finds at a place where pdf-oxide is in doubt: the letters of a ligature, and the angle of a glyph."""

import ctypes
import math
from collections.abc import Iterable

from pypdfium2 import raw

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import FoundGlyph, GlyphPosition
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import PdfiumDocument

_EXACT = 0.05
_NEAR = 0.8
_REACH = 0.3
"""Of the size."""
_SAME_ORIGIN = 0.5
_BEFORE, _AFTER = 3, 6
"""How far from the letter that lies at a place those with their origin there are looked for."""


def letters_at(
    document: PdfiumDocument, index: int, places: Iterable[GlyphPosition]
) -> dict[GlyphPosition, FoundGlyph]:
    """What is found of these; places without a letter are left out."""
    reader = _TextPageLookup(document.text(index).raw)
    found = {place: reader.at(place) for place in places}
    return {place: letters for place, letters in found.items() if letters is not None}


class _TextPageLookup:
    def __init__(self, text: object) -> None:
        self._text = text
        self._count = raw.FPDFText_CountChars(text)
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def at(self, place: GlyphPosition) -> FoundGlyph | None:
        x, y, size = place
        middle = raw.FPDFText_GetCharIndexAtPos(self._text, x + 0.25 * size, y + 0.25 * size, 0.25 * size, 0.4 * size)
        if middle < 0:
            return None
        numbers = range(max(middle - _BEFORE, 0), min(middle + _AFTER, self._count))
        origins = [(number, *self._origin(number)) for number in numbers]
        near = [number for number, left, base in origins if abs(left - x) <= _NEAR and abs(base - y) <= 1]
        # A space that PDFium has put in stands close before the next letter.
        mine = [number for number in near if not raw.FPDFText_IsGenerated(self._text, number)]
        if not mine:
            return None
        start = self._origin(mine[0])[0]
        letters = "".join(self._letter(number) for number in mine if abs(self._origin(number)[0] - start) <= _EXACT)
        after = [
            left
            for number, left, base in origins
            if number > mine[-1]
            and abs(base - y) <= 1
            and left > start
            and not raw.FPDFText_IsGenerated(self._text, number)
        ]
        return FoundGlyph(letters, min(after) - start if after else None)

    def _origin(self, number: int) -> tuple[float, float]:
        raw.FPDFText_GetCharOrigin(self._text, number, self._x, self._y)
        return self._x.value, self._y.value

    def _letter(self, number: int) -> str:
        return chr(raw.FPDFText_GetUnicode(self._text, number))


class Mirrors:
    """Whether a document was drawn in a mirrored space, as browsers do: there pdf-oxide takes up for down in turned
    text. One program made all pages of a document, so PDFium is asked once."""

    def __init__(self, pdfium: PdfiumDocument) -> None:
        self._pdfium = pdfium
        self._known: bool | None = None

    def is_mirrored(self, index: int, place: GlyphPosition, angle: float) -> bool:
        """Whether the glyph at this place, which is said to be at that angle, is at the opposite one."""
        if self._known is None:
            found = angle_at(self._pdfium, index, place)
            if found is None:
                return False
            self._known = abs((found - angle) % 360 - 180) < 1
        return self._known


def angle_at(pdfium: PdfiumDocument, index: int, place: GlyphPosition) -> float | None:
    """In degrees, against the clock; None where PDFium sees no glyph that begins there."""
    x, y, size = place
    left, base, matrix = ctypes.c_double(), ctypes.c_double(), raw.FS_MATRIX()
    text = pdfium.text(index).raw
    number = raw.FPDFText_GetCharIndexAtPos(text, x, y, _REACH * size, _REACH * size)
    for near in range(max(number - 1, 0), number + 2):
        raw.FPDFText_GetCharOrigin(text, near, left, base)
        if abs(left.value - x) < _SAME_ORIGIN and abs(base.value - y) < _SAME_ORIGIN:
            raw.FPDFText_GetMatrix(text, near, matrix)
            return math.degrees(math.atan2(matrix.b, matrix.a))
    return None
