"""Drawings are told from tables, boxes, underlines and ornaments."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.processors.layout.made import SURVEY, line, page
from tests.unit.processors.layout.made_columns import text

from blobforge.processors.pdf_markdown.layout.model.content import Fill, FreeShape, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.pictures.drawings import drawings_of

RED = (0.8, 0.1, 0.1)
PIE = [FreeShape(Rectangle(100, 100, 150, 200), 9), FreeShape(Rectangle(150, 100, 200, 200), 9)]


def found(lines: Sequence[TextLine] = (), **drawn: Any) -> list[Rectangle]:
    return drawings_of(page(lines)._replace(**drawn), lines, SURVEY)


def bars(*heights: float) -> list[Fill]:
    return [
        Fill(Rectangle(100 + 30 * place, 300 - each, 120 + 30 * place, 300), RED) for place, each in enumerate(heights)
    ]


def letters(count: int, *, left: float = 200.0, top: float = 300.0) -> list[FreeShape]:
    return [FreeShape(Rectangle(left + 8 * place, top, left + 8 * place + 6, top + 11), 20) for place in range(count)]


def test_curves_that_lie_together_are_a_drawing() -> None:
    assert found(marks=PIE) == [Rectangle(100, 100, 200, 200)]


def test_curves_far_from_each_other_are_two() -> None:
    other = FreeShape(Rectangle(100, 400, 200, 500), 30)

    assert len(found(marks=[*PIE, other])) == 2


def test_a_frame_around_a_drawing_belongs_to_it() -> None:
    assert found(marks=PIE, frames=[Rectangle(80, 80, 300, 220)]) == [Rectangle(80, 80, 300, 220)]


def test_a_frame_with_running_text_does_not_belong_to_the_drawing_in_it() -> None:
    beside = text("a", 6, left=220, top=100, letters=60)

    assert found(beside, marks=PIE, frames=[Rectangle(80, 80, 580, 220)]) == [Rectangle(100, 100, 200, 200)]


def test_a_bullet_beside_a_drawing_is_no_part_of_it() -> None:
    item = line("a point of the list", left=215, base=150)

    assert found([item], marks=PIE, dots=[Rectangle(203, 144, 207, 148)]) == [Rectangle(100, 100, 200, 200)]


def test_a_rule_across_the_page_does_not_belong_to_the_drawing_that_it_touches() -> None:
    rule = Rectangle(50, 201, 550, 201)

    assert found(marks=PIE, horizontals=[rule]) == [Rectangle(100, 100, 200, 200)]


@pytest.mark.parametrize(
    "mark",
    [
        FreeShape(Rectangle(100, 100, 200, 200), 5),  # a disc
        FreeShape(Rectangle(100, 100, 120, 120), 40),  # an icon
        FreeShape(Rectangle(100, 100, 500, 106), 40),  # a flourish
    ],
)
def test_a_simple_shape_or_a_small_one_is_an_ornament(mark: FreeShape) -> None:
    assert found(marks=[mark]) == []


def test_what_lies_behind_running_text_is_no_drawing() -> None:
    over = text("a", 8, left=60, top=100, letters=60)

    assert found(over, marks=[FreeShape(Rectangle(50, 90, 400, 220), 80)]) == []


def test_a_shape_around_the_page_does_not_hide_the_drawing_on_it() -> None:
    below = text("a", 8, left=60, top=400, letters=60)
    border = FreeShape(Rectangle(10, 10, 590, 790), 30)

    assert found(below, marks=[border, *PIE]) == [Rectangle(100, 100, 200, 200)]


def test_bars_of_different_heights_on_one_line_are_a_chart() -> None:
    axis = Rectangle(90, 300, 260, 300)

    assert found(fills=bars(40, 90, 60, 75, 30), horizontals=[axis]) == [Rectangle(90, 210, 260, 300)]


def test_cells_that_are_tinted_are_no_bars() -> None:
    assert found(fills=bars(20, 20, 20, 20)) == []


def test_fills_with_words_in_them_are_no_bars() -> None:
    words = [line("some", left=101 + 30 * place, base=295) for place in range(4)]

    assert found(words, fills=bars(40, 90, 60, 75)) == []


def test_bars_may_have_their_figures_in_them() -> None:
    figures = [line("40%", left=101 + 30 * place, base=295) for place in range(4)]

    assert found(figures, fills=bars(40, 90, 60, 75)) == found(fills=bars(40, 90, 60, 75))


def test_bars_may_lie() -> None:
    lying = [Fill(Rectangle(100, 100 + 30 * place, 150 + 40 * place, 120 + 30 * place), RED) for place in range(4)]

    assert found(fills=lying) == [Rectangle(100, 100, 270, 210)]


def test_points_between_two_axes_are_a_chart() -> None:
    dots = [Rectangle(120 + 17 * place, 290 - 13 * place, 124 + 17 * place, 294 - 13 * place) for place in range(12)]
    across, down = Rectangle(100, 300, 350, 300), Rectangle(100, 100, 100, 300)

    assert found(dots=dots, horizontals=[across], verticals=[down]) == [Rectangle(100, 100, 350, 300)]
    assert found(dots=dots) == []


def test_a_formula_in_outlines_is_a_drawing_with_its_simple_signs() -> None:
    formula = [*letters(3), *letters(3, left=250)]
    equals = Fill(Rectangle(230, 304, 242, 306), RED)

    assert found(marks=formula, fills=[equals]) == [Rectangle(200, 300, 272, 311)]


def test_a_number_beside_a_formula_does_not_matter() -> None:
    assert found([line("(15.2)", left=160, base=309)], marks=letters(6)) == [Rectangle(200, 300, 246, 311)]


def test_the_number_of_a_formula_in_outlines_is_shown_with_it() -> None:
    assert found(marks=[*letters(4), *letters(2, left=258)]) == [Rectangle(200, 300, 272, 311)]


def test_letters_in_outlines_within_a_line_of_text_are_no_drawing() -> None:
    assert found([line("the share of", left=130, base=309)], marks=letters(6)) == []


def test_what_lies_above_all_text_of_a_document_is_its_head() -> None:
    logo = FreeShape(Rectangle(100, 10, 200, 40), 80)

    assert drawings_of(page([])._replace(marks=[logo]), [], replace(SURVEY, text_top=60.0)) == []


def test_a_flourish_in_the_corner_of_a_page_of_text_is_an_ornament() -> None:
    corner = FreeShape(Rectangle(20, 20, 60, 60), 60)

    assert found(text("a", 6, left=100, top=300, letters=60), marks=[corner]) == []
    assert found(marks=[corner]) == [corner.box]


def test_signs_in_the_cells_of_a_table_are_no_drawing() -> None:
    rules = [Rectangle(50, 100 + 15 * row, 400, 100 + 15 * row) for row in range(8)]
    names = [line(f"Name {row}", left=55, base=111 + 15 * row) for row in range(7)]
    ticks = [
        FreeShape(Rectangle(200 + 18 * x, 103 + 15 * row, 210 + 18 * x, 112 + 15 * row), 9)
        for row in range(7)
        for x in range(6)
    ]

    assert found(names, marks=ticks, horizontals=rules) == []


def test_the_grid_of_a_chart_is_no_table() -> None:
    grid = [Rectangle(100, 100 + 25 * place, 320, 100 + 25 * place) for place in range(5)]
    values = [line(str(place), left=85, base=104 + 25 * place) for place in range(5)]

    assert found(values, marks=[FreeShape(Rectangle(110, 110, 310, 190), 20)], horizontals=grid) == [
        Rectangle(100, 100, 320, 200)
    ]


def test_thousands_of_marks_are_one_drawing() -> None:
    marks = [
        FreeShape(Rectangle(50 + x, 50 + y, 54 + x, 54 + y), 4) for x in range(0, 300, 5) for y in range(0, 300, 5)
    ]

    assert found(marks=marks) == [Rectangle(50, 50, 349, 349)]
