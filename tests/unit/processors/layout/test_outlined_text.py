"""Which shapes on a page are lines of text in outlines."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.processors import pdfs
from tests.unit.processors.outlines import LETTER, LINE, PAGE, WORD, draw_outlines

from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle
from blobforge.processors.pdf_markdown.layout.pictures.outlined_text import is_lettered, lines_in_outlines

TEXT = ("The tenant pays the rent on the third working day", "of each month, and no later than noon, by the book")


def content(path: Path, draw: pdfs.Draw) -> PageContent:
    return Source(pdfs.make_pdf(path, draw), pages=1).page(1)


@pytest.mark.parametrize("each", [LETTER, WORD, LINE, PAGE])
@pytest.mark.parametrize(
    ("font", "size"), [("Helvetica", 11), ("Times-Roman", 7), ("Times-Italic", 10), ("Times-Bold", 20)]
)
def test_lines_are_found_however_much_of_them_a_path_holds(tmp_path: Path, each: str, font: str, size: float) -> None:
    page = content(
        tmp_path / "a.pdf",
        lambda canvas: draw_outlines(canvas, TEXT, each=each, font=font, size=size, leading=1.3 * size, left=40),
    )

    found = sorted(lines_in_outlines(page), key=lambda line: line.box.top)

    assert len(found) == len(TEXT)
    for place, line in enumerate(found):
        assert line.letters >= 0.5 * len(TEXT[place].replace(" ", ""))
        assert line.box.bottom == pytest.approx(pdfs.HEIGHT - 740 + place * 1.3 * size, abs=0.3 * size)


def test_columns_side_by_side_are_lines_each(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        for left in (40, 320):
            draw_outlines(canvas, TEXT, left=left, size=8, font="Courier", each=PAGE)

    found = lines_in_outlines(content(tmp_path / "a.pdf", draw))

    assert len(found) == 2 * len(TEXT)
    assert all(line.box.right < 320 or line.box.left > 300 for line in found)


@pytest.mark.parametrize("text", ["Revenue, 2019", "F(x) = a(x) + b(y)"])
def test_what_is_short_is_no_line_of_text(tmp_path: Path, text: str) -> None:
    page = content(tmp_path / "a.pdf", lambda canvas: draw_outlines(canvas, [text] * 30))

    assert lines_in_outlines(page) == []


def shapes(*, widths: tuple[float, ...], heights: tuple[float, ...], bottoms: tuple[float, ...]) -> PageContent:
    """Rows of shapes, each of which takes the next width, height and place."""
    found = [
        Rectangle(40 + 8 * place, 20 * row - heights[place % len(heights)] + bottoms[place % len(bottoms)], right, low)
        for row in range(1, 6)
        for place in range(60)
        for right in [40 + 8 * place + widths[place % len(widths)]]
        for low in [20 * row + bottoms[place % len(bottoms)]]
    ]
    return PageContent(
        number=1, width=600, height=800, lines=[], horizontals=[], verticals=[], fills=[], frames=[], images=[],
        turned=None, contours=found,
    )  # fmt: skip


LETTERS = (6.0, 5.5, 7.0, 3.0, 6.5, 5.0, 7.5, 4.0)
LOW_AND_HIGH = (6.0, 8.0)


@pytest.mark.parametrize(
    ("widths", "heights", "bottoms", "is_text"),
    [
        pytest.param(LETTERS, LOW_AND_HIGH, (0.0,), True, id="letters"),
        pytest.param((6.0, 5.0), (6.0,), (0.0,), False, id="a pattern of few shapes"),
        pytest.param((2.0, 2.5, 3.0, 1.5, 1.0), LOW_AND_HIGH, (0.0,), False, id="far from each other"),
        pytest.param(LETTERS, (2.5, 6.0, 30.0), (0.0,), False, id="of all heights"),
        pytest.param(LETTERS, LOW_AND_HIGH, tuple(0.37 * step for step in range(-9, 10)), False, id="up and down"),
    ],
)
def test_what_makes_shapes_in_a_row_a_line_of_text(
    widths: tuple[float, ...], heights: tuple[float, ...], bottoms: tuple[float, ...], *, is_text: bool
) -> None:
    found = lines_in_outlines(shapes(widths=widths, heights=heights, bottoms=bottoms))

    assert len(found) == (5 if is_text else 0)


def test_text_that_the_page_tells_is_not_told_by_its_outlines(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        draw_outlines(canvas, TEXT * 2)
        canvas.setFont("Helvetica", 11)
        for row, line in enumerate(TEXT):
            canvas.drawString(72, 740 - 15 * row, line)

    found = lines_in_outlines(content(tmp_path / "a.pdf", draw))

    assert len(found) == len(TEXT)
    assert all(line.box.top > pdfs.HEIGHT - 740 + 15 for line in found)


def test_a_line_that_stands_alone_may_be_a_title_or_a_formula(tmp_path: Path) -> None:
    page = content(tmp_path / "a.pdf", lambda canvas: draw_outlines(canvas, TEXT * 3, leading=40))

    assert lines_in_outlines(page) == []


def test_a_place_is_lettered_where_letters_fill_it_as_text_does(tmp_path: Path) -> None:
    page = content(tmp_path / "a.pdf", lambda canvas: draw_outlines(canvas, TEXT * 4))

    assert is_lettered(Rectangle(70, 90, 330, 210), page.contours)
    assert not is_lettered(Rectangle(70, 90, 530, 510), page.contours)
