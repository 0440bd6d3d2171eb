"""What was found in a line, and by which rule."""

from dataclasses import dataclass

from blobforge.processors.lab_report.lines import Line
from blobforge.processors.lab_report.readings import Reading

HEADER, TABLE_ROW, FREE_ROW, BARE_ROW = "header", "table row", "free row", "bare row"
WORDS, CONTINUATION, TWO_LINES, NAMELESS = "result in words", "continuation", "name in another line", "nameless"
EARLIER, SCALE, RANGE_ABOVE = "earlier result", "scale", "range above"
OTHER_UNIT, NOTE, REPEAT, RUNNING_TEXT = "other unit", "note", "repeat", "running text"


@dataclass(slots=True)
class Found:
    """A line, the rule that read it, and the results that it holds. Lines after it may add to them."""

    line: Line
    rule: str | None = None
    readings: tuple[Reading, ...] = ()
