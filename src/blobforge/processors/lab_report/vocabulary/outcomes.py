"""What is said of a result: flags, results in words, the same in another unit."""

import re
from functools import cache

from blobforge.processors.lab_report.vocabulary.languages import terms
from blobforge.processors.lab_report.vocabulary.patterns import any_term

_FLAGS = frozenset(terms("flags", "words"))
_STATUS = re.compile(any_term("flags", "status"), re.IGNORECASE)
_OUTCOMES = re.compile(any_term("outcomes", "words"), re.IGNORECASE)
_TITRE = re.compile(r"[<>≤≥]?1[:/]\d{1,6}")
_QUOTIENT = re.compile(rf"\b{any_term('quotients', 'words')}\b", re.IGNORECASE)
_SAME_AGAIN = frozenset(terms("same_again", "words"))


@cache
def is_flag(text: str) -> bool:
    return text.lower().strip("()[].:") in _FLAGS


def is_status(text: str) -> bool:
    """Whether a value is where it should be: a flag of a word or several."""
    return is_flag(text) or _STATUS.fullmatch(text.strip(" .")) is not None


@cache
def is_outcome(text: str) -> bool:
    """A result in a word, such as negative."""
    return _OUTCOMES.fullmatch(text.strip("().,:;")) is not None


def is_outcomes(text: str) -> bool:
    """Nothing but results in words, or a titre."""
    words = text.split()
    return bool(words) and all(is_outcome(word) or _TITRE.fullmatch(word) for word in words)


def names_quotient(name: str) -> bool:
    """What has no unit, and often no range."""
    return _QUOTIENT.search(name) is not None


def is_same_again(name: str) -> bool:
    """What stands before the same result in another unit."""
    return name.lower().strip(" .:") in _SAME_AGAIN
