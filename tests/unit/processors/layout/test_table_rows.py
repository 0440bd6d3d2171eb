"""The baselines of a table become its rows."""

from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, line

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextLine
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator
from blobforge.processors.pdf_markdown.layout.tables.gaps import ColumnGap
from blobforge.processors.pdf_markdown.layout.tables.rows import BaselineStack

GAPS = [ColumnGap(0, 50), ColumnGap(90, 120, is_sure=True), ColumnGap(300, 400)]


def row(first: str, second: str, *, base: float, style: Style = BODY) -> list[TextLine]:
    return [line(text, left=left, base=base, style=style) for left, text in ((50, first), (120, second)) if text]


def rows(*lines: list[TextLine], marks: tuple[float, ...] = ()) -> list[list[str]]:
    found = BaselineStack(lines, GAPS, [Separator(48, 300, y) for y in marks], SURVEY).table()
    return [[" ".join(piece.text for piece in cell) for cell in cells] for cells in found.rows]


def test_lines_at_the_leading_of_the_body_are_rows_when_each_fills_its_first_cell() -> None:
    assert rows(row("1", "one", base=100), row("2", "two", base=112)) == [["1", "one"], ["2", "two"]]


def test_a_line_without_a_first_cell_goes_on() -> None:
    assert rows(row("1", "one", base=100), row("", "more", base=112), row("2", "two", base=124)) == [
        ["1", "one more"],
        ["2", "two"],
    ]


def test_where_rows_stand_apart_close_lines_are_one_row() -> None:
    lines = row("Old", "some", base=100), row("Staithe", "text", base=112), row("Pellow", "more", base=130)

    assert rows(*lines) == [["Old Staithe", "some text"], ["Pellow", "more"]]


def test_a_table_may_be_set_closer_than_the_body() -> None:
    lines = row("Old", "some", base=100), row("Staithe", "text", base=110), row("Pellow", "more", base=122)

    assert rows(*lines) == [["Old Staithe", "some text"], ["Pellow", "more"]]


def test_between_stripes_lies_one_row() -> None:
    lines = [row("Morn-", "a b", base=100), row("ingstar", "", base=112), row("Pike", "c", base=128)]
    lines += [row("", "d", base=140), row("Whip", "e", base=156), row("", "f", base=168)]

    assert [cells[0] for cells in rows(*lines, marks=(118, 146))] == ["Morn- ingstar", "Pike", "Whip"]


def test_a_rule_that_groups_rows_does_not_join_them() -> None:
    lines = [row("1", "a", base=100), row("2", "b", base=112), row("3", "c", base=128), row("4", "d", base=140)]
    lines += [row("5", "e", base=156), row("6", "f", base=168)]

    assert len(rows(*lines, marks=(118, 146))) == 6


def test_a_bold_header_is_a_row_of_its_own() -> None:
    lines = [
        row("Name", "Prop-", base=100, style=BOLD),
        row("", "erties", base=112, style=BOLD),
        row("Club", "Light", base=124),
    ]

    assert len(rows(*lines, row("Dart", "Thrown", base=140), marks=(130,))) == 3


def test_steps_that_differ_by_what_writers_round_are_alike() -> None:
    lines = [row(str(place), "word", base=base) for place, base in enumerate((100, 113.8, 126.8, 140.6, 153.6))]

    assert len(rows(*lines)) == 5


def test_a_figure_under_a_figure_is_another_row_however_close() -> None:
    lines = [row("1950", "12", base=100), row("1951", "14", base=112), row("1952", "13", base=130)]

    assert len(rows(*lines)) == 3


def test_cells_that_are_centred_beside_a_tall_one_are_in_its_row() -> None:
    lines = [row("Item", "Use", base=80), row("", "rings when", base=100), row("Bell", "it is pulled", base=112)]
    lines += [row("", "by a rope", base=124), row("Hook", "to hold", base=144)]

    assert rows(*lines, marks=(86, 130)) == [
        ["Item", "Use"],
        ["Bell", "rings when it is pulled by a rope"],
        ["Hook", "to hold"],
    ]


def test_a_first_cell_that_reads_on_is_one_cell() -> None:
    lines = [
        row("Vessels that carry", "12", base=100),
        row("passengers", "", base=112),
        row("Vessels laid", "", base=124),
    ]
    lines += [row("up in winter", "4", base=136), row("All vessels", "16", base=148)]

    assert rows(*lines) == [
        ["Vessels that carry passengers", "12"],
        ["Vessels laid up in winter", "4"],
        ["All vessels", "16"],
    ]


def test_a_label_above_words_without_capitals_is_a_row() -> None:
    lines = [
        row("Trees", "", base=100),
        row("oak", "12", base=112),
        row("ash", "9", base=124),
        row("elm", "8", base=136),
    ]

    assert len(rows(*lines)) == 4


def test_cells_that_all_begin_with_capitals_begin_a_row() -> None:
    gaps = [ColumnGap(0, 50), ColumnGap(90, 120, is_sure=True), ColumnGap(160, 200, is_sure=True), ColumnGap(300, 400)]
    lines = [
        [line(text, left=left, base=base) for left, text in zip((50, 120, 200), texts.split(), strict=True)]
        for base, texts in ((100, "Pier North Open"), (112, "Mill South Shut"), (130, "Hill East Open"))
    ]

    assert len(BaselineStack(lines, gaps, [], SURVEY).table().rows) == 3


def test_cells_at_the_lower_end_of_their_row_are_in_it() -> None:
    lines = [row("Item", "Use", base=80), row("", "rings when", base=100), row("Bell", "it is pulled", base=112)]
    lines += [row("", "to hold", base=132), row("Hook", "the net", base=144)]

    assert rows(*lines, marks=(86, 118)) == [
        ["Item", "Use"],
        ["Bell", "rings when it is pulled"],
        ["Hook", "to hold the net"],
    ]


def test_a_head_that_begins_before_its_column_of_figures_is_in_it() -> None:
    heads = [line("Mean", left=50), line("Highest, %", left=84)]
    figures = [line("2.49", left=55, base=112), line("24.8", left=118, base=112)]

    assert rows(heads, figures) == [["Mean", "Highest, %"], ["2.49", "24.8"]]
