"""Markdown from the words that tesseract saw."""

import pytest
from tests.unit.processors.pdf_markdown.sheets import HEADER, Sheet

from blobforge.documents.tesseract import words_in
from blobforge.processors.pdf_markdown.ocr.paragraphs import OcrReading, read_words


def test_lines_that_run_on_become_one_paragraph() -> None:
    sheet = Sheet().line("the quick brown fox jumps").line("over the lazy dog beside").line("the river")

    assert sheet.markdown == "the quick brown fox jumps over the lazy dog beside the river"


def test_a_word_broken_at_the_end_of_a_line_is_mended() -> None:
    assert Sheet().line("a long expla-").line("nation of it").markdown == "a long explanation of it"


def test_a_hyphen_before_a_capital_stays() -> None:
    assert Sheet().line("the town of Baden-").line("Baden is old").markdown == "the town of Baden- Baden is old"


def test_a_dash_after_a_number_stays() -> None:
    assert Sheet().line("in the years 1914-").line("eighteen and on").markdown == "in the years 1914- eighteen and on"


def test_paragraphs_are_set_apart_by_a_blank_line() -> None:
    sheet = Sheet().line("The first one.", paragraph=1).line("The second one.", paragraph=2)

    assert sheet.markdown == "The first one.\n\nThe second one."


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("he walked on for thirty", "years and more", "he walked on for thirty years and more"),
        ("he walked on,", "and on", "he walked on, and on"),
        ("he saw the light-", "house", "he saw the lighthouse"),
        ("He stopped.", "e is a letter", "He stopped.\n\ne is a letter"),
        ("he walked to", "Rome", "he walked to\n\nRome"),
    ],
)
def test_a_sentence_that_runs_on_is_one_paragraph(before: str, after: str, joined: str) -> None:
    assert Sheet().line(before, paragraph=1).line(after, paragraph=2).markdown == joined


def test_a_heading_never_runs_on() -> None:
    sheet = Sheet().line("A Heading", height=28, paragraph=1).line("and then words words words", paragraph=2)

    assert sheet.markdown == "## A Heading\n\nand then words words words"


def test_a_line_with_room_for_the_next_word_ends_for_good() -> None:
    sheet = Sheet().line("a full line of text that reaches the edge").line("short").line("another line begins here")

    assert "short  \nanother" in sheet.markdown


def test_lines_with_wide_gaps_are_rows_of_a_table() -> None:
    sheet = Sheet().line("Ale 4CP", gap=200).line("Tea 2CP", gap=200)

    assert sheet.markdown == "Ale 4CP  \nTea 2CP"


def test_large_print_is_a_heading_even_within_a_paragraph() -> None:
    sheet = Sheet().line("some words of text here and").line("A Heading", height=28).line("And more words of the text")

    assert sheet.markdown == "some words of text here and\n\n## A Heading\n\nAnd more words of the text"


def test_very_large_print_is_a_title() -> None:
    sheet = Sheet().line("The Book", height=44, paragraph=1).line("words of the text that follow", paragraph=2)

    assert sheet.markdown.startswith("# The Book\n\n")


def test_large_rows_of_a_table_are_no_headings() -> None:
    sheet = Sheet().line("words words words words words").line("Item Cost", height=28, gap=200)

    assert "#" not in sheet.markdown


def test_large_print_without_letters_is_no_heading() -> None:
    sheet = Sheet().line("words words words words words", paragraph=1).line("1 2 3", height=44, paragraph=2)

    assert "#" not in sheet.markdown


def test_lines_with_bullets_become_a_list() -> None:
    sheet = Sheet().line("these are needed now:", paragraph=1)
    sheet.line("¢ a rope that is long", paragraph=2).line("enough", paragraph=2).line("• a lamp", paragraph=2)

    assert sheet.markdown == "these are needed now:\n\n- a rope that is long enough\n- a lamp"


def test_signs_that_markdown_would_take_for_its_own_are_escaped() -> None:
    assert Sheet().line("# 5 * 3 < `x`").markdown == "\\# 5 \\* 3 \\< \\`x\\`"


def test_specks_are_left_out() -> None:
    sheet = Sheet().line("real words", paragraph=1).line("~;_ :", paragraph=2, confidence=12.0)

    assert sheet.markdown == "real words"


def test_a_page_without_words_reads_as_nothing() -> None:
    assert read_words(words_in(HEADER + "\n")) == OcrReading("", 0, 0.0)


def test_letters_are_counted_and_confidence_is_averaged() -> None:
    sheet = Sheet().line("ab 12", confidence=80.0).line("c.", confidence=60.0)

    reading = read_words(sheet.words)

    assert (reading.letters, reading.confidence) == (5, 70.0)


def test_damaged_rows_are_passed_over() -> None:
    table = "5\t1\tbroken\n" + "\n".join(Sheet().line("fine words").rows)

    assert read_words(words_in(table)).markdown == "fine words"
