"""Documents for measuring, made on the spot."""

import os
from pathlib import Path

from reportlab.lib.pagesizes import A5
from reportlab.pdfgen import canvas

_PROSE = """
the lamp stands above the water and whoever keeps it knows each boat by the sound of its oars long before the bow comes
round the point where the old slate ends and the pale grit of the second barge begins to show in the light
"""
_WORDS = _PROSE.split()


def make_pdf(path: Path, *, pages: int, seed: int) -> None:
    """Pages of a heading and prose, each different."""
    drawing = canvas.Canvas(str(path), pagesize=A5, invariant=1)
    for page in range(pages):
        drawing.setFont("Helvetica-Bold", 16)
        drawing.drawString(48, 540, f"Chapter {seed}.{page + 1}")
        drawing.setFont("Times-Roman", 10)
        for line in range(38):
            start = seed * 7 + page * 31 + line * 11
            words = " ".join(_WORDS[(start + place * 5) % len(_WORDS)] for place in range(11))
            drawing.drawString(48, 515 - 12 * line, words)
        drawing.showPage()
    drawing.save()


def make_library(folder: Path, *, documents: int, pages: int) -> None:
    for number in range(documents):
        place = folder / f"shelf-{number % 20:02}"
        place.mkdir(parents=True, exist_ok=True)
        make_pdf(place / f"book-{number:05}.pdf", pages=pages, seed=number)


def corpus() -> Path | None:
    """Real documents, where someone has them."""
    named = os.environ.get("CORPUS")
    return Path(named) if named else None
