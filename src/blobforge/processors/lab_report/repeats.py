"""Results that a summary repeats, and limits that a table of targets sets: the result is there with its range."""

import re
from collections.abc import Sequence

from blobforge.processors.lab_report.found import REPEAT, Found
from blobforge.processors.lab_report.readings import Reading


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
    """Of lines with the very same result, that of the summary: it stands on an earlier page, before the others, or
    after them on the same."""
    seen: dict[tuple[Reading, ...], Found] = {}
    for each in found:
        key = tuple(reading._replace(name=_key(reading.name), flag=None) for reading in each.readings if reading.range)
        if not key or len(key) < len(each.readings):
            continue
        first = seen.setdefault(key, each)
        if first is each:
            continue
        is_later = each.line.row.page > first.line.row.page
        copy, seen[key] = (first, each) if is_later else (each, first)
        copy.rule, copy.readings = REPEAT, ()


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
