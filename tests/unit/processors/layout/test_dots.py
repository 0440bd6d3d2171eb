"""Bullets that were drawn belong to the lines after them."""

from tests.unit.processors.layout.made import line

from blobforge.processors.pdf_markdown.layout.dots import with_dots
from blobforge.processors.pdf_markdown.layout.list_entries import marker_of
from blobforge.processors.pdf_markdown.layout.model import Box


def test_a_dot_right_before_a_line_is_its_bullet() -> None:
    (found,) = with_dots([line("a tile", left=60)], [Box(50, 95, 53, 98)])

    assert (found.text, marker_of(found)) == ("• a tile", "-")


def test_a_dot_that_is_no_bullet_is_left_alone() -> None:
    below, far, large = Box(50, 104, 53, 107), Box(20, 95, 23, 98), Box(48, 92, 56, 100)
    (found,) = with_dots([line("a tile", left=60)], [below, far, large])

    assert found.text == "a tile"


def test_a_dot_belongs_to_the_nearest_line() -> None:
    near, other = line("a tile", left=60), line("a board", left=70)

    assert [each.text for each in with_dots([other, near], [Box(53, 95, 56, 98)])] == ["a board", "• a tile"]
