"""Numbered paragraphs, whose bare numbers hang before the text."""

from tests.unit.processors.layout.made import BOLD, SURVEY, TITLE, line, page

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextLine
from blobforge.processors.pdf_markdown.layout.model.passages import PassageRole
from blobforge.processors.pdf_markdown.layout.page import passages_of
from blobforge.processors.pdf_markdown.layout.text.list_numbers import numbered_in

TEXT = "Each thief has three numbers and a lamp that burns"


def paragraph(number: int, base: float, *, style: Style | None = None, under: float = 62.0) -> list[TextLine]:
    made = line(TEXT, left=62, base=base) if style is None else line(TEXT, left=62, base=base, style=style)
    first = line((str(number), BOLD), left=50, base=base)
    made.words = [*first.words, *made.words]
    return [made, line("until it is out.", left=under, base=base + 12)]


def test_numbers_that_count_on_before_the_text_are_those_of_a_list() -> None:
    lines = [*paragraph(7, 100), *paragraph(8, 130)]

    made = passages_of(page(lines), SURVEY)

    assert [(each.role, each.marker, each.plain) for each in made] == [
        (PassageRole.ITEM, f"{number}.", f"{TEXT} until it is out.") for number in (7, 8)
    ]


def test_a_single_number_counts_nothing() -> None:
    assert numbered_in(paragraph(7, 100), SURVEY) == set()


def test_numbers_that_do_not_count_on_are_none_of_a_list() -> None:
    assert numbered_in([*paragraph(7, 100), *paragraph(12, 130)], SURVEY) == set()


def test_text_that_goes_on_under_the_number_is_no_item() -> None:
    assert numbered_in([*paragraph(1, 100, under=50), *paragraph(2, 130, under=50)], SURVEY) == set()


def test_numbered_headings_are_no_items() -> None:
    assert numbered_in([*paragraph(1, 100, style=TITLE), *paragraph(2, 130, style=TITLE)], SURVEY) == set()


def test_each_column_counts_by_itself() -> None:
    moved = [*paragraph(3, 100), *paragraph(4, 130)]
    for each in moved:
        each.words = [word._replace(left=word.left + 300, right=word.right + 300) for word in each.words]

    assert len(numbered_in([*paragraph(1, 100), *paragraph(2, 130), *moved], SURVEY)) == 4
