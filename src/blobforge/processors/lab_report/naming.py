"""Names that are not in the line of their value, or not all of them."""

import re
from collections import Counter
from collections.abc import Sequence

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.found import CONTINUATION, NAMELESS, TWO_LINES, Found
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line, unflagged_cells
from blobforge.processors.lab_report.names_above import lines_of_name
from blobforge.processors.lab_report.ranges import is_range, printed_range
from blobforge.processors.lab_report.readings import can_be_name, clean_name, is_known
from blobforge.processors.lab_report.rows import cells_of
from blobforge.processors.lab_report.wrapping import is_close, name_around


def complete_names(found: Sequence[Found], rules: tuple[str, ...]) -> None:
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


_COMMON_MARK = re.compile(r"\s[(\[][A-Z][)\]]$")
_FEWEST_MARKS = 2
_NAME_AND_RANGE = 2


def drop_common_marks(found: Sequence[Found]) -> None:
    """A letter in brackets behind many names is a mark of the laboratory, and part of none of them."""
    marks = Counter(
        match.group() for each in found for reading in each.readings if (match := _COMMON_MARK.search(reading.name))
    )
    common = {mark for mark, count in marks.items() if count >= _FEWEST_MARKS}
    for each in found:
        each.readings = tuple(
            reading._replace(name=_COMMON_MARK.sub("", reading.name))
            if any(reading.name.endswith(mark) for mark in common)
            else reading
            for reading in each.readings
        )


def name_the_nameless(found: Sequence[Found], lexicon: Lexicon) -> None:
    """A value between the two lines of its name, or under its name; without one it is no result."""
    for place, each in enumerate(found):
        if each.rule != NAMELESS:
            continue
        if place and _is_again(found[place - 1], each):
            each.rule, each.readings = TWO_LINES, (each.readings[0]._replace(name=found[place - 1].readings[-1].name),)
            continue
        above = _named_above(found, place)
        below = found[place + 1] if place + 1 < len(found) else None
        lines = 1 if place and above is found[place - 1] else 2
        parts = name_around(above.line if above else None, each.line, below.line if below else None, lines)
        halves = [_halves(part) for part in parts]
        name = clean_name(" ".join(text for text, _ in halves))
        limits = " ".join(text for _, text in halves if text) or None
        is_free = all(other.rule is None for other in (above, below) if other is not None and other.line in parts)
        known = is_known(name, None, lexicon)
        is_result = (known or any(reading.unit or reading.range for reading in each.readings)) and not _is_step(each)
        if len(each.readings) == 1 and parts and is_free and is_result and can_be_name(name, known=known):
            own = each.readings[0]
            each.rule, each.readings = TWO_LINES, (own._replace(name=name, range=own.range or limits),)
            for other in (above, below):
                if other is not None and other.line in parts:
                    other.rule = CONTINUATION
        else:
            each.rule, each.readings = None, ()


def _is_step(each: Found) -> bool:
    """A limit without a unit, and words behind it: < 1.0, lower."""
    has_words = len(cells_of(each.line.row)) > 1 and each.line.pieces[-1].kind in ("word", "flag")
    return has_words and any(reading.comparator and not reading.unit for reading in each.readings)


def _named_above(found: Sequence[Found], place: int) -> Found | None:
    """The line above; or else the one above that, where how it was measured stands between a name and its result."""
    above = found[place - 1] if place else None
    if above is None or place < 2 or not vocabulary.is_technique(above.line.row.text):
        return above
    name = found[place - 2]
    is_between = is_close(name.line, above.line) and is_close(above.line, found[place].line)
    return name if is_between and vocabulary.is_value_head(found[place].line.pieces[0].text) else above


def _halves(line: Line) -> tuple[str, str | None]:
    """What a line around a value holds of its name, and perhaps of its range beside it."""
    texts = unflagged_cells(line)
    if len(texts) == _NAME_AND_RANGE and is_range(texts[1]):
        return texts[0], printed_range(texts[1])
    return " ".join(texts), None


def _is_again(above: Found, each: Found) -> bool:
    """The value right above in another unit: percent, and under it the count."""
    if not above.readings or len(each.readings) != 1 or not is_close(above.line, each.line):
        return False
    last, own = above.readings[-1], each.readings[0]
    return bool(last.name and last.unit and own.unit) and last.unit != own.unit


def name_other_units(found: Sequence[Found]) -> None:
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
