# ruff: noqa: RUF001, RUF002 - Cyrillic letters that look like Latin ones are meant
"""How printed names are read: what is the name itself, and what speaks of specimen, method or share."""

import re
from itertools import zip_longest
from typing import NamedTuple

from blobforge.processors.lab_report.biomarkers.folding import fold, is_ordered, tokens_of
from blobforge.processors.lab_report.biomarkers.rows import Specimen
from blobforge.processors.lab_report.biomarkers.vocabulary import LETTERS, LINKS, METHODS, SHARES, SPECIMENS, Share

_BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]?")
_LAST_LETTER = re.compile(r"[(\[,]\s*[a-z]{1,2}\s*[)\]]?\s*$")
_SEPARATORS = re.compile(r"[,;/|:=]|\s[-–—]\s")

# Which letters of the two alphabets look alike: reports mix them within one abbreviation.
_CYRILLIC, _LATIN = "авекмнорстухі", "abekmhopctyxi"
_TO_LATIN = str.maketrans(_CYRILLIC, _LATIN)
_TO_CYRILLIC = str.maketrans(_LATIN, _CYRILLIC)
_OTHER_CYRILLIC = re.compile(f"(?![{_CYRILLIC}])[а-яёіїєґ]")
_OTHER_LATIN = re.compile(f"(?![{_LATIN}])[a-z]")
_ANY_CYRILLIC, _ANY_LATIN = re.compile("[а-яёіїєґ]"), re.compile("[a-z]")


class Reading(NamedTuple):
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


def without(name: str, specimen: Specimen) -> tuple[str, ...] | None:
    """The words of a name that are left when it does not tell its specimen; None where it does not tell it."""
    tokens = [token for token in tokens_of(fold(name)) if token not in LINKS]
    rest = tokens[1:] if tokens and LETTERS.get(tokens[0]) == specimen else tokens
    rest = [token for token in rest if SPECIMENS.get(token) != specimen]
    return tuple(rest) if rest and len(rest) < len(tokens) else None


def names_nothing(part: str) -> bool:
    """Whether there is only a specimen, a method or a share in it."""
    quiet = SPECIMENS.keys() | SHARES.keys() | LETTERS.keys() | METHODS | {"/"}
    return quiet.issuperset(tokens_of(fold(part)))


def read(name: str) -> Reading:
    folded = fold(name)
    tokens = [_one_script(token) for token in tokens_of(folded)]
    named, specimen = _without_specimen(tokens, ends_in_letter=_LAST_LETTER.search(folded) is not None)
    plain = [token for token in named if token not in METHODS]
    bare = [token for token in plain if token not in SHARES]
    share = next((SHARES[token] for token in plain if token in SHARES), None)
    attempts = dict.fromkeys(tuple(attempt) for attempt in (tokens, named, plain, bare))
    return Reading(tuple(attempts), specimen, share, is_ordered(folded))


def look_alike(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The same in Latin letters where a token is Cyrillic by its letters only (НСТ for HCT)."""
    return tuple(token if _OTHER_CYRILLIC.search(token) else token.translate(_TO_LATIN) for token in tokens)


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
