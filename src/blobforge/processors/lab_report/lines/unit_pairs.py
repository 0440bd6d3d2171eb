"""One test, measured in two units on one line: a share and a count, or conventional and SI units."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from blobforge.processors.lab_report.lines.observation import Observation
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.lines.tagger import TaggedSpan
from blobforge.processors.lab_report.notation.ranges import printed_range
from blobforge.processors.lab_report.notation.units import printed_unit

_LETTERS = {"NUMBER": "N", "UNIT": "U", "RANGE": "R", "LIMIT": "R"}
_TWICE = re.compile(r"NU(?P<first>R?)NU(?P<second>R?)")


class UnitMeasure(NamedTuple):
    number: TaggedSpan
    unit: TaggedSpan
    range: TaggedSpan | None


def read_pair(line: TaggedLine, spans: Sequence[TaggedSpan], observation: Observation) -> tuple[Observation, ...]:
    """Both of a line whose number and unit are followed by others in another unit; or else the one observation."""
    measures = _measures(line, [span for span in spans if span.label in _LETTERS])
    if len(measures) != 2 or line.text(measures[0].number.first, measures[0].number.last) != observation.value:
        return (observation,)
    return tuple(_measured(line, observation, measure) for measure in measures)


def _measures(line: TaggedLine, spans: Sequence[TaggedSpan]) -> tuple[UnitMeasure, ...]:
    match = _TWICE.fullmatch("".join(_LETTERS[span.label] for span in spans))
    if match is None:
        return ()
    second = 3 if match["first"] else 2
    found = (
        UnitMeasure(spans[0], spans[1], spans[2] if match["first"] else None),
        UnitMeasure(spans[second], spans[second + 1], spans[second + 2] if match["second"] else None),
    )
    units = {line.text(measure.unit.first, measure.unit.last) for measure in found}
    return found if len(units) == len(found) else ()


def _measured(line: TaggedLine, observation: Observation, measure: UnitMeasure) -> Observation:
    number, unit, limits = measure
    return observation._replace(
        value=line.text(number.first, number.last),
        comparator=None,
        unit=printed_unit(line.text(unit.first, unit.last)),
        range=printed_range(line.text(limits.first, limits.last)) if limits else None,
    )
