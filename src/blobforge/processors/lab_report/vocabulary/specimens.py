"""What something was measured in, by the words of headings and of names."""

import re
from typing import Literal, get_args

from blobforge.processors.lab_report.vocabulary.languages import codes, terms, terms_of
from blobforge.processors.lab_report.vocabulary.patterns import one_of

Specimen = Literal["blood", "urine", "stool", "semen", "other"]
SPECIMENS: tuple[Specimen, ...] = get_args(Specimen)
_RAREST_FIRST: tuple[Specimen, ...] = ("urine", "stool", "semen", "other", "blood")
"""Urine chemistry is of urine."""


def words_for(specimen: Specimen) -> tuple[str, ...]:
    """The words that say it within the name of a test."""
    return terms("specimen_words", specimen)


def letters_for(specimen: Specimen) -> tuple[str, ...]:
    """The letters that say it before or behind the name of a test."""
    return terms("specimen_letters", specimen)


def _heading(specimen: Specimen) -> "re.Pattern[str]":
    """Abbreviations that are international count in names alone: LCR is a fluid, and P-LCR is of platelets."""
    words = (word for code in codes() for word in terms_of(code, "specimen_words", specimen))
    return re.compile(rf"\b{one_of((*terms('specimens', specimen), *words))}\b", re.IGNORECASE)


HEADINGS = {specimen: _heading(specimen) for specimen in _RAREST_FIRST}
"""What tells it in a heading."""
