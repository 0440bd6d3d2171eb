"""Columns of text that are no columns of a table."""

from tests.unit.processors.layout.made import BOLD, SURVEY, column, line

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.model.items import item_of
from blobforge.processors.pdf_markdown.layout.order.gutters import best_gutter
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator
from blobforge.processors.pdf_markdown.layout.tables.finder import TableFinder

LEFTS = (50.0, 220.0, 390.0)
TEXT = [
    "Our pots nest in each other",
    "like onions do. The largest",
    "One holds enough for two men",
    "and serves them as a cup",
]
LISTED = ["\u2022 24 tiles of wood", "\u2022 12 keepers", "\u2022 30 drops of oil", "\u2022 9 beacons"]


def side_by_side(texts: list[str], lefts: tuple[float, ...] = LEFTS) -> list[TextLine]:
    return [found for left in lefts for found in column(*texts, left=left)]


def is_table(lines: list[TextLine], *marks: Separator) -> bool:
    return bool(TableFinder(lines, marks, SURVEY).find())


def test_headings_over_running_text_are_no_header() -> None:
    heads = [
        line(name, left=left, base=86, style=BOLD) for left, name in zip(LEFTS, ("Pots", "Tents", "Tea"), strict=True)
    ]

    assert not is_table([*heads, *side_by_side(TEXT)])


def test_cells_with_rules_between_them_are_a_table_however_they_run_on() -> None:
    rules = [Separator(48, 540, y) for y in (90.0, 103.0, 115.0, 127.0, 139.0)]

    assert is_table(side_by_side(TEXT), *rules)


def test_a_list_in_two_columns_is_no_table() -> None:
    assert not is_table(side_by_side(LISTED, LEFTS[:2]))


def test_a_list_beside_figures_may_be_one() -> None:
    assert is_table([*column(*LISTED), *column("12", "4", "9", "3", left=LEFTS[1])])


def test_a_dash_by_itself_is_an_empty_cell() -> None:
    assert is_table([*column("Rope", "Oil", "Pole", "Axe"), *column("\u2013", "\u2013", "\u2013", "9", left=LEFTS[1])])


def test_there_is_a_gutter_between_two_lists() -> None:
    lines = side_by_side(LISTED, LEFTS[:2])

    assert best_gutter([item_of(found) for found in lines], SURVEY) is not None


def test_a_list_beside_another_with_a_wrapped_item_under_headings_is_no_table() -> None:
    heads = [line("What worked", left=50, base=88, style=BOLD), line("What did not", left=220, base=88, style=BOLD)]
    wrapped = ["\u2022 Paper records, since", "they were lost", "\u2022 Seeds, late", "\u2022 Rain, too"]

    assert not is_table([*heads, *column(*LISTED, left=50), *column(*wrapped, left=220)])


def labelled(*, date: str = "Date") -> list[TextLine]:
    left = [line("Billed to", style=BOLD), *column("Ellen Thorne", "7 Orchard Row", "Larkfield", base=112)]
    right = [line("Number", left=220, style=BOLD), line("2020-17", left=220, base=112)]
    right += [line(date, left=220, base=124, style=BOLD), line("3 June in the year", left=220, base=136)]
    return [*left, *right]


def test_labels_that_stand_at_different_heights_head_blocks_and_no_columns_of_a_table() -> None:
    assert best_gutter([item_of(each) for each in labelled()], SURVEY) is not None


def test_a_single_figure_in_bold_is_no_label() -> None:
    assert best_gutter([item_of(each) for each in labelled(date="17.5")], SURVEY) is None
