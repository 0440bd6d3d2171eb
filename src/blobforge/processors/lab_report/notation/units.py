# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Units of measure, told by their shape: laboratories have too many spellings for a list."""

import re
from functools import cache

from blobforge.processors.lab_report.vocabulary.languages import terms
from blobforge.processors.lab_report.vocabulary.patterns import any_term, literally

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
_POWER = (
    rf"(?:[x×хX*]?\s?10\((?:3|6|9|12)\)|[x×хX*]?\s?10\s?(?:\^|\*{{1,2}}|[eE])\s?[-−+]?\d{{1,2}}|[x×хX]\s?10\d{{1,2}}|[x×хX]?\s?10[{_RAISED}]+|"
    rf"10(?:3|6|9|12)(?=\s?/)|[x×х]?\s?[eE](?:3|6|9|12)(?=\s?/)|"
    r"[x×хX]\s?1000(?=\s?/))"
)
_PER = (
    # Amounts that a count, a mass or an activity is given by.
    r"(?:[dcmµμunpf]?[lL]|mc[lL]|[mcd]m[3³]|mm\^3|[mµμnpk]?g|[mµμn]?mol|mol|min|h|s|24\s?h|1\s?h|100(?:\s?m[lL])?|d|kg|"
    r"m2|m²|m\^2|1[.,]73(?:\s?[mм](?:2|²|\^2|\*{1,2}2|q)?)?|hpf|lpf|"
    rf"{any_term('units', 'per')}|(?:cr|crea|creat|hb|wbc|rbc|leu|dl|ml)[a-z]*|ratio)"
)
_COUNTED = r"(?:E\.U\.|[^\W\d_][^\W\d_.]{0,11}\.?|%)"
_RATE = re.compile(
    rf"(?:{_POWER}\s?)?{_COUNTED}?\s?(?:/\s?{_PER})(?:[/·*.\s]\s?{_PER}){{0,2}}(?:\s(?:FEU|DDU|Cr|Hb|creat\w*))?",
    re.IGNORECASE,
)
_POWERED = re.compile(rf"{_POWER}\s?(?:{_COUNTED})?(?:\s?/\s?{_PER})?", re.IGNORECASE)
_BARE = frozenset(terms("units", "alone"))
_QUOTIENTS = frozenset(terms("units", "quotients"))
_THOUSANDS = literally(word for _, word in map(str.split, terms("units", "powers")) if len(word) > 2)
_PER_THING = re.compile(
    rf"(?:[mµμunpk]?(?:mol|g|u|ui|iu|ie|kat|eq|osm)|{_THOUSANDS}\.?|[мн]?(?:к?моль|г|ед|мо|ме))/[^\W\d_]{{2,8}}\.?",
    re.IGNORECASE,
)
"""An amount for each of something: µmol per ejaculate."""
_ADORNED = re.compile(r"^[\[(]\s*|\s*[\])]$")
_NOT_UNITS = re.compile(
    r"n/?a|a/g|and/or|w/o|c/o|a/c|m/f|h/l|km/h|\w+/\w*\d{4,}|(?!.?mol)[^\W\d_]{3,}/[ck]rea\w*", re.IGNORECASE
)


def is_unit(text: str) -> bool:
    """By its shape: something per an amount, a power of ten, or one of the few that stand alone."""
    # Of a file that was read in the wrong encoding: the unit is still one, and printed as it is.
    bare = _ADORNED.sub("", text.strip()).replace("Â", "")
    if not bare or bare.isdigit() or len(bare) > 24 or _NOT_UNITS.fullmatch(bare):
        return False
    if bare.lower() in _BARE or _RATE.fullmatch(bare) or _POWERED.fullmatch(bare) or _PER_THING.fullmatch(bare):
        return True
    return _is_ucum(bare)


def is_quotient(text: str) -> bool:
    """A word for a number without a dimension, which is as often part of a name: INR, ratio."""
    return text.strip(" .").lower() in _QUOTIENTS


def printed_unit(text: str) -> str | None:
    """As it is printed, without the brackets around it; None for an empty one."""
    bare = re.sub(r"\s*/\s*", "/", _ADORNED.sub("", text.strip())).strip(" ,;:")
    # A bracket whose partner is not there belongs to what stands beside the unit.
    bare = bare.rstrip("([") if bare.endswith(("(", "[")) else bare
    return bare or None


def _is_ucum(text: str) -> bool:
    """What pint knows as a quotient of units, such as nkat/l; a single word is not enough, since many are units."""
    parts = re.split(r"[/·]", text)
    return len(parts) in (2, 3) and all(_is_known(part) for part in parts)


@cache
def _is_known(atom: str) -> bool:
    if not 1 <= len(atom) <= 8 or not atom.isalpha():
        return False
    return bool(_registry().parse_unit_name(atom))


@cache
def _registry():  # type: ignore[no-untyped-def]
    import pint

    return pint.UnitRegistry(cache_folder=None)
