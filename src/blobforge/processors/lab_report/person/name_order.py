"""Which words of a printed name are the given ones: by the comma, by capitals, by the language, by the words."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from blobforge.processors.lab_report.person.given_names import is_given_name
from blobforge.processors.lab_report.vocabulary.languages import is_true_of, terms, terms_of
from blobforge.processors.lab_report.vocabulary.patterns import any_term

_PATRONYMIC = re.compile(rf".+{any_term('names', 'patronymics')}", re.IGNORECASE)
_SURNAME = re.compile(rf".{{2,}}{any_term('names', 'surnames')}", re.IGNORECASE)
PARTICLES = frozenset(terms("names", "particles"))


class PersonName(NamedTuple):
    first: str | None
    second: str | None


def split_name(text: str, language: str | None, *, kind: str) -> PersonName:
    """First and second name: by the comma, by capitals, by the order that label or language tell."""
    if "," in text:
        second, first = (part.strip() for part in text.split(",", 1))
        return PersonName(without_patronymic(first.split()) or None, second or None)
    words = text.split()
    if len(words) == 1:
        return PersonName(words[0], None)
    capitals = [word for word in words if word.isupper() and len(word.strip(".")) > 1]
    if 0 < len(capitals) < len(words) and _are_together(words, capitals):
        return PersonName(without_patronymic([word for word in words if word not in capitals]), " ".join(capitals))
    is_slavic = is_true_of(language, "names", "surname_first")
    in_capitals = len(capitals) == len(words) and is_true_of(language, "names", "surname_first_in_capitals")
    if kind == "surname_first" or ((in_capitals or is_slavic) and kind != "given_first"):
        return _slavic(words) if is_slavic else _surname_first(words)
    reversed_order = _surname_first(words)
    given, surname = (reversed_order.first or "").split(), (reversed_order.second or "").split()
    if kind == "name" and not is_given_name(surname[0]) and _are_given(given, language, before=surname[-1]):
        return reversed_order
    return _western(words, language)


def _are_given(words: Sequence[str], language: str | None, *, before: str) -> bool:
    """By the list of names; or by their sound, where the language has one for each: Bortolotti Ennio."""
    if all(map(is_given_name, words)):
        return True
    surnames = terms_of(language, "names", "surnames_end_in")
    given = terms_of(language, "names", "given_names_end_in")
    return len(words) == 1 and before.endswith(surnames) and words[0].endswith(given)


def _surname_first(words: Sequence[str]) -> PersonName:
    """Particles belong to the word behind them: De Angelis Francesco."""
    end = 1 + sum(1 for _ in takewhile(lambda word: word.lower() in PARTICLES, words[:-2]))
    return PersonName(" ".join(words[end:]), " ".join(words[:end]))


def _are_together(words: Sequence[str], capitals: Sequence[str]) -> bool:
    return words[: len(capitals)] == list(capitals) or words[-len(capitals) :] == list(capitals)


def _slavic(words: Sequence[str]) -> PersonName:
    """Surname, name and patronymic; or name, patronymic and surname."""
    if len(words) == 2 and _SURNAME.fullmatch(words[1]) and not _SURNAME.fullmatch(words[0]):
        return PersonName(words[0], words[1])
    if len(words) == 2 and is_given_name(words[0]) and not is_given_name(words[1]):
        return PersonName(words[0], words[1])
    if len(words) == 3 and _PATRONYMIC.fullmatch(words[1]) and not _PATRONYMIC.fullmatch(words[2]):
        return PersonName(words[0], words[2])
    return PersonName(without_patronymic(words[1:]), words[0])


def without_patronymic(words: Sequence[str]) -> str:
    kept = [word for word in words if not _PATRONYMIC.fullmatch(word)] if len(words) > 1 else list(words)
    return " ".join(kept)


def _western(words: Sequence[str], language: str | None) -> PersonName:
    """Given names first; particles belong to the surname, and so do two words where people have two surnames."""
    start = next((place for place, word in enumerate(words) if place and word.lower() in PARTICLES), None)
    if start is None:
        start = len(words) - (2 if is_true_of(language, "names", "two_surnames") and len(words) > 2 else 1)
    return PersonName(" ".join(words[:start]), " ".join(words[start:]))
