"""The outline of a PDF tells headings and levels where it agrees with the pages."""

from dataclasses import replace

from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, TITLE, passage

from blobforge.processors.pdf_markdown.layout.document import joined_document
from blobforge.processors.pdf_markdown.layout.model.content import OutlineEntry
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.survey.bookmarks import Bookmark, bookmarks_of

TEXT = "Running text that says something and ends."


def headings(outline: tuple[Bookmark, ...], *passages: Passage) -> list[tuple[int, str]]:
    document = joined_document(list(passages), replace(SURVEY, outline=outline))
    return [(each.level, each.plain) for each in document if each.role is PassageRole.HEADING]


def test_an_outline_is_read_with_its_levels() -> None:
    children: list[OutlineEntry] = [
        {"title": "The “Hut”", "page": 4, "children": []},
        {"title": "Lost", "page": None, "children": []},
    ]

    assert list(bookmarks_of([{"title": "Part One", "page": 0, "children": children}])) == [
        Bookmark(1, 1, "partone"),
        Bookmark(5, 2, "thehut"),
    ]


def test_a_plain_line_that_the_outline_names_is_a_heading() -> None:
    assert headings((Bookmark(1, 1, "thehut"),), passage("The Hut"), passage(TEXT)) == [(1, "The Hut")]


def test_an_outline_of_something_else_is_left_alone() -> None:
    outline = (Bookmark(1, 1, "thehut"), Bookmark(1, 1, "scan0001"), Bookmark(1, 1, "scan0002"))

    assert headings(outline, passage("The Hut"), passage(TEXT)) == []


def test_an_entry_of_another_page_names_nothing() -> None:
    assert headings((Bookmark(2, 1, "thehut"), Bookmark(1, 1, "x")), passage("The Hut"), passage(TEXT)) == []


def test_levels_that_are_skipped_are_those_of_the_outline() -> None:
    outline = (Bookmark(1, 1, "glossary"), Bookmark(1, 3, "action"))

    found = headings(outline, passage("Glossary", TITLE), passage("Action", BOLD), passage(TEXT))

    assert found == [(1, "Glossary"), (3, "Action")]


def test_an_outline_without_the_upper_levels_tells_no_levels() -> None:
    outline = (Bookmark(1, 1, "ghost"), Bookmark(1, 1, "traits"))

    found = headings(outline, passage("Ghost", TITLE), passage("Traits", BOLD), passage(TEXT))

    assert found == [(1, "Ghost"), (2, "Traits")]


def test_of_two_lines_with_the_same_words_the_larger_is_named() -> None:
    caption = passage("Hirelings", BODY)

    found = headings((Bookmark(1, 1, "hirelings"),), passage("Hirelings", TITLE), passage(TEXT), caption)

    assert found == [(1, "Hirelings")]
