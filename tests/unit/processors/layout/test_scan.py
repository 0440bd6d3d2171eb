"""Pages that OCR has read, in the same model as all others."""

from itertools import pairwise

import pytest

from blobforge.processors.pdf_markdown.layout.model.content import Fill, Rectangle
from blobforge.processors.pdf_markdown.layout.model.passages import Look, Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.scans.scan import (
    ScannedPage,
    ScannedWord,
    content_of,
    in_terms_of,
    settle_sizes,
)

LETTER_WIDTH = 5.0
RISE = 0.74
"""How high a word with ascenders and without descenders is, as a share of its size."""


def printed(
    text: str, *, base: float, left: float = 50.0, size: float = 10.0, stem: float = 0.8, slope: float = 0.0
) -> list[ScannedWord]:
    """A line of words that rise and do not descend, as OCR would box them."""
    words: list[ScannedWord] = []
    for word in text.split():
        right, low = left + LETTER_WIDTH * len(word), base + slope * left
        words.append(ScannedWord(word, left, low - RISE * size, right, low, (str(base), "1", "1"), stem))
        left = right + 0.3 * size
    return words


def page_of(*lines: list[ScannedWord], rules: tuple[Rectangle, ...] = ()) -> ScannedPage:
    return ScannedPage(1, 600.0, 800.0, tuple(word for line in lines for word in line), rules)


def a_passage(text: str, *, page: int = 1, top: float = 100.0, size: float = 10.0, font: str = "") -> Passage:
    box = Rectangle(50, top, 300, top + 10)
    return Passage(
        role=PassageRole.PARAGRAPH, page=page, box=box, text=text, plain=text, look=Look(size=size, font=font)
    )


BODY = "the old bridge that leads into the hills behind the mill"


def test_a_line_has_the_size_that_its_letters_were_printed_in() -> None:
    content = content_of(page_of(printed("The Title", base=80, size=18), printed(BODY, base=120)))

    assert [(line.text, round(line.size)) for line in content.lines] == [("The Title", 18), (BODY, 10)]


def test_sizes_that_a_scan_cannot_tell_apart_are_one() -> None:
    rows = [printed(BODY, base=100 + 14 * place, size=size) for place, size in enumerate((9.8, 10.0, 10.4, 9.6))]

    assert len({line.size for line in content_of(page_of(*rows)).lines}) == 1


def test_a_sheet_that_lay_askew_is_laid_straight() -> None:
    rows = [printed(BODY, base=100 + 14 * place, slope=0.01) for place in range(5)]

    bases = [line.base for line in content_of(page_of(*rows)).lines]

    assert [lower - upper for upper, lower in pairwise(bases)] == pytest.approx([14] * 4, abs=0.1)


def test_a_wide_gap_cuts_a_line() -> None:
    row = [*printed("Bread", base=100), *printed("two coins", base=100, left=300)]

    assert [line.text for line in content_of(page_of(row)).lines] == ["Bread", "two coins"]


def test_what_is_printed_heavier_than_most_of_the_page_is_bold() -> None:
    rows = [printed("The Bold Line", base=80, stem=1.3), *(printed(BODY, base=100 + 14 * row) for row in range(3))]

    assert [line.is_bold for line in content_of(page_of(*rows)).lines] == [True, False, False, False]


def test_letters_as_heavy_for_their_size_as_the_rest_are_not_bold() -> None:
    rows = [
        printed("The Large Line", base=80, size=20, stem=1.6),
        *(printed(BODY, base=110 + 14 * row) for row in range(3)),
    ]

    assert not any(line.is_bold for line in content_of(page_of(*rows)).lines)


def test_words_with_commas_and_low_letters_do_not_change_the_size_of_their_line() -> None:
    row = printed("The bridge", base=100)
    (comma,) = printed("it,", base=100, left=200)
    low = comma._replace(top=comma.top + 1.5, bottom=comma.bottom + 1.2)

    assert [line.size for line in content_of(page_of([*row[:1], low])).lines] == [10.0, 10.0]


@pytest.mark.parametrize("text", ["e", "¢", "+", "«"])
def test_what_is_small_and_floats_before_a_line_is_a_bullet(text: str) -> None:
    mark = ScannedWord(text, 38.0, 95.5, 41.5, 98.5, ("100", "1", "1"))

    (line,) = content_of(page_of([mark, *printed("the old mill", base=100, left=46)])).lines

    assert line.text == "• the old mill"


def test_a_letter_on_the_baseline_is_no_bullet() -> None:
    letter = ScannedWord("e", 38.0, 95.0, 42.0, 100.0, ("100", "1", "1"))

    (line,) = content_of(page_of([letter, *printed("the old mill", base=100, left=46)])).lines

    assert line.text.startswith("e the")


def test_a_word_that_runs_up_the_margin_is_left_out() -> None:
    tab = ScannedWord("CREATURES", 580.0, 200.0, 592.0, 280.0, ("9", "1", "1"))

    assert [line.text for line in content_of(page_of(printed(BODY, base=100), [tab])).lines] == [BODY]


def test_tints_and_frames_of_the_picture_are_those_of_the_page() -> None:
    tint = Fill(Rectangle(40, 80, 300, 200), (0.9,))
    sides = (
        Rectangle(50, 300, 250, 300),
        Rectangle(50, 400, 250, 400),
        Rectangle(50, 300, 50, 400),
        Rectangle(250, 300, 250, 400),
    )

    content = content_of(page_of(printed(BODY, base=100), rules=sides)._replace(fills=(tint,)))

    assert (content.fills, content.frames) == ([tint], [Rectangle(50, 300, 250, 400)])


def test_a_figure_alone_is_never_bold_since_it_measures_too_roughly() -> None:
    rows = [printed("12", base=80, stem=3.0), printed(BODY, base=100)]

    assert [line.is_bold for line in content_of(page_of(*rows)).lines] == [False, False]


def test_a_box_that_was_drawn_around_the_rules_of_a_cell_is_cut_at_them() -> None:
    (word,) = printed("Bread", base=100)
    inflated = word._replace(top=80.0, bottom=112.0)
    rules = (Rectangle(40, 90, 200, 90), Rectangle(40, 104, 200, 104), Rectangle(30, 70, 30, 120))

    (line,) = content_of(page_of([inflated], rules=rules)).lines

    assert 15 < line.size < 18  # of the 12 points between the rules, not of the 32 of its box
    assert 100 <= line.base <= 104


def test_rules_are_kept_and_laid_straight_with_the_words() -> None:
    content = content_of(
        page_of(printed(BODY, base=100), rules=(Rectangle(50, 90, 500, 90), Rectangle(50, 90, 50, 300)))
    )

    assert [rule.width for rule in content.horizontals] == [450]
    assert [rule.height for rule in content.verticals] == [210]


def test_a_page_without_words_has_no_lines() -> None:
    assert content_of(page_of()).lines == []


def test_sizes_of_a_picture_are_told_in_terms_of_the_document() -> None:
    heading, body = a_passage("heading", size=18), a_passage("body", size=9)

    in_terms_of([heading, body], body=9, wanted=10)

    assert [passage.look.size for passage in (heading, body) if passage.look] == [20, 10]


def test_sizes_that_come_close_over_all_scanned_pages_are_one_and_those_of_text_are_left_alone() -> None:
    scanned = [a_passage("a", size=size) for size in (10.0, 14.1, 13.9, 14.6, 20.0)]
    text = a_passage("t", size=14.2, font="Times")

    settle_sizes([*scanned, text])

    assert [passage.look.size for passage in scanned if passage.look] == [10.0, 14.2, 14.2, 14.2, 20.0]
    assert text.look is not None
    assert text.look.size == 14.2


def test_a_word_without_a_height_has_a_size_nevertheless() -> None:
    flat = [word._replace(top=word.bottom) for word in printed("A line", base=80)]

    content = content_of(page_of(flat, printed(BODY, base=120)))

    assert all(line.size > 0 for line in content.lines)
