"""From the lines of a document to its results: tables under their heads, free lines, and what is on two lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.free_rows import read_bare_line, read_free_line, read_nameless_line
from blobforge.processors.lab_report.headers import header_of
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.readings import Reading, can_be_name, clean_name, is_known, with_unit_of_name
from blobforge.processors.lab_report.table_rows import read_table_line
from blobforge.processors.lab_report.tables import Table, tables_of
from blobforge.processors.lab_report.wrapping import continued_name, continued_range, is_close, name_around

HEADER, TABLE_ROW, FREE_ROW, BARE_ROW = "header", "table row", "free row", "bare row"
WORDS, CONTINUATION, TWO_LINES, NAMELESS = "result in words", "continuation", "name in another line", "nameless"
_BLOCK = 2
_SAME_MARGIN = 2.0


@dataclass(slots=True)
class Found:
    """A line, the rule that read it, and the results that it holds. Lines after it may add to them."""

    line: Line
    rule: str | None = None
    readings: tuple[Reading, ...] = ()


def read_lines(lines: Sequence[Line], lexicon: Lexicon) -> list[Found]:
    """One for each line, in order. A head holds for the lines under it until the next, over the end of the page too."""
    found: list[Found] = []
    tables: list[Table] = []
    for place, line in enumerate(lines):
        columns = header_of(line)
        if columns:
            tables = tables_of(columns, _body(lines, place))
            found.append(Found(line, HEADER))
            continue
        found.append(_read(line, tables, lexicon))
        if not found[-1].readings:
            _continue(found, tables, lexicon)
    _name_the_nameless(found, lexicon)
    _name_other_units(found)
    _read_neighbours(found, lexicon)
    _read_neighbours(list(reversed(found)), lexicon)
    _continue_bare(found)
    return found


def _continue_bare(found: Sequence[Found]) -> None:
    """A bare line that was taken for a result may have its range below."""
    for each, after in pairwise(found):
        if each.rule == BARE_ROW and after.rule is None:
            whole = continued_range(each.line, each.readings[-1], after.line, ())
            if whole is not None:
                each.readings, after.rule = (*each.readings[:-1], whole), CONTINUATION


def _read_neighbours(found: Sequence[Found], lexicon: Lexicon) -> None:
    """A bare line in a block of results, at their margin, is one of them."""
    nearest: Found | None = None
    distance = 0
    for each in found:
        distance += 1
        if each.rule in (TABLE_ROW, FREE_ROW, BARE_ROW, TWO_LINES):
            nearest, distance = each, 0
        elif each.rule is None and nearest is not None and distance <= _BLOCK and _stand_alike(nearest.line, each.line):
            reading = read_bare_line(each.line, lexicon)
            if reading is not None:
                each.rule, each.readings = BARE_ROW, (with_unit_of_name(reading),)
                nearest, distance = each, 0


def _stand_alike(one: Line, other: Line) -> bool:
    first, second = one.row, other.row
    return (
        first.page == second.page
        and abs(first.box.x0 - second.box.x0) < _SAME_MARGIN
        and abs(first.size - second.size) < 0.6
        and (":" in first.text) == (":" in second.text)
        and abs(first.box.top - second.box.top) < _BLOCK * 3 * first.size
    )


def _body(lines: Sequence[Line], header: int) -> list[Line]:
    """The lines that tell where the columns of a head lie."""
    body = []
    for line in lines[header + 1 : header + 60]:
        if line.row.page != lines[header].row.page or header_of(line):
            break
        if any(mark.label in ("NUMBER", "RANGE", "LIMIT", "OUTCOME") for mark in line.marks):
            body.append(line)
    return body


def _read(line: Line, tables: Sequence[Table], lexicon: Lexicon) -> Found:
    in_tables = [reading for table in tables if (reading := read_table_line(line, table)) is not None]
    in_tables = [with_unit_of_name(reading) for reading in in_tables]
    numbers = tuple(reading for reading in in_tables if _is_row(reading, lexicon))
    if numbers:
        return Found(line, TABLE_ROW, numbers)
    free = tuple(with_unit_of_name(reading) for reading in read_free_line(line, lexicon))
    if free and not vocabulary.is_value_head(free[0].name):
        return Found(line, FREE_ROW, free)
    nameless = tuple(reading for reading in in_tables if reading.value and not reading.name) or free or _nameless(line)
    if nameless:
        return Found(line, NAMELESS, nameless)
    words = tuple(reading for reading in in_tables if _is_in_words(line, reading, lexicon))
    return Found(line, WORDS if words else None, words)


def _nameless(line: Line) -> tuple[Reading, ...]:
    reading = read_nameless_line(line)
    return (reading,) if reading else ()


def _name_the_nameless(found: Sequence[Found], lexicon: Lexicon) -> None:
    """A value between the two lines of its name, or under its name; without one it is no result."""
    for place, each in enumerate(found):
        if each.rule != NAMELESS:
            continue
        if place and _is_again(found[place - 1], each):
            each.rule, each.readings = TWO_LINES, (each.readings[0]._replace(name=found[place - 1].readings[-1].name),)
            continue
        above = found[place - 1] if place else None
        below = found[place + 1] if place + 1 < len(found) else None
        parts = name_around(above.line if above else None, each.line, below.line if below else None)
        name = clean_name(" ".join(part.row.text for part in parts))
        is_free = all(other.rule is None for other in (above, below) if other is not None and other.line in parts)
        known = is_known(name, None, lexicon)
        is_result = known or any(reading.unit or reading.range for reading in each.readings)
        if len(each.readings) == 1 and parts and is_free and is_result and can_be_name(name, known=known):
            each.rule, each.readings = TWO_LINES, (each.readings[0]._replace(name=name),)
            for other in (above, below):
                if other is not None and other.line in parts:
                    other.rule = CONTINUATION
        else:
            each.rule, each.readings = None, ()


def _is_again(above: Found, each: Found) -> bool:
    """The value right above in another unit: percent, and under it the count."""
    if not above.readings or len(each.readings) != 1 or not is_close(above.line, each.line):
        return False
    last, own = above.readings[-1], each.readings[0]
    return bool(last.name and last.unit and own.unit) and last.unit != own.unit


def _name_other_units(found: Sequence[Found]) -> None:
    """The same result in another unit, which French reports add as "soit"."""
    name = ""
    for each in found:
        named = []
        for reading in each.readings:
            whole = reading._replace(name=name) if vocabulary.is_same_again(reading.name) else reading
            if whole.name:
                named.append(whole)
                name = whole.name
        each.readings = tuple(named)


def _is_row(reading: Reading, lexicon: Lexicon) -> bool:
    if not reading.value or not reading.name:
        return False
    known = is_known(reading.name, reading.unit, lexicon)
    if not can_be_name(reading.name, known=known) or "|" in reading.name:
        return False
    # A limit alone is a step of a scale, unless it is known what was measured.
    has_measure = reading.comparator is None or reading.range is not None
    return known or (has_measure and (reading.unit is not None or reading.range is not None))


def _is_in_words(line: Line, reading: Reading, lexicon: Lexicon) -> bool:
    if reading.words is None or not can_be_name(reading.name, known=is_known(reading.name, None, lexicon)):
        return False
    return any(mark.label in ("OUTCOME", "RANGE", "FLAG") for mark in line.marks) and len(reading.words.split()) <= 4


def _continue(found: list[Found], tables: Sequence[Table], lexicon: Lexicon) -> None:
    """The last line may go on what the one before it began: its range, or its name."""
    if len(found) < 2:
        return
    last = found[-1]
    before = next((each for each in reversed(found[:-1]) if each.rule != CONTINUATION), None)
    if before is None or not before.readings or before.line.row.page != last.line.row.page:
        return
    whole = continued_range(found[-2].line, before.readings[-1], last.line, tables) or continued_name(
        before.line, before.readings[-1], last.line, lexicon
    )
    if whole is not None:
        before.readings = (*before.readings[:-1], whole)
        last.rule = CONTINUATION
