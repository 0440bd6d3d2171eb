# ruff: noqa: RUF001 - Cyrillic words
"""Names without what tells nothing of the test: temperatures, properties, nicknames, and what the unit says too."""

import re

from blobforge.processors.lab_report.biomarkers.folding import fold, tokens_of
from blobforge.processors.lab_report.biomarkers.units import Unit
from blobforge.processors.lab_report.biomarkers.vocabulary import RATIOS

# "37°C", and the German "n." (nach) before the name of a method.
_MEASURED_AT = re.compile(r"\b\d{2}\s*[°º]\s*C\b|(?<=[\s(])n\.\s*(?=[A-Z])")
_FIRST_HOUR = re.compile(
    r"\b(?:1\s*(?:st|[eè]re|re|ra|a|ª|°|º|\.|-?[йя])?\s*(?:hour|hr|h|stunde|std|heure|hora|ora|час|ч|година|год)"
    r"|first hour|erste stunde|première heure|primera hora|prima ora|первый час|перша година)\b",
    re.IGNORECASE,
)
_OF_A_DAY = re.compile(
    r"\b24[\s-]*(?:h|hrs?|hours?|std|stunden|heures|horas|ore|ч|час\w*|год\w*)\b"
    r"|\b(?:sammel|tages)(?=urin|harn)|\b(?:daily|суточн\w+|сут|добов\w+)\b",
    re.IGNORECASE,
)

# The property as the long names of LOINC have it: "[Mass/volume]", "[Volume Fraction]".
_PROPERTY = re.compile(
    r"\[[^\[\]/]+/\s*(?:volumen?|объ[её]м|об.?єм)\s*\]"
    r"|\[\s*(?:volume fraction|entitic (?:mass|volume)|volumenanteil|fraction volumique|fracción de volumen"
    r"|frazione di volume|объ[её]мная доля|об.?ємна частка)\s*\]",
    re.IGNORECASE,
)
_PER_HUNDRED_LEUKOCYTES = re.compile(
    r"/\s*100\s*(?:leu[kc]o[cz]yt\w*|leucocit\w*|wbcs?\b|лейкоцит\w*)",
    re.IGNORECASE,
)
# What is measured next if this result asks for it: "TSH w/reflex to FT4".
_REFLEX = re.compile(r"[\s,(]*\b(?:with|w/?)\s*(?:reflex|rfl?x)\b.*$", re.IGNORECASE)
_NICKNAME = re.compile(
    r"\(\s*[\"'“”„«»]?(?:good|bad|gutes|schlechtes|bon|mauvais|bueno|malo|buono|cattivo"
    r"|хороший|плохой|поганий)[\"'“”«»]?\s*\)",
    re.IGNORECASE,
)
_BIOTIN_INDEPENDENT = re.compile(
    r"\b(?:biotin[\s-]*independent|биотин[\s-]*независим\w+|біотин[\s-]*незалежн\w+)\b",
    re.IGNORECASE,
)
# "UA" before a name is the urinalysis; alone, before a slash or beside a word for blood it is uric acid.
_URINALYSIS = re.compile(r"^UA(?=\s+[^\W\d_])(?!(?i:.*\b(?:uric|acid|serum|plasma|blood)\b))")
_COLON = re.compile(r"(?<=\w)\s*:\s*(?=\w)")


def tidied(name: str, unit: frozenset[Unit]) -> str:
    """Without what tells nothing of the test, or tells what the unit says too: the first hour, the day, the mass."""
    name = _MEASURED_AT.sub(" ", name)
    name = _BIOTIN_INDEPENDENT.sub(" ", _NICKNAME.sub(" ", _REFLEX.sub("", name)))
    name = _URINALYSIS.sub("Urine", _PER_HUNDRED_LEUKOCYTES.sub(" %", name))
    if not RATIOS.isdisjoint(tokens_of(fold(name))):
        name = _COLON.sub("/", name)
    return _without_what_the_unit_says(name, unit)


def is_of_a_day(unit: frozenset[Unit]) -> bool:
    return any(each.kind.endswith("/d") for each in unit)


def _without_what_the_unit_says(name: str, unit: frozenset[Unit]) -> str:
    if unit:
        name = _PROPERTY.sub(" ", name)
    if any(each.kind == "m/h" for each in unit):
        name = _FIRST_HOUR.sub(" ", name)
    return _OF_A_DAY.sub(" ", name) if is_of_a_day(unit) else name
