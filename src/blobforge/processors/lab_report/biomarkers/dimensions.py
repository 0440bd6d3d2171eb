# ruff: noqa: RUF001 - Cyrillic units
"""Units as laboratories print them, brought to a kind ("g/l", "mol/l", "count/l") and a power of ten."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from blobforge.processors.lab_report.vocabulary.languages import terms
from blobforge.processors.lab_report.vocabulary.patterns import any_term


class UnitDimension(NamedTuple):
    kind: str
    exponent: int


@lru_cache(maxsize=1024)
def read(text: str) -> frozenset[UnitDimension]:
    """What the unit can mean; empty where it is not known. "G/L" is grams and also the giga of cell counts."""
    spelled = _spelled(text)
    if spelled.startswith("%"):
        return frozenset((_WHOLE["%"],))  # "% of total", "% Norm"
    if spelled in _WHOLE:
        return frozenset((_WHOLE[spelled],))
    numerator, *denominators = spelled.split("/")
    below = _below(denominators)
    if below is None:
        return frozenset()
    kinds, exponent = below
    measured = _measured(numerator)
    readings = [*_counted(numerator), *([measured] if measured else [])]
    if not kinds:
        readings = [parsed for parsed in readings if parsed.kind != "count"]
    return frozenset(UnitDimension("/".join((parsed.kind, *kinds)), parsed.exponent - exponent) for parsed in readings)


_WHOLE = {
    "%": UnitDimension("fraction", -2),
    "vol%": UnitDimension("fraction", -2),
    "proz": UnitDimension("fraction", -2),
    "‰": UnitDimension("fraction", -3),
    "o/oo": UnitDimension("fraction", -3),
    "promille": UnitDimension("fraction", -3),
    "l/l": UnitDimension("fraction", 0),
    "л/л": UnitDimension("fraction", 0),
    "g%": UnitDimension("g/l", 1),
    "mg%": UnitDimension("g/l", -2),
    "cumm": UnitDimension("count/mm3", 0),
    "mm3": UnitDimension("count/mm3", 0),
    "мм3": UnitDimension("count/mm3", 0),
    "mm1sthr": UnitDimension("m/h", -3),
    "mm1h": UnitDimension("m/h", -3),
    "mmhg": UnitDimension("mmhg", 0),
    "ммртст": UnitDimension("mmhg", 0),
    "torr": UnitDimension("mmhg", 0),
    "um3": UnitDimension("l", -15),
    "мкм3": UnitDimension("l", -15),
    "min": UnitDimension("min", 0),
    **dict.fromkeys(terms("units", "minute"), UnitDimension("min", 0)),
    "kpa": UnitDimension("kpa", 0),
    "кпа": UnitDimension("kpa", 0),
    "s/co": UnitDimension("ratio", 0),
    "кп": UnitDimension("ratio", 0),
    "coi": UnitDimension("ratio", 0),
    "ratio": UnitDimension("ratio", 0),
    "index": UnitDimension("ratio", 0),
    "inr": UnitDimension("ratio", 0),
    "r": UnitDimension("ratio", 0),
    "hpf": UnitDimension("count/field", 0),
    "mm": UnitDimension("m/h", -3),
    "мм": UnitDimension("m/h", -3),
}

_SUPERSCRIPTS = str.maketrans({"⁰": "^0", "¹": "^1", "³": "^3", "⁴": "^4", "⁵": "^5", "⁶": "^6", "⁹": "^9"})
_CREATININE = re.compile(r"(?<=[gl])(?:of)?(?:creat|crea|kreat|kr|креат|hb)[a-zа-яі]*$")
_TAIL = re.compile(r"(feu|ddu|fe)$")
_FIELD = re.compile(rf"/?{any_term('units', 'in_a_field')}?(?:/|x)?(?:hpf|lpf|gf|{any_term('units', 'field')})$")


def _spelled(text: str) -> str:
    """Lower case, no spaces and dots, one spelling for micro, for powers and for "per"."""
    text = (
        text.translate(_SUPERSCRIPTS)
        .replace("^1^2", "^12")
        .replace("m^3", "m3")
        .replace("m*2", "m2")
        .replace("m^2", "m2")
    )
    text = unicodedata.normalize("NFKC", text).casefold().replace("μ", "u").replace("·", "")
    text = re.sub(r"\s*\bper\b\s*", "/", text)
    text = re.sub(r"[\s\[\]()]|\.(?!\d)", "", text).replace(",", ".")
    text = (
        text.replace("mcg", "ug").replace("×", "x").replace("mcl", "ul").replace("mcmol", "umol").replace("mciu", "uiu")
    )
    text = (
        text.replace("/100ml", "/dl")
        .replace("/100мл", "/дл")
        .replace("pl-u", "plu")
        .replace("ugpl", "gpl")
        .replace("umpl", "mpl")
        .replace("ке/", "ku/")
    )
    text = _FIELD.sub("/field", text).replace("x1000/", "10^3/")
    return _CREATININE.sub("", text)


_POWERS = {"": 0, "k": 3, "mil": 3, "m": 6, "g": 9, "giga": 9, "t": 12, "tera": 12} | {
    word: int(number) for number, word in (term.split() for term in terms("units", "powers"))
}
_COUNTED = f"{any_term('units', 'counted')}|leu|ery|elem|#|wbc|rbc|c"
_TENS = re.compile(rf"^(?:x|\*|х)?(?:10(?:\^|\*\*?|e|exp|хв)?|e)(\d{{1,2}})(?:{_COUNTED})?$")
_WORD = re.compile(rf"^(?:x|х)?([a-zа-яі]*?)(?:{_COUNTED})?$")


def _counted(part: str) -> list[UnitDimension]:
    tens = _TENS.match(part)
    if tens:
        return [UnitDimension("count", int(tens[1]))]
    word = _WORD.match(part)
    if not word or word[1] not in _POWERS:
        return []
    # "mil" is a thousand in Spanish and a million in English.
    powers = [3, 6] if word[1] == "mil" else [_POWERS[word[1]]]
    return [UnitDimension("count", power) for power in powers]


_PREFIXES = {
    "": 0, "d": -1, "д": -1, "c": -2, "m": -3, "м": -3, "u": -6, "мк": -6, "n": -9, "н": -9, "p": -12, "п": -12,
    "f": -15, "ф": -15, "k": 3, "к": 3,
}  # fmt: skip
_BASES = {
    "g": "g", "gm": "g", "г": "g", "mol": "mol", "моль": "mol", "eq": "mol", "мэкв": "mol", "экв": "mol", "екв": "mol",
    "val": "mol", "u": "u", "iu": "u", "ui": "u", "ie": "u", "e": "u", "ме": "u", "мо": "u", "ед": "u",
    "од": "u", "au": "u", "eu": "u", "ru": "u", "re": "u", "ve": "u", "ua": "u", "bau": "u",
    "gpl": "u", "mpl": "u", "gplu": "u", "mplu": "u", "kat": "kat", "кат": "kat", "osm": "osm",
    "osmol": "osm", "осм": "osm", "осмоль": "osm", "l": "l", "л": "l", "m": "m", "м": "m", "s": "s", "copies": "copies",
    **dict.fromkeys(terms("units", "seconds"), "s"),
}  # fmt: skip
_MEASURED = re.compile(
    "^(" + "|".join(sorted(_PREFIXES, reverse=True)) + ")(" + "|".join(sorted(_BASES, key=len, reverse=True)) + ")$"
)
_TIMES = {
    "h": "h", "1h": "h", "min": "min", "mn": "min", "24h": "d", "d": "d",
    **dict.fromkeys(terms("units", "hour"), "h"),
    **dict.fromkeys(terms("units", "minute"), "min"),
    **dict.fromkeys(terms("units", "day"), "d"),
    "1.73m2": "area", "1.73qm": "area", "1.73sqm": "area", "1.73м2": "area", "m2": "area", "1.73": "area",
    "field": "field", "mm3": "mm3", "мм3": "mm3", "cumm": "mm3", "cmm": "mm3", "100wbc": "100wbc", "kg": "kg",
    "кг": "kg", "mmc": "mm3",
}  # fmt: skip


def _measured(part: str) -> UnitDimension | None:
    match = _MEASURED.match(part)
    return match and UnitDimension(_BASES[match[2]], _PREFIXES[match[1]])


def _below(parts: list[str]) -> tuple[list[str], int] | None:
    """The kinds of the denominators and their power of ten together."""
    kinds, exponent = [], 0
    for part in parts:
        tail = _TAIL.search(part)
        measured = _measured(_TAIL.sub("", part)) if part not in _TIMES else UnitDimension(_TIMES[part], 0)
        if measured is None:
            return None
        kinds.append(measured.kind + (" " + tail[1] if tail else ""))
        exponent += measured.exponent
    return kinds, exponent
