"""What becomes of each page: text, OCR, empty or failed, and its pictures."""

from pathlib import Path

import pytest
from tests.unit.processors import pdfs
from tests.unit.processors.pdf_markdown.conversions import (
    FULL_PAGE,
    LONG,
    VERY_LONG,
    Engine,
    Tesseracts,
    convert,
    convert_one,
    picture_page,
    readable,
    says,
)
from tests.unit.processors.pdf_markdown.sheets import Sheet

from blobforge.domain.errors import EngineFailed, MemoryLimit
from blobforge.domain.page import Page, PageOutcome
from blobforge.ports.processor import Progress, Slice, Task
from blobforge.processors.pdf_markdown.conversion import Conversion
from blobforge.processors.pdf_markdown.engines.engine import Box, Document, EnginePage, Picture
from blobforge.processors.pdf_markdown.parts import ConvertedPage, asset_path


@pytest.fixture
def tesseracts(tmp_path: Path) -> Tesseracts:
    return Tesseracts(tmp_path / "tesseract")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return pdfs.a_task(tmp_path / "book.pdf", tmp_path / "work")


# Text


def test_a_page_with_text_needs_no_look(task: Task) -> None:
    """There is no file at all."""
    page = convert_one(task, EnginePage(1, LONG))

    assert page == ConvertedPage(Page(1, PageOutcome.TEXT), LONG)


def test_a_very_long_page_is_not_even_counted(task: Task) -> None:
    assert convert_one(task, EnginePage(1, VERY_LONG)).account.outcome is PageOutcome.TEXT


def test_progress_is_told_page_by_page(task: Task) -> None:
    heard: list[Progress] = []
    engine = Engine({1: EnginePage(1, LONG), 2: EnginePage(2, LONG)})
    document = Document(path=task.source, pages=2, survey={})

    Conversion(task, document, engine=engine, ocr=None, repaired=False).run(Slice(1, 2), heard.append)

    assert heard == [Progress("converting", 1, 2), Progress("converting", 2, 2)]


def test_pages_come_in_order_though_one_had_to_be_read_again(task: Task) -> None:
    pages = convert(task, EnginePage(1, LONG), EngineFailed("bad"), EnginePage(3, LONG)).pages

    assert [page.account.number for page in pages] == [1, 2, 3]
    assert [page.account.outcome for page in pages] == ["text", "failed", "text"]


# Little text


def test_a_short_page_stays_as_it_is(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.words("Part Two"))

    page = convert_one(task, EnginePage(1, "Part Two"), ocr=tesseracts.answering(readable()))

    assert (page.account.outcome, page.markdown) == (PageOutcome.TEXT, "Part Two")
    assert tesseracts.runs == 0


def test_a_stamp_on_a_scan_does_not_hide_its_text(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"], stamp="Copy 7"))

    page = convert_one(task, EnginePage(1, "Copy 7"), ocr=tesseracts.answering(readable()))

    assert page.account.outcome is PageOutcome.OCR
    assert page.markdown == "clear words that were read from a scan"


def test_a_caption_on_a_picture_stays_when_ocr_tells_no_more(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan([], stamp="The castle"))

    page = convert_one(task, EnginePage(1, "The castle"), ocr=tesseracts.answering(Sheet().line("castle")))

    assert (page.account.outcome, page.markdown) == (PageOutcome.TEXT, "The castle")


@pytest.mark.parametrize("state", ["failing", "missing"])
def test_little_text_stays_when_ocr_does_not_work(task: Task, tesseracts: Tesseracts, state: str) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"], stamp="Copy 7"))

    page = convert_one(task, EnginePage(1, "Copy 7"), ocr=getattr(tesseracts, state)())

    assert (page.account.outcome, page.markdown) == (PageOutcome.TEXT, "Copy 7")


# No text


def test_a_scan_is_read_by_ocr(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))

    part = convert(task, EnginePage(1, ""), ocr=tesseracts.answering(readable()))

    assert part.pages[0].account.outcome is PageOutcome.OCR
    assert part.pages[0].markdown == "clear words that were read from a scan"
    assert part.tools == {"tesseract": "5.3.0", "tesseract_languages": "eng"}


def test_an_empty_page_is_empty_and_needs_no_ocr(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.nothing)

    part = convert(task, EnginePage(1, ""), ocr=tesseracts.answering(readable()))

    assert part.pages[0] == ConvertedPage(Page(1, PageOutcome.EMPTY))
    assert part.tools == {}
    assert tesseracts.runs == 0


def test_an_empty_page_of_a_repaired_file_may_be_a_lost_one(task: Task) -> None:
    pdfs.make_pdf(task.source, pdfs.nothing)

    page = convert_one(task, EnginePage(1, ""), repaired=True)

    assert (page.account.outcome, page.account.code) == (PageOutcome.FAILED, "damaged_pdf")


@pytest.mark.parametrize(("state", "code"), [("failing", "ocr_failed"), ("missing", "ocr_unavailable")])
def test_a_scan_that_ocr_cannot_read_has_failed(task: Task, tesseracts: Tesseracts, state: str, code: str) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))

    page = convert_one(task, EnginePage(1, ""), ocr=getattr(tesseracts, state)())

    assert (page.account.outcome, page.account.code) == (PageOutcome.FAILED, code)


def test_a_scan_has_failed_when_ocr_is_off(task: Task) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))

    page = convert_one(task, EnginePage(1, ""), ocr=None)

    assert page.account.code == "ocr_unavailable"
    assert "OCR is off" in (page.account.message or "")


def test_a_page_on_its_side_is_turned(task: Task, tesseracts: Tesseracts) -> None:
    tesseracts.languages = frozenset({"eng", "osd"})
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    sideways = Sheet().line("x y z", confidence=40.0)

    page = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(sideways, says("Rotate: 180"), readable()))

    assert page.markdown == "clear words that were read from a scan"
    assert tesseracts.runs == 3


def test_a_page_that_ocr_has_turned_is_shown_as_it_was_read(task: Task, tesseracts: Tesseracts) -> None:
    tesseracts.languages = frozenset({"eng", "osd"})
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    sideways = Sheet().line("x y z", confidence=40.0)
    ocr = tesseracts.answering(sideways, says("Rotate: 90"), readable())
    document = Document(path=task.source, pages=1, survey={})
    engine = Engine({1: EnginePage(1, "", angle=0)})

    Conversion(task, document, engine=engine, ocr=ocr, repaired=False, explain=True).run(Slice(1, 1), lambda _: None)

    (shown,) = task.workspace.glob("shown-*.jpg")
    assert shown.stem.endswith(f"{pdfs.HEIGHT:.2f}-{pdfs.WIDTH:.2f}")


def test_a_page_whose_words_are_higher_than_wide_lies_on_its_side(task: Task, tesseracts: Tesseracts) -> None:
    tesseracts.languages = frozenset({"eng", "osd"})
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    sideways = Sheet().line("words that stand upon their ends", height=200)

    page = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(sideways, says("Rotate: 90"), readable()))

    assert page.markdown == "clear words that were read from a scan"


def test_words_on_their_ends_do_not_count_though_they_were_read_for_sure(task: Task, tesseracts: Tesseracts) -> None:
    tesseracts.languages = frozenset({"eng", "osd"})
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    sideways = Sheet().line("clear words that were read from their side", height=200, confidence=97.0)

    page = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(sideways, says("Rotate: 90"), readable()))

    assert page.markdown == "clear words that were read from a scan"


def test_words_on_their_ends_are_turned_without_data_on_orientation(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    sideways = Sheet().line("clear words that were read from their side", height=200, confidence=97.0)

    page = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(sideways, sideways, readable()))

    assert page.markdown == "clear words that were read from a scan"


def test_a_doubtful_page_is_read_once_without_data_on_orientation(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))

    convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(Sheet().line("x y z", confidence=40.0)))

    assert tesseracts.runs == 1


# Pictures


def test_pictures_are_saved_under_the_number_of_their_page(task: Task) -> None:
    pdfs.make_pdf(task.source, pdfs.with_picture("One", pdfs.shades(), box=(72, 300, 180, 120)))

    page = convert_one(task, picture_page(LONG, Box(72, 422, 180, 120), Box(10, 10, 50, 50)))

    assert [asset.name for asset in page.assets] == ["p0001-1.png", "p0001-2.png"]
    assert "![](assets/p0001-1.png)\n\n![](assets/p0001-2.png)" in page.markdown
    assert asset_path(task.workspace, page.assets[0]).read_bytes().startswith(b"\x89PNG")


def test_a_picture_shown_twice_is_saved_once(task: Task) -> None:
    picture = Picture("cat", "png", b"cat")

    page = convert_one(task, EnginePage(1, f"{LONG} ![](cat) and ![again](cat)", (picture,)))

    assert page.markdown.endswith("![](assets/p0001-1.png) and ![again](assets/p0001-1.png)")
    assert len(page.assets) == 1


def test_links_to_elsewhere_are_left_alone(task: Task) -> None:
    text = f"{LONG} ![](https://example.org/cat.png) ![](cat)"

    page = convert_one(task, EnginePage(1, text, (Picture("cat", "png", b"cat"),)))

    assert "![](https://example.org/cat.png)" in page.markdown


def test_a_picture_that_cannot_be_drawn_costs_not_the_text(task: Task) -> None:
    """There is no file to draw from."""
    task.source.write_text("no PDF")

    page = convert_one(task, picture_page(LONG, Box(0, 0, 50, 50)))

    assert page.account.outcome is PageOutcome.TEXT
    assert page.markdown.endswith("<!-- an image could not be read -->")


def test_a_picture_outside_the_page_leaves_a_remark(task: Task) -> None:
    pdfs.make_pdf(task.source, pdfs.nothing)

    page = convert_one(task, picture_page(LONG, Box(-90, 0, 50, 50)))

    assert page.assets == ()
    assert "could not be read" in page.markdown


def test_a_page_that_is_a_picture_without_words_is_shown(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["~"]))

    page = convert_one(task, EnginePage(1, ""), ocr=tesseracts.answering(Sheet().line("Fig. 1")))

    assert page.account.outcome is PageOutcome.OCR
    assert page.markdown == "![](assets/p0001-1.jpg)\n\nFig. 1"
    assert [asset.name for asset in page.assets] == ["p0001-1.jpg"]


def test_the_scan_of_a_text_that_was_read_is_not_kept(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    small = Box(10, 10, 50, 50)

    page = convert_one(task, picture_page("", FULL_PAGE, small), ocr=tesseracts.answering(readable()))

    assert page.markdown == "clear words that were read from a scan\n\n![](assets/p0001-1.png)"
    assert len(page.assets) == 1


def test_pictures_with_hardly_a_word_are_kept(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["~"]))

    page = convert_one(task, picture_page("", FULL_PAGE), ocr=tesseracts.answering(Sheet().line("Fig. 1")))

    assert page.markdown == "Fig. 1\n\n![](assets/p0001-1.png)"


def test_a_picture_without_a_place_is_kept_beside_the_text_of_ocr(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))
    page = EnginePage(1, "![](cat)", (Picture("cat", "gif", b"cat"),))

    converted = convert_one(task, page, ocr=tesseracts.answering(readable()))

    assert converted.markdown.endswith("\n\n![](assets/p0001-1.gif)")


def test_a_failed_page_keeps_the_pictures_that_there_are(task: Task) -> None:
    pdfs.make_pdf(task.source, pdfs.scan(["a scan"]))

    page = convert_one(task, picture_page("", Box(10, 10, 50, 50)), ocr=None)

    assert page.account.outcome is PageOutcome.FAILED
    assert page.markdown == "![](assets/p0001-1.png)"


# Failures


def test_an_error_of_the_engine_is_the_page_s_account(task: Task) -> None:
    page = convert_one(task, EngineFailed("it\nbroke  here"))

    assert page.account == Page(1, PageOutcome.FAILED, "engine_failed", "it broke here")


def test_memory_that_ran_out_on_a_page_has_its_own_code(task: Task) -> None:
    assert convert_one(task, MemoryLimit("too much")).account.code == "memory_limit"


def test_no_path_of_this_machine_gets_into_the_account(task: Task) -> None:
    error = EngineFailed(f"cannot read {task.source} in {task.workspace}" + "!" * 500)

    message = convert_one(task, error).account.message

    assert message is not None
    assert message.startswith("cannot read book.pdf in book.pdf!")
    assert len(message) == 300


def test_a_page_that_cannot_be_drawn_has_failed(task: Task, tesseracts: Tesseracts) -> None:
    task.source.write_text("no PDF")

    page = convert_one(task, EnginePage(1, ""), ocr=tesseracts.missing())

    assert page.account.code == "engine_failed"
