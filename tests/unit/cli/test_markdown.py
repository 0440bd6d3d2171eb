"""Markdown as it is laid out for stdout."""

import io
import sys

import pytest

from blobforge.cli.markdown import PIPE_COLUMNS, WIDEST_PROSE, rendered
from blobforge.results.excerpt import showable


def test_headings_are_known_without_colours() -> None:
    """R2-25."""
    assert rendered("# One\n\n## Two\n\n### Three\n") == ["One", "═══", "", "Two", "───", "", "### Three"]


def test_prose_has_lines_that_can_be_read_and_tables_take_more_room() -> None:
    """R2-25."""
    prose = rendered("word " * 100)
    cells = " | ".join(f"column number {number}" for number in range(6))
    table = rendered(f"| {cells} |\n|{'---|' * 6}\n| {cells} |\n")

    assert max(map(len, prose)) <= WIDEST_PROSE
    assert WIDEST_PROSE < len(table[0]) <= PIPE_COLUMNS
    assert len(table) == 3


def test_a_table_with_more_columns_than_there_is_room_for_is_told_line_by_line() -> None:
    """R2-25."""
    row = "| a number | " + " | ".join(f"cell{number:03}" for number in range(40)) + " |  |"

    lines = rendered(f"{row}\n|{'---|' * 42}\n{row}\n")

    assert lines[0].startswith("a number · cell000 · cell001")
    assert max(map(len, lines)) <= PIPE_COLUMNS
    assert sum("cell039" in line for line in lines) == 2


def test_rows_that_are_shorter_or_longer_than_the_head_are_shown() -> None:
    text = "\n".join(rendered("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n"))

    assert "1" in text
    assert "2" in text


def test_pictures_are_told_by_their_description_or_name() -> None:
    """R2-25."""
    lines = rendered("![A chart](assets/p1.png)\n\n![](assets/p2.png)\n\nin ![](assets/p3.png) text\n")

    assert lines == ["[picture: A chart]", "", "[picture: p2.png]", "", "in [picture: p3.png] text"]


@pytest.mark.parametrize(
    "text", ["![](a/%1b%5d0;x)", "&#27;]0;x", "[a](b%1b)", "<table>\n<tr><td>&#x9b;2J</td></tr>\n</table>"]
)
def test_nothing_that_is_written_in_other_ways_steers_a_terminal(text: str) -> None:
    """R2-25."""
    shown = "".join(rendered(showable(text)))

    assert not {"\x1b", "\x9b"} & set(shown)


def test_a_link_tells_where_it_leads() -> None:
    assert rendered("[the page](https://example.org)") == ["the page (https://example.org)"]


def test_lists_are_nested_and_numbered_as_they_are() -> None:
    """R2-25."""
    lines = rendered("- one\n  - below\n- two\n\n7. seven\n8. eight\n")

    assert lines == [" • one", "    • below", " • two", "", " 7 seven", " 8 eight"]


def test_words_in_brackets_and_colons_are_words() -> None:
    assert rendered("[bold]not markup[/bold] and :smile:") == ["[bold]not markup[/bold] and :smile:"]


def test_what_stdout_cannot_hold_does_not_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))

    assert rendered("# Ünder\n") == ["?nder", "?????"]


@pytest.mark.parametrize("text", ["", "\n\n", "<div>", "|", "| a |\n|---|\n", "```\n", "> ", "- ", "#"])
def test_any_text_is_laid_out(text: str) -> None:
    rendered(text)
