"""Words in names that do not name an analyte: specimens, methods, shares, and what joins words."""

from collections.abc import Iterable
from typing import Literal

from blobforge.processors.lab_report.biomarkers.folding import fold
from blobforge.processors.lab_report.vocabulary.languages import terms
from blobforge.processors.lab_report.vocabulary.specimens import SPECIMENS as KNOWN_SPECIMENS
from blobforge.processors.lab_report.vocabulary.specimens import Specimen, letters_for, words_for

Share = Literal["percent", "absolute"]


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(fold(" ".join(words)).split())


def _of_names(key: str) -> frozenset[str]:
    return _folded(terms("name_words", key))


LETTERS: dict[str, Specimen] = {
    word: specimen for specimen in KNOWN_SPECIMENS for word in _folded(letters_for(specimen))
}
"""As in "S-Glucose": serum, plasma, blood, with f for fasting; urine, urine of a day; stool."""

SPECIMENS: dict[str, Specimen] = {
    word: specimen for specimen in KNOWN_SPECIMENS for word in _folded(words_for(specimen))
}

LINKS = _of_names("links")
"""Words that join others and name nothing. Not among them: the single letters of vitamins and troponins."""

METHODS = LINKS | _of_names("methods")
"""How something was measured or told, where that does not change what was measured."""

TOTALS, BASALS = _of_names("totals"), _of_names("basals")
"""What a name means anyway when it does not say it: all of something, and before a meal or a stimulus. Passed over only
when nothing else finds the name: "Glucose nüchtern" and "CO2 total" are things of their own."""

FRACTIONS = _of_names("fractions")
"""Beside one of these a word for the total belongs to another name: "Bilirubin total direct"."""

RATIOS = _folded(terms("quotients", "words"))
"""A result in two numbers, one over the other: "Rapport A/B", "A/B ratio"."""

CLASSES = frozenset(("igg", "igm", "iga"))
ANTIBODIES = _of_names("antibodies")
""" "Borrelia IgG antibodies": with the class beside it the word says nothing new."""

SHARES: dict[str, Share] = {
    **dict.fromkeys(_of_names("percent"), "percent"),
    **dict.fromkeys(_of_names("absolute"), "absolute"),
}
