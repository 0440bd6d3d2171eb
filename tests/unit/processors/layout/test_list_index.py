"""The entries of an index."""

from tests.unit.processors.layout.made import BOLD, SURVEY, column, line

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.model.items import item_of
from blobforge.processors.pdf_markdown.layout.model.passages import PassageRole
from blobforge.processors.pdf_markdown.layout.order.gutters import best_gutter
from blobforge.processors.pdf_markdown.layout.text.blocks import Blocks

ENTRIES = ["Anchors, 12", "Bells, 3, 40", "Brook, Alfred, 47", "Clay, 31–33", "Dams, 6"]


def read(lines: list[TextLine]) -> list[tuple[PassageRole, str]]:
    return [(each.role, each.plain) for each in Blocks(lines, SURVEY, page=1).passages()]


def items(*texts: str) -> list[tuple[PassageRole, str]]:
    return [(PassageRole.ITEM, text) for text in texts]


def test_words_with_their_pages_are_entries() -> None:
    assert read(column(*ENTRIES)) == items(*ENTRIES)


def test_the_letter_above_entries_is_none() -> None:
    assert read(column(("B", BOLD), *ENTRIES))[0] == (PassageRole.PARAGRAPH, "B")


def test_an_entry_goes_on_further_in() -> None:
    lines = [*column(*ENTRIES, "Ferries, the keepers of"), line("and their boats, 9", left=60, base=172)]

    assert read(lines)[-1] == (PassageRole.ITEM, "Ferries, the keepers of and their boats, 9")


def test_text_that_ends_with_a_year_is_no_index() -> None:
    text = ["The ferry was built in May, 1912", "and carried the mail for us", "until the bridge", "was opened at last"]

    assert [role for role, _ in read(column(*text))] == [PassageRole.PARAGRAPH]


def test_the_columns_of_an_index_are_no_columns_of_a_table() -> None:
    lines = [found for left in (50.0, 250.0) for found in column(*ENTRIES, left=left)]

    assert best_gutter([item_of(each) for each in lines], SURVEY) is not None
