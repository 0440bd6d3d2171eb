"""Scans read by the real tesseract."""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from reportlab.lib.utils import ImageReader
from tests.unit.processors import pdfs

from blobforge.documents.tesseract import find_tesseract
from blobforge.ports.processor import Processor
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import account_of, converted, info_of

pytestmark = pytest.mark.needs("tesseract")

LINES = (
    "The old lighthouse keeper walked along the shore every morning",
    "and counted the ships that passed. He had done so for thirty",
    "years, and he would not have missed it for anything, come sun-",
    "shine or rain.",
)


@pytest.fixture
def processor() -> Processor:
    return PdfMarkdownProcessor()


def test_a_scan_becomes_paragraphs(processor: Processor, tmp_path: Path) -> None:
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.scan(LINES))

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    text = zipfile.ZipFile(product.archive).read("document.md").decode()
    assert text == (
        "The old lighthouse keeper walked along the shore every morning and counted the ships that passed. "
        "He had done so for thirty years, and he would not have missed it for anything, come sunshine or rain.\n"
    )
    account = account_of(product)[1]
    confidence = account["confidence"]
    assert isinstance(confidence, float)
    assert (account["outcome"], confidence > 0.9) == ("ocr", True)
    assert product.summary["images"] == 0


def test_the_version_of_tesseract_is_named_where_it_was_used(processor: Processor, tmp_path: Path) -> None:
    tool = find_tesseract()
    assert tool is not None
    scan = pdfs.make_pdf(tmp_path / "scan.pdf", pdfs.scan(LINES))
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"))

    with_ocr = info_of(converted(processor, pdfs.a_task(scan, tmp_path / "one")))
    without = info_of(converted(processor, pdfs.a_task(book, tmp_path / "two")))

    assert with_ocr["tools"] == {"tesseract": tool.version, "tesseract_languages": "eng"}
    assert without["tools"] == {}


def test_text_and_scans_and_empty_pages_go_together(processor: Processor, tmp_path: Path) -> None:
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"), pdfs.scan(LINES), pdfs.nothing)

    account = account_of(converted(processor, pdfs.a_task(book, tmp_path / "work")))

    assert [page["outcome"] for page in account.values()] == ["text", "ocr", "empty"]


def test_a_language_that_is_not_installed_is_named(processor: Processor, tmp_path: Path) -> None:
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.scan(LINES))

    account = account_of(converted(processor, pdfs.a_task(book, tmp_path / "work", ocr_languages="eng+xyz")))

    assert (account[1]["outcome"], account[1]["warnings"]) == ("ocr", ["ocr_language_missing"])
    assert "apt install tesseract-ocr-xyz" in str(account[1]["message"])


def hidden(lines: Sequence[str], *, said: Sequence[str]) -> pdfs.Draw:
    """A scan of lines, with a text layer that says these."""

    def draw(canvas: Any) -> None:
        pdfs.scan(lines)(canvas)
        layer = canvas.beginText(72, 740)
        layer.setTextRenderMode(3)
        layer.setLeading(20)
        for line in said:
            layer.textLine(line)
        canvas.drawText(layer)

    return draw


OTHERS = (
    "Whoever wants to cross this mountain should bring warm clothing",
    "because snow falls early, and nobody lives between the valleys",
    "except shepherds during summer, whose huts stand empty after the",
    "harvest festival. Travellers often underestimate these distances.",
)


def test_hidden_text_is_compared_with_what_the_picture_shows(processor: Processor, tmp_path: Path) -> None:
    page = [*[""] * 12, *LINES]
    right = pdfs.make_pdf(tmp_path / "right.pdf", hidden(page, said=page))
    wrong = pdfs.make_pdf(tmp_path / "wrong.pdf", hidden(page, said=OTHERS))

    used = converted(processor, pdfs.a_task(right, tmp_path / "one"))
    read = converted(processor, pdfs.a_task(wrong, tmp_path / "two"))

    assert account_of(used)[1]["outcome"] == "text"
    assert "hidden text used" in str(account_of(used)[1]["message"])
    assert account_of(read)[1]["outcome"] == "ocr"
    assert "read anew" in str(account_of(read)[1]["message"])
    assert "lighthouse keeper" in zipfile.ZipFile(read.archive).read("document.md").decode()


def test_a_scan_lying_on_its_side_is_read(processor: Processor, tmp_path: Path) -> None:
    tool = find_tesseract()
    if tool is None or "osd" not in tool.languages:
        pytest.skip("tesseract has no data on orientation here")
    upright = pdfs.picture_of_text([*LINES, *LINES, *LINES], dpi=200)

    def draw(canvas: Any) -> None:
        canvas.drawImage(ImageReader(upright.rotate(90, expand=True)), 0, 0, pdfs.HEIGHT, pdfs.WIDTH)

    book = pdfs.make_pdf(tmp_path / "book.pdf", draw, size=(pdfs.HEIGHT, pdfs.WIDTH))

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    assert "lighthouse keeper walked along" in zipfile.ZipFile(product.archive).read("document.md").decode()


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_scan_that_was_turned_by_its_user_is_read(processor: Processor, tmp_path: Path, turned: int) -> None:
    lines = [f"{place}. {line}" for place, line in enumerate(LINES * 8, start=1)]
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.scan(lines))
    with pikepdf.open(book, allow_overwriting_input=True) as document:
        document.pages[0].rotate(turned, relative=False)
        document.save(book)

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    markdown = zipfile.ZipFile(product.archive).read("document.md").decode()
    assert sum(markdown.count(line.rstrip("-")) for line in LINES) == len(lines)
