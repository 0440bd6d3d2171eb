"""What a line adds to the result above it: its range, its unit, more of its name, the same in another unit."""

from collections.abc import Sequence
from itertools import takewhile

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.observation import is_known
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.running_text import leads_with_result
from blobforge.processors.lab_report.lines.spacing import is_close, is_note
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.notation.ranges import printed_range
from blobforge.processors.lab_report.notation.units import is_unit
from blobforge.processors.lab_report.page.rows import cells_of, lead_size
from blobforge.processors.lab_report.passes.wrapped_results import (
    closed_range,
    continued_both,
    continued_name,
    continued_range,
    continued_unit,
    labels_range,
)
from blobforge.processors.lab_report.tables.lab_table import LabTable

_SMALLER = 0.9
_LETTERS = 2


def take_continuation(records: list[LineRecord], tables: Sequence[LabTable], lexicon: Lexicon) -> None:
    """The last line may go on what the one before it began: its range, or its name."""
    if len(records) < 2:
        return
    last = records[-1]
    at = _result_above(records)
    if at is None or records[at].line.row.page != last.line.row.page:
        return
    before = records[at]
    if labels_range(last.line) and before.observations[-1].range is None and is_close(records[-2].line, last.line):
        records[-1] = last.read_as(Rule.CONTINUATION, *last.observations)
        return
    whole = closed_range(records[-2].line, before.observations[-1], last.line)
    # A note that ends in a colon has its own table.
    is_introduced = records[-2].rule == Rule.NOTE and records[-2].line.row.text.endswith(":")
    if whole is None and not last.observations and not is_introduced:
        whole = (
            continued_unit(before.line, before.observations[-1], last.line)
            or continued_range(records[-2].line, before.observations[-1], last.line, tables)
            or continued_name(before.line, before.observations[-1], last.line, lexicon)
            or continued_both(records[-2].line, before.line, before.observations[-1], last.line, tables)
        )
    if whole is not None:
        records[at], records[-1] = before.with_last(whole), last.read_as(Rule.CONTINUATION)
    elif last.rule is Rule.UNREAD and is_close(records[-2].line, last.line) and _is_note(before, last.line):
        records[-1] = last.read_as(Rule.NOTE, *last.observations)


def take_range_above(records: list[LineRecord]) -> None:
    """What stands in the column of ranges right above a result is the first part of its range."""
    end = len(records) - 1
    count = sum(1 for _ in takewhile(lambda each: each.rule == Rule.RANGE_ABOVE, reversed(records[:end])))
    if not count or not records[end].observations:
        return
    above = range(end - count, end)
    last = records[end].observations[-1]
    texts = [*(printed_range(records[at].line.row.text) for at in above), last.range]
    records[end] = records[end].with_last(last._replace(range=" ".join(text for text in texts if text)))
    for at in above:
        records[at] = records[at].read_as(Rule.CONTINUATION)


def take_other_unit(records: list[LineRecord], lexicon: Lexicon) -> None:
    """Under a result, in smaller print: the same in another unit, beside a note on how it was measured."""
    last = records[-1]
    at = _result_above(records) if last.rule == Rule.TABLE_ROW and len(last.observations) == 1 else None
    if at is None or not is_close(records[-2].line, last.line):
        return
    before = records[at]
    own, first = last.observations[0], before.observations[-1]
    is_smaller = lead_size(last.line.row) < _SMALLER * lead_size(before.line.row)
    is_other = own.unit is not None and is_unit(own.unit) and first.unit is not None and own.unit != first.unit
    if not is_smaller or not is_other or own.comparator is not None or is_known(own.name, own.unit, lexicon):
        return
    limits = own.range
    if limits is not None and first.range is not None and _has_words(limits) and _has_words(first.range):
        records[at] = before.with_last(first._replace(range=f"{first.range} {limits}"))
        limits = None
    records[-1] = last.read_as(Rule.OTHER_UNIT, own._replace(name=first.name, range=limits))


def _result_above(records: Sequence[LineRecord]) -> int | None:
    """The place of the result that the last line may go on: the one above it, with nothing but more of it between."""
    passed = (Rule.CONTINUATION, Rule.NOTE, Rule.OTHER_UNIT)
    places = range(len(records) - 2, -1, -1)
    at = next((place for place in places if records[place].rule not in passed), None)
    return at if at is not None and records[at].observations else None


def _is_note(above: LineRecord, line: TaggedLine) -> bool:
    """Below a value without a name it may be half of that."""
    is_one = above.rule != Rule.NAMELESS and len(cells_of(line.row)) == 1 and not leads_with_result(line)
    return is_one and is_note(above.line, line, line.row.text)


def _has_words(text: str) -> bool:
    return sum(map(str.isalpha, text)) > _LETTERS
