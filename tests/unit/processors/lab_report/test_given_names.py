# ruff: noqa: RUF001 - Cyrillic names, and all the apostrophes that are printed
"""Which words are first names."""

from importlib import resources

import pytest

from blobforge.processors.lab_report import person
from blobforge.processors.lab_report.biomarkers.folding import fold
from blobforge.processors.lab_report.person.given_names import is_given_name

TEXT = resources.files(person).joinpath("given_names.txt").read_text(encoding="utf-8")
BLOCKS = dict(block.split("\n", 1) for block in TEXT.removeprefix("# ").split("\n# "))


@pytest.mark.parametrize("word", ["Hélène", "helene", "HÉLÈNE", "HELENE", "He\u0301le\u0300ne"])
def test_case_and_accents_do_not_matter(word: str) -> None:
    assert is_given_name(word)


@pytest.mark.parametrize("word", ["Łukasz", "LUKASZ", "Đorđe", "Dorde", "Pınar", "PINAR", "İbrahim", "IBRAHIM"])
def test_letters_without_a_detachable_accent_are_read_in_both_spellings(word: str) -> None:
    assert is_given_name(word)


@pytest.mark.parametrize("word", ["Anne-Sophie", "KARL-HEINZ", "Jean-François", "Marie‐Claude"])
def test_a_compound_of_given_names_is_a_given_name(word: str) -> None:
    assert is_given_name(word)


@pytest.mark.parametrize("word", ["Anna-Schmidt", "Dupont-Marie", "Anne-", "-", ""])
def test_a_compound_with_another_part_is_none(word: str) -> None:
    assert not is_given_name(word)


@pytest.mark.parametrize("word", ["Наталья", "АЛЁНА", "Алена", "Ганна", "Мар'яна", "Мар’яна", "Марʼяна", "Марьяна"])
def test_a_cyrillic_name_is_known_with_any_apostrophe(word: str) -> None:
    assert is_given_name(word)


@pytest.mark.parametrize(
    "word", ["Smith", "Kelly", "Patel", "Singh", "Müller", "Moreau", "Santos", "Vidal", "Rossi", "Yılmaz", "Ткаченко"]
)
def test_a_surname_is_no_given_name(word: str) -> None:
    assert not is_given_name(word)


@pytest.mark.parametrize("region", BLOCKS)
def test_no_name_is_listed_twice_in_a_block(region: str) -> None:
    names = fold(BLOCKS[region]).split()

    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("region", BLOCKS)
def test_every_listed_name_is_known(region: str) -> None:
    assert all(map(is_given_name, BLOCKS[region].split()))
