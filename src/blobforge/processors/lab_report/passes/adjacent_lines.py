"""Lines that say too little by themselves, and enough where they stand: beside results, above a range, in a list."""

from collections.abc import Iterable, Iterator

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.free_lines import read_bare_line
from blobforge.processors.lab_report.lines.observation import with_unit_of_name
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.spacing import is_close
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.notation.ranges import is_labelled
from blobforge.processors.lab_report.page.rows import lead_size
from blobforge.processors.lab_report.passes.line_pass import PassContext, Records
from blobforge.processors.lab_report.passes.wrapped_results import continued_range
from blobforge.processors.lab_report.vocabulary import phrases

_RESULTS = (Rule.TABLE_ROW, Rule.FREE_ROW, Rule.BARE_ROW, Rule.TWO_LINES)
_BLOCK = 2
_SAME_MARGIN = 2.0
_SAME_SIZE = 0.6


def read_adjacent_lines(before: Records, context: PassContext) -> list[LineRecord]:
    records = list(before)
    _read_above_range(records, context.lexicon)
    _read_beside(records, range(len(records)), context.lexicon)
    _read_beside(records, range(len(records) - 1, -1, -1), context.lexicon)
    _continue_bare(records)
    return records


def _read_above_range(records: list[LineRecord], lexicon: Lexicon) -> None:
    """A bare line right above a labelled range is its result; how it was measured may stand between them."""
    for place, each in enumerate(records):
        after = next(_after(records, place), None)
        if each.rule is Rule.UNREAD and after is not None and is_labelled(records[after].line.row.text):
            _take(records, place, lexicon)


def _after(records: Records, place: int) -> Iterator[int]:
    """The places of the free lines that follow closely, without notes on how something was measured."""
    for at in range(place + 1, len(records)):
        each = records[at]
        if each.rule not in (Rule.UNREAD, Rule.NOTE) or not is_close(records[at - 1].line, each.line):
            return
        if each.rule is Rule.UNREAD and not phrases.is_technique(each.line.row.text):
            yield at


def _read_beside(records: list[LineRecord], places: Iterable[int], lexicon: Lexicon) -> None:
    """A bare line in a block of results, at their margin, is one of them."""
    nearest: LineRecord | None = None
    distance = 0
    for place in places:
        each = records[place]
        if each.rule == Rule.CONTINUATION:
            continue
        distance += not _is_between_results(each)
        if each.rule in _RESULTS or (
            each.rule is Rule.UNREAD
            and nearest is not None
            and distance <= _BLOCK
            and _stand_alike(nearest.line, each.line)
            and _take(records, place, lexicon)
        ):
            nearest, distance = each, 0


def _is_between_results(each: LineRecord) -> bool:
    """A note, or a result in words: neither ends a block."""
    return each.rule in (Rule.NOTE, Rule.WORDS) or any(span.label == "OUTCOME" for span in each.line.spans)


def _take(records: list[LineRecord], place: int, lexicon: Lexicon) -> bool:
    observation = read_bare_line(records[place].line, lexicon)
    if observation is None:
        return False
    records[place] = records[place].read_as(Rule.BARE_ROW, with_unit_of_name(observation))
    return True


def _stand_alike(one: TaggedLine, other: TaggedLine) -> bool:
    first, second = one.row, other.row
    return (
        first.page == second.page
        and abs(first.box.x0 - second.box.x0) < _SAME_MARGIN
        and abs(lead_size(first) - lead_size(second)) < _SAME_SIZE
        and (":" in first.text) == (":" in second.text)
        and abs(first.box.top - second.box.top) < _BLOCK * 3 * first.size
    )


def _continue_bare(records: list[LineRecord]) -> None:
    """A bare line that was taken for a result may have its range below, in one line or several."""
    for place, each in enumerate(records):
        own = each
        # The places are asked for before any of these lines becomes part of the result.
        for after in list(_after(records, place)) if each.rule == Rule.BARE_ROW else ():
            whole = continued_range(records[after - 1].line, own.observations[-1], records[after].line, ())
            if whole is None:
                break
            own = own.with_last(whole)
            records[place], records[after] = own, records[after].read_as(Rule.CONTINUATION)
