"""Frames out of the rules that a picture shows."""

from blobforge.processors.pdf_markdown.layout.model import Box
from blobforge.processors.pdf_markdown.layout.scans.scan_frames import frames_of

TOP, BOTTOM = Box(50, 100, 300, 100), Box(51, 200, 299, 200)
LEFT, RIGHT = Box(50, 101, 50, 198), Box(300, 100, 300, 200)


def test_four_rules_that_meet_are_a_frame() -> None:
    assert frames_of([TOP, BOTTOM], [LEFT, RIGHT]) == [Box(50, 100, 300, 200)]


def test_rules_without_sides_are_none() -> None:
    assert frames_of([TOP, BOTTOM], [LEFT]) == []
    assert frames_of([TOP, BOTTOM], [LEFT, Box(300, 100, 300, 140)]) == []


def test_a_row_of_cells_is_no_frame() -> None:
    assert frames_of([TOP, BOTTOM], [LEFT, Box(150, 100, 150, 200), RIGHT]) == []
