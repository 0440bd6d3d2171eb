"""Headings in the first column that stop all columns."""

from tests.unit.processors.layout.made import SURVEY, TITLE, line
from tests.unit.processors.layout.made_columns import items, text

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Item, by_top
from blobforge.processors.pdf_markdown.layout.order.gutters import NO_RULES, ColumnGutter
from blobforge.processors.pdf_markdown.layout.order.restarts import restart

GUTTER = ColumnGutter(240.0, 300.0)


def _ended(lines: list[TextLine]) -> list[TextLine]:
    """With a last line that ends a sentence."""
    lines[-1] = line("the end.", left=lines[-1].left, base=lines[-1].base)
    return lines


def _restart(page: list[Item]) -> float | None:
    return restart(by_top(page), GUTTER, SURVEY, NO_RULES)


HEADING = line("Heading", left=50, base=200, style=TITLE)


def test_columns_that_go_on_level_below_a_heading_begin_anew_there() -> None:
    page = items(
        _ended(text("a", 6, left=50)),
        _ended(text("b", 6, left=300)),
        HEADING,
        text("c", 6, left=50, top=215),
        text("d", 6, left=300, top=215),
    )

    assert _restart(page) is not None


def test_a_gap_in_the_next_column_that_is_smaller_than_the_heading_is_an_accident() -> None:
    page = items(
        _ended(text("a", 6, left=50)),
        HEADING,
        text("c", 6, left=50, top=215),
        _ended(text("b", 7, left=300)),
        text("d", 6, left=300, top=203),
    )

    assert _restart(page) is None


def test_two_lines_of_one_heading_are_one() -> None:
    second = line("goes on", left=50, base=218, style=TITLE)
    page = items(
        _ended(text("a", 6, left=50)),
        HEADING,
        second,
        text("c", 6, left=50, top=230),
        text("b", 9, left=300),
        text("d", 6, left=300, top=230),
    )

    assert _restart(page) is None


def test_columns_that_end_level_above_a_large_heading_end_there() -> None:
    page = items(_ended(text("a", 6, left=50)), _ended(text("b", 6, left=300)), HEADING, text("c", 6, left=50, top=215))

    assert _restart(page) is not None
