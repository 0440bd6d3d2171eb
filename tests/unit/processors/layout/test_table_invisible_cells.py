"""Cells in rectangles that nobody sees."""

from tests.unit.processors.layout.made import SURVEY, TITLE, column, line, page

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.tables.search import TableSearch

COLUMNS = ((50.0, 120.0), (140.0, 260.0), (280.0, 400.0))
TEXTS = [["Stage", "Name", "Use"], ["First", "Draw", "Fast"], ["Second", "Read", "Sure"]]


def boxes(rows: int, columns: tuple[tuple[float, float], ...] = COLUMNS) -> list[Rectangle]:
    """The cells of a row may be of different heights."""
    return [
        Rectangle(left, 100 + 40 * row + 3 * place, right, 130 + 40 * row)
        for row in range(rows)
        for place, (left, right) in enumerate(columns)
    ]


def lines(*, in_all: bool = True) -> list[TextLine]:
    return [
        line(text, left=left, base=115 + 40 * row + 4 * place)
        for row, texts in enumerate(TEXTS)
        for place, ((left, _), text) in enumerate(zip(COLUMNS, texts, strict=True))
        if in_all or not place
    ]


def tables(unseen: list[Rectangle], found: list[TextLine]) -> list[list[list[str]]]:
    search = TableSearch(page(found)._replace(unseen=unseen), SURVEY)
    return [
        [[" ".join(piece.text for piece in cell) for cell in row] for row in table.rows]
        for table in search.across(found)
    ]


def test_each_is_a_cell_where_rows_have_the_same_columns() -> None:
    assert tables(boxes(3), lines()) == [TEXTS]


def test_boxes_before_and_after_them_do_not_matter() -> None:
    around = [Rectangle(0, 0, 600, 800), *boxes(3), Rectangle(40, 500, 500, 600)]

    assert tables(around, [*lines(), line("Elsewhere", base=550, style=TITLE)]) == [TEXTS]


def test_a_line_between_two_cells_belongs_to_the_nearer() -> None:
    (table,) = tables(boxes(3), [*lines(), line("on", left=140, base=137)])

    assert table[1][1] == "Draw"
    assert table[0][1] == "Name on"


def test_two_rows_are_too_few() -> None:
    assert tables(boxes(2), lines()[:6]) == []


def test_boxes_one_under_the_other_are_none() -> None:
    assert tables(boxes(4, COLUMNS[:1]), column("One", "Two", "Three", "Four", base=115, step=40)) == []


def test_where_most_are_empty_there_is_no_table() -> None:
    assert tables(boxes(3), lines(in_all=False)) == []


def test_text_across_the_columns_is_no_table() -> None:
    across = [line("that runs on and on over several of them without an end", base=104 + 12 * at) for at in range(9)]

    assert tables(boxes(3), [*lines(), *across]) == []
