"""Another reader gives the facts of a page in the same words."""

from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.utils import ImageReader
from tests.unit.processors import pdfs
from tests.unit.processors.layout.made_pdfs import MadePdf, written

from blobforge.processors.pdf_markdown.layout.drawn.extract import SecondSource, Source
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import PdfiumDocument


def test_a_letter_has_its_place_size_and_colour(tmp_path: Path) -> None:
    path = MadePdf().saved(tmp_path / "a.pdf", b"1 0 0 rg BT /F1 1 Tf 12 0 0 12 50 700 Tm (H) Tj ET")

    (letter,) = PdfiumDocument(path).extract_chars(0)

    assert (letter.char, letter.origin_x, letter.origin_y) == ("H", 50, 700)
    assert letter.font_size == pytest.approx(12)
    assert letter.advance_width == pytest.approx(8.7, abs=0.1)
    assert (letter.color, letter.font_name, letter.rotation_degrees) == ((1, 0, 0), "Helvetica", 0)


def test_text_that_runs_up_the_page_has_its_angle(tmp_path: Path) -> None:
    path = MadePdf().saved(tmp_path / "a.pdf", b"BT /F1 12 Tf 0 1 -1 0 300 100 Tm (up) Tj ET")

    assert [round(letter.rotation_degrees) for letter in PdfiumDocument(path).extract_chars(0)] == [90, 90]


def test_a_ligature_is_one_glyph_with_its_letters(tmp_path: Path) -> None:
    made = MadePdf()
    made.add_font("F2", made.helvetica(ToUnicode=made.says(o="o", A="ffi", c="c", e="e")))

    path = made.saved(tmp_path / "a.pdf", written("oAce", font="F2"))

    assert [letter.char for letter in PdfiumDocument(path).extract_chars(0)] == ["o", "ffi", "c", "e"]


def test_words_that_run_to_the_left_are_read(tmp_path: Path) -> None:
    """PDFium puts spaces between them that belong to nothing on the page."""
    made = MadePdf()
    made.add_font("F2", made.helvetica(ToUnicode=made.says(a="א", b="ב")))

    path = made.saved(tmp_path / "a.pdf", written("ab", font="F2") + written("ba", x=80, font="F2"))

    letters = PdfiumDocument(path).extract_chars(0)
    assert sorted(letter.char for letter in letters if letter.char.strip()) == ["א", "א", "ב", "ב"]
    assert {letter.font_size for letter in letters} == {12}


def test_a_page_is_read_as_by_the_other(tmp_path: Path) -> None:
    def ruled(canvas: Any) -> None:
        pdfs.with_picture("The Old Mill", pdfs.shades(), box=(72, 300, 180, 120))(canvas)
        canvas.rect(300, 100, 200, 50)
        canvas.line(72, 90, 400, 90)

    path = pdfs.make_pdf(tmp_path / "a.pdf", ruled)

    first, second = Source(path, pages=1).page(1), SecondSource(path).page(1)

    assert [(line.text, round(line.base), line.style) for line in second.lines] == [
        (line.text, round(line.base), line.style) for line in first.lines
    ]
    assert [tuple(map(round, box)) for box in second.images] == [tuple(map(round, box)) for box in first.images]
    assert sorted(tuple(map(round, rule)) for rule in second.horizontals) == sorted(
        tuple(map(round, rule)) for rule in first.horizontals
    )
    assert second.is_second_reading
    assert not first.is_second_reading


def test_pictures_in_a_moved_form_lie_where_they_are_drawn(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        canvas.beginForm("form")
        canvas.drawImage(ImageReader(pdfs.shades()), 10, 20, 90, 60)
        canvas.endForm()
        canvas.translate(100, 200)
        canvas.doForm("form")

    path = pdfs.make_pdf(tmp_path / "a.pdf", draw)

    assert PdfiumDocument(path).page_images(0) == [{"x": 110, "y": 220, "width": 90, "height": 60}]


def test_a_page_of_another_rotation_is_read_alike(tmp_path: Path) -> None:
    made = MadePdf()
    made.page.obj.Rotate = 90
    path = made.saved(tmp_path / "a.pdf", b"BT /F1 12 Tf 0 1 -1 0 300 100 Tm (turned with its page) Tj ET")

    first, second = Source(path, pages=1).page(1), SecondSource(path).page(1)

    assert [line.text for line in second.lines] == [line.text for line in first.lines] == ["turned with its page"]
    assert (second.width, second.height) == (first.width, first.height)


def test_the_outline_has_its_levels(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        for level, title in enumerate(("Part", "Chapter")):
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level)

    path = pdfs.make_pdf(tmp_path / "a.pdf", draw)

    assert PdfiumDocument(path).get_outline() == [
        {"title": "Part", "page": 0, "children": [{"title": "Chapter", "page": 0, "children": []}]}
    ]
