"""Documents for measuring, made on the spot."""

import os
from contextlib import ExitStack
from pathlib import Path

import pikepdf
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen import canvas

EXAMPLES = Path(__file__).parent.parent / "examples" / "library"

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
        place = folder / f"results-{number % 20:02}"
        place.mkdir(parents=True, exist_ok=True)
        make_pdf(place / f"book-{number:05}.pdf", pages=pages, seed=number)


def make_shelf_of_rulebooks(folder: Path, *, documents: int) -> None:
    """Two pages each, of the example rulebook and the example report by turns: as heavy as pages in the field are."""
    folder.mkdir(parents=True)
    with ExitStack() as opened:
        books = [
            opened.enter_context(pikepdf.open(path)) for path in (EXAMPLES / "rulebook.pdf", EXAMPLES / "report.pdf")
        ]
        for number in range(documents):
            book = books[number % len(books)]
            first = number // len(books) % (len(book.pages) - 1)
            with pikepdf.new() as part:
                part.pages.extend(list(book.pages)[first : first + 2])
                part.docinfo["/Title"] = f"Part {number}"
                part.save(folder / f"part-{number:05}.pdf", deterministic_id=True)


def corpus() -> Path | None:
    """Real documents, where someone has them."""
    named = os.environ.get("CORPUS")
    return Path(named) if named else None
