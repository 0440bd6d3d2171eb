"""What hidden text, languages and text in pictures mean for a page."""

from pathlib import Path

import pytest
from tests.unit.processors import pdfs
from tests.unit.processors.pdf_markdown.conversions import (
    LONG,
    Engine,
    Tesseracts,
    convert_one,
    picture_page,
    readable,
)
from tests.unit.processors.pdf_markdown.sheets import Sheet

from blobforge.domain.errors import OcrUnavailable
from blobforge.domain.page import PageOutcome
from blobforge.ports.processor import Slice, Task
from blobforge.processors.pdf_markdown.conversion import Conversion
from blobforge.processors.pdf_markdown.engines.engine import Box, Document, EnginePage
from blobforge.processors.pdf_markdown.layout.output.completeness import Quality
from blobforge.processors.pdf_markdown.ocr.preparation import Preparation
from blobforge.processors.pdf_markdown.ocr.reader import OcrReader
from blobforge.testing.processor_contract import nobody


@pytest.fixture
def tesseracts(tmp_path: Path) -> Tesseracts:
    return Tesseracts(tmp_path / "tesseract")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return pdfs.a_task(tmp_path / "book.pdf", tmp_path / "work")


# Hidden text


def hidden_page(text: str = LONG) -> EnginePage:
    return EnginePage(1, text, quality=Quality(1.0, (), hidden=True))


def distrusting(ocr: OcrReader, agreement: float) -> OcrReader:
    ocr.preparation = Preparation(languages=("eng",), agreement=agreement)
    return ocr


def test_hidden_text_that_agrees_with_the_pictures_is_used_and_says_so(task: Task, tesseracts: Tesseracts) -> None:
    page = convert_one(task, hidden_page(), ocr=distrusting(tesseracts.answering(readable()), 0.96))

    assert (page.account.outcome, page.markdown, tesseracts.runs) == (PageOutcome.TEXT, LONG, 0)
    assert (page.account.message or "").startswith("hidden text used: 96% of the words")


def test_hidden_text_that_does_not_agree_is_read_anew_and_says_so(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    read = Sheet().line("clear words that were read from a scan " * 10)

    page = convert_one(task, hidden_page(), ocr=distrusting(tesseracts.answering(read), 0.31))

    assert page.account.outcome is PageOutcome.OCR
    assert (page.account.message or "").startswith("read anew: 31% of the words")


def test_text_that_is_seen_is_not_distrusted(task: Task, tesseracts: Tesseracts) -> None:
    ocr = distrusting(tesseracts.answering(readable()), 0.31)
    page = convert_one(task, EnginePage(1, LONG, quality=Quality(1.0, ())), ocr=ocr)

    assert (page.account.outcome, page.account.message) == (PageOutcome.TEXT, None)


# Languages


def test_a_page_in_a_language_that_is_not_installed_says_what_to_install(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    german = Sheet().line("der Hund und die Katze sind auf dem Dach und das ist nicht gut für den Hund")
    tesseracts.wanted = ()

    account = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(german)).account

    assert (account.outcome, account.warnings) == (PageOutcome.OCR, ("ocr_language_missing",))
    assert "apt install tesseract-ocr-deu), and convert it with ocr_languages=deu" in (account.message or "")


# Text in pictures


def test_text_in_a_drawing_is_read_when_asked_for(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan([]))
    chart = picture_page(LONG, Box(72, 72, 200, 150))
    conversion = Conversion(
        task,
        Document(path=task.source, pages=1, survey={}),
        engine=Engine({1: chart}),
        ocr=tesseracts.answering(Sheet().line("Answers in percent of all")),
        repaired=False,
        read_pictures=True,
    )

    (page,) = conversion.run(Slice(1, 1), nobody).pages

    assert page.markdown.endswith("![](assets/p0001-1.png)\n\nAnswers in percent of all")


# Text that is no text


def test_text_that_makes_no_words_waits_for_ocr_where_there_is_none(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.prose("A heading"))
    coded = EnginePage(1, LONG, quality=Quality(0.1, ("unknown_glyphs",), unreadable=True))

    page = convert_one(task, coded, ocr=tesseracts.missing())

    assert (page.account.outcome, page.account.code) == (PageOutcome.FAILED, OcrUnavailable.code)
    assert page.markdown == LONG, "what there is stays"


def test_text_that_makes_no_words_is_a_doubt_where_nobody_wants_ocr(task: Task) -> None:
    coded = EnginePage(1, LONG, quality=Quality(0.1, ("unknown_glyphs",), unreadable=True))

    account = convert_one(task, coded, ocr=None).account

    assert (account.outcome, account.warnings) == (PageOutcome.TEXT, ("unknown_glyphs",))


def test_text_that_makes_no_words_stays_where_ocr_fails(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.prose("A heading"))
    coded = EnginePage(1, LONG, quality=Quality(0.1, ("unknown_glyphs",), unreadable=True))

    page = convert_one(task, coded, ocr=tesseracts.failing())

    assert (page.account.outcome, page.account.warnings) == (PageOutcome.TEXT, ("unknown_glyphs",))
    assert page.markdown == LONG


# Doubts


@pytest.mark.parametrize(("confidence", "warnings"), [(78.0, ("ocr_unsure",)), (82.0, ())])
def test_a_scan_that_ocr_is_not_sure_of_is_a_doubt(
    task: Task, tesseracts: Tesseracts, confidence: float, warnings: tuple[str, ...]
) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    read = Sheet().line("words that are hardly to be read in this copy", confidence=confidence)

    assert convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(read)).account.warnings == warnings


@pytest.mark.parametrize(("lines", "warnings"), [(12, ("ocr_unsure",)), (0, ())])
def test_nothing_read_where_print_is_seen_is_a_doubt(
    task: Task, tesseracts: Tesseracts, lines: int, warnings: tuple[str, ...]
) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["lines of print in a script that nobody here can read"] * lines + ["."]))

    account = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(Sheet())).account

    assert (account.confidence, account.warnings) == (0.0, warnings)


LINES = ["print that fills most of the line from its left to its right"] * 3


def placed(count: int) -> Sheet:
    """What tesseract tells of the last lines of that scan, at their places."""
    sheet = Sheet()
    for number in range(3 - count, 3):
        sheet.line(LINES[number])
    scale = 200 / 72
    for number, row in enumerate(sheet.rows[2:]):
        cells = row.split("\t")
        words = len(LINES[0].split())
        line = 3 - count + number // words
        edges = (72 + 31 * (number % words), 92 + 20 * line, 28, 14)
        cells[6:10] = (str(round(scale * edge)) for edge in edges)
        sheet.rows[2 + number] = "\t".join(cells)
    return sheet


def test_a_line_that_ocr_passes_over_is_looked_for_again(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(LINES))

    page = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(placed(1), placed(3)))

    assert (page.markdown.count("print that fills"), page.account.warnings, tesseracts.runs) == (3, (), 2)


def test_a_line_that_ocr_passes_over_again_is_a_doubt(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(LINES))

    page = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(placed(1)))

    assert (page.markdown.count("print that fills"), page.account.warnings) == (1, ("ocr_unsure",))


def test_a_scan_of_which_all_print_is_read_is_read_once(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(LINES))

    convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(placed(3)))

    assert tesseracts.runs == 1
