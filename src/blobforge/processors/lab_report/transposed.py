"""Tables that lie on their side: a line of names, one of results, and perhaps one of units and one of ranges."""

from collections.abc import Mapping, Sequence

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.found import CONTINUATION, TABLE_ROW, Found
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.ranges import is_range, printed_range
from blobforge.processors.lab_report.readings import Reading, can_be_name, clean_name, is_known
from blobforge.processors.lab_report.rows import Row, cells_of
from blobforge.processors.lab_report.units import is_unit, printed_unit
from blobforge.processors.lab_report.values import numbers_in
from blobforge.processors.lab_report.words import Word, text_of

_FEWEST = 3
_TALLEST = 5


def read_transposed(found: Sequence[Found], lexicon: Lexicon) -> None:
    """Each column under its name. Lines that another rule has read stay as they are."""
    for place, each in enumerate(found):
        if _kind(each) != "name":
            continue
        block = _block(found, place)
        values = block.get("value")
        if values is None or len(cells_of(each.line.row)) <= _FEWEST:
            continue
        readings = [_reading(name, block) for name in cells_of(each.line.row)[1:]]
        whole = tuple(reading for reading in readings if reading is not None and _is_result(reading, lexicon))
        if len(whole) >= _FEWEST:
            values.rule, values.readings = TABLE_ROW, whole
            for other in (each, *(line for line in block.values() if line is not values)):
                other.rule = CONTINUATION


def _kind(each: Found) -> str | None:
    """What the first cell says that the line holds."""
    first = text_of(cells_of(each.line.row)[0])
    return vocabulary.kind_of_head(first) if each.rule is None else None


def _block(found: Sequence[Found], place: int) -> Mapping[str, Found]:
    lines = found[place + 1 : place + _TALLEST]
    page = found[place].line.row.page
    return {kind: each for each in lines if (kind := _kind(each)) is not None and each.line.row.page == page}


def _reading(name: Sequence[Word], block: Mapping[str, Found]) -> Reading | None:
    value = _under(name, block["value"].line.row)
    numbers = numbers_in(value)
    if len(numbers) != 1:
        return None
    unit = _under(name, block["unit"].line.row) if "unit" in block else ""
    limits = _under(name, block["range"].line.row) if "range" in block else ""
    return Reading(
        clean_name(text_of(name)),
        value=numbers[0],
        unit=printed_unit(unit) if is_unit(unit) else None,
        range=printed_range(limits) if is_range(limits) else None,
    )


def _under(name: Sequence[Word], row: Row) -> str:
    """The cell that stands in the column of a name."""
    left, right = name[0].x0, name[-1].x1
    found = [cell for cell in cells_of(row)[1:] if cell[0].x0 < right and left < cell[-1].x1]
    return text_of(found[0]) if found else ""


def _is_result(reading: Reading, lexicon: Lexicon) -> bool:
    return can_be_name(reading.name, known=is_known(reading.name, reading.unit, lexicon))
