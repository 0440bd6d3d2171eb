"""Results whose parts stand under each other: the name, its range, perhaps the ticks of a scale, and the value."""

from collections.abc import Sequence

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.found import CONTINUATION, NAMELESS, TWO_LINES, Found
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line, unflagged_cells
from blobforge.processors.lab_report.ranges import is_labelled, printed_range
from blobforge.processors.lab_report.readings import Reading, can_be_name, clean_name, is_known
from blobforge.processors.lab_report.rows import cells_of
from blobforge.processors.lab_report.units import printed_unit
from blobforge.processors.lab_report.words import text_of

_TALLEST = 5
"""Lines of a card above its value."""


def read_cards(found: Sequence[Found], lexicon: Lexicon) -> None:
    """Gives values that are labelled as such, and nothing else, the name and the range above them."""
    for place, each in enumerate(found):
        if each.rule != NAMELESS or len(each.readings) != 1:
            continue
        above = _card_above(found, place)
        has_range = len(above) > 1 and is_labelled(found[above[1]].line.row.text)
        if not above or not (has_range or _is_coded(found[place - 1].line)):
            continue
        name = clean_name(" ".join(unflagged_cells(found[above[0]].line)))
        if can_be_name(name, known=is_known(name, None, lexicon)):
            own = each.readings[0]
            whole = _whole(own, name, found[above[1]].line) if has_range else own._replace(name=name)
            each.rule, each.readings = TWO_LINES, (whole,)
            for at in above:
                found[at].rule = CONTINUATION


def _card_above(found: Sequence[Found], place: int) -> list[int]:
    """The places of the name and of the range, where nothing but ticks stands between them and the value."""
    places: list[int] = []
    for at in range(place - 1, max(place - 1 - _TALLEST, -1), -1):
        line = found[at].line
        if found[at].rule is not None or line.row.page != found[place].line.row.page:
            return []
        if _is_ticks(line) or _is_coded(line):
            continue
        places.insert(0, at)
        if not is_labelled(line.row.text):
            return places
    return []


def _is_coded(line: Line) -> bool:
    """The code of the test, with its label."""
    return vocabulary.kind_of_head(text_of(cells_of(line.row)[0])) == "code"


def _is_ticks(line: Line) -> bool:
    return all(piece.kind in ("number", "gap", "dash", "compare") for piece in line.pieces)


def _whole(reading: Reading, name: str, line: Line) -> Reading:
    """A unit behind the range is the value's where it has none."""
    unit = next((mark for mark in line.marks if mark.label == "UNIT"), None)
    if reading.unit is not None or unit is None:
        return reading._replace(name=name, range=printed_range(line.row.text))
    limits = printed_range(line.text(0, unit.first - 1))
    return reading._replace(name=name, range=limits, unit=printed_unit(line.text(unit.first, unit.last)))
