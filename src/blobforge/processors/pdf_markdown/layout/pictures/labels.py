"""Labels of tables that run across columns: the line right above such a table is read with it, not with a column."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model import Box, Line
from blobforge.processors.pdf_markdown.layout.tables.grid import Table

_NEAREST = 1.2
"""Of its size: a label stands no farther above its table."""
_NEXT = 1.8
"""Of its size: a line of the same look so near above makes it the end of something longer."""


def labels_of(tables: Sequence[Table], lines: Sequence[Line]) -> dict[int, Line]:
    """The line that stands alone above each table, by the ids of tables."""
    found: dict[int, Line] = {}
    for table in tables:
        above = [line for line in lines if _is_right_above(line, table.box)]
        if len(above) == 1 and not _ends_a_text(above[0], lines):
            found[id(table)] = above[0]
    return found


def _is_right_above(line: Line, table: Box) -> bool:
    is_over = line.left < table.right and line.right > table.left
    return is_over and -1 <= table.top - line.base < _NEAREST * line.size


def _ends_a_text(line: Line, lines: Sequence[Line]) -> bool:
    return any(
        0 < line.base - other.base < _NEXT * line.size and other.left < line.right and other.right > line.left
        for other in lines
    )
