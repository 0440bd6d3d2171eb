"""Labels of tables across columns: the line right above such a table is read with the table, not with a column."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.table import DetectedTable

_NEAREST = 1.2
"""Of its size: a label stands no farther above its table."""
_NEXT = 1.8
"""Of its size: a line of the same look so near above makes it the end of something longer."""


def labels_of(tables: Sequence[DetectedTable], lines: Sequence[TextLine]) -> dict[int, TextLine]:
    """The line that stands alone above each table, by the ids of tables."""
    found: dict[int, TextLine] = {}
    for table in tables:
        above = [line for line in lines if _is_right_above(line, table.box)]
        if len(above) == 1 and not _ends_a_text(above[0], lines):
            found[id(table)] = above[0]
    return found


def _is_right_above(line: TextLine, table: Rectangle) -> bool:
    is_over = line.left < table.right and line.right > table.left
    return is_over and -1 <= table.top - line.base < _NEAREST * line.size


def _ends_a_text(line: TextLine, lines: Sequence[TextLine]) -> bool:
    return any(
        0 < line.base - other.base < _NEXT * line.size and other.left < line.right and other.right > line.left
        for other in lines
    )
