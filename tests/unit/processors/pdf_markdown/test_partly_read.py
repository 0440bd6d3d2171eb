"""Pages whose text is not all that can be read on them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw
from tests.unit.processors import pdfs
from tests.unit.processors.outlines import LETTER, LINE, PAGE, WORD, draw_outlines
from tests.unit.processors.pdf_markdown.conversions import LONG, Tesseracts, convert_one
from tests.unit.processors.pdf_markdown.sheets import Sheet

from blobforge.domain.errors import OcrUnavailable
from blobforge.domain.page import Page, PageOutcome
from blobforge.ports.processor import Slice, Task
from blobforge.processors.pdf_markdown.conversion import Conversion
from blobforge.processors.pdf_markdown.engines.blobforge import BlobforgeEngine
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage, Pictured
from blobforge.processors.pdf_markdown.layout.output.completeness import Quality
from blobforge.processors.pdf_markdown.ocr.reader import OcrReader
from blobforge.processors.pdf_markdown.ocr.unread_print import PrintPlace, print_in
from blobforge.processors.pdf_markdown.page_view import PageView
from blobforge.processors.pdf_markdown.parts import ConvertedPage
from blobforge.testing.processor_contract import nobody

PRINTED = ["The tenant pays the rent on the third working day of each month"] * 12
FOOTER = (
    "Digitally signed by Eleonora Vance, 2024.05.03 14:22:10",
    "Document 4f1c-88e2, see https://sign.example/4f1c",
)
READ = Sheet().line("The tenant pays the rent on the third working day of each month")


@pytest.fixture
def tesseracts(tmp_path: Path) -> Tesseracts:
    return Tesseracts(tmp_path / "tesseract")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return pdfs.a_task(tmp_path / "book.pdf", tmp_path / "work")


def signed(lines: list[str] = PRINTED, *, hidden: int = 0, without: int = -1) -> pdfs.Draw:
    """A scan with a footer of digital text, or with the first lines of its text hidden behind it, perhaps without one
    of them."""

    def draw(canvas: Any) -> None:
        pdfs.scan(lines)(canvas)
        canvas.setFont("Helvetica", 8)
        for place, line in enumerate(() if hidden else FOOTER):
            canvas.drawString(60, 60 - 12 * place, line)
        for place, line in enumerate(lines[:hidden]):
            if place == without:
                continue
            layer = canvas.beginText(72, 740 - 20 * place)
            layer.setFont("Helvetica", 14)
            layer.setTextRenderMode(3)
            layer.textLine(line)
            canvas.drawText(layer)

    return draw


def outlined(each: str, *, lines: int = 12, beside: Callable[[Any], None] | None = None) -> pdfs.Draw:
    """Letters that are drawn, and a footer."""

    def draw(canvas: Any) -> None:
        draw_outlines(canvas, PRINTED[:lines], each=each)
        canvas.drawString(72, 30, FOOTER[0])
        if beside is not None:
            beside(canvas)

    return draw


def column(canvas: Any) -> None:
    """Digital text right of what is in outlines."""
    canvas.setFont("Helvetica", 9)
    for row in range(40):
        canvas.drawString(420, 740 - 15 * row, "The landlord keeps the roof in")


def chart(canvas: Any) -> None:
    """Axes, a curve, and labels in outlines."""
    canvas.line(80, 250, 80, 480)
    canvas.line(80, 250, 480, 250)
    curve = canvas.beginPath()
    curve.moveTo(80, 260)
    for place in range(38):
        x = 80 + 10 * place
        curve.curveTo(x + 3, 300, x + 6, 290, x + 10, 270 + 37 * place % 200)
    canvas.drawPath(curve)
    draw_outlines(canvas, ["What the tenants of the house have paid"] * 4, left=100, base=470, size=8, leading=11)


def converted(task: Task, ocr: OcrReader | None) -> ConvertedPage:
    """By our own engine."""
    engine = BlobforgeEngine()
    document = Document(path=task.source, pages=1, survey={})
    document = Document(path=task.source, pages=1, survey=engine.survey(document))
    (page,) = Conversion(task, document, engine=engine, ocr=ocr, repaired=False).run(Slice(1, 1), nobody).pages
    return page


def test_a_scan_with_a_digital_footer_is_read_and_the_footer_is_there_once(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, signed())

    page = converted(task, tesseracts.answering(READ))

    assert page.account.outcome is PageOutcome.OCR
    assert page.markdown.count("The tenant pays the rent") == 1
    assert page.markdown.count("Digitally signed by Eleonora Vance") == 1


def test_ocr_does_not_see_the_text_that_the_page_tells_by_itself(task: Task) -> None:
    pdfs.make_pdf(task.source, pdfs.prose("A heading"))

    with PageView(task.source) as view:
        seen, left = view.grey(1), view.grey(1, untold=True)

    assert min(seen.content[20:]) < 60
    assert min(left.content[20:]) > 200


@pytest.mark.parametrize(
    "make",
    [
        signed(),
        signed(hidden=2),
        pdfs.scan(PRINTED, stamp="Copy 7"),
        outlined(LETTER),
        outlined(WORD, lines=3),
        outlined(LINE, lines=3),
        outlined(PAGE, lines=3),
        outlined(PAGE, beside=column),
        outlined(LINE, beside=chart),
    ],
)
def test_a_page_that_is_partly_read_waits_for_ocr(task: Task, make: Callable[[Any], None], tmp_path: Path) -> None:
    pdfs.make_pdf(task.source, make)

    page = converted(task, Tesseracts(tmp_path).missing())

    assert (page.account.outcome, page.account.code) == (PageOutcome.FAILED, OcrUnavailable.code)
    assert page.markdown, "what there is stays"


def test_a_page_that_is_partly_read_is_a_gap_when_ocr_is_off(task: Task) -> None:
    pdfs.make_pdf(task.source, signed())

    account = converted(task, None).account

    assert (account.outcome, account.code) == (PageOutcome.FAILED, OcrUnavailable.code)
    assert "ocr=auto" in (account.message or "")


def test_a_hidden_layer_of_the_first_lines_alone_is_read_anew(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, signed(hidden=2))
    read = Sheet()
    for line in PRINTED:
        read.line(line)

    page = converted(task, tesseracts.answering(read))

    assert page.account.outcome is PageOutcome.OCR
    assert page.markdown.count("The tenant pays the rent") == len(PRINTED)


@pytest.mark.parametrize("without", [0, 5, len(PRINTED) - 1])
def test_a_hidden_layer_that_lacks_a_single_line_is_read_anew(task: Task, tesseracts: Tesseracts, without: int) -> None:
    pdfs.make_pdf(task.source, signed(hidden=len(PRINTED), without=without))
    read = Sheet()
    for line in PRINTED:
        read.line(line)

    page = converted(task, tesseracts.answering(read))

    assert page.account.outcome is PageOutcome.OCR
    assert page.markdown.count("The tenant pays the rent") == len(PRINTED)


def test_a_single_line_beside_digital_text_is_read(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, signed(PRINTED[:1]))

    page = converted(task, tesseracts.answering(READ))

    assert page.account.outcome is PageOutcome.OCR
    assert "third working day" in page.markdown


def test_a_hidden_layer_of_all_lines_is_used(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, signed(hidden=len(PRINTED)))

    page = converted(task, tesseracts.answering(READ))

    assert (page.account.outcome, tesseracts.runs) == (PageOutcome.TEXT, 0)


@pytest.mark.parametrize("each", [LETTER, WORD, LINE, PAGE])
def test_letters_in_outlines_are_read_beside_a_digital_footer(task: Task, tesseracts: Tesseracts, each: str) -> None:
    pdfs.make_pdf(task.source, outlined(each))

    page = converted(task, tesseracts.answering(READ))

    assert page.account.outcome is PageOutcome.OCR
    assert "third working day" in page.markdown
    assert page.markdown.count("Digitally signed") == 1
    assert not page.assets, "what was read is no picture any more"


def test_a_chart_beside_letters_in_outlines_stays_a_picture(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, outlined(LINE, beside=chart))

    page = converted(task, tesseracts.answering(READ))

    assert "third working day" in page.markdown
    assert len(page.assets) == 1


def title(canvas: Any) -> None:
    draw_outlines(canvas, ["The Tenants of the House", "and what becomes of them"], size=28, leading=40, base=700)
    pdfs.prose("A heading")(canvas)


def pattern(canvas: Any) -> None:
    """Leaves of a few sizes in rows."""
    for row in range(20):
        for place in range(50):
            x, y, size = 50 + 9 * place, 300 + 20 * row, (4, 5, 7)[place % 3]
            leaf = canvas.beginPath()
            leaf.moveTo(x, y)
            leaf.curveTo(x, y + size, x + size, y + size, x + 1.5 * size, y)
            leaf.close()
            canvas.drawPath(leaf, fill=1)
    pdfs.words(FOOTER[0])(canvas)


def labelled(canvas: Any) -> None:
    chart(canvas)
    pdfs.words(FOOTER[0])(canvas)


def twice(canvas: Any) -> None:
    """Drawn in outlines, and told by letters of no ink for whoever searches."""
    draw_outlines(canvas, PRINTED, each=PAGE)
    told = canvas.beginText(72, 740)
    told.setFont("Helvetica", 11, 15)
    told.setTextRenderMode(3)
    for line in PRINTED:
        told.textLine(line)
    canvas.drawText(told)


@pytest.mark.parametrize("draw", [title, pattern, labelled, twice])
def test_shapes_that_are_no_unread_text_are_no_alarm(task: Task, draw: pdfs.Draw) -> None:
    pdfs.make_pdf(task.source, draw)

    account = converted(task, None).account

    assert (account.outcome, account.warnings) == (PageOutcome.TEXT, ())


def photograph(canvas: Any) -> None:
    image = Image.effect_noise((300, 420), 60).resize((600, 840))
    canvas.drawInlineImage(image, 0, 0, pdfs.WIDTH, pdfs.HEIGHT)
    for place, line in enumerate(pdfs.PROSE):
        canvas.drawString(72, 700 - 15 * place, line)


def test_a_photograph_behind_text_is_not_read(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, photograph)

    page = converted(task, tesseracts.answering(READ))

    assert (page.account.outcome, tesseracts.runs) == (PageOutcome.TEXT, 0)


def test_print_that_ocr_is_not_sure_of_is_a_doubt(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, signed())
    shown = EnginePage(1, LONG, quality=Quality(1.0, ()), pictured=Pictured(1.0))
    unsure = Sheet().line("bcdfg hjklm npqrs tvwxz bcdfg hjklm npqrs", confidence=40.0)

    page = convert_one(task, shown, ocr=tesseracts.answering(unsure))

    assert page == ConvertedPage(Page(1, PageOutcome.TEXT, confidence=1.0, warnings=("unread_print",)), LONG)


def test_pictures_that_are_no_scan_stay_beside_what_is_read(task: Task, tesseracts: Tesseracts) -> None:
    pdfs.make_pdf(task.source, signed())
    shown = EnginePage(1, LONG, quality=Quality(1.0, ()), pictured=Pictured(1.0))

    page = convert_one(task, shown, ocr=tesseracts.answering(READ))

    assert page.markdown.startswith(LONG)
    assert page.markdown.endswith("third working day of each month")


# Print in a picture


def lines_of_print(count: int, *, ground: int = 255, ink: int = 0) -> Image.Image:
    image = Image.new("L", (600, 800), ground)
    draw = ImageDraw.Draw(image)
    for place in range(count):
        for letter in range(90):
            draw.rectangle((30 + 6 * letter, 40 + 16 * place, 32 + 6 * letter, 46 + 16 * place), fill=ink)
    return image


@pytest.mark.parametrize(("ground", "ink"), [(255, 0), (210, 90), (20, 240)])
def test_lines_of_print_are_counted_on_any_ground(ground: int, ink: int) -> None:
    _, seen = print_in(lines_of_print(10, ground=ground, ink=ink))

    assert 8 <= seen.lines <= 10
    assert seen.share > 0.9


def test_what_was_told_is_not_counted() -> None:
    told = [PrintPlace(20, 36, 580, 36 + 16 * 6)]

    unread, seen = print_in(lines_of_print(10), told)

    assert unread.lines == pytest.approx(0.4 * seen.lines, abs=0.1)


def test_rules_and_bars_are_hardly_print() -> None:
    image = Image.new("L", (600, 800), 255)
    draw = ImageDraw.Draw(image)
    for place in range(10):
        draw.rectangle((30, 40 + 40 * place, 570, 41 + 40 * place), fill=0)
        draw.rectangle((30, 50 + 40 * place, 570, 65 + 40 * place), fill=0)

    _, seen = print_in(image)
    assert seen.share < 0.1


def test_a_line_is_as_long_as_it_was_printed() -> None:
    told = [PrintPlace(20, 36 + 16 * row, 580, 50 + 16 * row) for row in range(10) if row != 4]

    unread, seen = print_in(lines_of_print(10), told)

    assert unread.longest == seen.longest == pytest.approx(0.95, abs=0.06)


def test_what_sticks_out_of_told_text_is_no_line() -> None:
    """As of a hidden layer that lies a little too high."""
    told = [PrintPlace(20, 34 + 16 * row, 580, 44 + 16 * row) for row in range(10)]

    unread, _ = print_in(lines_of_print(10), told)

    assert unread.lines > 2
    assert unread.longest == 0
