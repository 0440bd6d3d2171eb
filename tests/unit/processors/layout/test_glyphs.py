"""Glyphs become pieces of text."""

import math
from collections.abc import Sequence

import pytest
from tests.unit.processors.layout.made_glyphs import PAGE, chars, turned

from blobforge.processors.pdf_markdown.layout.drawn.glyphs import read_glyphs
from blobforge.processors.pdf_markdown.layout.drawn.ligatures import FoundGlyph, GlyphPosition


def test_glyphs_without_a_gap_are_one_piece_and_a_drawn_space_is_remembered() -> None:
    read = read_glyphs(chars("two words"), PAGE)

    assert [(piece.text, piece.before, piece.after) for piece in read.pieces] == [
        ("two", False, True),
        ("words", True, False),
    ]


def test_lengths_run_down_from_the_upper_left() -> None:
    (piece,) = read_glyphs(chars("a", x=50, y=700), PAGE).pieces

    assert (piece.left, piece.right, piece.base) == (50, 55, 100)


def test_a_gap_without_a_space_ends_a_piece() -> None:
    read = read_glyphs([*chars("one", x=50), *chars("two", x=70)], PAGE)

    assert [piece.text for piece in read.pieces] == ["one", "two"]


def test_another_style_begins_another_piece() -> None:
    read = read_glyphs([*chars("plain", x=50), *chars("bold", x=75, font_name="Serif-Bold")], PAGE)

    assert [(piece.text, piece.style.bold) for piece in read.pieces] == [("plain", False), ("bold", True)]


def test_text_outside_the_page_is_cut_off() -> None:
    read = read_glyphs([*chars("inside"), *chars("outside", x=700), *chars("below", y=-20)], PAGE)

    assert [piece.text for piece in read.pieces] == ["inside"]


def test_each_glyph_drawn_twice_in_turn_is_read_once() -> None:
    doubled = [char for pair in zip(chars("bold"), chars("bold", x=50.3), strict=True) for char in pair]

    assert [piece.text for piece in read_glyphs(doubled, PAGE).pieces] == ["bold"]


def test_ligatures_are_letters() -> None:
    assert read_glyphs(chars("eﬀect"), PAGE).pieces[0].text == "effect"


def test_a_page_whose_text_is_turned_is_turned_back() -> None:
    read = read_glyphs([*turned("first line", x=300), *turned("second one", x=312)], PAGE)

    assert [piece.text for piece in read.pieces] == ["first", "line", "second", "one"]
    assert read.angle == 90
    assert (read.page.width, read.page.height) == (800, 600)


def test_a_turned_tab_in_the_margin_is_kept_apart() -> None:
    read = read_glyphs([*chars("much more upright text"), *turned("TAB", x=590)], PAGE)

    assert read.angle == 0
    assert [piece.text for piece in read.turned] == ["TAB"]


def test_the_share_of_unknown_glyphs_is_told() -> None:
    assert read_glyphs(chars("ab\ue001\ue002"), PAGE).unknown == pytest.approx(0.5)


def test_letters_lost_with_a_glyph_come_from_another_reader() -> None:
    lost = chars("an e\ufffdect")
    lost[4].advance_width = 0.0

    read = read_glyphs(lost, PAGE, look=lambda places: dict.fromkeys(places, FoundGlyph("ff", None)))

    assert [piece.text for piece in read.pieces] == ["an", "effect"]


def test_another_reader_is_not_asked_when_nothing_is_lost() -> None:
    def look(_places: Sequence[GlyphPosition]) -> dict[GlyphPosition, FoundGlyph]:
        raise AssertionError

    assert read_glyphs(chars("whole"), PAGE, look=look).pieces[0].text == "whole"


def test_text_at_another_angle_has_its_places_on_a_page_that_is_turned_so() -> None:
    read = read_glyphs([*chars("much more upright text"), *turned("TAB", x=590, y=100)], PAGE)

    assert read.turned_by == 90
    assert [(piece.left, piece.base) for piece in read.turned] == [(100, 590)]


def test_upright_text_on_a_turned_page_is_kept_apart() -> None:
    read = read_glyphs([*turned("much more turned text"), *chars("top")], PAGE)

    assert (read.angle, read.turned_by, [piece.text for piece in read.turned]) == (90, 0, ["top"])


def test_a_page_with_much_turned_text_is_read_by_another_reader() -> None:
    long = turned("text that says it runs up where in truth it runs down")

    assert [piece.text for piece in read_glyphs(long, PAGE, again=lambda: chars("known")).pieces] == ["known"]
    assert read_glyphs(turned("TAB"), PAGE, again=lambda: chars("known")).pieces[0].text == "TAB"
    assert read_glyphs(long, PAGE, again=list).angle == 90


def test_turned_text_of_a_mirrored_page_is_read_from_its_other_end() -> None:
    read = read_glyphs([*chars("much more upright text"), *turned("BAT")], PAGE, is_mirrored=lambda *_: True)

    assert ([piece.text for piece in read.turned], read.turned_by) == (["TAB"], 270)


def test_a_font_of_private_codes_is_unknown_beside_good_text() -> None:
    numbered = chars('\r"!\r"\t!\r"\n\r"!', y=650, font_name="T3")

    read = read_glyphs([*chars("eleven good letters"), *numbered], PAGE)

    assert read.unknown > 0.1


def test_spaces_that_are_told_as_tabs_too_are_no_private_codes() -> None:
    assert read_glyphs(chars("3\t\r \xa0—\t\r \xa0—\t\r \xa0—"), PAGE).unknown == 0.0


def test_a_single_control_character_in_a_font_of_signs_is_a_slip() -> None:
    assert read_glyphs([*chars("good text"), *chars("(\t)", y=650, font_name="Signs")], PAGE).unknown == 0.0


NOWHERE = [
    {"font_size": 0.0},
    {"font_size": 0.04},
    {"font_size": math.nan},
    {"font_size": math.inf},
    {"origin_x": math.nan},
    {"origin_y": -math.inf},
    {"advance_width": math.nan},
    {"advance_width": 0.0, "bbox": (0.0, 0.0, math.nan, 0.0)},
    {"rotation_degrees": math.nan},
]


@pytest.mark.parametrize("facts", NOWHERE)
def test_a_glyph_that_has_no_size_or_is_nowhere_is_not_read(facts: dict[str, object]) -> None:
    lost = chars("lost", y=600)
    for char in lost:
        vars(char).update(facts)

    read = read_glyphs([*chars("seen", y=700), *lost, *chars("after", y=500)], PAGE)

    assert [piece.text for piece in read.pieces] == ["seen", "after"]


def test_what_another_reader_finds_nowhere_is_not_read_either() -> None:
    lost = chars("lost", size=1.0)
    for char in lost:
        char.font_size = 0.0

    read = read_glyphs(chars("ab", size=-10.0, rotation_degrees=180.0), PAGE, again=lambda: [*chars("seen"), *lost])

    assert [piece.text for piece in read.pieces] == ["seen"]
