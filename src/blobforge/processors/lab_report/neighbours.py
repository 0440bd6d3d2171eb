"""Lines that say too little by themselves, and enough where they stand: beside results, above a range, in a list."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.found import (
    BARE_ROW,
    CONTINUATION,
    FREE_ROW,
    NOTE,
    TABLE_ROW,
    TWO_LINES,
    WORDS,
    Found,
)
from blobforge.processors.lab_report.free_rows import read_bare_line
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.ranges import is_labelled
from blobforge.processors.lab_report.readings import with_unit_of_name
from blobforge.processors.lab_report.rows import lead_size
from blobforge.processors.lab_report.wrapping import continued_range, is_close

_RESULTS = (TABLE_ROW, FREE_ROW, BARE_ROW, TWO_LINES)
_BLOCK = 2
_SAME_MARGIN = 2.0
_SAME_SIZE = 0.6


def read_neighbours(found: Sequence[Found], lexicon: Lexicon) -> None:
    _read_ranged(found, lexicon)
    _read_beside(found, lexicon)
    _read_beside(list(reversed(found)), lexicon)
    _continue_bare(found)


def _read_ranged(found: Sequence[Found], lexicon: Lexicon) -> None:
    """A bare line right above a labelled range is its result; how it was measured may stand between them."""
    for place, each in enumerate(found):
        _, after = next(_after(found, place), (None, None))
        if each.rule is None and after is not None and is_labelled(after.line.row.text):
            _take(each, lexicon)


def _after(found: Sequence[Found], place: int) -> Iterator[tuple[Found, Found]]:
    """The free lines that follow closely, without notes on how something was measured; each with the one above it."""
    for before, each in pairwise(found[place:]):
        if each.rule not in (None, NOTE) or not is_close(before.line, each.line):
            return
        if each.rule is None and not vocabulary.is_technique(each.line.row.text):
            yield before, each


def _read_beside(found: Sequence[Found], lexicon: Lexicon) -> None:
    """A bare line in a block of results, at their margin, is one of them."""
    nearest: Found | None = None
    distance = 0
    for each in found:
        if each.rule == CONTINUATION:
            continue
        distance += not _is_between_results(each)
        if each.rule in _RESULTS or (
            each.rule is None
            and nearest is not None
            and distance <= _BLOCK
            and _stand_alike(nearest.line, each.line)
            and _take(each, lexicon)
        ):
            nearest, distance = each, 0


def _is_between_results(each: Found) -> bool:
    """A note, or a result in words: neither ends a block."""
    return each.rule in (NOTE, WORDS) or any(mark.label == "OUTCOME" for mark in each.line.marks)


def _take(each: Found, lexicon: Lexicon) -> bool:
    reading = read_bare_line(each.line, lexicon)
    if reading is None:
        return False
    each.rule, each.readings = BARE_ROW, (with_unit_of_name(reading),)
    return True


def _stand_alike(one: Line, other: Line) -> bool:
    first, second = one.row, other.row
    return (
        first.page == second.page
        and abs(first.box.x0 - second.box.x0) < _SAME_MARGIN
        and abs(lead_size(first) - lead_size(second)) < _SAME_SIZE
        and (":" in first.text) == (":" in second.text)
        and abs(first.box.top - second.box.top) < _BLOCK * 3 * first.size
    )


def _continue_bare(found: Sequence[Found]) -> None:
    """A bare line that was taken for a result may have its range below, in one line or several."""
    for place, each in enumerate(found):
        # What was found is changed on the way.
        for above, after in list(_after(found, place)) if each.rule == BARE_ROW else ():
            whole = continued_range(above.line, each.readings[-1], after.line, ())
            if whole is None:
                break
            each.readings, after.rule = (*each.readings[:-1], whole), CONTINUATION
