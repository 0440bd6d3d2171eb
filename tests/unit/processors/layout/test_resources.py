"""What a document names, before any page is read."""

from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.utils import ImageReader
from tests.unit.processors import pdfs

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.drawn.resources import DocumentResources
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle


def _image(canvas: Any) -> None:
    canvas.drawImage(ImageReader(pdfs.shades()), 50, 60, 90, 60)


def _written_within(canvas: Any) -> None:
    canvas.drawInlineImage(pdfs.shades(), 50, 60, 90, 60)


@pytest.mark.parametrize(("draw", "may_have"), [(_image, True), (pdfs.prose("One"), False)])
def test_a_document_that_names_no_image_has_none(tmp_path: Path, draw: pdfs.Draw, *, may_have: bool) -> None:
    path = pdfs.make_pdf(tmp_path / "a.pdf", draw)

    assert DocumentResources(path, pages=1).may_have_images is may_have


def test_a_file_that_cannot_be_looked_into_may_have_images(tmp_path: Path) -> None:
    assert DocumentResources(tmp_path / "gone.pdf", pages=1).may_have_images


def test_a_page_without_text_shows_also_images_that_are_written_within_it(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "a.pdf", _written_within)

    assert Source(path, pages=1).page(1).images == [Rectangle(50, pdfs.HEIGHT - 120, 140, pdfs.HEIGHT - 60)]


def _two_boxes(canvas: Any) -> None:
    canvas.drawString(60, 140, "words in a box")
    canvas.setFillGray(0.9)
    canvas.rect(50, 300, 200, 90, stroke=0, fill=1)
    canvas.setFillGray(0)
    canvas.setFillAlpha(0)
    canvas.rect(50, 60, 200, 90, stroke=0, fill=1)


def test_what_is_filled_with_a_transparent_colour_is_no_fill(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "a.pdf", _two_boxes, pdfs.prose("One"))

    assert [fill.colour for fill in Source(path, pages=2).page(1).fills] == [(0.9, 0.9, 0.9)]
    assert not DocumentResources(path, pages=2).has_transparent_fills(2)


def test_a_box_that_nobody_sees_is_kept_apart(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "a.pdf", _two_boxes, pdfs.prose("One"))
    source = Source(path, pages=2)

    assert source.page(1).unseen == [Rectangle(50, pdfs.HEIGHT - 150, 250, pdfs.HEIGHT - 60)]
    assert source.page(2).unseen == []
