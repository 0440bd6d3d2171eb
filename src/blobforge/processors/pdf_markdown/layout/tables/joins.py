"""Two finds that are one table: a header whose cells are tinted makes a grid of its own above rows with rules only."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model import around
from blobforge.processors.pdf_markdown.layout.tables.grid import Table

_TALLEST_HEADER = 3
_CLOSE = 1.5
"""In sizes: so close under its header a table begins."""


def with_heads_joined(tables: Sequence[Table]) -> list[Table]:
    """Those that are nothing but a header become the first rows of the table right under them."""
    found = list(tables)
    for head in tables:
        body = next((table for table in found if _is_body(head, table)), None) if _is_bold(head) else None
        if body is not None:
            found = [_joined(head, body) if table is body else table for table in found if table is not head]
    return found


def _is_bold(table: Table) -> bool:
    return len(table.rows) <= _TALLEST_HEADER and all(line.is_bold for line in table.lines)


def _is_body(head: Table, table: Table) -> bool:
    if table is head or len(table.rows[0]) != len(head.rows[0]) or _is_bold(table):
        return False
    gap, size = table.box.top - head.box.bottom, table.lines[0].size
    return -size / 2 <= gap < _CLOSE * size and all(_is_under(head, table, column) for column in _columns(table))


def _is_under(head: Table, table: Table, column: int) -> bool:
    """Whether the middle of the column lies between the edges of the same column of the header."""
    boxes = [line.box for row in table.rows for line in row[column]]
    return not boxes or head.edges[column] <= around(boxes).middle <= head.edges[column + 1]


def _columns(table: Table) -> range:
    return range(len(table.rows[0]))


def _joined(head: Table, body: Table) -> Table:
    spans = [*head.spans, *(span._replace(row=span.row + len(head.rows)) for span in body.spans)]
    rows, lines = [*head.rows, *body.rows], [*head.lines, *body.lines]
    return Table(around([head.box, body.box]), rows, head.edges, min(head.order, body.order), lines, spans)
