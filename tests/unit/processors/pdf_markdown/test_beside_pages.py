"""What a PDF holds beside its pages is told."""

import json
import zipfile
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from tests.unit.processors import pdfs

from blobforge.domain.json_value import JsonObject
from blobforge.domain.result_record import record_in
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import nobody


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return pdfs.make_pdf(tmp_path / "book.pdf", pdfs.words("Please wait ... or open the portfolio"))


def converted(book: Path) -> tuple[JsonObject, JsonObject]:
    """The summary, and what info.json says."""
    task = pdfs.a_task(book, book.parent / "work")
    processor = PdfMarkdownProcessor(lambda: None)
    plan = processor.plan(task)
    for part in plan.slices:
        processor.run(task, plan, part, nobody)
    product = processor.join(task, plan, [], nobody)
    with zipfile.ZipFile(product.archive) as archive:
        return product.summary, json.loads(archive.read("info.json"))


def test_a_document_alone_has_nothing_beside_it(book: Path) -> None:
    summary, info = converted(book)

    assert not {"warnings", "attachments"} & (summary.keys() | info.keys())


def test_attached_files_are_told_by_name(book: Path) -> None:
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        pdf.attachments["chapter.pdf"] = b"%PDF"
        pdf.attachments["notes.txt"] = b"text"
        pdf.save(book)

    summary, info = converted(book)

    assert summary["warnings"] == {"has_attachments": 2}
    assert (info["attachments"], info["warnings"]) == (["chapter.pdf", "notes.txt"], ["has_attachments"])
    assert record_in(summary).doubts == "files are attached to it, which are not converted (has_attachments)"


def test_a_file_that_hangs_on_a_page_is_attached(book: Path) -> None:
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        file = Dictionary(Type=Name.Filespec, F="sheet.xls")
        note = Dictionary(Type=Name.Annot, Subtype=Name.FileAttachment, Rect=Array([1, 1, 9, 9]), FS=file)
        pdf.pages[0].obj.Annots = Array([pdf.make_indirect(note)])
        pdf.save(book)

    assert converted(book)[1]["attachments"] == ["sheet.xls"]


@pytest.mark.parametrize("is_dynamic", [True, False])
def test_a_form_whose_pages_ask_to_wait_is_told(book: Path, is_dynamic: bool) -> None:
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        pdf.Root.AcroForm = Dictionary(Fields=Array(), XFA=pdf.make_stream(b"<xdp/>"))
        if is_dynamic:
            pdf.Root.NeedsRendering = True
        pdf.save(book)

    summary, info = converted(book)

    assert summary.get("warnings") == ({"xfa_form": 1} if is_dynamic else None)
    assert info.get("warnings") == (["xfa_form"] if is_dynamic else None)


def test_an_encrypted_file_tells_what_is_attached(book: Path, tmp_path: Path) -> None:
    with pikepdf.open(book, allow_overwriting_input=True) as pdf:
        pdf.attachments["notes.txt"] = b"text"
        pdf.save(book)
    locked = pdfs.encrypted(book, tmp_path / "locked.pdf", user="")

    assert converted(locked)[1]["attachments"] == ["notes.txt"]
