"""Line by line from the top: each by itself and with those above it, under the head of the last table."""

from collections.abc import Sequence

from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.lines.running_text import goes_on_prose, is_running_text, read_running_text
from blobforge.processors.lab_report.lines.spacing import is_close
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.page.rows import cells_of, lead_size
from blobforge.processors.lab_report.passes.continuations import take_continuation, take_other_unit, take_range_above
from blobforge.processors.lab_report.passes.line_pass import PassContext, Records
from blobforge.processors.lab_report.passes.single_line import read_line
from blobforge.processors.lab_report.passes.wrapped_results import begins_range
from blobforge.processors.lab_report.tables.dated_heads import head_at
from blobforge.processors.lab_report.tables.heads import header_of, is_scale_head
from blobforge.processors.lab_report.tables.lab_table import LabTable, tables_of

_LARGER = 1.08


def read_in_order(unread: Records, context: PassContext) -> list[LineRecord]:
    """A head holds for the lines under it until the next, over the end of the page too."""
    lines = [record.line for record in unread]
    lexicon = context.lexicon
    records: list[LineRecord] = []
    tables: list[LabTable] = []
    headed = 0
    for place, line in enumerate(lines):
        head = head_at(lines, place, context.date_order) if place >= headed else None
        if head is not None:
            headed = place + head.lines
            tables = tables_of(head.columns, _body(lines, headed - 1))
        if place < headed:
            records.append(LineRecord(line, Rule.HEADER))
            continue
        if _ends_table(tables, records, line):
            tables = []
        apart = _read_apart(lines, place, records, tables, lexicon)
        records.append(apart or read_line(line, tables, lexicon))
        if apart is None:
            _join_to_above(records, tables, lexicon)
    return records


def _read_apart(
    lines: Sequence[TaggedLine], place: int, records: Sequence[LineRecord], tables: Sequence[LabTable], lexicon: Lexicon
) -> LineRecord | None:
    """Lines that are no row of anything: steps of a scale, running text, the beginning of a range above its result."""
    line = lines[place]
    if is_scale_head(line) or (records and _is_step(records[-1], line)):
        return LineRecord(line, Rule.SCALE)
    told = read_running_text(line, lexicon) if is_running_text(line) else ()
    if told:
        return LineRecord(line, Rule.RUNNING_TEXT, told)
    if place and goes_on_prose(lines[place - 1], line):
        return LineRecord(line, Rule.NOTE)
    after = lines[place + 1] if place + 1 < len(lines) else None
    return (
        LineRecord(line, Rule.RANGE_ABOVE) if records and begins_range(records[-1].line, line, after, tables) else None
    )


def _join_to_above(records: list[LineRecord], tables: Sequence[LabTable], lexicon: Lexicon) -> None:
    take_range_above(records)
    take_other_unit(records, lexicon)
    if not records[-1].observations or records[-1].rule == Rule.NAMELESS:
        take_continuation(records, tables, lexicon)


def _ends_table(tables: Sequence[LabTable], records: Sequence[LineRecord], line: TaggedLine) -> bool:
    """A heading in larger print, where the head was made for its rows alone: it told their unit."""
    last = next((each for each in reversed(records) if each.rule == Rule.TABLE_ROW), None)
    if last is None or not any(column.unit for table in tables for column in table.columns):
        return False
    return len(cells_of(line.row)) == 1 and lead_size(line.row) > _LARGER * lead_size(last.line.row)


def _is_step(before: LineRecord, line: TaggedLine) -> bool:
    """Under the head of a scale, lines without a unit are its steps, until there is a gap."""
    return (
        before.rule == Rule.SCALE
        and is_close(before.line, line)
        and not any(span.label == "UNIT" for span in line.spans)
    )


def _body(lines: Sequence[TaggedLine], header: int) -> list[TaggedLine]:
    """The lines that tell where the columns of a head lie."""
    body = []
    for line in lines[header + 1 : header + 60]:
        if line.row.page != lines[header].row.page or header_of(line):
            break
        if any(span.label in ("NUMBER", "RANGE", "LIMIT", "OUTCOME") for span in line.spans):
            body.append(line)
    return body
