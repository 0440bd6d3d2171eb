"""Bullets that ReportLab writes with a code for which pdf-oxide gives no character: its spans have them, its characters
do not."""

from pathlib import Path

import pdf_oxide

from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import Letter

_CODE = "\x7f"
_MAKER = b"ReportLab"
_EDGE = 1 << 12
"""It names itself in the first lines of a file, and among the facts at its end."""


def may_have_lost_bullets(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            beginning = file.read(_EDGE)
            file.seek(max(0, path.stat().st_size - _EDGE))
            return _MAKER in beginning or _MAKER in file.read()
    except OSError:
        return False


def lost_bullets(document: pdf_oxide.PdfDocument, index: int) -> list[Letter]:
    return [_bullet(span) for span in document.extract_spans(index) if span.text == _CODE]


def _bullet(span: pdf_oxide.TextSpan) -> Letter:
    left, base, width, _ = span.bbox
    return Letter(
        char="•",
        origin_x=left,
        origin_y=base,
        advance_width=width,
        font_name=span.font_name,
        font_size=span.font_size,
        color=span.color,
        rotation_degrees=0.0,
        font_weight="Bold" if span.is_bold else "Normal",
        is_italic=span.is_italic,
        is_monospace=span.is_monospace,
        bbox=span.bbox,
    )
