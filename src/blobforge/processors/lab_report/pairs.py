"""One test, measured in two units on one line: a share and a count, or conventional and SI units."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from blobforge.processors.lab_report.documents import Mark
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.ranges import printed_range
from blobforge.processors.lab_report.readings import Reading
from blobforge.processors.lab_report.units import printed_unit

_LETTERS = {"NUMBER": "N", "UNIT": "U", "RANGE": "R", "LIMIT": "R"}
_TWICE = re.compile(r"NU(?P<first>R?)NU(?P<second>R?)")


class Measure(NamedTuple):
    number: Mark
    unit: Mark
    range: Mark | None


def read_pair(line: Line, marks: Sequence[Mark], reading: Reading) -> tuple[Reading, ...]:
    """The two readings of a line, where its number and unit are followed by others in another unit; or else the one."""
    measures = _measures(line, [mark for mark in marks if mark.label in _LETTERS])
    if len(measures) != 2 or line.text(measures[0].number.first, measures[0].number.last) != reading.value:
        return (reading,)
    return tuple(_measured(line, reading, measure) for measure in measures)


def _measures(line: Line, marks: Sequence[Mark]) -> tuple[Measure, ...]:
    match = _TWICE.fullmatch("".join(_LETTERS[mark.label] for mark in marks))
    if match is None:
        return ()
    second = 3 if match["first"] else 2
    found = (
        Measure(marks[0], marks[1], marks[2] if match["first"] else None),
        Measure(marks[second], marks[second + 1], marks[second + 2] if match["second"] else None),
    )
    units = {line.text(measure.unit.first, measure.unit.last) for measure in found}
    return found if len(units) == len(found) else ()


def _measured(line: Line, reading: Reading, measure: Measure) -> Reading:
    number, unit, limits = measure
    return reading._replace(
        value=line.text(number.first, number.last),
        comparator=None,
        unit=printed_unit(line.text(unit.first, unit.last)),
        range=printed_range(line.text(limits.first, limits.last)) if limits else None,
    )
