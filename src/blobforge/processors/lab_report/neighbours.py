"""Lines that say too little by themselves, and enough where they stand: beside results, above a range, in a list."""

from collections.abc import Sequence
from itertools import pairwise

from blobforge.processors.lab_report.found import BARE_ROW, CONTINUATION, FREE_ROW, TABLE_ROW, TWO_LINES, Found
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
    """A bare line right above a labelled range is its result."""
    for each, after in pairwise(found):
        is_free = each.rule is None and after.rule is None and is_close(each.line, after.line)
        if is_free and is_labelled(after.line.row.text):
            _take(each, lexicon)


def _read_beside(found: Sequence[Found], lexicon: Lexicon) -> None:
    """A bare line in a block of results, at their margin, is one of them."""
    nearest: Found | None = None
    distance = 0
    for each in found:
        if each.rule == CONTINUATION:
            continue
        distance += 1
        if each.rule in _RESULTS or (
            each.rule is None
            and nearest is not None
            and distance <= _BLOCK
            and _stand_alike(nearest.line, each.line)
            and _take(each, lexicon)
        ):
            nearest, distance = each, 0


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
    """A bare line that was taken for a result may have its range below."""
    for each, after in pairwise(found):
        if each.rule == BARE_ROW and after.rule is None:
            whole = continued_range(each.line, each.readings[-1], after.line, ())
            if whole is not None:
                each.readings, after.rule = (*each.readings[:-1], whole), CONTINUATION
