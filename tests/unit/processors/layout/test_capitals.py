"""Small capitals, spread letters and drop caps come back as plain words."""

import pytest
from tests.unit.processors.layout.made import BODY, column, line
from tests.unit.processors.layout.made_glyphs import pieces

from blobforge.processors.pdf_markdown.layout.model.content import TextRun
from blobforge.processors.pdf_markdown.layout.words.capitals import spread_words, with_drop_caps
from blobforge.processors.pdf_markdown.layout.words.lines import lines_of

LARGE = BODY._replace(size=15.0)
LESS = BODY._replace(size=12.0)
DROPPED = BODY._replace(size=30.0)


def _word(initial: str, rest: str, left: float) -> list[TextRun]:
    middle = left + 7.5
    return [
        TextRun(initial, left, middle, 100.0, LARGE, before=True),
        TextRun(rest, middle, middle + 6.0 * len(rest), 100.0, LESS),
    ]


@pytest.mark.parametrize("rest", ["RAITS", "raiTs"])
def test_small_capitals_are_in_normal_case_and_as_large_as_the_initial(rest: str) -> None:
    (made,) = lines_of(_word("T", rest, 50.0))

    assert (made.text, made.size) == ("Traits", 15.0)


def test_a_word_all_in_small_capitals_among_others_is_too() -> None:
    of = TextRun("OF", 95.0, 107.0, 100.0, LESS, before=True)

    (made,) = lines_of([*_word("B", "OOK", 60.0), of, *_word("K", "INGS", 112.0)])

    assert made.text == "Book of Kings"


def test_spread_letters_are_words_again() -> None:
    letters = [*pieces("C H A P T E R", space=0.4), *pieces("O N E", left=122, space=0.4)]

    assert [word.text for word in spread_words([piece._replace(before=False) for piece in letters])] == [
        "CHAPTER",
        "ONE",
    ]


def test_a_few_letters_with_spaces_between_them_stay_letters() -> None:
    assert spread_words(pieces("A B C")) == []


def test_a_drop_cap_is_joined_to_its_word() -> None:
    text = column("nce upon a time there", "was a rule that nobody", "had ever read", left=70, base=80)
    initial = line("O", left=50, base=104, style=DROPPED)

    lines = with_drop_caps([initial, *text])

    assert [each.text for each in lines][:2] == ["Once upon a time there", "was a rule that nobody"]


def test_a_drop_cap_that_is_a_word_stands_alone() -> None:
    text = column("wizard came", "to the tower and the wizard", "knocked", left=70, base=80)

    lines = with_drop_caps([line("A", left=50, base=104, style=DROPPED), *text])

    assert lines[0].text == "A wizard came"


def test_capitals_after_a_drop_cap_are_lowered() -> None:
    text = column("OME orchards", "are planted on", "good soil", left=70, base=80)

    assert with_drop_caps([line("S", left=50, base=104, style=DROPPED), *text])[0].text == "Some orchards"


def test_a_large_letter_beside_one_line_is_no_drop_cap() -> None:
    made = [line("A", left=50, base=104, style=DROPPED), line("label", left=70, base=100)]

    assert with_drop_caps(made) == made


def test_spread_letters_may_have_a_number_among_them() -> None:
    letters = [
        TextRun(letter, 50.0 + 12 * place, 55.0 + 12 * place, 100.0, BODY) for place, letter in enumerate("CHAPTER12")
    ]

    assert [word.text for word in spread_words(letters)] == ["CHAPTER12"]


def test_a_row_of_figures_is_not_spread() -> None:
    figures = [
        TextRun(figure, 50.0 + 12 * place, 55.0 + 12 * place, 100.0, BODY) for place, figure in enumerate("A12345")
    ]

    assert spread_words(figures) == []


def test_two_capitals_in_one_piece_are_spread_letters_too() -> None:
    letters = pieces("G O I N G", space=0.25) + pieces("D OW N", left=93, space=0.25)

    assert [word.text for word in spread_words(letters)] == ["GOING", "DOWN"]


def test_a_drop_cap_on_the_baseline_of_its_last_line_is_no_part_of_it() -> None:
    large = TextRun("T", 50.0, 68.0, 124.0, DROPPED)
    text = [
        pieces(words, left=70, base=base)
        for words, base in (("he wood", 100.0), ("was never", 112.0), ("so dark", 124.0))
    ]

    lines = lines_of([large, *(piece for row in text for piece in row)])

    assert [each.text for each in lines] == ["The wood", "was never", "so dark"]


def test_a_raised_initial_goes_with_the_rest_of_its_word() -> None:
    (made,) = lines_of([TextRun("T", 50.0, 68.0, 100.0, DROPPED), *pieces("he wood", left=69)])

    assert made.text == "The wood"
