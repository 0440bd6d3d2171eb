# ruff: noqa: RUF001 - all the dashes that are printed
"""What one line says of one test, still as printed, and whether it can be a result at all."""

import re
from typing import NamedTuple

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.notation.glyphs import UNREADABLE
from blobforge.processors.lab_report.notation.numbers import numbers_in
from blobforge.processors.lab_report.notation.units import is_quotient, is_unit, printed_unit
from blobforge.processors.lab_report.vocabulary import columns, limits, phrases
from blobforge.processors.lab_report.vocabulary.labels import is_label
from blobforge.processors.lab_report.vocabulary.patterns import literally

_LONGEST_NAME = 12
_NUMBERING = re.compile(r"^(?:\d{1,3}[.)]\s+|[-–•·▪►*#|!↑↓▲▼]+\s*)+")
_TAIL = re.compile(r"[\s:=.,;*†‡#|_-]+$")
_NOTE_MARK = re.compile(r"(?<=[^\W\d_])\s*[*†‡§◊◆◇●○■□▪]+|\s*[¹²³⁴⁵⁶⁷⁸⁹]+$|\s*\(\d\)$")
_LONE_MARK = re.compile(r"\s+[A-Z\d]\)$")

_UNIT_BEHIND = re.compile(r"(?:\s*[(\[](?P<bracketed>[^()\[\]]+)[)\]]|,\s+(?P<plain>\S+))$")
_NEVER_A_NAME = re.compile(
    r"\d{1,2}[./]\d{1,2}[./]\d{4}|\d[.!?]\s+[^\W\d_]{4,}|^[<>≤≥=]|[<>≤≥=]$|[|@]|:\s|\bet al\b|www\.|https?:"
)
_LETTER_AND_NUMBER = re.compile(r"[^\W\d_]\d{1,3}")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_DASH = re.compile("[-‐‑‒–—−]")
_LIMIT = re.compile(rf"{literally(limits.LIMITS)}\s(?:\w+\s)?\d[\d.,]*$", re.IGNORECASE)


class Observation(NamedTuple):
    """`value` is the printed number; `words` stands in its place where the result is no number."""

    name: str
    value: str = ""
    comparator: str | None = None
    unit: str | None = None
    range: str | None = None
    flag: str | None = None
    code: str | None = None
    words: str | None = None


def clean_name(text: str) -> str:
    """Without numbering, leaders, colons and the marks of footnotes."""
    bare = _NUMBERING.sub("", text.replace(UNREADABLE, "").strip())
    while True:
        shorter = _TAIL.sub("", _NOTE_MARK.sub("", bare))
        if shorter.count(")") > shorter.count("("):
            shorter = _LONE_MARK.sub("", shorter)
        if shorter.endswith(".") or shorter == bare:
            return _abbreviated(bare, shorter)
        bare = shorter


def _abbreviated(before: str, bare: str) -> str:
    """The last full stop of an abbreviation (V.G.M.) is part of the name."""
    return f"{bare}." if before.startswith(f"{bare}.") and "." in bare else bare


def with_unit_of_name(observation: Observation) -> Observation:
    """A unit that is printed behind the name, as in Glucose (mmol/L) or Glucose, mmol/L."""
    match = _UNIT_BEHIND.search(observation.name) if observation.unit is None and observation.value else None
    unit = (match["bracketed"] or match["plain"]) if match else ""
    if match is None or not is_unit(unit) or is_quotient(unit) or match.start() == 0:
        return observation
    return observation._replace(name=clean_name(observation.name[: match.start()]), unit=printed_unit(unit))


def can_be_name(name: str, *, known: bool) -> bool:
    """Whether a test can be called so."""
    letters = sum(map(str.isalpha, name))
    if letters == 0 or (letters < 2 and not known and not _LETTER_AND_NUMBER.fullmatch(name)):
        return False
    if known:
        return True
    return (
        len(name.split()) <= _LONGEST_NAME
        and not phrases.is_grade(name)
        and not phrases.is_administrative(name)
        and not columns.is_range_head(name)
        and not is_label(name)
        and not phrases.names_place(name)
        and columns.kind_of_head(name) != "previous"
        and not _NEVER_A_NAME.search(name)
        and not (is_unit(name) and "/" in name)
        and not _LIMIT.match(name)
        and not _is_measure(name)
    )


def _is_measure(name: str) -> bool:
    """A number and its unit: an earlier result, whose name stands in another line."""
    first, *rest = name.split()
    return bool(rest) and _NUMBER.fullmatch(first) is not None and is_unit(rest[-1])


def is_step(observation: Observation) -> bool:
    """Two steps of a scale side by side (< 200, 200 - 239) and no unit: nobody measured them."""
    if observation.comparator is None or observation.unit is not None or observation.range is None:
        return False
    return (
        observation.value in numbers_in(_DASH.sub(" | ", observation.range))
        and _DASH.search(observation.range) is not None
    )


def is_known(name: str, unit: str | None, lexicon: Lexicon) -> bool:
    return lexicon.find(name, unit=unit) is not None
