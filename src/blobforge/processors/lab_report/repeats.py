"""Results that a summary repeats: they are there with their ranges once more."""

from collections.abc import Sequence

from blobforge.processors.lab_report.found import REPEAT, Found
from blobforge.processors.lab_report.readings import Reading


def set_repeats_aside(found: Sequence[Found]) -> None:
    """A result without a range, of which another line has the same name, value and unit with one, is told twice."""
    whole = [(reading, each) for each in found for reading in each.readings if reading.value and reading.range]
    for each in found:
        bare = [reading for reading in each.readings if reading.value and reading.range is None]
        again = [reading for reading in bare if any(_is_same(reading, other) for other, at in whole if at is not each)]
        if again and len(again) == len(each.readings):
            each.rule, each.readings = REPEAT, ()


def _is_same(one: Reading, other: Reading) -> bool:
    if (one.value, one.unit, one.comparator) != (other.value, other.unit, other.comparator):
        return False
    # A summary may print the name without what stands behind it in brackets.
    return other.name.casefold().startswith(one.name.casefold())
