"""Images have their places, however they were put on the page."""

from pathlib import Path
from typing import Any

import pikepdf
import pytest
from reportlab.lib.utils import ImageReader
from tests.unit.processors import pdfs

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_images import image_boxes, shown_angle
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import PdfiumDocument
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle


def image(canvas: Any) -> None:
    canvas.drawImage(ImageReader(pdfs.shades()), 50, 60, 90, 60)


def turned(canvas: Any) -> None:
    canvas.translate(200, 0)
    canvas.rotate(90)
    image(canvas)


def upside_down(canvas: Any) -> None:
    canvas.translate(0, 400)
    canvas.scale(1, -1)
    image(canvas)


def in_a_form(canvas: Any) -> None:
    canvas.beginForm("form")
    image(canvas)
    canvas.endForm()
    canvas.translate(100, 100)
    canvas.scale(2, 2)
    canvas.doForm("form")


def clipped(canvas: Any) -> None:
    path = canvas.beginPath()
    path.rect(70, 40, 200, 50)
    canvas.clipPath(path, stroke=0)
    image(canvas)


def outside_its_clip(canvas: Any) -> None:
    path = canvas.beginPath()
    path.rect(300, 300, 20, 20)
    canvas.clipPath(path, stroke=0)
    image(canvas)


@pytest.mark.parametrize(
    ("draw", "boxes"),
    [
        (image, [Rectangle(50, 60, 140, 120)]),
        (turned, [Rectangle(80, 50, 140, 140)]),
        (upside_down, [Rectangle(50, 280, 140, 340)]),
        (in_a_form, [Rectangle(200, 220, 380, 340)]),
        (clipped, [Rectangle(70, 60, 140, 90)]),
        (outside_its_clip, []),
    ],
)
def test_an_image_lies_where_it_is_seen(tmp_path: Path, draw: pdfs.Draw, boxes: list[Rectangle]) -> None:
    found = image_boxes(PdfiumDocument(pdfs.make_pdf(tmp_path / "book.pdf", draw)), 0)

    assert found is not None
    assert [Rectangle(*map(round, box)) for box in found] == boxes


def test_a_file_that_pdfium_cannot_read_tells_nothing(tmp_path: Path) -> None:
    (tmp_path / "book.pdf").write_text("no PDF")
    document = PdfiumDocument(tmp_path / "book.pdf")

    assert image_boxes(document, 0) is None
    assert shown_angle(document, 0) == 0


def test_a_page_tells_how_it_is_shown(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", image)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = 270
        pdf.save(path)

    assert shown_angle(PdfiumDocument(path), 0) == 270


def test_thousands_of_images_on_a_page_are_one_picture(tmp_path: Path) -> None:
    def dots(canvas: Any) -> None:
        for place in range(3_100):
            canvas.drawImage(picture, 50 + place % 60 * 5, 100 + place // 60 * 5, 2, 2)
        canvas.drawString(50, 700, "Dots")

    picture = ImageReader(pdfs.shades(4, 4))
    path = pdfs.make_pdf(tmp_path / "dots.pdf", dots)

    assert len(Source(path, pages=1).page(1).images) == 1
