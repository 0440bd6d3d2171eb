"""Results that a summary repeats, and limits that a table of targets sets: the result is there with its range."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from blobforge.processors.lab_report.found import HEADER, REPEAT, Found
from blobforge.processors.lab_report.readings import Reading

_SUMMARY = 0.8


def set_repeats_aside(found: Sequence[Found]) -> None:
    """A result without a range, of which another line has the same name, value and unit with one, is told twice. And
    where a test has a result, a limit for it alone is a target."""
    _set_copies_aside(found)
    whole = [(reading, each) for each in found for reading in each.readings if reading.value and reading.range]
    for each in found:
        bare = [reading for reading in each.readings if reading.value and reading.range is None]
        others = [other for other, at in whole if at is not each]
        again = [
            reading
            for reading in bare
            if any(_is_same(reading, other) or _is_target(reading, other) for other in others)
        ]
        if again and len(again) == len(each.readings):
            each.rule, each.readings = REPEAT, ()


def _set_copies_aside(found: Sequence[Found]) -> None:
    """A summary: a table or a page of results that nearly all stand elsewhere too, to the letter. A second sample has
    but a few values in common with the first."""
    counts = Counter(key for each in found if (key := _key_of(each)))
    for section in _sections(found):
        results = [each for each in section if each.readings]
        copies = [each for each in results if counts[_key_of(each)] > 1]
        if len(copies) < _SUMMARY * len(results):
            continue
        for each in copies:
            key = _key_of(each)
            if counts[key] > 1:
                counts[key] -= 1
                each.rule, each.readings = REPEAT, ()


def _sections(found: Sequence[Found]) -> Iterator[list[Found]]:
    """From one head to the next, or to the end of the page."""
    section: list[Found] = []
    for each in found:
        if section and (each.rule == HEADER or each.line.row.page != section[-1].line.row.page):
            yield section
            section = []
        section.append(each)
    yield section


def _key_of(each: Found) -> tuple[Reading, ...]:
    """What a line says, however its names are spaced; nothing where a result has no range."""
    if not all(reading.value and reading.range for reading in each.readings):
        return ()
    return tuple(reading._replace(name=_key(reading.name), flag=None) for reading in each.readings)


def _is_same(one: Reading, other: Reading) -> bool:
    if (one.value, one.unit, one.comparator) != (other.value, other.unit, other.comparator):
        return False
    # A summary may print the name without what stands behind it in brackets.
    return _key(other.name).startswith(_key(one.name))


def _is_target(one: Reading, other: Reading) -> bool:
    """Or an older result: a number alone, of what was measured with unit and range."""
    is_limit = one.comparator is not None and one.unit == other.unit
    is_bare = one.unit is None and other.unit is not None
    return (is_limit or is_bare) and _key(one.name) == _key(other.name)


def _key(name: str) -> str:
    return re.sub(r"\W+", "", name.casefold())
