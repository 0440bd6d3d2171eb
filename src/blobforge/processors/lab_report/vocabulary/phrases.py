"""Phrases that name no test: techniques, steps of a scale, groups of people, administration, places."""

import re

from blobforge.processors.lab_report.vocabulary.languages import terms
from blobforge.processors.lab_report.vocabulary.patterns import any_term

_GRADES = re.compile(
    rf"(?:(?:{any_term('grades', 'words')}|\d+(?:\s?[-–]\s?\d+)?)[\s:/,.()-]*)+",
    re.IGNORECASE,
)
_ADMINISTRATIVE = re.compile(
    # "No" is a number only where one follows.
    rf"(?:{any_term('administrative', 'words')}|no(?=\s*[.:#\d]|$))\b[\s.:#№°]*"
    rf"{any_term('administrative', 'numbers')}?\b",
    re.IGNORECASE,
)
_TECHNIQUE = re.compile(rf"\b{any_term('techniques', 'words')}(?!\w)", re.IGNORECASE)
_PLACE = re.compile(rf"\b{any_term('places', 'institutions', 'words')}\b", re.IGNORECASE)
PAGE = any_term("pages", "words")
PAGE_OF = any_term("pages", "of")
SEE = any_term("pages", "see")
CONNECTORS = frozenset(terms("text", "connectors"))
"""Words between the heads of columns."""
ORDINAL = any_term("text", "ordinals")
"""What makes a number count in a row: 1st."""
OPEN_ENDS = any_term("text", "open_ends")
"""Words that no name ends with."""


def is_technique(text: str) -> bool:
    """How, in what or with what it was measured: often printed below the name, and no part of it."""
    return _TECHNIQUE.match(text.lstrip(" (")) is not None


def speaks_of_technique(text: str) -> bool:
    return _TECHNIQUE.search(text) is not None


def is_grade(name: str) -> bool:
    """A step of a scale (desirable, borderline) or a group of people, which stands before a limit and names no test."""
    return _GRADES.fullmatch(name.strip()) is not None and any(map(str.isalpha, name))


def names_place(name: str) -> bool:
    """A laboratory, a house or a street."""
    return _PLACE.search(name) is not None


def is_administrative(name: str) -> bool:
    """What labels a number that was not measured: an age, an order, a page."""
    return _ADMINISTRATIVE.match(name.strip()) is not None
