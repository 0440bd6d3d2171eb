"""Paths become rules, fills and frames."""

import math

import pytest
from tests.unit.processors.layout.made_glyphs import PAGE

from blobforge.processors.pdf_markdown.layout.drawn.libraries import DrawnPath, PathOperation
from blobforge.processors.pdf_markdown.layout.drawn.strokes import Strokes
from blobforge.processors.pdf_markdown.layout.model.content import Colour, Rectangle


def _path(*operations: PathOperation, fill: Colour | None = None, stroke: Colour | None = None) -> DrawnPath:
    return {"operations": operations, "fill_color": fill, "stroke_color": stroke, "stroke_width": 1.0}


def _rectangle(x: float, y: float, width: float, height: float) -> PathOperation:
    return {"op": "rectangle", "x": x, "y": y, "width": width, "height": height}


def _to(op: str, x: float, y: float) -> PathOperation:
    return {"op": op, "x": x, "y": y}


BLACK = (0.0, 0.0, 0.0)


def test_a_thin_rectangle_is_a_rule() -> None:
    strokes = Strokes(PAGE).read([_path(_rectangle(50, 700, 200, 1), fill=BLACK)])

    assert strokes.horizontals == [Rectangle(50, 99.5, 250, 99.5)]


def test_a_stroked_line_is_a_rule() -> None:
    down = (_to("move_to", 50, 700), _to("line_to", 50, 600))

    assert Strokes(PAGE).read([_path(*down, stroke=BLACK)]).verticals == [Rectangle(50, 100, 50, 200)]


def test_an_outlined_rectangle_is_a_frame_and_four_rules() -> None:
    strokes = Strokes(PAGE).read([_path(_rectangle(50, 600, 200, 100), stroke=BLACK)])

    assert strokes.frames == [Rectangle(50, 100, 250, 200)]
    assert (len(strokes.horizontals), len(strokes.verticals)) == (2, 2)


def test_a_ring_of_two_rectangles_is_a_border() -> None:
    ring = _path(_rectangle(50, 600, 200, 100), _rectangle(51, 601, 198, 98), fill=BLACK)

    strokes = Strokes(PAGE).read([ring])

    assert strokes.frames == [Rectangle(50, 100, 250, 200)]
    assert not strokes.fills


def test_a_filled_rectangle_is_a_fill() -> None:
    (fill,) = Strokes(PAGE).read([_path(_rectangle(50, 600, 200, 100), fill=(0.9, 0.9, 0.8))]).fills

    assert fill.box == Rectangle(50, 100, 250, 200)


def test_what_is_drawn_on_a_turned_page_is_turned_with_it() -> None:
    turned = Rectangle(0.0, -600.0, 800.0, 0.0)

    strokes = Strokes(turned, angle=90).read([_path(_rectangle(100, 50, 100, 200), fill=BLACK)])

    assert strokes.fills[0].box == Rectangle(50, 100, 250, 200)


def _rounded(left: float, low: float, right: float, high: float, corner: float) -> list[PathOperation]:
    around = [
        ("move_to", left, low + corner),
        ("line_to", left, high - corner),
        ("curve_to", left + corner, high),
        ("line_to", right - corner, high),
        ("curve_to", right, high - corner),
        ("line_to", right, low + corner),
        ("curve_to", right - corner, low),
        ("line_to", left + corner, low),
        ("curve_to", left, low + corner),
    ]
    return [_to(name, x, y) for name, x, y in around]


def test_a_rectangle_with_rounded_corners_is_a_fill() -> None:
    strokes = Strokes(PAGE).read([_path(*_rounded(50, 600, 250, 700, 6), fill=BLACK)])

    assert [fill.box for fill in strokes.fills] == [Rectangle(50, 100, 250, 200)]


def test_an_outline_with_rounded_corners_is_a_frame() -> None:
    strokes = Strokes(PAGE).read([_path(*_rounded(50, 600, 250, 700, 6), stroke=BLACK)])

    assert strokes.frames == [Rectangle(50, 100, 250, 200)]


def test_a_large_disc_is_nothing() -> None:
    strokes = Strokes(PAGE).read([_path(*_rounded(50, 600, 150, 700, 50), fill=BLACK)])

    assert (strokes.fills, strokes.dots) == ([], [])


def test_a_small_disc_is_a_dot() -> None:
    strokes = Strokes(PAGE).read([_path(*_rounded(50, 697, 53, 700, 1.5), fill=BLACK)])

    assert (strokes.fills, strokes.dots) == ([], [Rectangle(50, 100, 53, 103)])


def _curve(*points: tuple[float, float]) -> list[PathOperation]:
    first, *others = points
    return [_to("move_to", *first), *(_to("curve_to", x, y) for x, y in others)]


def test_what_is_curved_or_slants_is_a_mark() -> None:
    slanting = [_to("move_to", 50, 700), _to("line_to", 150, 650)]
    curved = _curve((50, 500), (80, 550), (120, 480), (200, 500))

    marks = Strokes(PAGE).read([_path(*slanting, stroke=BLACK), _path(*curved, fill=BLACK)]).marks

    assert [mark.box for mark in marks] == [Rectangle(50, 100, 150, 150), Rectangle(50, 250, 200, 320)]
    assert [mark.steps for mark in marks] == [2, 4]


def test_how_far_a_curve_swings_out_counts() -> None:
    bow: PathOperation = {"op": "curve_to", "cx1": 50, "cy1": 800, "cx2": 150, "cy2": 800, "x": 150, "y": 700}

    (mark,) = Strokes(PAGE).read([_path(_to("move_to", 50, 700), bow, stroke=BLACK)]).marks

    assert mark.box == Rectangle(50, 25, 150, 100)


def test_rules_and_rectangles_are_no_marks() -> None:
    several = [
        _to(op, x, y)
        for low in (600, 500)
        for op, x, y in (
            ("move_to", 50, low),
            ("line_to", 250, low),
            ("line_to", 250, low + 50),
            ("line_to", 50, low + 50),
        )
    ]

    strokes = Strokes(PAGE).read(
        [
            _path(*several, {"op": "close_path"}, fill=BLACK),
            _path(*_rounded(50, 600, 250, 700, 6), fill=BLACK),
            _path(_rectangle(50, 600, 200, 100), stroke=BLACK),
        ]
    )

    assert strokes.marks == []


def test_what_is_painted_in_no_known_colour_is_black() -> None:
    (fill,) = Strokes(PAGE).read([_path(_rectangle(50, 600, 200, 100))]).fills

    assert fill.colour == BLACK


def _outline(x: float, y: float, width: float, height: float) -> list[PathOperation]:
    corners = ((x, y + height), (x + width, y + height), (x + width, y))
    return [
        _to("move_to", x, y),
        *(_to("line_to", across, up) for across, up in corners),
        {"op": "close_path"},
    ]


def test_each_bar_of_a_path_that_draws_several_is_a_fill() -> None:
    bars = [*_outline(50, 600, 20, 100), *_outline(90, 600, 20, 40)]

    strokes = Strokes(PAGE).read([_path(*bars, fill=(0.8, 0.3, 0.1))])

    assert [fill.box for fill in strokes.fills] == [Rectangle(50, 100, 70, 200), Rectangle(90, 160, 110, 200)]


def test_rectangles_beside_another_shape_are_parts_of_it() -> None:
    steps = ((50, 700), (70, 700), (70, 650), (90, 650), (90, 600))
    shape = [_to("move_to", 50, 600), *(_to("line_to", x, y) for x, y in steps)]

    assert not Strokes(PAGE).read([_path(*shape, *_outline(100, 600, 20, 40), fill=BLACK)]).fills


@pytest.mark.parametrize("far", [math.inf, -math.inf, math.nan])
def test_what_is_drawn_nowhere_is_nothing(far: float) -> None:
    line = (_to("move_to", 50, 700), _to("line_to", 250, far))
    curve: PathOperation = {"op": "curve_to", "x": 90, "y": 700, "cx1": 50, "cy1": 700, "cx2": far, "cy2": 700}

    strokes = Strokes(PAGE).read(
        [
            _path(*line, stroke=BLACK),
            _path(_rectangle(50, 600, far, 100), fill=BLACK, stroke=BLACK),
            _path(_to("move_to", 50, 700), curve, stroke=BLACK),
        ]
    )

    assert strokes == Strokes(PAGE)
