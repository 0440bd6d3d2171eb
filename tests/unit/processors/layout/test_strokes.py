"""Paths become rules, fills and frames."""

from typing import Any

from tests.unit.processors.layout.made_glyphs import PAGE

from blobforge.processors.pdf_markdown.layout.model import Box
from blobforge.processors.pdf_markdown.layout.strokes import Strokes


def _path(*operations: dict[str, Any], fill: object = None, stroke: object = None) -> dict[str, Any]:
    return {"operations": operations, "fill_color": fill, "stroke_color": stroke, "stroke_width": 1.0}


def _rectangle(x: float, y: float, width: float, height: float) -> dict[str, Any]:
    return {"op": "rectangle", "x": x, "y": y, "width": width, "height": height}


BLACK = (0.0, 0.0, 0.0)


def test_a_thin_rectangle_is_a_rule() -> None:
    strokes = Strokes(PAGE).read([_path(_rectangle(50, 700, 200, 1), fill=BLACK)])

    assert strokes.horizontals == [Box(50, 99.5, 250, 99.5)]


def test_a_stroked_line_is_a_rule() -> None:
    down = ({"op": "move_to", "x": 50, "y": 700}, {"op": "line_to", "x": 50, "y": 600})

    assert Strokes(PAGE).read([_path(*down, stroke=BLACK)]).verticals == [Box(50, 100, 50, 200)]


def test_an_outlined_rectangle_is_a_frame_and_four_rules() -> None:
    strokes = Strokes(PAGE).read([_path(_rectangle(50, 600, 200, 100), stroke=BLACK)])

    assert strokes.frames == [Box(50, 100, 250, 200)]
    assert (len(strokes.horizontals), len(strokes.verticals)) == (2, 2)


def test_a_ring_of_two_rectangles_is_a_border() -> None:
    ring = _path(_rectangle(50, 600, 200, 100), _rectangle(51, 601, 198, 98), fill=BLACK)

    strokes = Strokes(PAGE).read([ring])

    assert strokes.frames == [Box(50, 100, 250, 200)]
    assert not strokes.fills


def test_a_filled_rectangle_is_a_fill() -> None:
    (fill,) = Strokes(PAGE).read([_path(_rectangle(50, 600, 200, 100), fill=(0.9, 0.9, 0.8))]).fills

    assert fill.box == Box(50, 100, 250, 200)


def test_what_is_drawn_on_a_turned_page_is_turned_with_it() -> None:
    turned = Box(0.0, -600.0, 800.0, 0.0)

    strokes = Strokes(turned, angle=90).read([_path(_rectangle(100, 50, 100, 200), fill=BLACK)])

    assert strokes.fills[0].box == Box(50, 100, 250, 200)
