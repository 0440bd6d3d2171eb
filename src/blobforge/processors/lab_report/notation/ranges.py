# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Reference ranges: taken as printed, cleaned of what stands around them, and their ends as numbers."""

import re

from blobforge.processors.lab_report.notation.glyphs import UNREADABLE
from blobforge.processors.lab_report.notation.numbers import NO_BOUNDS, Bounds, DecimalMark, numbers_in, parse_number
from blobforge.processors.lab_report.vocabulary import limits
from blobforge.processors.lab_report.vocabulary.patterns import literally

_PREFIX = re.compile(rf"^{limits.RANGE_NAME}\s*[:=]\s*(?:[-–]\s+)?", re.IGNORECASE)
_BARE_PREFIX = re.compile(
    rf"^(?!n\.?\s){limits.RANGE_NAME}\s+(?=[\d<>≤≥(\[]|{literally(limits.LIMITS)}\s)", re.IGNORECASE
)
_CALCULATED = re.compile(rf"\s*[(\[]{limits.CALCULATED}\.?[)\]]$", re.IGNORECASE)
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_HAS_RANGE = re.compile(
    rf"\d\s*%?(?:\s*(?:[-‐‑‒–—−~÷]|\.{{2,3}}|…)\s*|{limits.BETWEEN_ENDS})\d|[<>≤≥⩽⩾˂˃]|{limits.RANGE_WORDS}",
    re.IGNORECASE,
)
_ABOVE = re.compile(rf"[>≥⩾˃]|\b{limits.ABOVE}\b", re.IGNORECASE)
_DASH = re.compile(rf"[-‐‑‒–—−~÷]|\b(?:{limits.JOINER}|{limits.AND})\b", re.IGNORECASE)


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


def bounds_of(text: str | None, mark: DecimalMark) -> Bounds:
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
