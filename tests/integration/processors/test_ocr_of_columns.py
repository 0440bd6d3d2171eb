"""Columns of single figures on scans, which tesseract passes over, read by the real one."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from tests.unit.processors import pdfs

from blobforge.ports.processor import Processor, Product
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import account_of, converted

pytestmark = pytest.mark.needs("tesseract")

GOODS = (
    *("Licence C55", "Travel F16", "Paper A4 B58", "Travel A37", "Paper A4 B19", "Travel B10", "Travel B47"),
    *("Toner F36", "Paper A4 C12", "Travel C18", "Consulting E96", "Screws M4 C71"),
)
PRICES = (
    *("39,01", "149,38", "134,65", "367,32", "810,92", "275,53", "261,68"),
    *("906,23", "544,82", "395,99", "87,53", "243,18"),
)
COUNTS = ("3", "1", "5", "7", "9", "1", "2", "8", "4", "2", "6", "4")


@pytest.fixture
def processor() -> Processor:
    return PdfMarkdownProcessor()


def invoice(counts: Sequence[str], *, beside: pdfs.Draw = pdfs.nothing) -> pdfs.Draw:
    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica-Bold", 10.5)
        for x, head in ((314, "Count"), (421, "Price"), (527, "In all")):
            canvas.drawRightString(x, 626, head)
        canvas.drawString(115, 626, "Article")
        canvas.setFont("Helvetica", 10.5)
        for place, (article, count, price) in enumerate(zip(GOODS, counts, PRICES, strict=True)):
            base = 609 - 16.5 * place
            canvas.drawString(115, base, article)
            canvas.drawRightString(314, base, count)
            canvas.drawRightString(421, base, f"{price} €")
            canvas.drawRightString(527, base, f"7{place}.128,{price[-2:]} €")
        beside(canvas)

    return draw


def scanned(draw: pdfs.Draw, *, dpi: int = 200) -> pdfs.Draw:
    """In black and white, as fax and office scanners have it."""
    content = io.BytesIO()
    canvas = Canvas(content, pagesize=(pdfs.WIDTH, pdfs.HEIGHT), invariant=True)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    with pypdfium2.PdfDocument(content.getvalue()) as document:
        image: Image.Image = document[0].render(scale=dpi / 72).to_pil().convert("1", dither=Image.Dither.NONE)
    return lambda page: page.drawImage(ImageReader(image), 0, 0, pdfs.WIDTH, pdfs.HEIGHT)


def second_column(product: Product) -> list[str]:
    markdown = zipfile.ZipFile(product.archive).read("document.md").decode()
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    return [row.split("|")[2].strip() for row in rows[1:]]


def scribbles(canvas: Any) -> None:
    """By hand, in the column of the counts."""
    for row in range(12):
        base = 609 - 16.5 * row
        stroke = canvas.beginPath()
        stroke.moveTo(307, base)
        for x, y in ((312, 3), (306, 5), (313, 6), (308, 8), (313, 1)):
            stroke.lineTo(x, base + y)
        canvas.drawPath(stroke)


def dirt(canvas: Any) -> None:
    """Specks all over the sheet."""
    for place in range(60):
        canvas.circle(90 + 97 * place % 450, 400 + 61 * place % 380, 0.3 + place % 3 / 3, stroke=0, fill=1)


@pytest.mark.parametrize("dpi", [200, 300])
def test_a_column_of_single_figures_is_read(processor: Processor, tmp_path: Path, dpi: int) -> None:
    book = pdfs.make_pdf(tmp_path / "invoice.pdf", scanned(invoice(COUNTS), dpi=dpi))

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    assert second_column(product) == list(COUNTS)
    assert "warnings" not in account_of(product)[1]


def test_zeros_and_dashes_of_a_column_are_read(processor: Processor, tmp_path: Path) -> None:
    counts = ("0", "–", "3", "–", "0", "12", "–", "0", "7", "–", "0", "4")
    book = pdfs.make_pdf(tmp_path / "invoice.pdf", scanned(invoice(counts)))

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    assert [count.replace("-", "–").replace("—", "–") for count in second_column(product)] == list(counts)


def test_a_column_that_cannot_be_read_is_doubted(processor: Processor, tmp_path: Path) -> None:
    page = scanned(invoice([""] * len(GOODS), beside=scribbles))
    book = pdfs.make_pdf(tmp_path / "invoice.pdf", page)

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    assert account_of(product)[1]["warnings"] == ["ocr_unsure"]


def test_specks_of_dirt_are_neither_read_nor_doubted(processor: Processor, tmp_path: Path) -> None:
    def dirty(canvas: Any) -> None:
        pdfs.prose("The bridge")(canvas)
        dirt(canvas)

    book = pdfs.make_pdf(tmp_path / "book.pdf", scanned(dirty))

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    markdown = zipfile.ZipFile(product.archive).read("document.md").decode()
    assert markdown == f"# The bridge\n\n{' '.join(pdfs.PROSE)}\n"
    assert "warnings" not in account_of(product)[1]
