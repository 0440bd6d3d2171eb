"""Gaps between the cells of a table."""

from tests.unit.processors.layout.made import BODY, BOLD, line

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.tables.gaps import (
    ColumnGap,
    cells_in,
    columns_between,
    finer_columns,
    gaps_of,
    lost,
    shared,
)

INFINITE = float("inf")


def spread(*texts: str, gap: float, style: Style = BODY) -> TextLine:
    """Words with the same gap between all of them."""
    words, left = [], 50.0
    for text in texts:
        words.append(TextWord(text, left, left + 5 * len(text), style))
        left = words[-1].right + gap
    return TextLine(words, 100.0, style, 0)


def texts(found: list[list[TextWord]]) -> list[str]:
    return [" ".join(word.text for word in words) for words in found]


def test_a_gap_that_is_wide_for_its_line_parts_cells() -> None:
    words = [*line("Crate of parts").words, *line("150 gold", left=125).words]

    assert texts(cells_in(TextLine(words, 100.0, BODY, 0))) == ["Crate of parts", "150 gold"]


def test_the_wide_gaps_of_a_justified_line_part_nothing() -> None:
    assert texts(cells_in(spread("set", "wide", "to", "fill", gap=6))) == ["set wide to fill"]


def test_the_gaps_of_a_bold_header_may_be_alike() -> None:
    assert len(cells_in(spread("Might", "Grace", "Wits", "Lore", gap=6, style=BOLD))) == 4


def test_in_a_font_of_one_width_a_space_is_wide() -> None:
    assert len(cells_in(spread("River", "rats", gap=6, style=BODY._replace(mono=True)))) == 1


def test_rows_share_what_is_free_in_all_of_them() -> None:
    first = gaps_of([line("ab", left=50), line("ab", left=100)])
    second = gaps_of([line("abcdef", left=50), line("ab", left=96)])

    assert [(gap.left, gap.right) for gap in shared(first, second, least=2)[1:-1]] == [(80, 96)]


def test_a_row_that_runs_across_a_gap_loses_it() -> None:
    rows = gaps_of([line("ab", left=50), line("ab", left=100)])
    across = gaps_of([line("goes on and on", left=50)])

    assert lost(rows, shared(rows, across, least=2)) == 1


def test_of_a_sure_gap_the_widest_part_stays_sure() -> None:
    wide = [ColumnGap(0, 50), ColumnGap(60, 150, is_sure=True), ColumnGap(160, 200)]
    spaced = [ColumnGap(0, 50), ColumnGap(70, 76), ColumnGap(80, 140), ColumnGap(160, 200)]

    assert [gap.is_sure for gap in shared(wide, spaced, least=2)[1:-1]] == [False, True]


def test_a_gap_that_may_be_a_space_is_no_column_unless_it_is_wide() -> None:
    gaps = gaps_of([spread("a", "b", gap=5)])

    assert len(columns_between(gaps, least=8)) == 2
    assert len(columns_between(gaps, least=4)) == 3


def test_a_word_after_a_sign_of_money_is_a_cell_of_its_own() -> None:
    assert len(gaps_of([line("$"), line("dollar", left=120)])) == 3


def test_gaps_that_all_lines_of_a_column_keep_part_it() -> None:
    rows = [[line("a", left=50, base=base), line("b", left=120, base=base)] for base in (100, 112, 124)]
    found = finer_columns([40.0, 200.0], [each for row in rows for each in row])

    assert [round(x) for x in found] == [40, 88, 200]


def test_a_gap_that_one_line_crosses_parts_no_column() -> None:
    rows = [[line("a", left=50, base=base), line("b", left=120, base=base)] for base in (100, 112, 124)]
    lines = [*(each for row in rows for each in row), line("all the way across", left=50, base=136)]

    assert finer_columns([40.0, 200.0], lines) == [40.0, 200.0]
