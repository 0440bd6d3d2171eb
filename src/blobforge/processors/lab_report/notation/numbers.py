"""Printed numbers: decimal comma or point, thousands, and which is meant where both are possible."""

import math
import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from blobforge.processors.lab_report.vocabulary.languages import terms_of

DecimalMark = Literal[",", "."]

_SPACES = re.compile(r"[\s'’\u00a0\u202f]")
_GROUPED = re.compile(r"[-−]?[1-9]\d{0,2}(?P<mark>[.,])\d{3}")
_DENSITY = re.compile(r"1[.,]0\d\d")
"""Of urine: 1.020 between 1.005 and 1.030 is never a thousand."""
_TELLING = re.compile(r"\d(?P<mark>[.,])(?:\d{1,2}|\d{4,})(?!\d)|(?<!\d)0(?P<zero>[.,])\d+")
_ANY = re.compile(r"[-−]?(?:\d[\d.,'’ ]*\d|\d)")


class Bounds(NamedTuple):
    low: float | None
    high: float | None


NO_BOUNDS = Bounds(None, None)


def decimal_mark(numbers: Iterable[str], *, language: str | None) -> DecimalMark:
    """What parts the decimals in this document: what most of its numbers tell, or else the language's habit."""
    votes = {",": 0, ".": 0}
    for text in numbers:
        for match in _TELLING.finditer(text):
            votes[match["mark"] or match["zero"]] += 1
    if votes[","] != votes["."]:
        return "," if votes[","] > votes["."] else "."
    return "." if language is None or terms_of(language, "language", "decimal_mark") == (".",) else ","


def parse_number(text: str, mark: DecimalMark, bounds: Bounds = NO_BOUNDS) -> float | None:
    """12,345 can be two numbers: the reference range tells which is nearer, or else the document's decimal mark."""
    bare = _SPACES.sub("", text).replace("−", "-")
    if _GROUPED.fullmatch(bare):
        decimal, grouped = float(bare.replace(",", ".")), float(re.sub("[.,]", "", bare))
        if _DENSITY.fullmatch(bare) and all(end is not None and 1000 <= end <= 1060 for end in bounds):
            return decimal
        nearer = _nearer(decimal, grouped, bounds)
        if nearer is not None:
            return nearer
        return decimal if mark in bare else grouped
    return _plain(bare)


def _plain(bare: str) -> float | None:
    last = max(bare.rfind(","), bare.rfind("."))
    if last >= 0:
        repeated = bare.count(bare[last]) > 1
        whole = re.sub("[.,]", "", bare[:last])
        bare = whole + bare[last + 1 :] if repeated else f"{whole}.{bare[last + 1 :]}"
    try:
        value = float(bare)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _nearer(one: float, other: float, bounds: Bounds) -> float | None:
    ends = [end for end in bounds if end]
    if not ends:
        return None
    distances = [min(abs(math.log(abs(value) / end)) for end in ends) for value in (one, other)]
    # A range far from both tells nothing.
    if abs(distances[0] - distances[1]) < 1:
        return None
    return one if distances[0] < distances[1] else other


def numbers_in(text: str) -> list[str]:
    return _ANY.findall(text)
