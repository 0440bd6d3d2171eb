# ruff: noqa: RUF001 - Cyrillic units
"""Units as laboratories print them, brought to a kind ("g/l", "mol/l", "count/l") and a power of ten."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple


class Unit(NamedTuple):
    kind: str
    exponent: int


@lru_cache(maxsize=1024)
def read(text: str) -> frozenset[Unit]:
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
        readings = [reading for reading in readings if reading.kind != "count"]
    return frozenset(Unit("/".join((reading.kind, *kinds)), reading.exponent - exponent) for reading in readings)


_WHOLE = {
    "%": Unit("fraction", -2),
    "vol%": Unit("fraction", -2),
    "proz": Unit("fraction", -2),
    "‰": Unit("fraction", -3),
    "o/oo": Unit("fraction", -3),
    "promille": Unit("fraction", -3),
    "l/l": Unit("fraction", 0),
    "л/л": Unit("fraction", 0),
    "g%": Unit("g/l", 1),
    "mg%": Unit("g/l", -2),
    "cumm": Unit("count/mm3", 0),
    "mm3": Unit("count/mm3", 0),
    "мм3": Unit("count/mm3", 0),
    "mm1sthr": Unit("m/h", -3),
    "mm1h": Unit("m/h", -3),
    "mmhg": Unit("mmhg", 0),
    "ммртст": Unit("mmhg", 0),
    "torr": Unit("mmhg", 0),
    "um3": Unit("l", -15),
    "мкм3": Unit("l", -15),
    "min": Unit("min", 0),
    "мин": Unit("min", 0),
    "хв": Unit("min", 0),
    "kpa": Unit("kpa", 0),
    "кпа": Unit("kpa", 0),
    "s/co": Unit("ratio", 0),
    "кп": Unit("ratio", 0),
    "coi": Unit("ratio", 0),
    "ratio": Unit("ratio", 0),
    "index": Unit("ratio", 0),
    "inr": Unit("ratio", 0),
    "r": Unit("ratio", 0),
    "hpf": Unit("count/field", 0),
    "mm": Unit("m/h", -3),
    "мм": Unit("m/h", -3),
}

_SUPERSCRIPTS = str.maketrans({"⁰": "^0", "¹": "^1", "³": "^3", "⁴": "^4", "⁵": "^5", "⁶": "^6", "⁹": "^9"})
_CREATININE = re.compile(r"(?<=[gl])(?:of)?(?:creat|crea|kreat|kr|креат|hb)[a-zа-яі]*$")
_TAIL = re.compile(r"(feu|ddu|fe)$")
_FIELD = re.compile(r"/?(?:in|в|у)?(?:/|x)?(?:hpf|lpf|gf|gesichtsfeld|champ|campo|п/?зр?|п/?з|полезрения|полізору)$")


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


_POWERS = {
    "": 0, "k": 3, "thou": 3, "thous": 3, "thousand": 3, "tsd": 3, "mil": 3, "miles": 3, "mila": 3, "тыс": 3, "тис": 3,
    "lakh": 5, "lakhs": 5, "m": 6, "mill": 6, "mio": 6, "mln": 6, "million": 6, "millions": 6, "millones": 6,
    "milioni": 6, "млн": 6, "мил": 6, "mrd": 9, "млрд": 9, "g": 9, "г": 9, "gpt": 9, "giga": 9, "гига": 9,
    "t": 12, "т": 12, "tpt": 12, "tera": 12, "тера": 12,
}  # fmt: skip
_COUNTED = "cells?|zell|zellen|anz|cellules?|c[eé]lulas|c[eé]l|leu|ery|elem|кл|клеток|клітин|ед|од|#|wbc|rbc|c"
_TENS = re.compile(rf"^(?:x|\*|х)?(?:10(?:\^|\*\*?|e|exp|хв)?|e)(\d{{1,2}})(?:{_COUNTED})?$")
_WORD = re.compile(rf"^(?:x|х)?([a-zа-яі]*?)(?:{_COUNTED})?$")


def _counted(part: str) -> list[Unit]:
    tens = _TENS.match(part)
    if tens:
        return [Unit("count", int(tens[1]))]
    word = _WORD.match(part)
    if not word or word[1] not in _POWERS:
        return []
    # "mil" is a thousand in Spanish and a million in English.
    powers = [3, 6] if word[1] == "mil" else [_POWERS[word[1]]]
    return [Unit("count", power) for power in powers]


_PREFIXES = {
    "": 0, "d": -1, "д": -1, "c": -2, "m": -3, "м": -3, "u": -6, "мк": -6, "n": -9, "н": -9, "p": -12, "п": -12,
    "f": -15, "ф": -15, "k": 3, "к": 3,
}  # fmt: skip
_BASES = {
    "g": "g", "gm": "g", "г": "g", "mol": "mol", "моль": "mol", "eq": "mol", "мэкв": "mol", "экв": "mol", "екв": "mol",
    "val": "mol", "u": "u", "iu": "u", "ui": "u", "ie": "u", "e": "u", "ме": "u", "мо": "u", "ед": "u",
    "од": "u", "au": "u", "eu": "u", "ru": "u", "re": "u", "ve": "u", "ua": "u", "bau": "u",
    "gpl": "u", "mpl": "u", "gplu": "u", "mplu": "u", "kat": "kat", "кат": "kat", "osm": "osm",
    "osmol": "osm", "осм": "osm", "осмоль": "osm", "l": "l", "л": "l", "m": "m", "м": "m", "s": "s", "sec": "s",
    "secs": "s", "sek": "s", "seg": "s", "seconds": "s", "secondi": "s", "secondes": "s", "segundos": "s",
    "sekunden": "s", "с": "s", "сек": "s", "секунд": "s", "секунды": "s", "copies": "copies",
}  # fmt: skip
_MEASURED = re.compile(
    "^(" + "|".join(sorted(_PREFIXES, reverse=True)) + ")(" + "|".join(sorted(_BASES, key=len, reverse=True)) + ")$"
)
_TIMES = {
    "h": "h", "hr": "h", "hour": "h", "1h": "h", "1hr": "h", "std": "h", "ora": "h", "hora": "h", "heure": "h",
    "ч": "h", "час": "h", "год": "h", "hrs": "h", "1std": "h", "stunde": "h", "1stunde": "h", "1ora": "h", "1aora": "h",
    "1hora": "h", "1ahora": "h", "1heure": "h", "1ereheure": "h", "1ч": "h", "1час": "h", "1год": "h",
    "1sthour": "h", "min": "min", "mn": "min", "мин": "min", "хв": "min",
    "24h": "d", "24hr": "d", "24hrs": "d", "d": "d", "day": "d", "tag": "d", "24std": "d", "24ore": "d",
    "die": "d", "giorno": "d", "jour": "d", "j": "d", "día": "d", "dia": "d", "24stunden": "d", "24hours": "d",
    "сутки": "d", "24часа": "d", "24години": "d", "доб": "d",
    "24horas": "d", "24heures": "d", "сут": "d", "24ч": "d", "доба": "d", "добу": "d", "24год": "d",
    "1.73m2": "area", "1.73qm": "area", "1.73sqm": "area", "1.73м2": "area", "m2": "area", "1.73": "area",
    "field": "field", "mm3": "mm3", "мм3": "mm3", "cumm": "mm3", "cmm": "mm3", "100wbc": "100wbc", "kg": "kg",
    "кг": "kg", "mmc": "mm3",
}  # fmt: skip


def _measured(part: str) -> Unit | None:
    match = _MEASURED.match(part)
    return match and Unit(_BASES[match[2]], _PREFIXES[match[1]])


def _below(parts: list[str]) -> tuple[list[str], int] | None:
    """The kinds of the denominators and their power of ten together."""
    kinds, exponent = [], 0
    for part in parts:
        tail = _TAIL.search(part)
        measured = _measured(_TAIL.sub("", part)) if part not in _TIMES else Unit(_TIMES[part], 0)
        if measured is None:
            return None
        kinds.append(measured.kind + (" " + tail[1] if tail else ""))
        exponent += measured.exponent
    return kinds, exponent
