# ruff: noqa: RUF001, RUF002 - Cyrillic letters that look like Latin ones are meant
"""How printed names are read: what is the name itself, and what speaks of specimen, method or share."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, zip_longest
from typing import NamedTuple

from blobforge.processors.lab_report.biomarkers.folding import fold, is_ordered, tokens_of
from blobforge.processors.lab_report.biomarkers.name_words import (
    ANTIBODIES,
    BASALS,
    CLASSES,
    FRACTIONS,
    LETTERS,
    LINKS,
    METHODS,
    RATIOS,
    SHARES,
    SPECIMENS,
    TOTALS,
    Share,
)
from blobforge.processors.lab_report.vocabulary.specimens import Specimen

_MOST_WORDS = 8
_SHORTEST = 3
_BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]?")
_LAST_LETTER = re.compile(r"[(\[,]\s*[a-z]{1,2}\s*[)\]]?\s*$")
_SEPARATORS = re.compile(r"[,;/|:=]|\s[-–—]\s")

_ABBREVIATED = re.compile(r"([^\W\d_]{2,})\.")

# Which letters of the two alphabets look alike: reports mix them within one abbreviation.
_CYRILLIC, _LATIN = "авекмнорстухі", "abekmhopctyxi"
_TO_LATIN = str.maketrans(_CYRILLIC, _LATIN)
_TO_CYRILLIC = str.maketrans(_LATIN, _CYRILLIC)
_OTHER_CYRILLIC = re.compile(f"(?![{_CYRILLIC}])[а-яёіїєґ]")
_OTHER_LATIN = re.compile(f"(?![{_LATIN}])[a-z]")
_ANY_CYRILLIC, _ANY_LATIN = re.compile("[а-яёіїєґ]"), re.compile("[a-z]")


class ParsedName(NamedTuple):
    """A printed name. `attempts` are its tokens, first all of them, then without what does not name the analyte."""

    attempts: tuple[tuple[str, ...], ...]
    specimen: Specimen | None
    share: Share | None
    ordered: bool


def parts_of(name: str) -> tuple[str, ...]:
    """What stands outside of brackets, and each bracket."""
    outside = _BRACKETS.sub(" ", name)
    return tuple(part for part in (outside, *_BRACKETS.findall(name)) if part.strip())


def pieces_of(part: str) -> tuple[str, ...]:
    return tuple(piece for piece in _SEPARATORS.split(part) if piece.strip())


def divided(part: str) -> Iterator[tuple[str, ...]]:
    """All ways to take the words for two or three names, one after the other: "WBC Leucociti"."""
    words = part.split()
    if len(words) > _MOST_WORDS:
        return
    for first in range(1, len(words)):
        yield " ".join(words[:first]), " ".join(words[first:])
    for first, second in combinations(range(1, len(words)), 2):
        yield " ".join(words[:first]), " ".join(words[first:second]), " ".join(words[second:])


def shortened(name: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The words of the name, and those of them that are the beginnings of words: "Fosf. alcalina".

    Where words are shortened, the last one may have lost its dot: "шир. распред. эритр".
    """
    folded = fold(name)
    words = tuple(token for token in tokens_of(folded) if token not in METHODS)
    abbreviated = frozenset(_ABBREVIATED.findall(folded))
    return words, abbreviated | {words[-1]} if abbreviated and words and len(words[-1]) > _SHORTEST else abbreviated


def without(name: str, specimen: Specimen) -> tuple[str, ...] | None:
    """The words of a name that are left when it does not tell its specimen; None where it does not tell it."""
    tokens = [token for token in tokens_of(fold(name)) if token not in LINKS]
    rest = tokens[1:] if tokens and LETTERS.get(tokens[0]) == specimen else tokens
    rest = [token for token in rest if SPECIMENS.get(token) != specimen]
    return tuple(rest) if rest and len(rest) < len(tokens) else None


def names_nothing(part: str) -> bool:
    """Whether there is only a specimen, a method or a share in it."""
    quiet = SPECIMENS.keys() | SHARES.keys() | LETTERS.keys() | METHODS | {"/"}
    return quiet.issuperset(_tokens(fold(part)))


def read(name: str) -> ParsedName:
    folded = fold(name)
    tokens = [_one_script(token) for token in _tokens(folded)]
    named, specimen = _without_specimen(tokens, ends_in_letter=_LAST_LETTER.search(folded) is not None)
    plain = [token for token in named if token not in METHODS]
    bare = [token for token in plain if token not in SHARES]
    share = next((SHARES[token] for token in plain if token in SHARES), None)
    attempts = dict.fromkeys(
        tuple(attempt) for attempt in (tokens, named, plain, bare, _as_usual(bare), of_infection(bare))
    )
    return ParsedName(tuple(attempts), specimen, share, is_ordered(folded))


def without_ratio(tokens: Sequence[str]) -> str:
    """ "Rapport A/B", "A/B ratio" and "Index A/B" in one spelling."""
    return "".join(token for token in tokens if token not in RATIOS and token not in LINKS)


def of_infection(tokens: list[str]) -> list[str]:
    """Without the words for antibodies where their class and something else is told; "IgG antibodies" is not IgG."""
    rest = [token for token in tokens if token not in ANTIBODIES]
    return rest if len(rest) > 1 and not CLASSES.isdisjoint(rest) else tokens


def _as_usual(tokens: list[str]) -> list[str]:
    """Without what the bare name means too."""
    needless = BASALS | TOTALS if FRACTIONS.isdisjoint(tokens) else BASALS
    return [token for token in tokens if token not in needless]


def look_alike(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The same in Latin letters where a token is Cyrillic by its letters only (НСТ for HCT)."""
    return tuple(token if _OTHER_CYRILLIC.search(token) else token.translate(_TO_LATIN) for token in tokens)


def _tokens(folded: str) -> list[str]:
    """As they are, but for "P-LCR": it is large platelets, and LCR alone the French for cerebrospinal fluid."""
    return tokens_of(folded.replace("p-lcr", "plcr"))


def _one_script(token: str) -> str:
    if token.isascii() or not (_ANY_LATIN.search(token) and _ANY_CYRILLIC.search(token)):
        return token
    if not _OTHER_CYRILLIC.search(token):
        return token.translate(_TO_LATIN)
    return token if _OTHER_LATIN.search(token) else token.translate(_TO_CYRILLIC)


def _without_specimen(tokens: list[str], *, ends_in_letter: bool) -> tuple[list[str], Specimen | None]:
    """Two specimens in one name ("blood in urine") and a specimen alone ("blood") are left where they are."""
    named, said = _without_letters(tokens, ends_in_letter=ends_in_letter)
    said |= {SPECIMENS[token] for token in named if token in SPECIMENS}
    rest = [word for word in _without_preposition(named) if word not in SPECIMENS and word not in LINKS]
    if len(said) != 1 or not rest:
        return tokens, None
    return rest, said.pop()


def _without_preposition(tokens: list[str]) -> list[str]:
    """Without the German "i." (im) before a specimen; elsewhere an i may be a numeral: troponin I."""
    return [word for word, after in zip_longest(tokens, tokens[1:]) if word != "i" or after not in SPECIMENS]


def _without_letters(tokens: list[str], *, ends_in_letter: bool) -> tuple[list[str], set[Specimen]]:
    """Leading "S-", "U-", an ending "(S)" or ", U", and the German "i.S." (im Serum)."""
    if len(tokens) > 2 and tokens[-2] == "i" and tokens[-1] in LETTERS:
        return tokens[:-2], {LETTERS[tokens[-1]]}
    if len(tokens) > 1 and ends_in_letter and tokens[-1] in LETTERS:
        return tokens[:-1], {LETTERS[tokens[-1]]}
    if len(tokens) > 1 and tokens[0] in LETTERS:
        return tokens[1:], {LETTERS[tokens[0]]}
    return tokens, set()
