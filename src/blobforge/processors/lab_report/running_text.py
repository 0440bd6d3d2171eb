"""Results in running text, as letters have them: Sodium 131 mmol/l (136-145), potassium 3.4 mmol/l (3.5-5.1).

Without ranges only known names count, and only where several stand one after the other.
"""

import re
from collections.abc import Iterator, Sequence

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.asides import is_prose
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
_BARE = re.compile(r"[^\W\d_]\S*\s+[<>]?\d+(?:[.,]\d+)?\s*(?:%|[^\s\d,;()]\S{0,14}|10\S{1,8})\s*[,;.]")
_FEWEST, _FEWEST_BARE = 2, 4
_FEWEST_WORDS = 3
_SENTENCE = 6
_LEADING = 1.8
_MARGIN = 1.5
_LONGEST_NAME = 6
_SIGNS = " –—-=:·•"
_ENDS = (",", ";", ".", ":")


def with_paragraphs(rows: Sequence[Row]) -> list[Row]:
    """Rows of one page; those of a paragraph with results become one row, whose words are in the order of reading."""
    return [
        Row(block[0].page, tuple(word for row in block for word in row.words), flows=True)
        if len(block) > 1
        else block[0]
        for block in _blocks(rows)
    ]


def is_running_text(line: Line) -> bool:
    return _is_told(line.row.text) and len(cells_of(line.row)) == 1


def _is_told(text: str) -> bool:
    return len(_RESULT.findall(text)) >= _FEWEST or len(_BARE.findall(text)) >= _FEWEST_BARE


def is_sentence(line: Line) -> bool:
    """Many words in small letters without a gap, and no name with its value at their beginning."""
    is_plain = len(cells_of(line.row)) == 1 and is_prose(line.row.words, fewest=_SENTENCE)
    return is_plain and not leads_with_result(line)


def leads_with_result(line: Line) -> bool:
    """A known name, perhaps with a word before and behind it, and its value."""
    end = next((mark.last for mark in line.names if mark.first <= 1), None)
    return end is not None and any(
        end < mark.first <= end + 2 and not vocabulary.is_bound(line.pieces[mark.first - 1].text)
        for mark in line.marks
        if mark.label == "NUMBER" or (mark.label == "LIMIT" and line.comparator(mark))
    )


def goes_on_prose(above: Line, line: Line) -> bool:
    """The next line of a comment: a number in it was not measured."""
    if not _goes_on(above.row, line.row) or leads_with_result(line):
        return False
    return is_prose(above.row.words) and is_prose(line.row.words, fewest=_FEWEST_WORDS)


def read_running_text(line: Line, lexicon: Lexicon) -> tuple[Reading, ...]:
    found = [reading for reading in _readings(line) if _is_result(reading, lexicon)]
    bare = [reading for reading in found if reading.range is None]
    return tuple(found if len(bare) >= _FEWEST_BARE else (reading for reading in found if reading.range is not None))


def _blocks(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    start = 0
    for place in range(1, len(rows) + 1):
        if place < len(rows) and _goes_on(rows[place - 1], rows[place]):
            continue
        block = rows[start:place]
        # In a list every line is a result by itself.
        if any(_is_told(row.text) or len(_BARE.findall(row.text)) >= _FEWEST for row in block) and _is_told(
            " ".join(row.text for row in block)
        ):
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
        last = (unit or mark).last
        closing = _closing(line, last + 1)
        limits = line.text(last + 2, closing - 1) if closing is not None else ""
        has_range = closing is not None and is_range(limits)
        if not has_range and (unit is None or not _ends(line, last + 1)):
            continue
        yield Reading(
            _name(line, start, mark),
            value=line.number(mark),
            comparator=line.comparator(mark),
            unit=printed_unit(line.text(unit.first, unit.last)) if unit else None,
            range=printed_range(limits) if has_range else None,
        )
        start = (closing if has_range and closing is not None else last) + 1


def _ends(line: Line, place: int) -> bool:
    return place >= len(line.pieces) or line.pieces[place].text in _ENDS


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


def _is_result(reading: Reading, lexicon: Lexicon) -> bool:
    known = is_known(reading.name, reading.unit, lexicon)
    is_short = 0 < len(reading.name.split()) <= _LONGEST_NAME
    return is_short and can_be_name(reading.name, known=known) and (known or reading.range is not None)
