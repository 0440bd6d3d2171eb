"""Names of several lines, whichever of them the result stands beside."""

from collections.abc import Sequence
from itertools import takewhile

from blobforge.processors.lab_report.lines.observation import clean_name
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.page.rows import PrintedRow, cells_of, lead_size
from blobforge.processors.lab_report.page.words import PositionedWord, text_of
from blobforge.processors.lab_report.passes.line_pass import PassContext, Records
from blobforge.processors.lab_report.vocabulary import phrases

_LEADING = 1.45
"""Of the letter size: lines of one cell stand no further apart."""
_CLOSER = 0.87
"""Of the distance between rows."""
_SAME = 0.07
_MARGIN = 2.0
_INDENT = 1.5
_MOST = 3
_MEASURES = ("NUMBER", "RANGE", "LIMIT", "DATE")


def complete_names_of_rows(before: Records, _context: PassContext) -> list[LineRecord]:
    """A name whose first lines stand above its result, or whose last ones stand below it."""
    return _completed(before, (Rule.TABLE_ROW, Rule.FREE_ROW))


def complete_names_of_bare_lines(before: Records, _context: PassContext) -> list[LineRecord]:
    """The same for lines that became results by what stands beside them."""
    return _completed(before, (Rule.BARE_ROW,))


def _completed(before: Records, rules: Sequence[Rule]) -> list[LineRecord]:
    records = list(before)
    lines = [each.line for each in before]
    for place, each in enumerate(before):
        if each.rule not in rules or len({observation.name for observation in each.observations}) != 1:
            continue
        above, below = lines_of_name(lines, place, [other.rule is Rule.UNREAD for other in records])
        if not above and not below:
            continue
        texts = ([lines[at].row.text for at in part] for part in (above, below))
        first, last = (" ".join(text) for text in texts)
        names = (clean_name(f"{first} {observation.name} {last}") for observation in each.observations)
        records[place] = each.with_observations(
            *(observation._replace(name=name) for observation, name in zip(each.observations, names, strict=True))
        )
        for at in (*above, *below):
            records[at] = records[at].read_as(Rule.CONTINUATION)
    return records


def lines_of_name(lines: Sequence[TaggedLine], place: int, is_free: Sequence[bool]) -> tuple[range, range]:
    """The places of the lines above and below that hold more of the name of the result at this place.

    They are closer to it than rows are to each other: a heading keeps the distance of a row, or is in capitals.
    `is_free` says which lines nothing else was read from.
    """
    above = _run(lines, place, range(place - 1, max(place - 1 - _MOST, -1), -1), is_free)
    below = _run(lines, place, range(place + 1, min(place + 1 + _MOST, len(lines))), is_free)
    if above:
        # Beside the middle of a name there is as much of it below as above; otherwise what is below is another matter.
        below = below if below == above else 0
    elif any(phrases.speaks_of_technique(line.row.text) for line in lines[place + 1 : place + 1 + below]):
        below = 0
    is_remark = (above == 0 and below == 1 and _is_remark(lines[place + 1].row)) or (
        above == 1 and lines[place].row.text.startswith("(")
    )
    if not above + below or not (is_remark or _stands_apart(lines, place - above, place + below)):
        return range(0), range(0)
    return range(place - above, place), range(place + 1, place + 1 + below)


def _run(lines: Sequence[TaggedLine], place: int, others: range, is_free: Sequence[bool]) -> int:
    """How many lines, one after the other, are text at the margin of this line and as close as lines of a cell."""
    steps = zip((place, *others), others, strict=False)
    return sum(1 for _ in takewhile(lambda step: is_free[step[1]] and _goes_with(lines, place, *step), steps))


def _goes_with(lines: Sequence[TaggedLine], place: int, one: int, other: int) -> bool:
    result, line = lines[place].row, lines[other].row
    # A remark in brackets may be indented.
    indent = _INDENT * line.size if _is_remark(line) or result.text.startswith("(") else _MARGIN
    at_margin = [cell for cell in cells_of(result)[:2] if abs(line.box.x0 - cell[0].x0) < indent]
    return (
        line.page == result.page
        and len(cells_of(line)) == 1
        and any(_is_of_one_case(line, cell) and _are_alike(line, cell) for cell in at_margin)
        and not line.text.endswith((":", "."))
        and (_is_remark(line) or not any(span.label in _MEASURES for span in lines[other].spans))
        and _gap(lines, one, other) < _LEADING * result.size
    )


def _are_alike(row: PrintedRow, cell: Sequence[PositionedWord]) -> bool:
    size = max(word.size for word in cell)
    return abs(lead_size(row) - size) < _SAME * size


def _is_remark(row: PrintedRow) -> bool:
    """In brackets even a number is part of a name: (CKD-EPI 2009), (eGFR) CKD-EPI 2021."""
    return row.text.startswith("(") and ")" in row.text


def _is_of_one_case(row: PrintedRow, cell: Sequence[PositionedWord]) -> bool:
    """A name in capitals goes on in capitals, and no other does, but for a remark: (CKD-EPI)."""
    is_upper = text_of(cell).isupper()
    return row.text.isupper() if is_upper else not row.text.isupper() or _is_remark(row)


def _stands_apart(lines: Sequence[TaggedLine], first: int, last: int) -> bool:
    inside = _gap(lines, first, first + 1)
    before = _gap(lines, first - 1, first) if first else float("inf")
    after = _gap(lines, last, last + 1) if last + 1 < len(lines) else float("inf")
    return inside < _CLOSER * min(before, after)


def _gap(lines: Sequence[TaggedLine], one: int, other: int) -> float:
    if lines[one].row.page != lines[other].row.page:
        return float("inf")
    return abs(lines[one].row.box.bottom - lines[other].row.box.bottom)
