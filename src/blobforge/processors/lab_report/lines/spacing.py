"""How lines stand to each other: close enough to be one thing, or in smaller print, as notes are."""

from blobforge.processors.lab_report.lines.tagged_line import TaggedLine
from blobforge.processors.lab_report.page.rows import lead_size
from blobforge.processors.lab_report.vocabulary import phrases

_NEAR = 2.2
"""Of the letter size: from the bottom of one line to the bottom of the next."""
_SMALLER = 0.93


def is_close(above: TaggedLine, line: TaggedLine, lines: int = 1) -> bool:
    """As lines of one thing are, so many of them apart."""
    if above.row.page != line.row.page:
        return False
    return 0 < line.row.box.bottom - above.row.box.bottom < lines * _NEAR * max(above.row.size, line.row.size)


def is_note(above: TaggedLine, line: TaggedLine, text: str) -> bool:
    """How or in what it was measured, or in smaller print than the name above: no part of the name."""
    return phrases.is_technique(text) or lead_size(line.row) < _SMALLER * lead_size(above.row)
