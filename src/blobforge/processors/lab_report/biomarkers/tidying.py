"""Names without what tells nothing of the test: temperatures, properties, nicknames, and what the unit says too."""

import re

from blobforge.processors.lab_report.biomarkers.dimensions import UnitDimension
from blobforge.processors.lab_report.biomarkers.folding import fold, tokens_of
from blobforge.processors.lab_report.biomarkers.name_words import RATIOS
from blobforge.processors.lab_report.vocabulary.languages import terms
from blobforge.processors.lab_report.vocabulary.patterns import any_term, one_of

# "37°C", and the German "n." (nach) before the name of a method.
_MEASURED_AT = re.compile(rf"\b\d{{2}}\s*[°º]\s*C\b|(?<=[\s(]){any_term('name_phrases', 'by_method')}\s*(?=[A-Z])")
_FIRST_HOUR = re.compile(
    rf"\b(?:1\s*(?:-?[^\W\d_]{{1,3}}|[ª°º.])?\s*{any_term('name_phrases', 'hour')}|"
    rf"{any_term('name_phrases', 'first_hour')})\b",
    re.IGNORECASE,
)
_URINE = one_of(terms("specimens", "urine"))
_OF_A_DAY = re.compile(
    rf"\b24[\s-]*{any_term('name_phrases', 'hour')}\b"
    rf"|\b{any_term('name_phrases', 'urine_of_a_day')}(?={_URINE})|\b{any_term('name_phrases', 'of_a_day')}\b",
    re.IGNORECASE,
)

# The property as the long names of LOINC have it: "[Mass/volume]", "[Volume Fraction]".
_PROPERTY = re.compile(
    rf"\[[^\[\]/]+/\s*{any_term('name_phrases', 'volume')}\s*\]|\[\s*{any_term('name_phrases', 'properties')}\s*\]",
    re.IGNORECASE,
)
_PER_HUNDRED_LEUKOCYTES = re.compile(rf"/\s*100\s*{any_term('name_phrases', 'leukocytes')}", re.IGNORECASE)
# What is measured next if this result asks for it: "TSH w/reflex to FT4".
_REFLEX = re.compile(rf"[\s,(]*\b{any_term('name_phrases', 'reflex')}\b.*$", re.IGNORECASE)
_NICKNAME = re.compile(rf"\(\s*[\"'“”„«»]?{any_term('name_phrases', 'nicknames')}[\"'“”«»]?\s*\)", re.IGNORECASE)
_BIOTIN_INDEPENDENT = re.compile(rf"\b{any_term('name_phrases', 'biotin_independent')}\b", re.IGNORECASE)
# "UA" before a name is the urinalysis; alone, before a slash or beside a word for blood it is uric acid.
_URINALYSIS = re.compile(
    rf"^{any_term('name_phrases', 'urinalysis')}(?=\s+[^\W\d_])(?!(?i:.*\b{any_term('name_phrases', 'uric_acid')}\b))"
)
_COLON = re.compile(r"(?<=\w)\s*:\s*(?=\w)")


def tidied(name: str, unit: frozenset[UnitDimension]) -> str:
    """Without what tells nothing of the test, or tells what the unit says too: the first hour, the day, the mass."""
    name = _MEASURED_AT.sub(" ", name)
    name = _BIOTIN_INDEPENDENT.sub(" ", _NICKNAME.sub(" ", _REFLEX.sub("", name)))
    name = _URINALYSIS.sub("Urine", _PER_HUNDRED_LEUKOCYTES.sub(" %", name))
    if not RATIOS.isdisjoint(tokens_of(fold(name))):
        name = _COLON.sub("/", name)
    return _without_what_the_unit_says(name, unit)


def is_of_a_day(unit: frozenset[UnitDimension]) -> bool:
    return any(each.kind.endswith("/d") for each in unit)


def _without_what_the_unit_says(name: str, unit: frozenset[UnitDimension]) -> str:
    if unit:
        name = _PROPERTY.sub(" ", name)
    if any(each.kind == "m/h" for each in unit):
        name = _FIRST_HOUR.sub(" ", name)
    return _OF_A_DAY.sub(" ", name) if is_of_a_day(unit) else name
