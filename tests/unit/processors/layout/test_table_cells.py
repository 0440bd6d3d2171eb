"""The cells of a table as Markdown."""

from dataclasses import replace

from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, line

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, Style, TextLine
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, passage_in
from blobforge.processors.pdf_markdown.layout.model.table import DetectedTable, Span
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.tables.cells import table_passage

SLANTED = BODY._replace(italic=True)
DATA = (("Oak", "9"), BODY)


def told(
    *rows: tuple[tuple[str, ...], Style], survey: DocumentSurvey = SURVEY, spans: tuple[Span, ...] = ()
) -> Passage:
    cells = [[[line(text, style=style)] if text else [] for text in texts] for texts, style in rows]
    return table_passage(_table(cells, spans), survey, page=1)


def _table(cells: list[list[list[TextLine]]], spans: tuple[Span, ...] = ()) -> DetectedTable:
    return DetectedTable(Rectangle(50, 100, 250, 200), cells, (50.0, 150.0, 250.0), 0, [], list(spans))


def test_the_rows_of_a_header_lose_the_emphasis_of_headers() -> None:
    found = told((("Tree", "Height"), BOLD), (("", "in feet"), SLANTED), DATA)

    assert (found.heads, found.rows) == (1, [["Tree", "Height"], ["", "*in feet*"], ["Oak", "9"]])
    assert told((("Tree", "Height"), BOLD), (("(kind)", "(feet)"), SLANTED), DATA).rows[1] == ["(kind)", "(feet)"]


def test_a_label_under_the_header_is_not_part_of_it() -> None:
    found = told((("Tree", "Height"), BOLD), (("Broad leaves", ""), BOLD), DATA)

    assert (found.heads, found.rows[1]) == (1, ["**Broad leaves**", ""])


def test_a_label_by_itself_is_no_header() -> None:
    assert told((("Broad leaves", ""), BOLD), DATA).heads == 0


def test_a_title_may_stand_above_the_header() -> None:
    assert told((("Trees", ""), BOLD), (("Tree", "Height"), BOLD), DATA).heads == 2


def test_a_header_reaches_down_as_far_as_its_cells() -> None:
    found = told((("Tree", "Height"), BOLD), (("", "in feet"), BODY), DATA, spans=(Span(0, 0, 2, 1),))

    assert found.heads == 2


def test_a_word_that_was_broken_in_a_cell_is_mended() -> None:
    cells = [[[line("Mead-"), line("owsweet")], [line("well-"), line("known")]], [[line("Oak")], [line("9")]]]
    survey = replace(SURVEY, hyphenated=frozenset({"well-known"}))

    assert table_passage(_table(cells), survey, page=1).rows[0] == ["Meadowsweet", "well-known"]


def test_where_all_is_bold_nothing_is() -> None:
    assert told((("Tree", "9"), BODY), (("Oak", "8"), BOLD), survey=replace(SURVEY, bold=True)).rows[1] == ["Oak", "8"]


def test_spans_go_with_the_passage_as_json() -> None:
    found = told((("Tree", "Height"), BOLD), DATA, spans=(Span(1, 0, 1, 2),))

    assert passage_in(found.as_json()).spans == [Span(1, 0, 1, 2)]


def test_the_dots_that_lead_to_a_figure_are_not_told() -> None:
    assert told((("Trees", "Height"), BOLD), (("Oak ......", "9"), BODY), (("Ash......", "8"), BODY)).rows[1:] == [
        ["Oak", "9"],
        ["Ash", "8"],
    ]
