"""Words become Markdown within a line."""

import pytest
from tests.unit.processors.layout.made import BODY, BOLD, line

from blobforge.processors.pdf_markdown.layout.text.inline import joined, joined_texts, markdown_of, plain_text


def test_bold_is_marked_run_by_run() -> None:
    assert markdown_of(line(("Two words", BOLD), "and more").words) == "**Two words** and more"


def test_a_document_that_is_all_bold_marks_none() -> None:
    assert markdown_of(line("All of it", style=BOLD).words, bold=False) == "All of it"


@pytest.mark.parametrize(
    ("text", "written"),
    [("1. is no item", "1\\. is no item"), ("# is no heading", "\\# is no heading"), ("a [b]", "a \\[b\\]")],
)
def test_text_does_not_turn_into_markup(text: str, written: str) -> None:
    assert markdown_of(line(text).words) == written


@pytest.mark.parametrize(
    ("end", "start", "whole"),
    [
        ("an expla-", "nation", "an explanation"),
        ("is well-", "known, too", "is well-known, too"),
        ("from Baden-", "Baden", "from Baden- Baden"),
        ("read right-to-", "left there", "read right-to-left there"),
        ("a self-con-", "tained book", "a self-contained book"),
        ("a self-im\u2010", "portant man", "a self-important man"),
        ("mail to anna-", "maria@example.org or", "mail to anna-maria@example.org or"),
        ("at https://www.city-", "council.example.org now", "at https://www.city-council.example.org now"),
        ("at https://example.org/a-", "2024/Plan", "at https://example.org/a-2024/Plan"),
        ("at https://exam\u00ad", "ple.org", "at https://example.org"),
        ("call 555-", "1234 now", "call 555-1234 now"),
        ("of 1990-", "of old", "of 1990- of old"),
    ],
)
def test_hyphens_at_the_end_of_a_line(end: str, start: str, whole: str) -> None:
    assert plain_text(joined([line(end), line(start)], hyphenated={"well-known", "self-contained"})) == whole


def test_an_address_over_three_lines_keeps_its_hyphens() -> None:
    lines = [line("mail to john-"), line("paul.anderson-"), line("smith@example.org")]

    assert plain_text(joined(lines)) == "mail to john-paul.anderson-smith@example.org"


def test_a_raised_number_is_a_reference() -> None:
    words = line("spring").words
    words.append(words[0]._replace(text="1", raised=True, spaced=False, style=BODY._replace(size=6.0)))

    assert markdown_of(words) == "spring[^1]"


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("it goes", "on", "it goes on"),
        ("it re-", "sumes here", "it resumes here"),
        ("*it goes*", "*on* so", "*it goes on* so"),
        ("**it re-**", "**sumes**", "**it resumes**"),
        ("a well-", "known one", "a well-known one"),
        ("call 555-", "1234", "call 555-1234"),
        ("mail to anna-", "maria@example.org", "mail to anna-maria@example.org"),
    ],
)
def test_halves_of_a_paragraph_are_joined(before: str, after: str, whole: str) -> None:
    assert joined_texts(before, after, {"well-known"}) == whole


def test_lines_of_chinese_are_joined_without_a_space() -> None:
    words = joined([line("天地玄黄"), line("宇宙洪荒")])

    assert plain_text(words) == "天地玄黄宇宙洪荒"


def test_words_in_a_typewriters_font_among_others_are_code() -> None:
    typed = BODY._replace(mono=True)

    assert markdown_of(line("then call", ("open_door(*keys)", typed), "and wait for it").words) == (
        "then call `open_door(*keys)` and wait for it"
    )


def test_a_passage_all_in_a_typewriters_font_is_text() -> None:
    typed = BODY._replace(mono=True)

    assert markdown_of(line(("a letter typed by hand", typed), "–").words) == "a letter typed by hand –"


def test_an_address_in_a_typewriters_font_is_no_code() -> None:
    typed = BODY._replace(mono=True)

    assert markdown_of(line("you will find more about it at", ("www.example.com", typed)).words) == (
        "you will find more about it at www.example.com"
    )


def test_halves_of_a_paragraph_without_spaces_are_joined_without_one() -> None:
    assert joined_texts("蛙飛びこむ", "水の音", ()) == "蛙飛びこむ水の音"
