"""Documents in chunks: whole sections where they fit, cut with care where they do not, nothing lost."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blobforge.library.chunking import Chunk, PageLines, chunks_of

SOURCE = "a" * 64
BOOK = """# The Elements

## Earth

Earth is heavy.

It falls.

## Water

Water is wet.
"""


def chunked(markdown: str, *, longest: int = 1_000, pages: tuple[int, ...] = (0,), **more: object) -> list[Chunk]:
    starts = [PageLines(number, first) for number, first in enumerate(pages, 1)]
    return chunks_of(markdown, starts, last_pages={}, source_hash=SOURCE, max_characters=longest)


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_a_chunk_is_a_section_with_the_headings_above_it() -> None:
    chunks = chunked(BOOK)

    assert [(chunk.headings, chunk.text) for chunk in chunks] == [
        (("The Elements", "Earth"), "# The Elements\n\n## Earth\n\nEarth is heavy.\n\nIt falls."),
        (("The Elements", "Water"), "## Water\n\nWater is wet."),
    ]


def test_text_before_the_first_heading_stands_under_none() -> None:
    assert [(chunk.headings, chunk.text) for chunk in chunked("Before.\n\n# One\n\nText.\n")] == [
        ((), "Before."),
        (("One",), "# One\n\nText."),
    ]


def test_a_document_of_headings_alone_is_not_lost() -> None:
    assert [chunk.text for chunk in chunked("# One\n\n# Two\n")] == ["# One\n\n# Two"]


def test_an_empty_document_has_no_chunks() -> None:
    assert chunked("\n") == []


def test_emphasis_and_escapes_are_no_part_of_a_heading() -> None:
    (chunk,) = chunked("# **Bold** and 1\\. `code`\n\ntext\n")

    assert chunk.headings == ("Bold and 1. code",)


def test_a_chunk_knows_its_pages() -> None:
    markdown = "# One\n\nfirst\n\nsecond\n\n# Two\n\nthird\n"

    chunks = chunked(markdown, pages=(0, 4, 6))

    assert [(chunk.first_page, chunk.last_page) for chunk in chunks] == [(1, 2), (3, 3)]


def test_a_paragraph_that_goes_on_over_pages_ends_on_the_last_of_them() -> None:
    chunks = chunks_of(
        "begun here\n\nother\n",
        [PageLines(7, 0), PageLines(9, 2)],
        last_pages={0: 9},
        source_hash=SOURCE,
        max_characters=12,
    )

    assert [(chunk.text, chunk.first_page, chunk.last_page) for chunk in chunks] == [
        ("begun here", 7, 9),
        ("other", 9, 9),
    ]


def test_a_list_over_two_pages_is_parted_between_them() -> None:
    chunks = chunked("- one\n- two\n\n- three\n", pages=(0, 3), longest=12)

    assert [(chunk.text, chunk.first_page) for chunk in chunks] == [("- one\n- two", 1), ("- three", 2)]


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    chunks = chunked("The first sentence. The second one. The third and last.\n", longest=40)

    assert [chunk.text for chunk in chunks] == ["The first sentence. The second one.", "The third and last."]


def test_a_heading_does_not_stay_behind_alone() -> None:
    chunks = chunked(f"# Heading\n\n{'word ' * 30}\n", longest=60)

    assert chunks[0].text.startswith("# Heading\n\nword word")
    assert all(len(chunk.text) <= 60 and chunk.headings == ("Heading",) for chunk in chunks)


def test_each_piece_of_a_long_table_has_its_header() -> None:
    rows = "\n".join(f"| {number} | row {number} |" for number in range(20))

    chunks = chunked(f"| n | what |\n|---|---|\n{rows}\n", longest=100)

    assert len(chunks) > 1
    assert all(chunk.text.startswith("| n | what |\n|---|---|\n| ") and len(chunk.text) <= 100 for chunk in chunks)


def test_each_piece_of_a_long_table_of_html_is_a_table() -> None:
    rows = "\n".join(f"<tr><td>row {number}</td></tr>" for number in range(20))

    chunks = chunked(f"<table>\n<tr><th>what</th></tr>\n{rows}\n</table>\n", longest=120)

    assert len(chunks) > 1
    assert all(re.fullmatch(r"<table>\n<tr><th>what.*</table>", chunk.text, re.DOTALL) for chunk in chunks)


def test_each_piece_of_long_code_is_code() -> None:
    chunks = chunked("```text\n" + "line of code\n" * 20 + "```\n", longest=60)

    assert len(chunks) > 1
    assert all(chunk.text.startswith("```text\n") and chunk.text.endswith("\n```") for chunk in chunks)


def test_notes_and_gaps_that_a_parser_passes_over() -> None:
    chunks = chunked("Text[^1]\n\n[^1]: Note\n\n<!-- page 2 failed: ocr_failed -->\n\nMore\n")

    assert [chunk.text for chunk in chunks] == ["Text[^1]\n\n[^1]: Note\n\nMore"]


def test_ids_are_the_same_each_time_and_differ_within_a_document() -> None:
    markdown = f"# One\n\nsame\n\n# One\n\nsame\n\n{BOOK}"

    ids = [chunk.id for chunk in chunked(markdown)]

    assert ids == [chunk.id for chunk in chunked(markdown)]
    assert len(set(ids)) == len(ids) == 4


def test_a_change_in_one_section_leaves_the_ids_of_the_others() -> None:
    before = {chunk.headings: chunk.id for chunk in chunked(BOOK)}
    after = {chunk.headings: chunk.id for chunk in chunked(BOOK.replace("It falls.", "It rests."))}

    assert before["The Elements", "Water"] == after["The Elements", "Water"]
    assert before["The Elements", "Earth"] != after["The Elements", "Earth"]


PARTS = st.sampled_from(
    [
        *("# Heading", "## Deeper *one*", "Setext\n===", "A sentence. Another one! And a third?", "word " * 40),
        *("- item\n- item two\n    - nested", "1. first\n2. second", "> quoted\n> text", "```\ncode\n\nmore\n```"),
        *("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "<table>\n<tr><td>x</td></tr>\n</table>", "[^1]: Note"),
        *("unbroken" * 30, "![](assets/p0001-1.png)", "漢字" * 60, "    indented code", "***"),
    ]
)


@given(parts=st.lists(PARTS, max_size=12), longest=st.integers(min_value=10, max_value=300))
def test_no_chunk_is_too_long_and_no_word_is_lost(parts: list[str], longest: int) -> None:
    markdown = "\n\n".join(parts) + "\n"
    starts = [0]
    for part in parts[:-1]:
        starts.append(starts[-1] + part.count("\n") + 2)

    chunks = chunked(markdown, longest=longest, pages=tuple(starts))

    text = "".join("".join(words_of(chunk.text)) for chunk in chunks)
    assert all(0 < len(chunk.text) <= longest for chunk in chunks)
    if "|" not in markdown and "```" not in markdown and "<table>" not in markdown:
        assert text == "".join(words_of(markdown))
    assert all(word in text for word in words_of(markdown) if len(word) <= longest // 2 and word.isascii())
    assert all(chunk.first_page <= chunk.last_page for chunk in chunks)
    assert all(one.first_page <= other.first_page for one, other in pairwise(chunks))
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize("longest", [1, 2, 7])
def test_even_the_shortest_chunks_hold_everything(longest: int) -> None:
    chunks = chunked(BOOK, longest=longest)

    assert "".join("".join(words_of(chunk.text)) for chunk in chunks) == "".join(words_of(BOOK))
