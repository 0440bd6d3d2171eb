"""A headline that is painted through letters: readers look at what is painted, and the letters are in a mask."""

from pathlib import Path

import pikepdf
import pypdfium2
from pikepdf import Array, Dictionary, Name
from tests.unit.processors import pdfs

from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines.blobforge import BlobforgeEngine
from blobforge.processors.pdf_markdown.engines.engine import Document
from blobforge.processors.pdf_markdown.source_file import open_source
from blobforge.testing.processor_contract import nobody

LETTERS = b"1 g 0 0 400 60 re f 0 g BT /F 30 Tf 10 10 Td (The Headline) Tj ET"


def masked(path: Path, mask: bytes, *, after: bytes = b"") -> Path:
    pdfs.make_pdf(path, pdfs.words("The content"))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        form = pdf.make_stream(mask)
        form.Type, form.Subtype, form.BBox = Name.XObject, Name.Form, Array([0, 0, 595, 842])
        form.Group = Dictionary(S=Name.Transparency, CS=Name.DeviceGray)
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/Helvetica-Bold"))
        form.Resources = Dictionary(Font=Dictionary(F=font))
        state = Dictionary(Type=Name.ExtGState, SMask=Dictionary(Type=Name.Mask, S=Name.Luminosity, G=form))
        page = pdf.pages[0]
        page.obj.Resources.ExtGState = Dictionary(Masked=state)
        page.contents_add(b"q 1 0 0 1 50 400 cm /Masked gs 0 0 1 rg 0 0 400 60 re f Q" + after)
        pdf.save(path)
    return path


def read(path: Path, tmp_path: Path) -> str:
    task = pdfs.a_task(path, tmp_path / "work")
    document = Document(path=open_source(task).path(task), pages=1, survey={})
    (page,) = BlobforgeEngine().read(document, Slice(1, 1), nobody)
    return page.markdown


def test_text_in_a_mask_is_read_where_it_is_seen(tmp_path: Path) -> None:
    markdown = read(masked(tmp_path / "book.pdf", LETTERS), tmp_path)

    assert "The content" in markdown
    assert "The Headline" in markdown


def test_the_page_looks_as_before(tmp_path: Path) -> None:
    book = masked(tmp_path / "book.pdf", LETTERS)
    task = pdfs.a_task(book, tmp_path / "work")

    assert picture_of(open_source(task).path(task)) == picture_of(book)


def picture_of(path: Path) -> bytes:
    with pypdfium2.PdfDocument(path) as document:
        return bytes(document[0].render(scale=1).buffer)


def test_a_mask_without_text_changes_nothing(tmp_path: Path) -> None:
    book = masked(tmp_path / "book.pdf", b"1 g 0 0 400 60 re f")

    assert open_source(pdfs.a_task(book, tmp_path / "work")).copy == ""


def test_a_damaged_page_stays_as_it_is(tmp_path: Path) -> None:
    book = masked(tmp_path / "book.pdf", LETTERS, after=b" noise of a disk")

    assert open_source(pdfs.a_task(book, tmp_path / "work")).copy == ""
