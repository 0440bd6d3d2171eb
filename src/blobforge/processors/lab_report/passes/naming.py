"""Names that are not in the line of their value, or not all of them."""

import re
from collections import Counter

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.observation import Observation, can_be_name, clean_name, is_known
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.spacing import is_close
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine, unflagged_cells
from blobforge.processors.lab_report.notation.ranges import is_range, printed_range
from blobforge.processors.lab_report.page.rows import cells_of
from blobforge.processors.lab_report.passes.line_pass import PassContext, Records
from blobforge.processors.lab_report.passes.wrapped_results import name_around
from blobforge.processors.lab_report.vocabulary import columns, outcomes, phrases

_COMMON_MARK = re.compile(r"\s[(\[][A-Z][)\]]$")
_FEWEST_MARKS = 2
_NAME_AND_RANGE = 2


def drop_common_marks(before: Records, _context: PassContext) -> list[LineRecord]:
    """A letter in brackets behind many names is a mark of the laboratory, and part of none of them."""
    marks = Counter(
        match.group()
        for each in before
        for observation in each.observations
        if (match := _COMMON_MARK.search(observation.name))
    )
    common = tuple(mark for mark, count in marks.items() if count >= _FEWEST_MARKS)
    return [each.with_observations(*(_unmarked(own, common) for own in each.observations)) for each in before]


def _unmarked(observation: Observation, common: tuple[str, ...]) -> Observation:
    if not observation.name.endswith(common):
        return observation
    return observation._replace(name=_COMMON_MARK.sub("", observation.name))


def name_the_nameless(before: Records, context: PassContext) -> list[LineRecord]:
    """A value between the two lines of its name, or under its name; without one it is no result."""
    records = list(before)
    for place, each in enumerate(before):
        if each.rule != Rule.NAMELESS:
            continue
        if place and _is_again(records[place - 1], each):
            name = records[place - 1].observations[-1].name
            records[place] = each.read_as(Rule.TWO_LINES, each.observations[0]._replace(name=name))
            continue
        around = _lines_of_name(records, place)
        named = _named(each, [records[at] for at in around], context.lexicon)
        records[place] = each.read_as(Rule.TWO_LINES, named) if named else each.read_as(Rule.UNREAD)
        for at in around if named else ():
            records[at] = records[at].read_as(Rule.CONTINUATION)
    return records


def _lines_of_name(records: Records, place: int) -> list[int]:
    """The places of the lines that may hold the name of the value at this place."""
    above = _place_above(records, place)
    below = place + 1 if place + 1 < len(records) else None
    lines = 1 if above == place - 1 else 2
    named, own, after = (records[at].line if at is not None else None for at in (above, place, below))
    assert own is not None
    parts = name_around(named, own, after, lines)
    return [at for at in (above, below) if at is not None and records[at].line in parts]


def _named(each: LineRecord, parts: Records, lexicon: Lexicon) -> Observation | None:
    """The one observation of a record with the name that these lines hold; None where that is no result."""
    halves = [_halves(part.line) for part in parts]
    name = clean_name(" ".join(text for text, _ in halves))
    limits = " ".join(text for _, text in halves if text) or None
    is_free = all(part.rule is Rule.UNREAD for part in parts)
    known = is_known(name, None, lexicon)
    has_measure = known or any(observation.unit or observation.range for observation in each.observations)
    if len(each.observations) != 1 or not parts or not is_free or not has_measure or _is_step(each):
        return None
    own = each.observations[0]
    return own._replace(name=name, range=own.range or limits) if can_be_name(name, known=known) else None


def _is_step(each: LineRecord) -> bool:
    """A limit without a unit, and words behind it: < 1.0, lower."""
    has_words = len(cells_of(each.line.row)) > 1 and each.line.tokens[-1].kind in ("word", "flag")
    return has_words and any(observation.comparator and not observation.unit for observation in each.observations)


def _place_above(records: Records, place: int) -> int | None:
    """Of the line above; or else the one above that, where how it was measured stands between a name and its result."""
    if place < 2 or not phrases.is_technique(records[place - 1].line.row.text):
        return place - 1 if place else None
    name, between, own = (each.line for each in records[place - 2 : place + 1])
    is_between = is_close(name, between) and is_close(between, own)
    return place - 2 if is_between and columns.is_value_head(own.tokens[0].text) else place - 1


def _halves(line: TaggedLine) -> tuple[str, str | None]:
    """What a line around a value holds of its name, and perhaps of its range beside it."""
    texts = unflagged_cells(line)
    if len(texts) == _NAME_AND_RANGE and is_range(texts[1]):
        return texts[0], printed_range(texts[1])
    return " ".join(texts), None


def _is_again(above: LineRecord, each: LineRecord) -> bool:
    """The value right above in another unit: percent, and under it the count."""
    if not above.observations or len(each.observations) != 1 or not is_close(above.line, each.line):
        return False
    last, own = above.observations[-1], each.observations[0]
    return bool(last.name and last.unit and own.unit) and last.unit != own.unit


def name_other_units(before: Records, _context: PassContext) -> list[LineRecord]:
    """The same result in another unit, which French reports add as "soit"."""
    name = ""
    records = []
    for each in before:
        named = []
        for observation in each.observations:
            whole = observation._replace(name=name) if outcomes.is_same_again(observation.name) else observation
            if whole.name:
                named.append(whole)
                name = whole.name
        records.append(each.with_observations(*named))
    return records
