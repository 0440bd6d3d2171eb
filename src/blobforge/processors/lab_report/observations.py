"""From the lines of a document to its results: tables under their heads, free lines, and what is on two lines."""

from collections.abc import Sequence

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.cards import read_cards
from blobforge.processors.lab_report.dated_heads import head_at
from blobforge.processors.lab_report.dates import DAY_FIRST, Order
from blobforge.processors.lab_report.found import (
    BARE_ROW,
    CONTINUATION,
    EARLIER,
    FREE_ROW,
    HEADER,
    NAMELESS,
    NOTE,
    OTHER_UNIT,
    RANGE_ABOVE,
    SCALE,
    TABLE_ROW,
    TWO_LINES,
    WORDS,
    Found,
)
from blobforge.processors.lab_report.free_rows import read_free_line, read_nameless_line
from blobforge.processors.lab_report.headers import header_of, is_scale_head
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.names_above import lines_of_name
from blobforge.processors.lab_report.neighbours import read_neighbours
from blobforge.processors.lab_report.ranges import printed_range
from blobforge.processors.lab_report.readings import (
    Reading,
    can_be_name,
    clean_name,
    is_known,
    is_step,
    with_unit_of_name,
)
from blobforge.processors.lab_report.repeats import set_repeats_aside
from blobforge.processors.lab_report.rows import cells_of, lead_size
from blobforge.processors.lab_report.table_rows import (
    has_only_earlier,
    places_of_others,
    read_table_line,
    read_table_pair,
)
from blobforge.processors.lab_report.tables import Table, tables_of
from blobforge.processors.lab_report.wrapping import (
    begins_range,
    closed_range,
    continued_both,
    continued_name,
    continued_range,
    is_close,
    is_note,
    labels_range,
    name_around,
)

_SMALLER = 0.9
_LETTERS = 2


def read_lines(lines: Sequence[Line], lexicon: Lexicon, order: Order = DAY_FIRST) -> list[Found]:
    """One for each line, in order. A head holds for the lines under it until the next, over the end of the page too."""
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
        if is_scale_head(line) or (place and _is_step(found[-1], line)):
            found.append(Found(line, SCALE))
            continue
        after = lines[place + 1] if place + 1 < len(lines) else None
        if found and begins_range(found[-1].line, line, after, tables):
            found.append(Found(line, RANGE_ABOVE))
            continue
        found.append(_read(line, tables, lexicon))
        _take_range_above(found)
        _take_other_unit(found, lexicon)
        if not found[-1].readings or found[-1].rule == NAMELESS:
            _continue(found, tables, lexicon)
    _complete_names(found, (TABLE_ROW, FREE_ROW))
    read_cards(found, lexicon)
    _name_the_nameless(found, lexicon)
    _name_other_units(found)
    read_neighbours(found, lexicon)
    _complete_names(found, (BARE_ROW,))
    set_repeats_aside(found)
    return found


def _take_range_above(found: Sequence[Found]) -> None:
    """What stands in the column of ranges right above a result is the first part of its range."""
    if len(found) < 2 or found[-2].rule != RANGE_ABOVE or not found[-1].readings:
        return
    *others, last = found[-1].readings
    whole = " ".join(text for text in (printed_range(found[-2].line.row.text), last.range) if text)
    found[-1].readings = (*others, last._replace(range=whole))
    found[-2].rule = CONTINUATION


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


def _read(line: Line, tables: Sequence[Table], lexicon: Lexicon) -> Found:
    in_tables = [
        each
        for table in tables
        if (reading := read_table_line(line, table)) is not None
        for each in read_table_pair(line, table, reading)
    ]
    in_tables = [with_unit_of_name(reading) for reading in in_tables]
    numbers = tuple(reading for reading in in_tables if _is_row(reading, lexicon))
    if numbers:
        return Found(line, TABLE_ROW, numbers)
    if any(has_only_earlier(line, table) for table in tables):
        return Found(line, EARLIER)
    told = tuple(reading for reading in in_tables if vocabulary.is_outcomes(reading.words or ""))
    if told and all(_is_in_words(line, reading, lexicon) for reading in told):
        return Found(line, WORDS, told)
    others = places_of_others(line, tables)
    free = tuple(with_unit_of_name(reading) for reading in read_free_line(line, lexicon, others))
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


def _complete_names(found: Sequence[Found], rules: tuple[str, ...]) -> None:
    """A name whose first lines stand above its result, or whose last ones stand below it."""
    lines = [each.line for each in found]
    for place, each in enumerate(found):
        if each.rule not in rules or len({reading.name for reading in each.readings}) != 1:
            continue
        above, below = lines_of_name(lines, place, [other.rule is None for other in found])
        if not above and not below:
            continue
        texts = ([lines[at].row.text for at in part] for part in (above, below))
        before, after = (" ".join(text) for text in texts)
        each.readings = tuple(
            reading._replace(name=clean_name(f"{before} {reading.name} {after}")) for reading in each.readings
        )
        for at in (*above, *below):
            found[at].rule = CONTINUATION


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
    if is_step(reading):
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
    before = _result_above(found)
    if before is None or before.line.row.page != last.line.row.page:
        return
    if labels_range(last.line) and before.readings[-1].range is None and is_close(found[-2].line, last.line):
        last.rule = CONTINUATION
        return
    whole = closed_range(found[-2].line, before.readings[-1], last.line)
    if whole is None and not last.readings:
        whole = (
            continued_range(found[-2].line, before.readings[-1], last.line, tables)
            or continued_name(before.line, before.readings[-1], last.line, lexicon)
            or continued_both(before.line, before.readings[-1], last.line, tables)
        )
    if whole is not None:
        before.readings = (*before.readings[:-1], whole)
        last.rule, last.readings = CONTINUATION, ()
    elif not last.readings and is_close(found[-2].line, last.line) and _is_note(before.line, last.line):
        last.rule = NOTE


def _result_above(found: Sequence[Found]) -> Found | None:
    """The result that the last line may go on: the one above it, with nothing but more of it between."""
    before = next((each for each in reversed(found[:-1]) if each.rule not in (CONTINUATION, NOTE, OTHER_UNIT)), None)
    return before if before is not None and before.readings else None


def _is_note(above: Line, line: Line) -> bool:
    return len(cells_of(line.row)) == 1 and is_note(above, line, line.row.text)


def _take_other_unit(found: Sequence[Found], lexicon: Lexicon) -> None:
    """Under a result, in smaller print: the same in another unit, beside a note on how it was measured."""
    last = found[-1]
    before = _result_above(found) if last.rule == TABLE_ROW and len(last.readings) == 1 else None
    if before is None or not is_close(found[-2].line, last.line):
        return
    own, first = last.readings[0], before.readings[-1]
    is_smaller = lead_size(last.line.row) < _SMALLER * lead_size(before.line.row)
    if not is_smaller or own.unit in (None, first.unit) or first.unit is None or is_known(own.name, own.unit, lexicon):
        return
    limits = own.range
    if limits is not None and first.range is not None and _has_words(limits) and _has_words(first.range):
        before.readings = (*before.readings[:-1], first._replace(range=f"{first.range} {limits}"))
        limits = None
    last.rule, last.readings = OTHER_UNIT, (own._replace(name=first.name, range=limits),)


def _has_words(text: str) -> bool:
    return sum(map(str.isalpha, text)) > _LETTERS
