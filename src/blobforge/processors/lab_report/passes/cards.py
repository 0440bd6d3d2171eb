"""Results whose parts stand under each other: the name, its range, perhaps the ticks of a scale, and the value."""

from blobforge.processors.lab_report.lines.observation import Observation, can_be_name, clean_name, is_known
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine, unflagged_cells
from blobforge.processors.lab_report.notation.ranges import is_labelled, printed_range
from blobforge.processors.lab_report.notation.units import printed_unit
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.page.words import text_of
from blobforge.processors.lab_report.passes.line_pass import PassContext, Records
from blobforge.processors.lab_report.vocabulary import columns

_TALLEST = 5
"""Lines of a card above its value."""


def read_cards(before: Records, context: PassContext) -> list[LineRecord]:
    """Gives values that are labelled as such, and nothing else, the name and the range above them."""
    records = list(before)
    for place, each in enumerate(before):
        if each.rule != Rule.NAMELESS or len(each.observations) != 1:
            continue
        above = _card_above(records, place)
        has_range = len(above) > 1 and is_labelled(records[above[1]].line.row.text)
        if not above or not (has_range or _is_coded(records[place - 1].line)):
            continue
        name = clean_name(" ".join(unflagged_cells(records[above[0]].line)))
        if can_be_name(name, known=is_known(name, None, context.lexicon)):
            own = each.observations[0]
            whole = _whole(own, name, records[above[1]].line) if has_range else own._replace(name=name)
            records[place] = each.read_as(Rule.TWO_LINES, whole)
            for at in above:
                records[at] = records[at].read_as(Rule.CONTINUATION)
    return records


def _card_above(records: Records, place: int) -> list[int]:
    """The places of the name and of the range, where nothing but ticks stands between them and the value."""
    places: list[int] = []
    for at in range(place - 1, max(place - 1 - _TALLEST, -1), -1):
        line = records[at].line
        if records[at].rule is not Rule.UNREAD or line.row.page != records[place].line.row.page:
            return []
        if _is_ticks(line) or _is_coded(line):
            continue
        places.insert(0, at)
        if not is_labelled(line.row.text):
            return places
    return []


def _is_coded(line: TaggedLine) -> bool:
    """The code of the test, with its label."""
    return columns.kind_of_head(text_of(cells_of(line.row)[0])) == "code"


def _is_ticks(line: TaggedLine) -> bool:
    return all(token.kind in ("number", "gap", "dash", "compare") for token in line.tokens)


def _whole(observation: Observation, name: str, line: TaggedLine) -> Observation:
    """A unit behind the range is the value's where it has none."""
    unit = next((span for span in line.spans if span.label == "UNIT"), None)
    if observation.unit is not None or unit is None:
        return observation._replace(name=name, range=printed_range(line.row.text))
    limits = printed_range(line.text(0, unit.first - 1))
    return observation._replace(name=name, range=limits, unit=printed_unit(line.text(unit.first, unit.last)))
