"""Frames out of the rules that a picture shows."""

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.rulings.scanned_frames import frames_of

TOP, BOTTOM = Rectangle(50, 100, 300, 100), Rectangle(51, 200, 299, 200)
LEFT, RIGHT = Rectangle(50, 101, 50, 198), Rectangle(300, 100, 300, 200)


def test_four_rules_that_meet_are_a_frame() -> None:
    assert frames_of([TOP, BOTTOM], [LEFT, RIGHT]) == [Rectangle(50, 100, 300, 200)]


def test_rules_without_sides_are_none() -> None:
    assert frames_of([TOP, BOTTOM], [LEFT]) == []
    assert frames_of([TOP, BOTTOM], [LEFT, Rectangle(300, 100, 300, 140)]) == []


def test_a_row_of_cells_is_no_frame() -> None:
    assert frames_of([TOP, BOTTOM], [LEFT, Rectangle(150, 100, 150, 200), RIGHT]) == []
