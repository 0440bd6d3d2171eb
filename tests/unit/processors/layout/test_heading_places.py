"""Headings that look almost like the body, and what only looks like them."""

from dataclasses import replace

import pytest
from tests.unit.processors.layout.made import BODY, BOLD, SURVEY, TITLE, passage

from blobforge.processors.pdf_markdown.layout.document import joined_document
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, Style
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, all_of

TEXT = "Running text that says something and goes on for more than a line before it ends."
ITALIC = BODY._replace(italic=True)
GREY = BODY._replace(size=12.0, colour=(0.5, 0.5, 0.5))


def headings(*passages: Passage) -> list[str]:
    document = joined_document(list(passages), SURVEY)
    return [each.plain for each in all_of(document) if each.role is PassageRole.HEADING]


def text(top: float) -> Passage:
    return replace(passage(TEXT, lines=3), box=Rectangle(50.0, top, 350.0, top + 34.0))


def title(words: str, style: Style = BODY, *, top: float, left: float = 50.0, marker: str = "") -> Passage:
    """One line, 100 points wide."""
    role = PassageRole.ITEM if marker else PassageRole.PARAGRAPH
    made = passage(words, style, role=role, marker=marker, top=top)
    made.text = f"*{words}*" if style.italic else words
    return replace(made, box=Rectangle(left, top, left + 100.0, top + 10.0))


def test_an_italic_line_with_space_above_it_heads_the_text_below() -> None:
    assert headings(text(100), title("The second keeper", ITALIC, top=145), text(158)) == ["The second keeper"]


def test_an_italic_line_without_space_above_it_is_text() -> None:
    assert headings(text(100), title("The second keeper", ITALIC, top=136), text(148)) == []


def test_an_italic_line_over_another_line_is_text() -> None:
    assert headings(text(100), title("The second keeper", ITALIC, top=145), passage("J. Marsh", top=158)) == []


def test_an_italic_line_under_a_title_says_who_wrote_it() -> None:
    found = headings(passage("The Tower", TITLE, top=100), title("By Anna Field", ITALIC, top=130), text(150))

    assert found == ["The Tower"]


def test_italic_lines_that_are_mostly_sentences_make_no_headings() -> None:
    spoken = [title("She goes out.", ITALIC, top=top) for top in (10.0, 30.0)]

    assert headings(*spoken, text(100), title("The kitchen", ITALIC, top=145), text(158)) == []


def test_a_line_in_the_middle_of_its_column_is_a_heading() -> None:
    assert headings(text(100), title("A Short History", top=150, left=150), text(168)) == ["A Short History"]


def test_a_line_that_is_only_indented_is_none() -> None:
    assert headings(text(100), title("A Short History", top=150, left=80), text(168)) == []


def test_numbered_lines_over_running_text_are_headings() -> None:
    found = headings(
        *(title("Background", top=80, marker="1."), text(100)),
        *(title("Next steps", top=150, marker="2."), text(170)),
    )

    assert found == ["1. Background", "2. Next steps"]


def test_a_numbered_line_over_text_that_stands_in_is_an_item() -> None:
    below = replace(text(100), box=Rectangle(70.0, 100.0, 350.0, 134.0))

    assert headings(title("Background", top=80, marker="1."), below) == []


def test_one_numbered_line_of_a_list_that_has_text_below_is_an_item() -> None:
    entries = [title(f"Wheel {number}", top=20 * number, marker=f"{number}.") for number in range(1, 4)]

    assert headings(*entries, title("Axle", top=80, marker="4."), text(100)) == []


def test_small_coloured_capitals_over_running_text_are_a_heading() -> None:
    eyebrow = BODY._replace(size=8.0, colour=(0.8, 0.2, 0.0))

    assert headings(text(100), title("WHAT WE BUILT", eyebrow, top=150), text(165)) == ["WHAT WE BUILT"]


def test_small_coloured_capitals_over_a_title_announce_it() -> None:
    eyebrow = BODY._replace(size=8.0, colour=(0.8, 0.2, 0.0))

    assert headings(title("RIVERS", eyebrow, top=90), passage("The Ferry", TITLE, top=105), text(130)) == ["The Ferry"]


def test_bold_lines_over_a_few_words_are_labels() -> None:
    letter = [passage("14 March 2021", BOLD), passage("Dear Mrs. Thorne,"), text(100)]
    signed = [passage("Peter Hallam", BOLD, top=150), passage("Head of Service", top=170)]

    assert headings(*letter, *signed) == []


def test_a_larger_line_with_initials_may_end_with_a_full_stop() -> None:
    words = "Observations from the Spitzer Telescope (SST)."

    assert headings(text(100), passage(words, TITLE, top=150)) == [words]


def test_a_larger_sentence_is_no_heading() -> None:
    assert headings(text(100), passage("Small farms still employ one in four.", TITLE, top=150), text(180)) == []


def test_a_light_line_between_a_title_and_a_heading_as_large_is_a_subtitle() -> None:
    heading = passage("Hot Water", BOLD._replace(size=12.0), top=150)

    found = headings(
        passage("Storing Heat", TITLE, top=100), passage("What it costs", GREY, top=125), heading, text(170)
    )

    assert found == ["Storing Heat", "Hot Water"]


@pytest.mark.parametrize("words", ["Total due: 880.00", "Sum: $1,204.50"])
def test_a_sum_of_money_is_no_heading(words: str) -> None:
    assert headings(text(100), passage(words, BOLD, top=150), text(170)) == []


def test_letters_that_follow_the_alphabet_head_an_index() -> None:
    entries = [each for letter in "ABC" for each in (passage(letter, BOLD), passage("abutments, 14, 31"))]

    assert headings(*entries) == ["A", "B", "C"]


def test_a_letter_by_itself_is_a_label() -> None:
    assert headings(text(100), passage("B", BOLD, top=150), text(170)) == []


def test_the_title_of_a_section_of_a_law_may_end_with_a_full_stop() -> None:
    assert headings(passage("SEC. 2. DEFINITIONS.", top=80), text(100)) == ["SEC. 2. DEFINITIONS."]


def test_times_are_no_numbers_of_headings() -> None:
    assert headings(text(100), passage("9.15 Radios in the field 10.45 Lunch", top=150), text(170)) == []


def test_a_grey_line_is_no_heading() -> None:
    grey = BODY._replace(colour=(0.4, 0.4, 0.4))

    assert headings(passage("Harbour Board", TITLE), passage("Westhaven, full time", grey, top=120), text(140)) == [
        "Harbour Board"
    ]


def test_a_light_line_close_under_a_title_twice_as_large_is_a_subtitle() -> None:
    title_below = replace(
        passage("Tarn Pump", TITLE._replace(size=24.0), top=50), box=Rectangle(50.0, 50.0, 250.0, 74.0)
    )

    assert headings(title_below, passage("For deep wells", GREY, top=78), text(100)) == ["Tarn Pump"]


def test_second_lines_of_several_titles_are_headings() -> None:
    large, second = BODY._replace(size=20.0), BODY._replace(size=13.0)
    cards = [(passage(f"Card {name}", large), passage(f"What {name} is", second), text(100)) for name in "xy"]

    assert headings(*(each for card in cards for each in card)) == ["Card x", "What x is", "Card y", "What y is"]


def test_the_number_of_an_article_over_the_middle_of_its_title_is_a_heading() -> None:
    articles = [
        *(text(100), title("Article 5", ITALIC, top=150, left=150), title("Permits", BOLD, top=163, left=150)),
        *(text(180), title("Article 6", ITALIC, top=230, left=150), title("Fees", BOLD, top=243, left=150), text(260)),
    ]

    assert headings(*articles) == ["Article 5", "Permits", "Article 6", "Fees"]


def test_words_over_the_middle_of_a_title_are_none() -> None:
    found = headings(
        text(100), title("By the River", ITALIC, top=150, left=150), title("Permits", BOLD, top=163, left=150)
    )

    assert "By the River" not in found
