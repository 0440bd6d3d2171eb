"""What a line adds to the result above it: its range, its unit, more of its name, the same in another unit."""

from collections.abc import Sequence
from itertools import takewhile

from blobforge.processors.lab_report.found import (
    CONTINUATION,
    NAMELESS,
    NOTE,
    OTHER_UNIT,
    RANGE_ABOVE,
    TABLE_ROW,
    Found,
)
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.ranges import printed_range
from blobforge.processors.lab_report.readings import is_known
from blobforge.processors.lab_report.rows import cells_of, lead_size
from blobforge.processors.lab_report.running_text import leads_with_result
from blobforge.processors.lab_report.tables import Table
from blobforge.processors.lab_report.units import is_unit
from blobforge.processors.lab_report.wrapping import (
    closed_range,
    continued_both,
    continued_name,
    continued_range,
    continued_unit,
    is_close,
    is_note,
    labels_range,
)

_SMALLER = 0.9
_LETTERS = 2


def take_continuation(found: list[Found], tables: Sequence[Table], lexicon: Lexicon) -> None:
    """The last line may go on what the one before it began: its range, or its name."""
    if len(found) < 2:
        return
    last = found[-1]
    before = _result_above(found)
    if before is None or before.line.row.page != last.line.row.page:
        return
    if labels_range(last.line) and before.readings[-1].range is None and is_close(found[-2].line, last.line):
        last.rule = CONTINUATION
        return
    whole = closed_range(found[-2].line, before.readings[-1], last.line)
    # A note that ends in a colon has its own table.
    is_introduced = found[-2].rule == NOTE and found[-2].line.row.text.endswith(":")
    if whole is None and not last.readings and not is_introduced:
        whole = (
            continued_unit(before.line, before.readings[-1], last.line)
            or continued_range(found[-2].line, before.readings[-1], last.line, tables)
            or continued_name(before.line, before.readings[-1], last.line, lexicon)
            or continued_both(found[-2].line, before.line, before.readings[-1], last.line, tables)
        )
    if whole is not None:
        before.readings = (*before.readings[:-1], whole)
        last.rule, last.readings = CONTINUATION, ()
    elif last.rule is None and is_close(found[-2].line, last.line) and _is_note(before, last.line):
        last.rule = NOTE


def take_range_above(found: Sequence[Found]) -> None:
    """What stands in the column of ranges right above a result is the first part of its range."""
    above = list(takewhile(lambda each: each.rule == RANGE_ABOVE, reversed(found[:-1])))
    if not above or not found[-1].readings:
        return
    *others, last = found[-1].readings
    texts = [*(printed_range(each.line.row.text) for each in reversed(above)), last.range]
    found[-1].readings = (*others, last._replace(range=" ".join(text for text in texts if text)))
    for each in above:
        each.rule = CONTINUATION


def take_other_unit(found: Sequence[Found], lexicon: Lexicon) -> None:
    """Under a result, in smaller print: the same in another unit, beside a note on how it was measured."""
    last = found[-1]
    before = _result_above(found) if last.rule == TABLE_ROW and len(last.readings) == 1 else None
    if before is None or not is_close(found[-2].line, last.line):
        return
    own, first = last.readings[0], before.readings[-1]
    is_smaller = lead_size(last.line.row) < _SMALLER * lead_size(before.line.row)
    is_other = own.unit is not None and is_unit(own.unit) and first.unit is not None and own.unit != first.unit
    if not is_smaller or not is_other or own.comparator is not None or is_known(own.name, own.unit, lexicon):
        return
    limits = own.range
    if limits is not None and first.range is not None and _has_words(limits) and _has_words(first.range):
        before.readings = (*before.readings[:-1], first._replace(range=f"{first.range} {limits}"))
        limits = None
    last.rule, last.readings = OTHER_UNIT, (own._replace(name=first.name, range=limits),)


def _result_above(found: Sequence[Found]) -> Found | None:
    """The result that the last line may go on: the one above it, with nothing but more of it between."""
    before = next((each for each in reversed(found[:-1]) if each.rule not in (CONTINUATION, NOTE, OTHER_UNIT)), None)
    return before if before is not None and before.readings else None


def _is_note(above: Found, line: Line) -> bool:
    """Below a value without a name it may be half of that."""
    is_one = above.rule != NAMELESS and len(cells_of(line.row)) == 1 and not leads_with_result(line)
    return is_one and is_note(above.line, line, line.row.text)


def _has_words(text: str) -> bool:
    return sum(map(str.isalpha, text)) > _LETTERS
