"""Tables that rules or fills close in from all sides."""

from itertools import pairwise

from tests.unit.processors.layout.made import SURVEY, line, page

from blobforge.processors.pdf_markdown.layout.model.content import Fill, PageContent, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.tables.grids import GridTable, lattices_of

XS = (50.0, 150.0, 250.0)
YS = (100.0, 120.0, 140.0, 160.0)


def across(y: float, left: float = XS[0], right: float = XS[-1]) -> Rectangle:
    return Rectangle(left, y, right, y)


def down(x: float, top: float = YS[0], bottom: float = YS[-1]) -> Rectangle:
    return Rectangle(x, top, x, bottom)


def ruled(lines: list[TextLine]) -> PageContent:
    return page(lines)._replace(horizontals=[across(y) for y in YS], verticals=[down(x) for x in XS])


def texts(place: PageContent) -> list[list[str]] | None:
    for lattice in lattices_of(place):
        table = GridTable(lattice, SURVEY).table(place.lines)
        if table is not None:
            return [[" ".join(piece.text for piece in cell) for cell in cells] for cells in table.rows]
    return None


def cells(*rows: tuple[str, str]) -> list[TextLine]:
    return [
        line(text, left=left + 4, base=114 + 20 * place)
        for place, row in enumerate(rows)
        for left, text in zip(XS, row, strict=False)
        if text
    ]


FULL = cells(("Item", "Use"), ("Bell", "to call"), ("Hook", "to hold"))


def test_what_lies_in_a_grid_is_a_table() -> None:
    assert texts(ruled(FULL)) == [["Item", "Use"], ["Bell", "to call"], ["Hook", "to hold"]]


def test_a_grid_may_be_open_at_its_sides() -> None:
    place = page(FULL)._replace(horizontals=[across(120), across(140)], verticals=[down(150)])

    assert texts(place) == [["Item", "Use"], ["Bell", "to call"], ["Hook", "to hold"]]


def test_fills_side_by_side_are_a_grid() -> None:
    colours = [(0.9, 0.9, 0.9), (0.8, 0.8, 0.8), (0.9, 0.9, 0.9)]
    fills = [
        Fill(Rectangle(left, top, right, bottom), colour)
        for (top, bottom), colour in zip(pairwise(YS), colours, strict=True)
        for left, right in pairwise(XS)
    ]

    assert texts(page(FULL)._replace(fills=fills)) == [["Item", "Use"], ["Bell", "to call"], ["Hook", "to hold"]]


def test_shading_within_a_cell_makes_no_rows() -> None:
    tint = (0.9, 0.9, 0.8)
    fills = [
        Fill(Rectangle(50, 100, 150, 120), tint),
        Fill(Rectangle(52, 102, 148, 110), tint),
        Fill(Rectangle(52, 110, 148, 118), tint),
    ]

    assert len(texts(ruled(FULL)._replace(fills=fills)) or []) == 3


def test_a_frame_with_text_is_no_table() -> None:
    place = page(FULL)._replace(horizontals=[across(100), across(160)], verticals=[down(50), down(250)])

    assert texts(place) is None


def test_text_that_the_rules_cut_through_is_no_table() -> None:
    lines = [line("a" * 30, left=60, base=114 + 20 * place) for place in range(3)]

    assert texts(ruled(lines)) is None


def test_a_chart_has_little_text_between_its_lines() -> None:
    xs = [50.0 + 20 * place for place in range(10)]
    place = page(cells(("7", "12")))._replace(horizontals=[across(y) for y in YS], verticals=[down(x) for x in xs])

    assert texts(place) is None


def test_cells_without_an_edge_between_them_are_one() -> None:
    lines = [line("Learning outcomes of it", left=54, base=114), *FULL[2:]]
    place = ruled(lines)._replace(verticals=[down(50), down(150, top=120), down(250)])

    assert (texts(place) or [])[0] == ["Learning outcomes of it", ""]


def test_texts_that_keep_clear_of_a_missing_edge_are_two_cells() -> None:
    place = ruled(FULL)._replace(verticals=[down(50), down(150, top=120), down(250)])

    assert (texts(place) or [])[0] == ["Item", "Use"]


def test_a_cell_goes_down_until_the_next_rule_under_it() -> None:
    horizontals = [across(100), across(120), across(140, left=150), across(160)]

    assert texts(ruled(FULL)._replace(horizontals=horizontals)) == [
        ["Item", "Use"],
        ["Bell Hook", "to call"],
        ["", "to hold"],
    ]


def test_a_header_may_stand_above_the_grid() -> None:
    header = [line("Tool", left=54, base=92), line("What for", left=154, base=92)]

    assert (texts(ruled([*header, *FULL])) or [])[0] == ["Tool", "What for"]


def test_without_rules_between_rows_the_lines_are_rows() -> None:
    lines = [
        *FULL[:2],
        *(line(text, left=left, base=132 + 12 * place) for place in range(3) for left, text in ((54, "a"), (154, "b"))),
    ]
    place = page(lines)._replace(
        horizontals=[across(100), across(120), across(165)], verticals=[down(x, bottom=165) for x in XS]
    )

    assert texts(place) == [["Item", "Use"], ["a", "b"], ["a", "b"], ["a", "b"]]


def test_a_page_of_many_lines_is_a_drawing() -> None:
    place = ruled(FULL)._replace(horizontals=[across(100 + place / 10) for place in range(700)])

    assert lattices_of(place) == []


def test_a_tint_in_one_cell_bounds_no_row() -> None:
    tint = Fill(Rectangle(60, 128, 120, 134), (0.9, 0.9, 0.8))

    assert len(texts(ruled(FULL)._replace(fills=[tint])) or []) == 3


def test_a_grid_that_goes_on_with_every_other_row_tinted_is_but_a_part() -> None:
    tinted = [(100.0, 120.0), (120.0, 140.0), (160.0, 180.0)]
    fills = [
        Fill(Rectangle(left, top, right, low), (0.9, 0.9, 0.9)) for top, low in tinted for left, right in pairwise(XS)
    ]

    assert texts(page(FULL)._replace(fills=fills[:4])) == [["Item", "Use"], ["Bell", "to call"]]
    assert texts(page(FULL)._replace(fills=fills)) is None


def test_a_header_in_one_fill_may_begin_a_little_before_the_edges_below() -> None:
    lines = [*cells(("Item", ""), ("Bell", "to call"), ("Hook", "to hold")), line("Use", left=XS[1] - 6, base=114)]
    verticals = [down(XS[0]), down(XS[1], top=YS[1]), down(XS[2])]

    assert texts(ruled(lines)._replace(verticals=verticals)) == [
        ["Item", "Use"],
        ["Bell", "to call"],
        ["Hook", "to hold"],
    ]


def test_columns_that_no_rule_parts_are_told_by_their_gaps() -> None:
    bodies = [
        line(text, left=left, base=base)
        for base, row in ((112, "Kind Low High"), (130, "Dust 4 9"), (144, "Heat 5 8"), (158, "Noise 1 2"))
        for left, text in zip((54, 154, 214), row.split(), strict=True)
    ]
    place = page(bodies)._replace(horizontals=[across(118)], verticals=[down(150)])

    assert texts(place) == [["Kind", "Low", "High"], ["Dust", "4", "9"], ["Heat", "5", "8"], ["Noise", "1", "2"]]


def test_a_line_of_text_above_a_grid_is_no_header() -> None:
    above = [line("and so on", left=54, base=96), line("to the end", left=154, base=96)]

    assert texts(ruled([*above, *FULL])) == [["Item", "Use"], ["Bell", "to call"], ["Hook", "to hold"]]
