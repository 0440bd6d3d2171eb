"""Whether a document was drawn in a mirrored space, as browsers do: pdf-oxide then takes up for down in turned text."""

import ctypes
import math

from pypdfium2 import raw

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import Place
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import PdfiumDocument

_REACH = 0.3
"""Of the size."""
_EXACT = 0.5


class Mirrors:
    """Of one document. One program made all its pages, so PDFium is asked once."""

    def __init__(self, pdfium: PdfiumDocument) -> None:
        self._pdfium = pdfium
        self._known: bool | None = None

    def is_mirrored(self, index: int, place: Place, angle: float) -> bool:
        """Whether the glyph at this place, which is said to be at that angle, is at the opposite one."""
        if self._known is None:
            found = angle_at(self._pdfium, index, place)
            if found is None:
                return False
            self._known = abs((found - angle) % 360 - 180) < 1
        return self._known


def angle_at(pdfium: PdfiumDocument, index: int, place: Place) -> float | None:
    """In degrees, against the clock; None where PDFium sees no glyph that begins there."""
    x, y, size = place
    left, base, matrix = ctypes.c_double(), ctypes.c_double(), raw.FS_MATRIX()
    text = pdfium.text(index).raw
    number = raw.FPDFText_GetCharIndexAtPos(text, x, y, _REACH * size, _REACH * size)
    for near in range(max(number - 1, 0), number + 2):
        raw.FPDFText_GetCharOrigin(text, near, left, base)
        if abs(left.value - x) < _EXACT and abs(base.value - y) < _EXACT:
            raw.FPDFText_GetMatrix(text, near, matrix)
            return math.degrees(math.atan2(matrix.b, matrix.a))
    return None
