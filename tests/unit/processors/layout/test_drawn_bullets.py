"""Bullets that were drawn belong to the lines after them."""

from tests.unit.processors.layout.made import line

from blobforge.processors.pdf_markdown.layout.model.content import FreeShape, Rectangle
from blobforge.processors.pdf_markdown.layout.text.list_entries import marker_of
from blobforge.processors.pdf_markdown.layout.words.drawn_bullets import with_dots, with_ornate_bullets


def test_a_dot_right_before_a_line_is_its_bullet() -> None:
    (found,) = with_dots([line("a tile", left=60)], [Rectangle(50, 95, 53, 98)])

    assert (found.text, marker_of(found)) == ("• a tile", "-")


def test_a_dot_that_is_no_bullet_is_left_alone() -> None:
    below, far, large = Rectangle(50, 104, 53, 107), Rectangle(20, 95, 23, 98), Rectangle(48, 92, 56, 100)
    (found,) = with_dots([line("a tile", left=60)], [below, far, large])

    assert found.text == "a tile"


def test_a_dot_belongs_to_the_nearest_line() -> None:
    near, other = line("a tile", left=60), line("a board", left=70)

    assert [each.text for each in with_dots([other, near], [Rectangle(53, 95, 56, 98)])] == ["a board", "• a tile"]


def test_shapes_that_are_alike_and_one_under_the_other_are_bullets() -> None:
    lines = [line("a tile", left=62, base=100), line("a board", left=62, base=130)]
    hexagons = [FreeShape(Rectangle(50, base - 6, 57, base + 1), 8) for base in (100, 130)]

    assert [marker_of(each) for each in with_ornate_bullets(lines, hexagons)] == ["-", "-"]


def test_a_single_shape_before_a_line_is_no_bullet() -> None:
    (found,) = with_ornate_bullets([line("a tile", left=62)], [FreeShape(Rectangle(50, 94, 57, 101), 8)])

    assert found.text == "a tile"
