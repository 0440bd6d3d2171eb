# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Reference ranges: taken as printed, cleaned of what stands around them, and their ends as numbers."""

import re

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.values import NO_BOUNDS, Bounds, Mark, numbers_in, parse_number
from blobforge.processors.lab_report.words import UNREADABLE

_PREFIX = re.compile(
    r"^(?:(?:(?:bio(?:logical|\.)?|standard|usual|healthy|target)\s+)?(?:range|goal|target|ziel|objecti[fv]\w*|objetivo|obiettivo|цель|ціль|ref(?:erence|erenz\w*|erencia|\.)?|réf\w*\.?|riferimento|rif\.?|"
    r"normal|norm\w*|норма|"
    r"референ\w*|реф\.?|n\.?v|v\.?\s?r|v\.?\s?n|vr|vn|expected|valeurs? (?:de référence|usuelles?)|val\. ?réf\.?|"
    r"valor(?:es)?\s+(?:de referencia|normal(?:es)?)|valori (?:di riferimento|normali)|rango(?: de referencia)?|"
    r"intervallo(?: di riferimento)?|n)\.?"
    r"(?:\s*(?:range|interval|values?|limits?|bereich|значения|інтервал|интервал|значення))?)\s*[:=]\s*(?:[-–]\s+)?",
    re.IGNORECASE,
)
_CALCULATED = re.compile(
    r"\s*[(\[](?:calc\w*|calculated|berechnet|ber|calculé|calculado|calcolato|расч\w*|розрах\w*)\.?[)\]]$",
    re.IGNORECASE,
)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_HAS_RANGE = re.compile(
    r"\d\s*%?\s*(?:[-‐‑‒–—−~÷]|to|bis|à|a|al|до|по|hasta|ad|\.{2,3}|…)\s*\d|[<>≤≥⩽⩾˂˃]|"
    r"\b(?:up to|bis|jusqu|hasta|fino|до|less|more|below|above|under|over|inf|sup|menor|mayor|менее|более|менше|більше|"
    r"unter|über|max|min|inf[eé]rieur\w*|sup[eé]rieur\w*|inferior\w*|superior\w*|minore|maggiore|desde|from|ab|понад|старше|"
    r"младше)\b|\b(?:от|від)\s*\d|\d\s*(?:or|o|ou|oder|и|і|та)\s+(?:higher|more|less|lower|above|below|greater|más|mayor|menos|plus|moins|mehr|"
    r"weniger|superiore|più|більше|более|выше|вище|менее|менше)\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"[>≥⩾˃]|\b(?:above|over|more|greater|mayor|superior|über|mehr|plus de|sup|più|maggiore|более|больше|"
    r"понад|більше|min)\b",
    re.IGNORECASE,
)
_DASH = re.compile(r"[-‐‑‒–—−~÷]|\b(?:to|bis|à|a|al|до|по|hasta|ad|und|and|et|y|e)\b", re.IGNORECASE)


_BARE_PREFIX = re.compile(
    r"^(?:(?:normal|standard|lab|optimal|reference|referencia|référence|ref\.?|bio\.?)\s+)?(?:range|interval|values?|norma|normale?s?|норма|norm|ref\.?|"
    r"réf\.?|referenz\w*|normbereich|normwerte?|rango|intervallo|intervalle|reference|v\.?\s?[rn]\.?|реф\.?)\s+"
    rf"(?=[\d<>≤≥(\[]|(?:{'|'.join(map(re.escape, vocabulary.LIMITS))})\s)",
    re.IGNORECASE,
)


def is_labelled(text: str) -> bool:
    """A range with the word for it before it, and nothing before that."""
    return is_range(text) and any(prefix.match(text.strip()) for prefix in (_PREFIX, _BARE_PREFIX))


def printed_range(text: str) -> str | None:
    """Without brackets, without its label, and without glyphs that nobody can read."""
    bare = re.sub(rf"[{UNREADABLE}]+", " ", text).strip(" \t,;:*|")
    while bare:
        before = bare
        bare = _CALCULATED.sub("", _BARE_PREFIX.sub("", _PREFIX.sub("", bare))).strip(" \t,;:")
        if bare[:1] in _BRACKETS and bare.endswith(_BRACKETS[bare[0]]) and bare.count(bare[0]) == 1:
            bare = bare[1:-1].strip()
        bare = _unpaired(bare)
        if bare == before:
            break
    return re.sub(r"\s+", " ", bare) or None


def _unpaired(text: str) -> str:
    """A bracket whose partner is lost."""
    for opening, closing in _BRACKETS.items():
        if text.startswith(opening) and closing not in text:
            text = text[1:].strip()
        if text.endswith(closing) and opening not in text:
            text = text[:-1].strip()
    return text


def is_range(text: str) -> bool:
    return any(map(str.isdigit, text)) and _HAS_RANGE.search(text) is not None


def bounds_of(text: str | None, mark: Mark) -> Bounds:
    """The ends of a simple range; of a complicated one, none."""
    if not text:
        return NO_BOUNDS
    found = [parse_number(number, mark) for number in numbers_in(_DASH.sub(" | ", text))]
    ends = [end for end in found if end is not None]
    if len(ends) == 2:
        return Bounds(min(ends), max(ends))
    if len(ends) == 1:
        return Bounds(ends[0], None) if _ABOVE.search(text) else Bounds(None, ends[0])
    return NO_BOUNDS
