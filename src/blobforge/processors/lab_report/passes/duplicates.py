"""Results that a summary repeats, and limits that a table of targets sets: the result is there with its range."""

import re
from collections import Counter
from collections.abc import Iterator

from blobforge.processors.lab_report.lines.observation import Observation
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.passes.line_pass import PassContext, Records

_SUMMARY = 0.8


def set_duplicates_aside(before: Records, _context: PassContext) -> list[LineRecord]:
    """A result without a range, of which another line has the same name, value and unit with one, is told twice. And
    where a test has a result, a limit for it alone is a target."""
    records = _without_copies(before)
    whole = [
        (observation, place)
        for place, each in enumerate(records)
        for observation in each.observations
        if observation.value and observation.range
    ]
    for place, each in enumerate(records):
        others = [other for other, at in whole if at != place]
        again = [
            observation
            for observation in each.observations
            if observation.value
            and observation.range is None
            and any(_is_same(observation, other) or _is_target(observation, other) for other in others)
        ]
        if again and len(again) == len(each.observations):
            records[place] = each.read_as(Rule.REPEAT)
    return records


def _without_copies(before: Records) -> list[LineRecord]:
    """A summary: a table or a page of results that nearly all stand elsewhere too, to the letter. A second sample has
    but a few values in common with the first."""
    records = list(before)
    counts = Counter(key for each in before if (key := _key_of(each)))
    for section in _sections(before):
        results = [place for place in section if before[place].observations]
        copies = [place for place in results if counts[_key_of(before[place])] > 1]
        if len(copies) < _SUMMARY * len(results):
            continue
        for place in copies:
            key = _key_of(before[place])
            if counts[key] > 1:
                counts[key] -= 1
                records[place] = before[place].read_as(Rule.REPEAT)
    return records


def _sections(records: Records) -> Iterator[range]:
    """The places from one head to the next, or to the end of the page."""
    start = 0
    for place, each in enumerate(records):
        if place > start and (each.rule == Rule.HEADER or each.line.row.page != records[place - 1].line.row.page):
            yield range(start, place)
            start = place
    yield range(start, len(records))


def _key_of(each: LineRecord) -> tuple[Observation, ...]:
    """What a line says, however its names are spaced; nothing where a result has no range."""
    if not all(observation.value and observation.range for observation in each.observations):
        return ()
    return tuple(observation._replace(name=_key(observation.name), flag=None) for observation in each.observations)


def _is_same(one: Observation, other: Observation) -> bool:
    if (one.value, one.unit, one.comparator) != (other.value, other.unit, other.comparator):
        return False
    # A summary may print the name without what stands behind it in brackets.
    return _key(other.name).startswith(_key(one.name))


def _is_target(one: Observation, other: Observation) -> bool:
    """Or an older result: a number alone, of what was measured with unit and range."""
    is_limit = one.comparator is not None and one.unit == other.unit
    is_bare = one.unit is None and other.unit is not None
    return (is_limit or is_bare) and _key(one.name) == _key(other.name)


def _key(name: str) -> str:
    return re.sub(r"\W+", "", name.casefold())
