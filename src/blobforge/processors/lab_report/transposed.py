"""Tables that lie on their side: names in one line or several, and below them lines of units, of ranges and of results;
where the results are of several days, the last day counts."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.dates import Order, find_date, is_date
from blobforge.processors.lab_report.found import CONTINUATION, EARLIER, NAMELESS, TABLE_ROW, WORDS, Found
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.ranges import is_range, printed_range
from blobforge.processors.lab_report.readings import Reading, can_be_name, clean_name, is_known
from blobforge.processors.lab_report.rows import cells_of
from blobforge.processors.lab_report.units import is_unit, printed_unit
from blobforge.processors.lab_report.values import numbers_in
from blobforge.processors.lab_report.words import Word, text_of
from blobforge.processors.lab_report.wrapping import is_close

_FEWEST = 3
_TALLEST = 12
_MOST_NAMES = 3
_FREE = (None, WORDS, NAMELESS)


class Labelled(NamedTuple):
    """A line whose first cell says what the others hold."""

    each: Found
    kind: str
    unit: str | None = None
    day: date | None = None


def read_transposed(found: Sequence[Found], lexicon: Lexicon, order: Order) -> None:
    """Each column under its name. Lines that another rule has read stay as they are."""
    place = 0
    while place < len(found):
        block = list(_block(found, place, order))
        if block and _read_block(found, place, block, lexicon):
            place += len(block)
        else:
            place += 1


def _block(found: Sequence[Found], place: int, order: Order) -> Iterator[Labelled]:
    """The lines from this one on that have labels, each close to the one above."""
    for at in range(place, min(place + _TALLEST, len(found))):
        labelled = _labelled(found[at], order)
        if labelled is None or (at > place and not is_close(found[at - 1].line, found[at].line)):
            return
        yield labelled


def _labelled(each: Found, order: Order) -> Labelled | None:
    cells = cells_of(each.line.row)
    if each.rule not in _FREE or len(cells) < 2:
        return None
    first = text_of(cells[0])
    if is_date(first):
        return Labelled(each, "value", day=find_date(first, order))
    label, _, unit = first.partition(",")
    kind = vocabulary.kind_of_head(label)
    if kind not in ("value", "unit", "range", "name"):
        return None
    return Labelled(each, kind, printed_unit(unit) if is_unit(unit) else None)


def _read_block(found: Sequence[Found], place: int, block: Sequence[Labelled], lexicon: Lexicon) -> bool:
    values = [line for line in block if line.kind == "value"]
    if not values or not any(line.kind != "value" for line in block):
        return False
    newest = max(values, key=lambda line: line.day or date.min)
    names = [line.each for line in block if line.kind == "name"] or _names_above(found, place)
    readings = [_reading(cell, names, block, newest) for cell in cells_of(newest.each.line.row)[1:]]
    whole = tuple(reading for reading in readings if reading is not None and _is_result(reading, lexicon))
    if len(whole) < _FEWEST:
        return False
    for each in (*names, *(line.each for line in block)):
        each.rule, each.readings = CONTINUATION, ()
    for line in values:
        line.each.rule = EARLIER
    newest.each.rule, newest.each.readings = TABLE_ROW, whole
    return True


def _names_above(found: Sequence[Found], place: int) -> list[Found]:
    """Lines of names over the first with a label: several words each, and closely one above the other."""
    names: list[Found] = []
    for at in range(place - 1, max(place - 1 - _MOST_NAMES, -1), -1):
        line = found[at].line
        fewest = 2 if names else _FEWEST
        if found[at].rule not in _FREE or len(cells_of(line.row)) < fewest or not is_close(line, found[at + 1].line):
            break
        if any(mark.label in ("NUMBER", "RANGE", "LIMIT") for mark in line.marks):
            break
        names.insert(0, found[at])
    return names


def _reading(
    cell: Sequence[Word], names: Sequence[Found], block: Sequence[Labelled], newest: Labelled
) -> Reading | None:
    numbers = numbers_in(text_of(cell))
    if len(numbers) != 1:
        return None
    name = " ".join(text for each in names if (text := _over(cell, each)))
    unit = next((_over(cell, line.each) for line in block if line.kind == "unit"), "")
    limits = next((_over(cell, line.each) for line in block if line.kind == "range"), "")
    signs = text_of(cell).partition(numbers[0])[0].strip(" *↑↓")
    return Reading(
        clean_name(name),
        value=numbers[0],
        comparator=signs if signs in ("<", ">", "<=", ">=", "≤", "≥") else None,
        unit=printed_unit(unit) if is_unit(unit) else newest.unit,
        range=printed_range(limits) if is_range(limits) else None,
    )


def _over(cell: Sequence[Word], each: Found) -> str:
    """What stands in the column of a cell: the nearest that reaches over its middle, or that it reaches over."""
    left, right = cell[0].x0, cell[-1].x1
    middle = (left + right) / 2
    others = [
        other
        for other in cells_of(each.line.row)
        if other[0].x0 <= middle <= other[-1].x1 or left <= (other[0].x0 + other[-1].x1) / 2 <= right
    ]
    nearest = min(others, key=lambda other: abs((other[0].x0 + other[-1].x1) / 2 - middle), default=())
    return text_of(nearest)


def _is_result(reading: Reading, lexicon: Lexicon) -> bool:
    known = is_known(reading.name, reading.unit, lexicon)
    return bool(reading.name) and can_be_name(reading.name, known=known)
