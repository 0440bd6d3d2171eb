"""The normalised result: the documented keys, numbers as numbers, and in `common` what is neither person nor result."""

import re
from collections import Counter
from collections.abc import Iterator

from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.observation import Observation
from blobforge.processors.lab_report.lines.record import Rule
from blobforge.processors.lab_report.notation.dates import printed
from blobforge.processors.lab_report.notation.glyphs import UNREADABLE
from blobforge.processors.lab_report.notation.numbers import DecimalMark, parse_number
from blobforge.processors.lab_report.notation.ranges import bounds_of
from blobforge.processors.lab_report.passes.specimens import is_of_blood, specimens_of
from blobforge.processors.lab_report.report import LabReport
from blobforge.processors.lab_report.vocabulary import phrases
from blobforge.processors.lab_report.vocabulary.specimens import Specimen

_UNHELD = (Rule.UNREAD, Rule.WORDS, Rule.EARLIER, Rule.SCALE, Rule.NOTE)
"""Rules of lines that no observation holds."""
_PAGE_NUMBER = re.compile(rf"{phrases.PAGE}\s*\d+(?:\s*(?:{phrases.PAGE_OF}|/)\s*\d+)?", re.IGNORECASE)


def normal_form(report: LabReport, lexicon: Lexicon) -> JsonObject:
    person = report.person
    usual: Specimen | None = "blood" if is_of_blood(report.rows) else None
    return {
        "first_name": person.first_name,
        "second_name": person.second_name,
        "DOB": printed(person.birthday) if person.birthday else None,
        "language": report.language,
        "common": "\n".join(_common(report)),
        "observations": [
            coded
            for row, specimen in zip(report.rows, specimens_of(report.rows), strict=True)
            for observation in row.observations
            if (coded := coded_observation(observation, report.decimal_mark, lexicon, specimen, usual)) is not None
        ],
    }


def coded_observation(
    observation: Observation,
    mark: DecimalMark,
    lexicon: Lexicon,
    specimen: Specimen | None = None,
    usual: Specimen | None = None,
) -> JsonObject | None:
    """None for a result in words. `specimen` is what a heading says, `usual` what the report is about otherwise."""
    value = parse_number(observation.value, mark, bounds_of(observation.range, mark)) if observation.value else None
    if value is None:
        return None
    known = lexicon.find(observation.name, unit=observation.unit, specimen=specimen)
    if known is None and specimen is None and observation.unit is not None:
        # Only with a unit: pH is asked of blood and of urine alike.
        known = lexicon.find(observation.name, unit=observation.unit, specimen=usual)
    coded: dict[str, JsonValue] = {
        "biomarker_name": observation.name,
        "biomarker_code": observation.code or (known.code if known else None),
        "value": int(value) if value.is_integer() and abs(value) < 1e15 else value,
        "unit": observation.unit,
        "reference_range": observation.range,
    }
    if observation.comparator:
        coded["comparator"] = observation.comparator
    return coded


def _common(report: LabReport) -> Iterator[str]:
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
