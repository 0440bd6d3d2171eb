"""Text drawn as the outlines of its letters, as programs write it that turn fonts into paths."""

import ctypes
import io
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import pypdfium2
from pypdfium2 import raw
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

LETTER, WORD, LINE, PAGE = "letter", "word", "line", "page"
"""What one path holds."""
_END_OF_CURVE = 3

Step = tuple[int, float, float, bool]
"""A kind of segment, where it leads to at a size of 1, and whether its contour is closed with it."""


def draw_outlines(
    canvas: Any,
    lines: Sequence[str],
    *,
    left: float = 72,
    base: float = 740,
    size: float = 11,
    leading: float = 15,
    each: str = LINE,
    font: str = "Helvetica",
) -> None:
    path = canvas.beginPath()
    is_empty = True
    for row, line in enumerate(lines):
        x = left
        for letter in line:
            for step in _outline(font, letter):
                _take(path, step, x, base - row * leading, size)
                is_empty = False
            x += stringWidth(letter, font, size)
            if not is_empty and (each == LETTER or (each == WORD and letter == " ")):
                canvas.drawPath(path, stroke=0, fill=1)
                path, is_empty = canvas.beginPath(), True
        if not is_empty and each != PAGE:
            canvas.drawPath(path, stroke=0, fill=1)
            path, is_empty = canvas.beginPath(), True
    if not is_empty:
        canvas.drawPath(path, stroke=0, fill=1)


def _take(path: Any, step: Step, x: float, y: float, size: float) -> None:
    kind, across, up, closes = step
    place = (x + across * size, y + up * size)
    if kind == raw.FPDF_SEGMENT_MOVETO:
        path.moveTo(*place)
    elif kind == raw.FPDF_SEGMENT_LINETO:
        path.lineTo(*place)
    else:
        # Three points of a curve come one after another.
        path.waiting = [*getattr(path, "waiting", []), *place]
        if len(path.waiting) == 2 * _END_OF_CURVE:
            path.curveTo(*path.waiting)
            path.waiting = []
    if closes:
        path.close()


@lru_cache
def _outline(font: str, letter: str) -> tuple[Step, ...]:
    with pypdfium2.PdfDocument(_page_in(font)) as document:
        text = next(document[0].get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT]))
        found = raw.FPDFFont_GetGlyphPath(raw.FPDFTextObj_GetFont(text.raw), ord(letter), 1.0)
        return tuple(_steps(found)) if found else ()


def _steps(found: Any) -> Iterator[Step]:
    x, y = ctypes.c_float(), ctypes.c_float()
    for place in range(raw.FPDFGlyphPath_CountGlyphSegments(found)):
        segment = raw.FPDFGlyphPath_GetGlyphPathSegment(found, place)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        closes = bool(raw.FPDFPathSegment_GetClose(segment))
        yield raw.FPDFPathSegment_GetType(segment), x.value, y.value, closes


@lru_cache
def _page_in(font: str) -> bytes:
    content = io.BytesIO()
    canvas = Canvas(content, invariant=True)
    canvas.setFont(font, 10)
    canvas.drawString(10, 10, "x")
    canvas.save()
    return content.getvalue()
