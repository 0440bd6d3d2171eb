"""Lost letters are found by their places."""

from pathlib import Path

from tests.unit.processors.layout.made_pdfs import MadePdf

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import GlyphPosition
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import PdfiumDocument
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_places import letters_at


def test_a_ligature_after_a_gap_is_found_though_a_space_was_put_before_it(tmp_path: Path) -> None:
    made = MadePdf()
    made.add_font("F2", made.helvetica(ToUnicode=made.says(o="o", A="ffi", c="c", e="e")))
    path = made.saved(tmp_path / "a.pdf", b"BT /F2 10 Tf 50 700 Td [(o) -300 (Ace)] TJ ET")
    document = PdfiumDocument(path)
    place = next(letter for letter in document.extract_chars(0) if letter.char == "ffi").origin_x

    found = letters_at(document, 0, [GlyphPosition(place, 700, 10), GlyphPosition(300, 300, 10)])

    assert list(found) == [GlyphPosition(place, 700, 10)]
    assert found[GlyphPosition(place, 700, 10)].letters == "ffi"
