"""Tables that lie on their side: names in one line or several, and below them lines of units, of ranges and of results;
where the results are of several days, the last day counts."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.observation import Observation, can_be_name, clean_name, is_known
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.spacing import is_close
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.notation.dates import DateOrder, find_date, is_date
from blobforge.processors.lab_report.notation.numbers import numbers_in
from blobforge.processors.lab_report.notation.ranges import is_range, printed_range
from blobforge.processors.lab_report.notation.units import is_unit, printed_unit
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.words import PositionedWord, text_of
from blobforge.processors.lab_report.passes.line_pass import PassContext, Records
from blobforge.processors.lab_report.vocabulary import columns

_FEWEST = 3
_TALLEST = 12
_MOST_NAMES = 3
_FREE = (Rule.UNREAD, Rule.WORDS, Rule.NAMELESS)


class LabelledRow(NamedTuple):
    """A line whose first cell says what the others hold."""

    line: TaggedLine
    place: int
    kind: str
    unit: str | None = None
    day: date | None = None


def read_transposed(before: Records, context: PassContext) -> list[LineRecord]:
    """Each column under its name. Lines that another rule has read stay as they are."""
    records = list(before)
    place = 0
    while place < len(records):
        block = list(_block(records, place, context.date_order))
        if block and _read_block(records, block, context.lexicon):
            place += len(block)
        else:
            place += 1
    return records


def _block(records: Records, place: int, order: DateOrder) -> Iterator[LabelledRow]:
    """The lines from this one on that have labels, each close to the one above."""
    for at in range(place, min(place + _TALLEST, len(records))):
        labelled = _labelled(records[at], at, order)
        if labelled is None or (at > place and not is_close(records[at - 1].line, records[at].line)):
            return
        yield labelled


def _labelled(each: LineRecord, place: int, order: DateOrder) -> LabelledRow | None:
    cells = cells_of(each.line.row)
    if each.rule not in _FREE or len(cells) < 2:
        return None
    first = text_of(cells[0])
    if is_date(first):
        return LabelledRow(each.line, place, "value", day=find_date(first, order))
    label, _, unit = first.partition(",")
    kind = columns.kind_of_head(label)
    if kind not in ("value", "unit", "range", "name"):
        return None
    return LabelledRow(each.line, place, kind, printed_unit(unit) if is_unit(unit) else None)


def _read_block(records: list[LineRecord], block: Sequence[LabelledRow], lexicon: Lexicon) -> bool:
    values = [row for row in block if row.kind == "value"]
    if not values or not any(row.kind != "value" for row in block):
        return False
    newest = max(values, key=lambda row: row.day or date.min)
    names = [row.place for row in block if row.kind == "name"] or _names_above(records, block[0].place)
    lines = [records[at].line for at in names]
    observations = [_observation(cell, lines, block, newest) for cell in cells_of(newest.line.row)[1:]]
    whole = [each for each in observations if each is not None and _is_result(each, lexicon)]
    if len(whole) < _FEWEST:
        return False
    for at in (*names, *(row.place for row in block)):
        records[at] = records[at].read_as(Rule.CONTINUATION)
    for row in values:
        records[row.place] = records[row.place].read_as(Rule.EARLIER)
    records[newest.place] = records[newest.place].read_as(Rule.TABLE_ROW, *whole)
    return True


def _names_above(records: Records, place: int) -> list[int]:
    """Places of lines of names over the first with a label: several words each, and closely one above the other."""
    names: list[int] = []
    for at in range(place - 1, max(place - 1 - _MOST_NAMES, -1), -1):
        line, below = records[at].line, records[at + 1].line
        fewest = 2 if names else _FEWEST
        if records[at].rule not in _FREE or len(cells_of(line.row)) < fewest or not is_close(line, below):
            break
        if any(span.label in ("NUMBER", "RANGE", "LIMIT") for span in line.spans):
            break
        names.insert(0, at)
    return names


def _observation(
    cell: Sequence[PositionedWord], names: Sequence[TaggedLine], block: Sequence[LabelledRow], newest: LabelledRow
) -> Observation | None:
    numbers = numbers_in(text_of(cell))
    if len(numbers) != 1:
        return None
    name = " ".join(text for line in names if (text := _over(cell, line)))
    unit = next((_over(cell, row.line) for row in block if row.kind == "unit"), "")
    limits = next((_over(cell, row.line) for row in block if row.kind == "range"), "")
    signs = text_of(cell).partition(numbers[0])[0].strip(" *↑↓")
    return Observation(
        clean_name(name),
        value=numbers[0],
        comparator=signs if signs in ("<", ">", "<=", ">=", "≤", "≥") else None,
        unit=printed_unit(unit) if is_unit(unit) else newest.unit,
        range=printed_range(limits) if is_range(limits) else None,
    )


def _over(cell: Sequence[PositionedWord], line: TaggedLine) -> str:
    """What stands in the column of a cell: the nearest that reaches over its middle, or that it reaches over."""
    left, right = cell[0].x0, cell[-1].x1
    middle = (left + right) / 2
    others = [
        other
        for other in cells_of(line.row)
        if other[0].x0 <= middle <= other[-1].x1 or left <= (other[0].x0 + other[-1].x1) / 2 <= right
    ]
    nearest = min(others, key=lambda other: abs((other[0].x0 + other[-1].x1) / 2 - middle), default=())
    return text_of(nearest)


def _is_result(observation: Observation, lexicon: Lexicon) -> bool:
    known = is_known(observation.name, observation.unit, lexicon)
    return bool(observation.name) and can_be_name(observation.name, known=known)
