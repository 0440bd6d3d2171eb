"""Headings beside their text."""

from tests.unit.processors.layout.made import BOLD, SURVEY, line
from tests.unit.processors.layout.made_columns import text

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.order.side_headings import with_side_headings_above


def heading(words: str, base: float, left: float = 50.0) -> TextLine:
    return line(words, left=left, base=base, style=BOLD)


def placed(lines: list[TextLine]) -> list[tuple[str, float, float]]:
    return [(each.text, each.left, each.base) for each in with_side_headings_above(lines, SURVEY) if each.is_bold]


def test_headings_beside_paragraphs_are_put_above_them() -> None:
    first, second = text("a", 4, left=200), text("b", 4, left=200, top=170)

    found = placed([*first, *second, heading("Sales", 108), heading("People", 178)])

    assert found == [("Sales", 200.0, 102.0), ("People", 200.0, 172.0)]


def test_a_side_heading_of_two_lines_is_one() -> None:
    first, second = text("a", 4, left=200), text("b", 4, left=200, top=170)

    found = placed([*first, *second, heading("Sales and", 108), heading("earnings", 120), heading("People", 178)])

    assert [words for words, _, _ in found] == ["Sales and earnings", "People"]


def test_one_bold_label_beside_text_stays_where_it_is() -> None:
    found = placed([*text("a", 4, left=200), heading("Note", 108)])

    assert found == [("Note", 50.0, 108.0)]


def test_bold_cells_beside_single_lines_are_those_of_a_table() -> None:
    cells = [*text("a", 1, left=200), *text("b", 1, left=200, top=130)]

    found = placed([*cells, heading("Length", 108), heading("Width", 138)])

    assert [left for _, left, _ in found] == [50.0, 50.0]


def test_bold_beginnings_of_a_column_with_text_below_stay_in_it() -> None:
    left = [heading("Sales", 108), *text("x", 3, left=50, top=112, letters=24)]
    lower = [heading("People", 178), *text("y", 3, left=50, top=182, letters=24)]

    found = placed([*left, *lower, *text("a", 4, left=200), *text("b", 4, left=200, top=170)])

    assert [left for _, left, _ in found] == [50.0, 50.0]
