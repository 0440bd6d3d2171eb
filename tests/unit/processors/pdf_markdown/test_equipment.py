"""What the processor needs for its options, and what it has."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.pdfs import scanned_pdf, text_pdf
from tests.unit.processors import pdfs

from blobforge.documents.tesseract import Tesseract
from blobforge.domain.errors import InvalidOptions, OcrUnavailable
from blobforge.ports.processor import Processor
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor

ENGLISH = Tesseract(program="tesseract", version="5", languages=frozenset({"eng", "osd"}))


@pytest.fixture
def processor() -> Processor:
    return PdfMarkdownProcessor(find_ocr=lambda: None)


def test_an_engine_of_an_extra_is_a_need_whether_it_is_here_or_not(processor: Processor) -> None:
    assert processor.needs({"engine": "marker"}) == {"engine:marker"}
    assert processor.needs({"engine": "liteparse"}) == {"engine:liteparse"}
    assert processor.needs({"engine": "blobforge", "ocr_languages": "deu"}) == frozenset()
    with pytest.raises(InvalidOptions):
        processor.needs({"engine": "markr"})


def test_what_was_missing_when_a_document_was_refused_is_named(processor: Processor) -> None:
    options: dict[str, str | int] = {"engine": "blobforge", "ocr_languages": "deu+fra"}

    assert processor.needs(options, refused="engine_unavailable") == {"engine:blobforge"}
    assert processor.needs(options, refused="ocr_unavailable") == {"ocr:deu", "ocr:fra"}
    assert processor.needs({}, refused="ocr_unavailable") == {"tool:tesseract"}
    assert processor.needs({}, refused="ocr_failed") == frozenset()


def test_what_is_installed_is_told_in_the_words_of_needs() -> None:
    has = PdfMarkdownProcessor(find_ocr=lambda: ENGLISH).has()

    assert has == {"engine:blobforge", "engine:liteparse", "tool:tesseract", "ocr:eng"}
    assert PdfMarkdownProcessor(find_ocr=lambda: None).has() == {"engine:blobforge", "engine:liteparse"}


def test_pictures_are_read_by_tesseract_or_the_document_is_refused(tmp_path: Path) -> None:
    processor = PdfMarkdownProcessor(find_ocr=lambda: None)
    task = pdfs.a_task(text_pdf(tmp_path / "text.pdf"), tmp_path / "work", read_pictures=True)

    assert processor.needs({"read_pictures": True}) == {"tool:tesseract"}
    with pytest.raises(OcrUnavailable, match=r"its pictures are to be read, and tesseract is not installed"):
        processor.plan(task)


@pytest.mark.parametrize("tool", [ENGLISH, None], ids=["English", "none"])
def test_a_scan_whose_language_is_not_here_is_left_to_who_has_it(tool: Tesseract | None, tmp_path: Path) -> None:
    scanned = scanned_pdf(tmp_path / "scan.pdf", text_first=True)
    processor = PdfMarkdownProcessor(find_ocr=lambda: tool)
    task = replace(pdfs.a_task(scanned, tmp_path / "work", ocr_languages="deu+eng"), may_decline=True)

    with pytest.raises(OcrUnavailable, match=r"has pages without text, and tesseract has no data for deu"):
        processor.plan(task)


def test_a_text_and_whatever_names_no_language_waits_for_no_tesseract(tmp_path: Path) -> None:
    processor = PdfMarkdownProcessor(find_ocr=lambda: None)
    text, scanned = text_pdf(tmp_path / "text.pdf"), scanned_pdf(tmp_path / "scan.pdf")

    plans = [
        processor.plan(replace(pdfs.a_task(source, tmp_path / "work", **options), may_decline=may_decline))
        for source, options, may_decline in [
            (text, {"ocr_languages": "deu"}, True),
            (scanned, {}, True),
            (scanned, {"ocr_languages": "deu", "ocr": "off"}, True),
            (scanned, {"ocr_languages": "deu"}, False),
        ]
    ]

    assert [len(plan.slices) for plan in plans] == [1, 1, 1, 1]
