"""A line without a table's head, in parts: where a name ends, which number is its value, what is its range."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.documents import Mark
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.pieces import Piece
from blobforge.processors.lab_report.ranges import printed_range
from blobforge.processors.lab_report.readings import Reading, clean_name
from blobforge.processors.lab_report.rows import cells_of
from blobforge.processors.lab_report.units import printed_unit
from blobforge.processors.lab_report.words import text_of

_MEASURED = ("NUMBER", "LIMIT")
_RANGE_LABEL = re.compile(
    r"ref\w*|réf\w*|reference|normal\w*|norm\w*|range|interval|values?|valeurs?|valor\w*|valori|rif\w*|rango|limits?|"
    r"норм\w*|реф\w*|значения|значення|de|di|m|f|bio|biological|result|ergebnis|n|vn|vr|mildly|slightly|"
    r"leicht|légèrement|method|calc\w*",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")


class Stretch(NamedTuple):
    """Pieces `first` to `last` of a line that speak of one test."""

    first: int
    last: int


class Draft(NamedTuple):
    """A reading that is not judged yet; its name ends at this piece, and this is its value."""

    reading: Reading
    stretch: Stretch
    name_end: int
    value: Mark


def stretches_of(line: Line) -> Iterator[Stretch]:
    """Two tests on a line: the second begins at a cell of words that follows a measurement and has one behind it."""
    first = 0
    gaps = [place for place, piece in enumerate(line.pieces) if piece.kind == "gap" and place + 1 < len(line.pieces)]
    if gaps and _is_list(line):
        yield from (Stretch(start + 1, end - 1) for start, end in pairwise([-1, *gaps, len(line.pieces)]))
        return
    for place in gaps:
        has_value = any(mark.label in _MEASURED and first <= mark.first < place for mark in line.marks)
        comes_value = any(mark.first > place + 1 and _can_be_value(line, mark) for mark in line.marks)
        if has_value and comes_value and _begins_name(line, place + 1):
            yield Stretch(first, place - 1)
            first = place + 1
    yield Stretch(first, len(line.pieces) - 1)


def _is_list(line: Line) -> bool:
    """Every cell has its label: Colour: yellow, Density: 1.022."""
    cells = cells_of(line.row)
    return len(cells) > 1 and all(":" in text_of(cell)[:-1] for cell in cells)


def _can_be_value(line: Line, mark: Mark) -> bool:
    """A limit without a unit is rather the end of a range: deficient < 3.1."""
    if mark.label == "NUMBER":
        return True
    return mark.label == "LIMIT" and any(
        other.label == "UNIT" and line.pieces[other.first - 1].kind in ("number", "gap") and other.first > mark.last
        for other in line.marks
    )


def _begins_name(line: Line, place: int) -> bool:
    piece = line.pieces[place]
    return piece.kind == "word" and any(map(str.isalpha, piece.text)) and not is_range_label(piece.text)


def is_range_label(text: str) -> bool:
    return _RANGE_LABEL.fullmatch(text.replace(".", "")) is not None


def draft_of(line: Line, stretch: Stretch, others: frozenset[int] = frozenset()) -> Draft | None:
    marks = [mark for mark in line.marks if stretch.first <= mark.first and mark.last <= stretch.last]
    value = _value(line, stretch, marks, others)
    if value is None:
        return None
    return drafted(line, stretch, marks, value, _name_end(line, stretch, marks, value))


def drafted(line: Line, stretch: Stretch, marks: list[Mark], value: Mark, name_end: int) -> Draft:
    unit = _unit(marks, value, name_end)
    limits = [mark for mark in marks if mark.label in ("RANGE", "LIMIT") and mark != value and mark.first > name_end]
    flags = [mark for mark in marks if mark.label == "FLAG" and mark.first > name_end]
    reading = Reading(
        clean_name(_name(line, stretch, name_end)),
        value=line.number(value),
        comparator=line.comparator(value),
        unit=printed_unit(line.text(unit.first, unit.last)) if unit else None,
        range=_printed(line, limits, unit),
        flag=line.text(flags[0].first, flags[0].last) if flags else None,
        code=line.code,
    )
    return Draft(reading, stretch, name_end, value)


def _name(line: Line, stretch: Stretch, name_end: int) -> str:
    """Of several cells of text before the value, the first has the name; the next ones, a method or a material. But
    where a colon labels the value, the label is the name."""
    cells: dict[int, list[int]] = {}
    for place in range(stretch.first, name_end + 1):
        if line.pieces[place].kind != "gap":
            cells.setdefault(line.pieces[place].cell, []).append(place)
    texts = [line.text(own[0], own[-1]) for own in cells.values() if not _is_flag(line, own[0]) or len(own) > 1]
    if texts and name_end + 1 < len(line.pieces) and line.pieces[name_end + 1].text == ":":
        return texts[-1]
    return next((text for text in texts if sum(map(str.isalpha, text)) > 1), texts[0] if texts else "")


def _value(line: Line, stretch: Stretch, marks: list[Mark], others: frozenset[int]) -> Mark | None:
    """The first number at the start of a cell or behind a colon; or else one that a unit or a range follows, since
    names have numbers too; or else the first. A limit is the value only where there is no number."""
    named = {place for mark in line.names for place in range(mark.first, mark.last + 1)}
    candidates = [
        mark
        for mark in marks
        if mark.label in _MEASURED
        and others.isdisjoint(range(mark.first, mark.last + 1))
        and not _is_in_remark(line, mark)
        and not _is_labelled_range(line, mark)
        and not _is_year(line, mark)
        and not vocabulary.ends_range(line.pieces[mark.first].text)
        and not named.issuperset(range(mark.first, mark.last + 1))
        and _has_letters(line, marks, Stretch(stretch.first, mark.first - 1))
    ]
    numbers = [mark for mark in candidates if mark.label == "NUMBER"] or candidates
    leading = [mark for mark in numbers if _leads(line, mark)]
    followed = [mark for mark in numbers if any(other.first == mark.last + 1 for other in marks)]
    limits = [mark for mark in candidates if mark.label == "LIMIT" and _leads(line, mark)]
    told = next((mark for mark in limits if _is_told_limit(marks, mark)), None)
    if told is not None and all(told.first < mark.first for mark in numbers if mark.label == "NUMBER"):
        return told
    return next(iter(leading or followed or limits or numbers), None)


def _is_told_limit(marks: list[Mark], limit: Mark) -> bool:
    """A limit with its unit, and the range behind it: less could not be measured."""
    has_unit = any(mark.label == "UNIT" and mark.first == limit.last + 1 for mark in marks)
    return has_unit and any(mark.label in ("RANGE", "LIMIT") and mark.first > limit.last for mark in marks)


def _is_labelled_range(line: Line, mark: Mark) -> bool:
    """Reference: < 40 says nothing of a result."""
    return mark.label == "LIMIT" and any(
        head.label == "range" and _only_marks(line.pieces[head.last + 1 : mark.first])
        for head in line.heads
        if head.last < mark.first
    )


def _is_year(line: Line, mark: Mark) -> bool:
    """ESC/EAS 2019: is of that year."""
    ends = mark.last + 1 < len(line.pieces) and line.pieces[mark.last + 1].text in (":", ",", ";")
    return ends and _YEAR.fullmatch(line.text(mark.first, mark.last)) is not None


def _only_marks(pieces: Sequence[Piece]) -> bool:
    return all(piece.kind == "mark" for piece in pieces)


def _is_in_remark(line: Line, mark: Mark) -> bool:
    """Between brackets that hold words: targets (ESC 2019)."""
    own = line.pieces[mark.first].cell
    inside = (place for place in range(mark.first) if line.pieces[place].cell == own)
    before = [place for place in inside if {"(", ")"}.intersection(line.pieces[place].text)]
    if not before or ")" in line.pieces[before[-1]].text:
        return False
    return any(piece.kind == "word" for piece in line.pieces[before[-1] + 1 : mark.first])


def _has_letters(line: Line, marks: list[Mark], stretch: Stretch) -> bool:
    """Text that can be a name, and not only the words of a range."""
    ranges = {place for mark in marks if mark.label in ("RANGE", "LIMIT") for place in range(mark.first, mark.last + 1)}
    places = set(range(stretch.first, stretch.last + 1)) - ranges
    return any(map(str.isalpha, "".join(line.pieces[place].text for place in places)))


def _leads(line: Line, mark: Mark) -> bool:
    """Nothing but flags is between it and the start of its cell, or a colon."""
    place = mark.first - 1
    while place >= 0 and (line.pieces[place].kind == "flag" or vocabulary.is_same_again(line.pieces[place].text)):
        place -= 1
    return place < 0 or line.pieces[place].kind == "gap" or line.pieces[place].text in (":", "=")


def _name_end(line: Line, stretch: Stretch, marks: list[Mark], value: Mark) -> int:
    """The last piece before the value, or before a range or unit that comes first; without flags and colons."""
    end = value.first - 1
    for mark in marks:
        if mark.label in ("RANGE", "LIMIT", "UNIT") and stretch.first < mark.first < end and _is_apart(line, mark):
            end = mark.first - 1
            break
    while end > stretch.first and _is_between(line, end):
        end -= 1
    return end


def _is_between(line: Line, place: int) -> bool:
    """Neither name nor value: a gap, a colon, a flag, or the label of a range in its own cell."""
    piece = line.pieces[place]
    if piece.kind in ("gap", "dash") or piece.text in (":", "=", "(", "[") or _is_flag(line, place):
        return True
    begins = line.pieces[place - 1].kind == "gap" or line.pieces[place - 1].text in ("(", "[")
    return begins and line.pieces[place + 1].text == ":" and is_range_label(piece.text)


def _is_flag(line: Line, place: int) -> bool:
    piece = line.pieces[place]
    alone = place == 0 or line.pieces[place - 1].kind == "gap"
    return piece.kind == "flag" and (alone or not piece.text.isalpha() or piece.text.upper() in ("H", "L", "HH", "LL"))


def _is_apart(line: Line, mark: Mark) -> bool:
    """A range before the value is in a cell or in brackets of its own; a unit is in a cell."""
    before = line.pieces[mark.first - 1]
    return before.kind == "gap" or (before.text in ("(", "[", ":") and mark.label != "UNIT")


def _unit(marks: list[Mark], value: Mark, name_end: int) -> Mark | None:
    units = [mark for mark in marks if mark.label == "UNIT" and mark.first > name_end]
    return next((mark for mark in units if mark.first > value.last), next(iter(units), None))


def _printed(line: Line, limits: list[Mark], unit: Mark | None) -> str | None:
    if not limits:
        return None
    first = next((mark for mark in limits if mark.label == "RANGE"), limits[0])
    last = first.last
    # A unit behind the range is part of it where the value has its own.
    after = next((mark for mark in line.marks if mark.label == "UNIT" and mark.first == last + 1), None)
    if after is not None and after != unit:
        last = after.last
    return printed_range(line.text(_group_start(line, first), last))


def _group_start(line: Line, limits: Mark) -> int:
    """Where the group of people begins that the range is for: F: 12.0 - 16.0."""
    start = limits.first
    while start and line.pieces[start - 1].kind != "gap" and line.pieces[start - 1].cell == line.pieces[start].cell:
        start -= 1
    group, colon, _ = line.text(start, limits.first).partition(":")
    if colon:
        return start if vocabulary.is_grade(group.strip(" (")) else limits.first
    before = line.pieces[start : limits.first]
    # Deficient < 3.1: the step of a scale, in a cell of its own.
    is_step = (
        len(before) == 1 and before[0].kind in ("word", "outcome") and start and not is_range_label(before[0].text)
    )
    is_word = bool(before) and (before[0].text.islower() or vocabulary.is_grade(before[0].text))
    return start if is_step and is_word else limits.first
