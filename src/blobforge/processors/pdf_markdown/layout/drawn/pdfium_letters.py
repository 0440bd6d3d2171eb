"""Letters as PDFium reads them, by their places: it knows the glyphs that stand for several letters."""

import ctypes
from collections.abc import Iterable
from typing import Any

from pypdfium2 import raw

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import Found, Place
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import PdfiumDocument

_EXACT = 0.05
_NEAR = 0.8
_BEFORE, _AFTER = 3, 6
"""How far from the letter that lies at a place those with their origin there are looked for."""


def letters_at(document: PdfiumDocument, index: int, places: Iterable[Place]) -> dict[Place, Found]:
    """What is found of these; places without a letter are left out."""
    reader = _Reader(document.text(index).raw)
    found = {place: reader.at(place) for place in places}
    return {place: letters for place, letters in found.items() if letters is not None}


class _Reader:
    def __init__(self, text: Any) -> None:
        self._text = text
        self._count = raw.FPDFText_CountChars(text)
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def at(self, place: Place) -> Found | None:
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
        return Found(letters, min(after) - start if after else None)

    def _origin(self, number: int) -> tuple[float, float]:
        raw.FPDFText_GetCharOrigin(self._text, number, self._x, self._y)
        return self._x.value, self._y.value

    def _letter(self, number: int) -> str:
        return chr(raw.FPDFText_GetUnicode(self._text, number))
