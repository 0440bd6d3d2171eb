"""Titles and their pages, without dots between them."""

import pytest
from tests.unit.processors.layout.made import BODY, SURVEY, line

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.tables.finder import TableFinder
from blobforge.processors.pdf_markdown.layout.text.blocks import Blocks
from blobforge.processors.pdf_markdown.layout.text.list_contents import contents_in

TITLES = ("How the river rose", "Boats of the upper parishes", "A night at the lock", "What the miller said")
END = 400.0


def entry(title: str, page: str, *, base: float, end: float = END) -> TextLine:
    words = [*line(title, base=base).words, *line(page, left=end - 5 * len(page), base=base).words]
    return TextLine(words, base, BODY, int(base))


def entries(*pages: str, titles: tuple[str, ...] = TITLES) -> list[TextLine]:
    return [entry(title, page, base=100 + 14 * at) for at, (title, page) in enumerate(zip(titles, pages, strict=True))]


def test_titles_whose_pages_rise_are_entries_of_contents() -> None:
    lines = entries("3", "17", "17", "104")

    assert contents_in(lines) == {id(line) for line in lines}


def test_each_entry_is_an_item() -> None:
    found = Blocks(entries("3", "17", "17", "104"), SURVEY, page=1).passages()

    assert [passage.text for passage in found] == [
        f"{title} {page}" for title, page in zip(TITLES, ("3", "17", "17", "104"), strict=True)
    ]
    assert {passage.marker for passage in found} == {"-"}


@pytest.mark.parametrize(
    "lines",
    [
        entries("3", "17", "12", "104"),
        entries("3", "3", "3", "3"),
        entries("3", "17", "21", "104", titles=("Rope", "Oil", "Nails", "Tar")),
        entries("3", "17", "21", titles=TITLES[:3]),
    ],
    ids=["they fall", "they stay", "titles are labels", "too few"],
)
def test_figures_are_no_pages(lines: list[TextLine]) -> None:
    assert contents_in(lines) == set()


def test_pages_end_at_one_place() -> None:
    lines = [entry(title, "12", base=100 + 14 * at, end=300 + 20 * at) for at, title in enumerate(TITLES)]

    assert contents_in(lines) == set()


def test_a_title_so_long_that_it_touches_its_page_is_an_entry_where_its_page_comes_in_order() -> None:
    long = "How they came home again in the end and what was said of it in all the parishes"
    tight = entry(long, "20", base=130, end=50 + 5 * len(long.replace(" ", "")) + 3 * long.count(" ") + 16)
    rest = [
        entry(title, page, base=base, end=tight.right)
        for title, page, base in zip(TITLES, ("3", "17", "21", "30"), (100, 114, 144, 158), strict=True)
    ]

    assert id(tight) in contents_in([*rest[:2], tight, *rest[2:]])


def test_contents_are_no_table() -> None:
    lines = [
        piece
        for at, (title, page) in enumerate(zip(TITLES, ("3", "17", "17", "104"), strict=True))
        for piece in (line(title, base=100 + 14 * at), line(page, left=END - 5 * len(page), base=100 + 14 * at))
    ]

    assert TableFinder(lines, [], SURVEY).find() == []


def test_short_titles_are_entries_where_a_line_above_says_so() -> None:
    lines = entries("3", "17", "21", "104", titles=("Rain", "Boats", "Locks", "Mills"))

    assert len(contents_in([line("Contents", base=80), *lines])) == 4
