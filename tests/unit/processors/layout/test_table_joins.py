"""A header whose cells are tinted, above rows that only rules part."""

from tests.unit.processors.layout.made import BODY, BOLD, line

from blobforge.processors.pdf_markdown.layout.model.content import Style, around
from blobforge.processors.pdf_markdown.layout.model.table import DetectedTable, Span
from blobforge.processors.pdf_markdown.layout.tables.heads import with_heads_joined

LEFTS = (50.0, 150.0, 250.0)
EDGES = (45.0, 145.0, 245.0, 345.0)


def table(*rows: tuple[str, ...], base: float, style: Style = BODY) -> DetectedTable:
    cells = [
        [[line(text, left=left, base=base + 14 * place, style=style)] for text, left in zip(row, LEFTS, strict=False)]
        for place, row in enumerate(rows)
    ]
    lines = [each for row in cells for cell in row for each in cell]
    return DetectedTable(around(each.box for each in lines), cells, EDGES, 0, lines)


HEAD = table(("Class", "Hull", "Crew"), base=100, style=BOLD)
BODY_ROWS = table(("Skiff", "10", "2"), ("Tug", "30", "3"), base=116)


def test_a_header_right_above_rows_is_theirs() -> None:
    head = table(("Class", "Hull", "Crew"), base=100, style=BOLD)
    head.spans = [Span(0, 1, 1, 2)]

    (found,) = with_heads_joined([head, BODY_ROWS])

    assert [row[0][0].text for row in found.rows] == ["Class", "Skiff", "Tug"]
    assert found.spans == head.spans


def test_rows_farther_below_are_another_table() -> None:
    assert len(with_heads_joined([HEAD, table(("Skiff", "10", "2"), base=150)])) == 2


def test_rows_with_other_columns_are_another_table() -> None:
    assert len(with_heads_joined([HEAD, table(("Skiff", "10"), base=116)])) == 2


def test_a_table_that_is_no_header_stays_by_itself() -> None:
    assert len(with_heads_joined([table(("Class", "Hull", "Crew"), base=100), BODY_ROWS])) == 2
