"""The normalised result: the documented keys, numbers as numbers, and in `common` what is neither person nor result."""

import re
from collections import Counter
from collections.abc import Iterator

from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.processors.lab_report.biomarkers.rows import Specimen
from blobforge.processors.lab_report.dates import printed
from blobforge.processors.lab_report.found import EARLIER, NOTE, SCALE, WORDS
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.ranges import bounds_of
from blobforge.processors.lab_report.readings import Reading
from blobforge.processors.lab_report.report import Report
from blobforge.processors.lab_report.specimens import is_of_blood, specimens_of
from blobforge.processors.lab_report.values import Mark, parse_number
from blobforge.processors.lab_report.words import UNREADABLE

_UNHELD = (None, WORDS, EARLIER, SCALE, NOTE)
"""Rules of lines that no observation holds."""
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|página|pág\.?|pagina|pag\.?|страница|стр\.?|сторінка|стор\.?|blatt|"
    r"hoja)\s*\d+(?:\s*(?:of|von|de|di|из|з|sur|/)\s*\d+)?",
    re.IGNORECASE,
)


def normal_form(report: Report, lexicon: Lexicon) -> JsonObject:
    person = report.person
    usual: Specimen | None = "blood" if is_of_blood(report.rows) else None
    return {
        "first_name": person.first_name,
        "second_name": person.second_name,
        "DOB": printed(person.birthday) if person.birthday else None,
        "language": report.language,
        "common": "\n".join(_common(report)),
        "observations": [
            observation
            for row, specimen in zip(report.rows, specimens_of(report.rows), strict=True)
            for reading in row.readings
            if (observation := observation_of(reading, report.decimal_mark, lexicon, specimen, usual)) is not None
        ],
    }


def observation_of(
    reading: Reading,
    mark: Mark,
    lexicon: Lexicon,
    specimen: Specimen | None = None,
    usual: Specimen | None = None,
) -> JsonObject | None:
    """None for a result in words. `specimen` is what a heading says, `usual` what the report is about otherwise."""
    value = parse_number(reading.value, mark, bounds_of(reading.range, mark)) if reading.value else None
    if value is None:
        return None
    known = lexicon.find(reading.name, unit=reading.unit, specimen=specimen)
    if known is None and specimen is None and reading.unit is not None:
        # Only with a unit: pH is asked of blood and of urine alike.
        known = lexicon.find(reading.name, unit=reading.unit, specimen=usual)
    observation: dict[str, JsonValue] = {
        "biomarker_name": reading.name,
        "biomarker_code": reading.code or (known.code if known else None),
        "value": int(value) if value.is_integer() and abs(value) < 1e15 else value,
        "unit": reading.unit,
        "reference_range": reading.range,
    }
    if reading.comparator:
        observation["comparator"] = reading.comparator
    return observation


def _common(report: Report) -> Iterator[str]:
    """Lines that no other key holds, each once: comments, method notes, results in words."""
    seen: Counter[str] = Counter()
    for place, row in enumerate(report.rows):
        told = row.rule in _UNHELD and place not in report.person.rows
        text = _PAGE_NUMBER.sub("", row.line.row.text).replace(UNREADABLE, "").strip(" |-_=*")
        if told and text and not seen[text] and not _is_drawing(text):
            seen[text] += 1
            yield text


def _is_drawing(text: str) -> bool:
    return not any(map(str.isalnum, text))
