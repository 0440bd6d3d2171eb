"""Scanned pages, with tesseract and without it."""

from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, Converted
from tests.e2e.tesseracts import Reader
from tests.parts import requires
from tests.pdfs import coded_pdf, scanned_pdf, text_pdf

NOWHERE = "/nonexistent"


@pytest.fixture
def without_tesseract(blobforge: Blobforge, docs: Path) -> Converted:
    """The first run, on a machine that has no tesseract."""
    scanned_pdf(docs / "book.pdf", text_first=True)
    scanned_pdf(docs / "letter.pdf")
    text_pdf(docs / "text.pdf")
    return blobforge.convert("docs", "-o", "out", PATH=NOWHERE)


def test_pages_that_wait_for_tesseract_are_told_of(without_tesseract: Converted, out: Path) -> None:
    run = without_tesseract

    assert (run.code, run.account["converted"], run.account["pages_failed"]) == (3, 3, 2)
    assert run.entry("book.pdf")["page_codes"] == ["ocr_unavailable"]
    assert run.entry("text.pdf")["page_codes"] == []
    text = (out / "book.md").read_text()
    assert "Before the scan" in text
    assert "<!-- page 2 failed: ocr_unavailable -->" in text


def test_without_tesseract_nothing_is_tried_again(blobforge: Blobforge, without_tesseract: Converted) -> None:
    run = blobforge.convert("docs", "-o", "out", PATH=NOWHERE)

    assert (run.code, set(run.outcomes.values()), run.account["pages_failed"]) == (3, {"cached"}, 2)


def test_once_tesseract_is_there_only_those_documents_are_done_again(
    blobforge: Blobforge, without_tesseract: Converted, out: Path
) -> None:
    requires("tesseract")

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"book.pdf": "converted", "letter.pdf": "converted", "text.pdf": "cached"}
    assert (run.code, run.account["pages_failed"]) == (0, 0)
    assert "clocks were striking thirteen" in (out / "letter.md").read_text()


def test_a_font_that_does_not_tell_its_letters_waits_for_tesseract_as_a_scan_does(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    requires("tesseract")
    coded_pdf(docs / "coded.pdf")

    first = blobforge.convert("docs", "-o", "out", PATH=NOWHERE)
    second = blobforge.convert("docs", "-o", "out")

    assert (first.code, first.entry("coded.pdf")["page_codes"]) == (3, ["ocr_unavailable"])
    assert (second.code, second.outcomes) == (0, {"coded.pdf": "converted"})
    assert "jumps over the lazy dog" in (out / "coded.md").read_text()


def test_a_person_is_told_what_to_install(blobforge: Blobforge, docs: Path) -> None:
    scanned_pdf(docs / "letter.pdf")

    done = blobforge.call("convert", "docs", "-o", "out", PATH=NOWHERE)

    assert done.exit_code == 3
    assert f"warning: {docs}/letter.pdf: 1 of 1 page is missing (ocr_unavailable)\n" in done.stderr
    assert done.stderr.endswith(
        "Scanned pages wait for tesseract: install it (tesseract-ocr) and run the same command again.\n"
    )


def test_a_language_that_tesseract_does_not_know_is_told_before_the_work_with_those_that_are_there(
    blobforge: Blobforge, docs: Path, tmp_path: Path
) -> None:
    scanned_pdf(docs / "letter.pdf")

    done = blobforge.call("convert", "docs", "-o", "out", "--language", "dea", PATH=Reader(tmp_path / "reader").path)

    assert done.exit_code == 2
    told = "tesseract knows no language 'dea'; it has eng here; did you mean deu?"
    assert done.stderr == f"error: --language: {told} [invalid_options]\n"
    assert not (blobforge.home / "queue.db").exists()


def test_a_language_that_is_not_installed_is_named_and_not_tesseract_itself(
    blobforge: Blobforge, docs: Path, tmp_path: Path
) -> None:
    scanned_pdf(docs / "letter.pdf")

    done = blobforge.call("convert", "docs", "-o", "out", "--language", "ara", PATH=Reader(tmp_path / "reader").path)

    assert done.exit_code == 3
    assert done.stderr.endswith(
        "Scanned pages wait for their language: tesseract has eng here; install its data (tesseract-ocr-LANGUAGE) "
        "and run the same command again.\n"
    )


def test_a_language_that_nobody_can_have_is_refused_without_tesseract_too(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "text.pdf")

    done = blobforge.call("convert", "docs", "-o", "out", "--language", "xx", PATH=NOWHERE)

    told = "tesseract knows no language 'xx' (and is not installed here)"
    assert (done.exit_code, done.stderr) == (2, f"error: --language: {told} [invalid_options]\n")


def test_a_language_is_of_no_use_without_tesseract_and_a_person_is_told(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    text_pdf(docs / "text.pdf")

    done = blobforge.call("convert", "docs", "-o", "out", "--language", "deu", PATH=NOWHERE)

    assert (done.exit_code, (out / "text.md").exists()) == (0, True)
    assert done.stderr.startswith("warning: --language: tesseract is not installed here, so scanned pages")
