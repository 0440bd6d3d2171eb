"""Cells over several rows and columns are told where edges were drawn around them."""

from tests.unit.processors.layout.made import BOLD, SURVEY, line, page
from tests.unit.processors.layout.test_table_grids import XS, YS, across, cells, down

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.table import Span
from blobforge.processors.pdf_markdown.layout.tables.grids import GridTable, lattices_of
from blobforge.processors.pdf_markdown.layout.tables.search import TableSearch
from blobforge.processors.pdf_markdown.layout.tables.spans import shifted


def spans(place: PageContent) -> list[Span]:
    (lattice,) = lattices_of(place)
    table = GridTable(lattice, SURVEY).table(place.lines)
    return table.spans if table else []


def grid(
    lines: list[TextLine], *, horizontals: list[Rectangle] | None = None, verticals: list[Rectangle] | None = None
) -> PageContent:
    return page(lines)._replace(
        horizontals=horizontals or [across(y) for y in YS], verticals=verticals or [down(x) for x in XS]
    )


def test_a_row_without_an_edge_in_it_is_one_cell() -> None:
    lines = cells(("Tools", ""), ("Bell", "to call"), ("Hook", "to hold"))
    place = grid(lines, verticals=[down(XS[0]), down(XS[1], top=YS[1]), down(XS[2])])

    assert spans(place) == [Span(0, 0, 1, 2)]


def test_a_cell_beside_several_rows_goes_down_along_them() -> None:
    lines = cells(("Item", "Use"), ("Bell", "to call"), ("", "to warn"))
    place = grid(lines, horizontals=[across(YS[0]), across(YS[1]), across(YS[2], left=XS[1]), across(YS[3])])

    assert spans(place) == [Span(1, 0, 2, 1)]


def test_a_cell_that_is_open_at_a_side_is_no_span() -> None:
    lines = cells(("Item", "Use"), ("Bell", "to call"), ("Hook", "to hold"))
    lines += [line(text, left=254, base=base) for text, base in (("Cost", 114), ("1", 134), ("2", 154))]
    wide = [across(y, right=350) for y in YS]
    lines = [found for found in lines if found.text != "Use"]
    verticals = [down(XS[0]), down(XS[1], top=YS[1]), down(XS[2], top=YS[1]), down(350)]

    assert spans(grid(lines, horizontals=wide, verticals=verticals)) == []


def test_nothing_is_told_where_only_an_empty_cell_spans() -> None:
    lines = cells(("", "Use"), ("", "to call"), ("Hook", "to hold"))
    place = grid(lines, horizontals=[across(YS[0]), across(YS[1], left=XS[1]), across(YS[2]), across(YS[3])])

    assert spans(place) == []


def test_spans_move_with_rows_that_were_empty_or_have_rows_in_them() -> None:
    found = [Span(0, 0, 2, 1), Span(2, 0, 1, 2), Span(3, 0, 1, 2)]

    assert list(shifted(found, [1, 0, 1, 3], above=1)) == [Span(2, 0, 1, 2)]


def test_a_rule_under_a_head_says_how_far_it_reaches() -> None:
    lefts = (50.0, 130.0, 190.0, 250.0, 310.0)
    lines = [line("Group A", left=148, base=100, style=BOLD), line("Group B", left=268, base=100, style=BOLD)]
    for base, texts in ((114, "Trial n mean n mean"), (130, "One 24 3.1 22 2.8"), (142, "Two 25 3.4 25 2.9")):
        lines += [line(text, left=left, base=base) for left, text in zip(lefts, texts.split(), strict=True)]
    rules = [Rectangle(48, y, 340, y) for y in (90, 118, 146)] + [
        Rectangle(128, 103, 212, 103),
        Rectangle(248, 103, 332, 103),
    ]

    (table,) = TableSearch(page(lines)._replace(horizontals=rules), SURVEY).across(lines)

    assert table.spans == [Span(0, 1, 1, 2), Span(0, 3, 1, 2)]
    assert [cell[0].text if cell else "" for cell in table.rows[0]] == ["", "Group A", "", "Group B", ""]


def test_a_head_over_several_columns_may_begin_where_one_of_them_does() -> None:
    wide = (50.0, 110.0, 170.0, 230.0, 290.0)
    lines = [line("Year", left=54, base=114), line("Catch", left=176, base=114)]
    for base, texts in ((134, "1990 12 40 33"), (154, "2000 14 51 29")):
        lines += [line(text, left=left + 4, base=base) for left, text in zip(wide[:-1], texts.split(), strict=True)]
    verticals = [down(wide[0]), down(wide[1]), down(wide[2], top=YS[1]), down(wide[3], top=YS[1]), down(wide[4])]
    place = grid(lines, horizontals=[across(y, right=290) for y in YS], verticals=verticals)

    assert spans(place) == [Span(0, 1, 1, 3)]
