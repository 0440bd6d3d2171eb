"""Which language a text is in, and which can stand in for another."""

import pytest

from blobforge.documents.ocr_languages import language_of, readable, usable
from blobforge.domain.needs import language_package


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bridge was built in stone and it is the only way to the mill that stands on the hill.", "eng"),
        ("Die Brücke ist aus Stein und der Weg zu der Mühle, die auf dem Berg steht, ist nicht weit von hier.", "deu"),
        ("Le pont est dans la vallée et les gens qui passent par le moulin ne sont pas plus de dix.", "fra"),
        ("Det blev sagt af mange at broen blev bygget af sten, at den blev malet af en smed, og at han gik.", "dan"),
        ("El puente es de piedra y los que pasan por la aldea son pocos, pero se ven más en verano con el sol.", "spa"),
    ],
)
def test_small_words_tell_the_language(text: str, language: str) -> None:
    assert language_of([text]) == language


@pytest.mark.parametrize("text", ["", "12 34 56", "Bread 2 coins, rope 5 coins, lamp oil 1 coin"])
def test_too_few_small_words_tell_nothing(text: str) -> None:
    assert language_of([text]) == ""


def test_of_two_near_languages_none_is_told_where_neither_is_clearly_ahead() -> None:
    """But for one word, all the small ones are Danish and Norwegian alike."""
    text = "Det er en bro som var for en mand og en kone, og den er ikke ny, men man tror at den er god for dem."

    assert language_of([text]) == ""


def test_data_on_orientation_is_no_language_and_english_comes_first() -> None:
    assert readable({"osd", "deu", "eng", "equ"}) == ["eng", "deu"]


@pytest.mark.parametrize(
    ("wanted", "there", "used"),
    [
        (("deu", "eng"), {"eng"}, ("eng",)),
        (("deu",), {"eng", "rus"}, ("eng",)),
        (("ukr",), {"eng", "rus"}, ("rus",)),
        (("ell",), {"eng"}, ()),
        (("xyz",), {"eng"}, ()),
    ],
)
def test_where_none_is_installed_another_in_the_same_script_stands_in(
    wanted: tuple[str, ...], there: set[str], used: tuple[str, ...]
) -> None:
    assert usable(wanted, there) == used


def test_packages_have_no_underscores_in_their_names() -> None:
    assert language_package("chi_sim") == "tesseract-ocr-chi-sim"
