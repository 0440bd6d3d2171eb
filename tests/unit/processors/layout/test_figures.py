"""Captions go with their pictures."""

from tests.unit.processors.layout.made import BODY, SURVEY, line
from tests.unit.processors.layout.made_columns import text

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.model.items import Figure
from blobforge.processors.pdf_markdown.layout.pictures.figures import captions_taken, drawn_figures

SMALL = BODY._replace(size=8.0)


def _figure() -> Figure:
    return Figure(Rectangle(200, 100, 330, 200), 1)


def test_small_lines_under_a_picture_are_its_caption() -> None:
    figure, caption = _figure(), text("c", 2, left=200, top=204, letters=25, style=SMALL)
    beside = text("a", 10, left=50, letters=25)

    assert captions_taken([figure], [*beside, *caption], SURVEY) == beside
    assert figure.caption == caption
    assert figure.box.bottom > 215


def test_text_under_a_picture_that_looks_like_the_body_is_text() -> None:
    figure, below = _figure(), text("a", 2, left=200, top=204, letters=25)

    assert captions_taken([figure], below, SURVEY) == below


def test_a_caption_that_says_what_it_is_may_look_like_the_body() -> None:
    figure, caption = _figure(), line("Figure 3. A view", left=200, base=215)

    assert captions_taken([figure], [caption], SURVEY) == []


def test_text_that_is_wider_than_the_picture_is_no_caption() -> None:
    figure, below = _figure(), text("a", 2, left=100, top=204, letters=60, style=SMALL)

    assert captions_taken([figure], below, SURVEY) == below


def test_small_italics_that_the_text_runs_around_are_the_caption_of_a_drawing() -> None:
    caption = text("c", 2, left=200, top=124, letters=20, style=SMALL._replace(italic=True))
    around = [*text("a", 4, left=50, letters=25), *text("b", 4, left=50, top=148, letters=50)]

    assert [figure.caption for figure in drawn_figures([*around, *caption], SURVEY)] == [caption]


def test_small_italics_in_a_column_of_their_own_are_no_caption_of_a_drawing() -> None:
    small = text("c", 2, left=200, top=124, letters=20, style=SMALL._replace(italic=True))

    assert drawn_figures([*text("a", 8, left=50, letters=25), *small], SURVEY) == []
