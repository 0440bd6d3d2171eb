"""Which words of a printed name are the given ones: by the comma, by capitals, by the language, by the words."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from blobforge.processors.lab_report.given_names import is_given_name

_PATRONYMIC = re.compile(
    r".+(?:[кқ]ызы|ұлы|улы|оглы|угли|ович|евич|ьич|ич|овна|евна|ична|івна|ївна|йович)", re.IGNORECASE
)
# Without -ин and -ина: Константин and Марина are first names.
_SURNAME = re.compile(r".{2,}(?:[оеё]ва?|[сц]кий|[сц]кая|[сц]ький|[сц]ька|енко|[чщ]ук)", re.IGNORECASE)
_SMALL_WORDS = """
    von van der den de del della di da dos la le el bin ibn al zu zur du ní nic mac ó
"""
PARTICLES = frozenset(_SMALL_WORDS.split())


class Name(NamedTuple):
    first: str | None
    second: str | None


def split_name(text: str, language: str | None, *, kind: str) -> Name:
    """First and second name: by the comma, by capitals, by the order that label or language tell."""
    if "," in text:
        second, first = (part.strip() for part in text.split(",", 1))
        return Name(without_patronymic(first.split()) or None, second or None)
    words = text.split()
    if len(words) == 1:
        return Name(words[0], None)
    capitals = [word for word in words if word.isupper() and len(word.strip(".")) > 1]
    if 0 < len(capitals) < len(words) and _are_together(words, capitals):
        return Name(without_patronymic([word for word in words if word not in capitals]), " ".join(capitals))
    in_capitals = len(capitals) == len(words) and language in ("it", "fr")
    if kind == "surname_first" or ((in_capitals or language in ("ru", "uk")) and kind != "given_first"):
        return _slavic(words) if language in ("ru", "uk") else _surname_first(words)
    reversed_order = _surname_first(words)
    given, surname = (reversed_order.first or "").split(), (reversed_order.second or "").split()
    if kind == "name" and not is_given_name(surname[0]) and _are_given(given, language, before=surname[-1]):
        return reversed_order
    return _western(words, language)


def _are_given(words: Sequence[str], language: str | None, *, before: str) -> bool:
    """By the list of names; or as Italian names sound, where surnames end in i: Bortolotti Ennio."""
    if all(map(is_given_name, words)):
        return True
    return language == "it" and len(words) == 1 and before.endswith("i") and words[0][-1] in "oae"


def _surname_first(words: Sequence[str]) -> Name:
    """Particles belong to the word behind them: De Angelis Francesco."""
    end = 1 + sum(1 for _ in takewhile(lambda word: word.lower() in PARTICLES, words[:-2]))
    return Name(" ".join(words[end:]), " ".join(words[:end]))


def _are_together(words: Sequence[str], capitals: Sequence[str]) -> bool:
    return words[: len(capitals)] == list(capitals) or words[-len(capitals) :] == list(capitals)


def _slavic(words: Sequence[str]) -> Name:
    """Surname, name and patronymic; or name, patronymic and surname."""
    if len(words) == 2 and _SURNAME.fullmatch(words[1]) and not _SURNAME.fullmatch(words[0]):
        return Name(words[0], words[1])
    if len(words) == 2 and is_given_name(words[0]) and not is_given_name(words[1]):
        return Name(words[0], words[1])
    if len(words) == 3 and _PATRONYMIC.fullmatch(words[1]) and not _PATRONYMIC.fullmatch(words[2]):
        return Name(words[0], words[2])
    return Name(without_patronymic(words[1:]), words[0])


def without_patronymic(words: Sequence[str]) -> str:
    kept = [word for word in words if not _PATRONYMIC.fullmatch(word)] if len(words) > 1 else list(words)
    return " ".join(kept)


def _western(words: Sequence[str], language: str | None) -> Name:
    """Given names first; particles belong to the surname, and in Spanish so do two words."""
    start = next((place for place, word in enumerate(words) if place and word.lower() in PARTICLES), None)
    if start is None:
        start = len(words) - (2 if language == "es" and len(words) > 2 else 1)
    return Name(" ".join(words[:start]), " ".join(words[start:]))
