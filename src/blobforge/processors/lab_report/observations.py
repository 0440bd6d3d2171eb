"""From the lines of a document to its results: tables under their heads, free lines, and what is on two lines."""

from collections.abc import Sequence

from blobforge.processors.lab_report.cards import read_cards
from blobforge.processors.lab_report.dated_heads import head_at
from blobforge.processors.lab_report.dates import DAY_FIRST, Order
from blobforge.processors.lab_report.following import take_continuation, take_other_unit, take_range_above
from blobforge.processors.lab_report.found import (
    BARE_ROW,
    FREE_ROW,
    HEADER,
    NAMELESS,
    NOTE,
    RANGE_ABOVE,
    RUNNING_TEXT,
    SCALE,
    TABLE_ROW,
    Found,
)
from blobforge.processors.lab_report.headers import header_of, is_scale_head
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.line_rules import read_line
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.naming import (
    complete_names,
    drop_common_marks,
    name_other_units,
    name_the_nameless,
)
from blobforge.processors.lab_report.neighbours import read_neighbours
from blobforge.processors.lab_report.repeats import set_repeats_aside
from blobforge.processors.lab_report.rows import cells_of, lead_size
from blobforge.processors.lab_report.running_text import goes_on_prose, is_running_text, read_running_text
from blobforge.processors.lab_report.tables import Table, tables_of
from blobforge.processors.lab_report.transposed import read_transposed
from blobforge.processors.lab_report.wrapping import begins_range, is_close

_LARGER = 1.08


def read_lines(lines: Sequence[Line], lexicon: Lexicon, order: Order = DAY_FIRST) -> list[Found]:
    """One for each line, in order: first each with those above it, then what only their neighbours tell."""
    found = _read_in_order(lines, lexicon, order)
    read_transposed(found, lexicon, order)
    complete_names(found, (TABLE_ROW, FREE_ROW))
    read_cards(found, lexicon)
    name_the_nameless(found, lexicon)
    name_other_units(found)
    read_neighbours(found, lexicon)
    complete_names(found, (BARE_ROW,))
    drop_common_marks(found)
    set_repeats_aside(found)
    return found


def _read_in_order(lines: Sequence[Line], lexicon: Lexicon, order: Order) -> list[Found]:
    """A head holds for the lines under it until the next, over the end of the page too."""
    found: list[Found] = []
    tables: list[Table] = []
    headed = 0
    for place, line in enumerate(lines):
        head = head_at(lines, place, order) if place >= headed else None
        if head is not None:
            headed = place + head.lines
            tables = tables_of(head.columns, _body(lines, headed - 1))
        if place < headed:
            found.append(Found(line, HEADER))
            continue
        if _ends_table(tables, found, line):
            tables = []
        apart = _read_apart(lines, place, found, tables, lexicon)
        found.append(apart or read_line(line, tables, lexicon))
        if apart is None:
            _join_to_above(found, tables, lexicon)
    return found


def _read_apart(
    lines: Sequence[Line], place: int, found: Sequence[Found], tables: Sequence[Table], lexicon: Lexicon
) -> Found | None:
    """Lines that are no row of anything: steps of a scale, running text, the beginning of a range above its result."""
    line = lines[place]
    if is_scale_head(line) or (found and _is_step(found[-1], line)):
        return Found(line, SCALE)
    told = read_running_text(line, lexicon) if is_running_text(line) else ()
    if told:
        return Found(line, RUNNING_TEXT, told)
    if place and goes_on_prose(lines[place - 1], line):
        return Found(line, NOTE)
    after = lines[place + 1] if place + 1 < len(lines) else None
    return Found(line, RANGE_ABOVE) if found and begins_range(found[-1].line, line, after, tables) else None


def _join_to_above(found: list[Found], tables: Sequence[Table], lexicon: Lexicon) -> None:
    take_range_above(found)
    take_other_unit(found, lexicon)
    if not found[-1].readings or found[-1].rule == NAMELESS:
        take_continuation(found, tables, lexicon)


def _ends_table(tables: Sequence[Table], found: Sequence[Found], line: Line) -> bool:
    """A heading in larger print, where the head was made for its rows alone: it told their unit."""
    last = next((each for each in reversed(found) if each.rule == TABLE_ROW), None)
    if last is None or not any(column.unit for table in tables for column in table.columns):
        return False
    return len(cells_of(line.row)) == 1 and lead_size(line.row) > _LARGER * lead_size(last.line.row)


def _is_step(before: Found, line: Line) -> bool:
    """Under the head of a scale, lines without a unit are its steps, until there is a gap."""
    return before.rule == SCALE and is_close(before.line, line) and not any(mark.label == "UNIT" for mark in line.marks)


def _body(lines: Sequence[Line], header: int) -> list[Line]:
    """The lines that tell where the columns of a head lie."""
    body = []
    for line in lines[header + 1 : header + 60]:
        if line.row.page != lines[header].row.page or header_of(line):
            break
        if any(mark.label in ("NUMBER", "RANGE", "LIMIT", "OUTCOME") for mark in line.marks):
            body.append(line)
    return body
