"""Opens documents whose bytes depend on their content alone, and the marks all of them share."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportlab import rl_config
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import BaseDocTemplate, Frame, Paragraph

AUTHOR = "The BlobForge authors"

# reportlab carries no types: a flowable, a canvas or a document is Any to the type checker.
Flowable = Any
Canvas = Any
Document = Any


def open_document(path: Path, *, title: str, subject: str, page_size: tuple[float, float]) -> Document:
    # Binary streams are a fifth smaller than ASCII ones, and every reader of today takes them.
    rl_config.useA85 = 0
    return BaseDocTemplate(
        str(path),
        pagesize=page_size,
        title=typographic(title),
        subject=subject,
        author=AUTHOR,
        creator="examples/make_examples.py",
        lang="en-GB",
        invariant=1,
        pageCompression=1,
    )


def frame(name: str, *, left: float, bottom: float, width: float, height: float) -> Any:
    """A frame without reportlab's own padding, so that its edges are the text's edges."""
    return Frame(left, bottom, width, height, id=name, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


def small_caps(text: str, *, size: float) -> str:
    """Marks up text as capitals of two sizes: none of the fonts at hand has real small capitals."""
    small = f'<font size="{size * 0.8:.1f}">'
    return re.sub(r"[a-z]+", lambda run: f"{small}{run.group().upper()}</font>", text)


def draw_spaced(canvas: Canvas, text: str, *, x: float, y: float, font: str, size: float, spacing: float) -> None:
    """Draws one centred line with its letters apart, as running heads have them."""
    canvas.setFont(font, size)
    canvas.drawCentredString(x + spacing / 2, y, text, charSpace=spacing)


def typeset(text: str, style: ParagraphStyle, *, bullet: str | None = None) -> Flowable:
    return Paragraph(typographic(" ".join(text.split())), style, bulletText=bullet and typographic(bullet))


def typographic(text: str) -> str:
    """Sources are written with the marks of a keyboard, pages are printed with those of a type case."""
    return text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}").replace("--", "\N{EN DASH}")


def paragraphs(text: str) -> Sequence[str]:
    return [" ".join(part.split()) for part in text.strip().split("\n\n")]
