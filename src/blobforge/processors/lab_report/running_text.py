"""Results in running text, as letters have them: Sodium 131 mmol/l (136-145), potassium 3.4 mmol/l (3.5-5.1)."""

import re
from collections.abc import Iterator, Sequence

from blobforge.processors.lab_report.documents import Mark
from blobforge.processors.lab_report.lexicon import Lexicon
from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.ranges import is_range, printed_range
from blobforge.processors.lab_report.readings import Reading, can_be_name, clean_name, is_known
from blobforge.processors.lab_report.rows import Row, cells_of
from blobforge.processors.lab_report.units import printed_unit

_RESULT = re.compile(
    r"\d\s*(?:[^\s\d(),;]\S{0,14}\s*){0,2}\((?:[^\W\d_]+\.?:?\s*){0,3}[<>≤≥]?\s*\d[^()]*\)\s*(?:[,;.]|$|\w|и\s)"
)
_FEWEST = 2
_LEADING = 1.8
_MARGIN = 1.5
_LONGEST_NAME = 6
_SIGNS = " –—-=:·•"
_ENDS = (",", ";", ".", ":")


def with_paragraphs(rows: Sequence[Row]) -> list[Row]:
    """Rows of one page; those of a paragraph with results become one row, whose words are in the order of reading."""
    return [
        Row(block[0].page, tuple(word for row in block for word in row.words)) if len(block) > 1 else block[0]
        for block in _blocks(rows)
    ]


def is_running_text(line: Line) -> bool:
    return len(_RESULT.findall(line.row.text)) >= _FEWEST and len(cells_of(line.row)) == 1


def read_running_text(line: Line, lexicon: Lexicon) -> tuple[Reading, ...]:
    found = (_judged(reading, lexicon) for reading in _readings(line))
    return tuple(reading for reading in found if reading is not None)


def _blocks(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    start = 0
    for place in range(1, len(rows) + 1):
        if place < len(rows) and _goes_on(rows[place - 1], rows[place]):
            continue
        block = rows[start:place]
        # In a list every line is a result by itself.
        if any(len(_RESULT.findall(row.text)) >= _FEWEST for row in block):
            yield block
        else:
            yield from ([row] for row in block)
        start = place


def _goes_on(above: Row, row: Row) -> bool:
    """Lines of one paragraph: without wide gaps, close to each other, from margin to margin."""
    fall = row.box.bottom - above.box.bottom
    is_close = above.page == row.page and 0 < fall < _LEADING * row.size
    is_flush = abs(row.box.x0 - above.box.x0) < _MARGIN * row.size
    return is_close and is_flush and len(cells_of(above)) == 1 and len(cells_of(row)) == 1


def _readings(line: Line) -> Iterator[Reading]:
    start = 0
    for mark in line.marks:
        if mark.label not in ("NUMBER", "LIMIT") or mark.first < start:
            continue
        unit = next((each for each in line.marks if each.label == "UNIT" and each.first == mark.last + 1), None)
        opening = (unit or mark).last + 1
        closing = _closing(line, opening)
        if closing is None:
            continue
        limits = line.text(opening + 1, closing - 1)
        if not is_range(limits):
            continue
        yield Reading(
            _name(line, start, mark),
            value=next(piece.text for piece in line.pieces[mark.first : mark.last + 1] if piece.kind == "number"),
            comparator=next(
                (piece.text for piece in line.pieces[mark.first : mark.last] if piece.kind == "compare"), None
            ),
            unit=printed_unit(line.text(unit.first, unit.last)) if unit else None,
            range=_without_label(limits),
        )
        start = closing + 1


def _closing(line: Line, opening: int) -> int | None:
    """Where the brackets end that begin at this piece."""
    if opening >= len(line.pieces) or line.pieces[opening].text != "(":
        return None
    ends = (place for place in range(opening, len(line.pieces)) if line.pieces[place].text == ")")
    return next(ends, None)


def _name(line: Line, start: int, value: Mark) -> str:
    """What stands before the value, behind the end of the sentence or of the result before it."""
    places = range(start, value.first)
    cuts = [
        place
        for place in places
        if line.pieces[place].text in _ENDS and line.pieces[place].kind == "mark" and place + 1 < value.first
    ]
    first = cuts[-1] + 1 if cuts else start
    return clean_name(line.text(first, value.first - 1).strip(_SIGNS))


def _without_label(limits: str) -> str | None:
    return printed_range(
        re.sub(r"^(?:норма|norm\w*|ref\w*\.?|réf\w*\.?|n|вн|рф)\.?:?\s+", "", limits, flags=re.IGNORECASE)
    )


def _judged(reading: Reading, lexicon: Lexicon) -> Reading | None:
    known = is_known(reading.name, reading.unit, lexicon)
    is_short = 0 < len(reading.name.split()) <= _LONGEST_NAME
    return reading if is_short and can_be_name(reading.name, known=known) else None
