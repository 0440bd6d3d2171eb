"""Pieces become words and lines."""

import pytest
from tests.unit.processors.layout.made import BODY, BOLD
from tests.unit.processors.layout.made_glyphs import pieces

from blobforge.processors.pdf_markdown.layout.model.content import TextRun
from blobforge.processors.pdf_markdown.layout.words.lines import lines_of

SMALL = BODY._replace(size=6.0)


def _texts(*made: list[TextRun]) -> list[str]:
    return [line.text for line in lines_of([piece for part in made for piece in part])]


def test_words_are_put_in_order_whatever_the_order_they_were_drawn_in() -> None:
    assert _texts(pieces("drawn last first")[::-1]) == ["drawn last first"]


def test_a_wide_gap_ends_a_line() -> None:
    assert _texts(pieces("left column"), pieces("right column", left=200)) == ["left column", "right column"]


def test_text_of_another_size_after_a_gap_that_no_space_explains_is_another_line() -> None:
    caption = pieces("a caption", left=130, style=BODY._replace(size=8.0))

    assert _texts(pieces("text beside it", left=54), caption) == ["text beside it", "a caption"]


def test_a_change_of_style_within_a_word_leaves_no_space() -> None:
    line = lines_of([*pieces("bold"), TextRun("er", 70.0, 80.0, 100.0, BOLD)])[0]

    assert [(word.text, word.spaced) for word in line.words] == [("bold", True), ("er", False)]


def test_text_drawn_again_a_little_shifted_is_bold_and_there_once() -> None:
    (line,) = lines_of([*pieces("made bold"), *pieces("made bold", left=50.4)])

    assert (line.text, line.is_bold) == ("made bold", True)


def test_a_shadow_in_another_colour_is_dropped_and_what_lies_on_it_shows() -> None:
    grey, white = BODY._replace(colour=(0.5, 0.5, 0.5)), BODY._replace(colour=(1.0, 1.0, 1.0))

    (line,) = lines_of([*pieces("Title", style=grey), *pieces("Title", left=50.8, base=100.8, style=white)])

    assert (line.text, line.style.colour, line.is_bold) == ("Title", (1.0, 1.0, 1.0), False)


def test_a_raised_figure_goes_into_its_line() -> None:
    (line,) = lines_of([*pieces("a claim and more", space=0.6), TextRun("1", 86.0, 89.0, 94.0, SMALL)])

    assert [word.text for word in line.words if word.raised] == ["1"]


def test_small_figures_at_the_end_of_a_word_are_a_mark() -> None:
    (line,) = lines_of([*pieces("sentence."), TextRun("12", 95.0, 101.0, 100.0, SMALL)])

    assert [(word.text, word.raised, word.spaced) for word in line.words] == [
        ("sentence.", False, True),
        ("12", True, False),
    ]


@pytest.mark.parametrize(("gap", "text"), [(2.5, "日本"), (1.0, "日本")])
def test_chinese_and_japanese_get_no_spaces(gap: float, text: str) -> None:
    made = [TextRun("日", 50, 60, 100, BODY), TextRun("本", 60 + gap, 70 + gap, 100, BODY)]

    assert _texts(made) == [text]


def test_the_edges_and_text_of_a_line_follow_its_words() -> None:
    (line,) = lines_of(pieces("one two"))

    line.words = line.words[1:]

    assert (line.text, line.left) == ("two", 68.0)


def test_a_small_raised_figure_before_a_line_is_the_number_of_its_note() -> None:
    note = BODY._replace(size=7.2)
    (line,) = lines_of([*pieces("1", style=SMALL, base=97), *pieces("A note", left=56, style=note)])

    assert [(word.text, word.raised) for word in line.words] == [("1", True), ("A", False), ("note", False)]


def test_a_raised_letter_belongs_to_the_word_before_it() -> None:
    mark = BODY._replace(size=8.3)

    assert _texts(pieces("Draught"), [TextRun("a", 85.2, 89.0, 96.0, mark)]) == ["Draughta"]
    assert _texts(pieces("m"), [TextRun("2", 55.2, 59.0, 96.0, SMALL)]) == ["m2"]


def test_a_raised_letter_before_a_line_marks_a_note() -> None:
    (line,) = lines_of([TextRun("a", 46.0, 49.0, 97.0, SMALL), *pieces("Fully laden.")])

    assert (line.text, line.words[0].raised) == ("a Fully laden.", True)


def test_a_shadow_in_another_colour_is_read_once() -> None:
    grey = BODY._replace(colour=(0.6, 0.6, 0.6))

    lines = lines_of([*pieces("The Old Mill", left=52.0, base=102.0, style=grey), *pieces("The Old Mill")])

    assert [(line.text, line.style.colour) for line in lines] == [("The Old Mill", BODY.colour)]


def test_two_letters_in_two_colours_are_no_shadow() -> None:
    grey = BODY._replace(colour=(0.6, 0.6, 0.6))

    (line,) = lines_of(
        [
            TextRun("ha", 47.6, 50.0, 100.0, BODY),
            TextRun("l", 50.0, 52.2, 100.0, BODY),
            TextRun("l", 52.2, 54.4, 100.0, grey),
        ]
    )

    assert line.text == "hall"


def test_the_figure_of_a_note_may_be_little_smaller_than_its_text() -> None:
    note, mark = BODY._replace(size=8.0), BODY._replace(size=7.0)
    (line,) = lines_of([*pieces("1", style=mark, base=96.6), *pieces("A note", left=55, style=note)])

    assert line.words[0].raised
