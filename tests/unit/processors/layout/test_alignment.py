"""Gaps that only the lines around can tell."""

from tests.unit.processors.layout.made import BODY, line
from tests.unit.processors.layout.made_glyphs import pieces

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.words.alignment import split_at_edges
from blobforge.processors.pdf_markdown.layout.words.lines import lines_of


def _over(base: float, *, gap: float = 6.0) -> TextLine:
    """Two columns, 100 points each, with a narrow gutter."""
    left, right = TextWord("a" * 20, 50.0, 150.0, BODY), TextWord("b" * 20, 150.0 + gap, 250.0 + gap, BODY)
    return TextLine([left, right], base, BODY, 0)


def test_a_justified_line_with_wide_gaps_is_one_line() -> None:
    full = pieces("this is one full line of text", base=112)
    right = full[-1].right
    wide = [
        piece for place, text in enumerate(("set", "wide", "apart")) for piece in pieces(text, left=50 + 60 * place)
    ]
    wide[-1] = wide[-1]._replace(left=right - 25, right=right)
    wide[1] = wide[1]._replace(
        left=(wide[0].right + wide[2].left) / 2 - 10, right=(wide[0].right + wide[2].left) / 2 + 10
    )

    gap = wide[1].left - wide[0].right
    size = gap / 1.5
    style = BODY._replace(size=round(size, 1))

    lines = lines_of([*full, *(piece._replace(style=style) for piece in wide)])

    assert [made.text for made in lines] == ["set wide apart", "this is one full line of text"]


def test_cells_that_fill_no_other_lines_measure_stay_apart() -> None:
    cells = [*pieces("one", left=50), *pieces("two", left=90), *pieces("three", left=130)]

    assert len(lines_of([*pieces("a line of its own that ends elsewhere", base=112), *cells])) == 4


def test_lines_that_run_over_a_narrow_gutter_are_cut_at_it() -> None:
    parts = split_at_edges([_over(100.0 + 12 * place) for place in range(6)])

    assert [(part.left, part.right) for part in parts[:2]] == [(50.0, 150.0), (156.0, 256.0)]
    assert len(parts) == 12


def test_a_gap_that_other_lines_run_over_is_a_space() -> None:
    rows = [_over(100.0 + 24 * place) for place in range(6)]
    over = [line("words that run over the place of the gap", left=100, base=112.0 + 24 * place) for place in range(5)]

    assert len(split_at_edges([*rows, *over])) == 11


def test_a_gap_after_a_marker_is_no_gutter() -> None:
    items = [
        TextLine([TextWord("1.", 50, 58, BODY), TextWord("item", 64, 84, BODY)], 100.0 + 12 * place, BODY, 0)
        for place in range(8)
    ]

    assert split_at_edges(items) == items
