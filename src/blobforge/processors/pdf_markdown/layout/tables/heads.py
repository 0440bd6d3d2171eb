"""Heads over several columns. Centred, they may stand where no column is; they belong to the first one under them.

A header whose cells are tinted makes a grid of its own above rows with rules only: the two are one table."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, around
from blobforge.processors.pdf_markdown.layout.model.table import Cell, DetectedTable, Span
from blobforge.processors.pdf_markdown.layout.rulings.separators import Separator

_TALLEST_HEADER = 3
_WHOLE = 0.9
"""Of the table: a rule so long is under its whole header."""
_CLOSE_UNDER = 1.5
"""In sizes: so close under its header a table begins."""


def with_heads_placed(table: DetectedTable) -> DetectedTable:
    """Without columns that hold nothing but a head of the first row: it belongs to one or more columns beside it."""
    return _with_heads_over_alike(_with_heads_beside(_with_heads_over(table)))


def _with_heads_over(table: DetectedTable) -> DetectedTable:
    """Where a second row of heads fills more columns."""
    if len(table.rows) < 3:
        return table
    first, second = table.rows[0], table.rows[1]
    stray = [column for column, cell in enumerate(first) if cell and not any(row[column] for row in table.rows[1:])]
    if not stray or sum(map(bool, second)) <= sum(map(bool, first)):
        return table
    kept = [column for column in range(len(first)) if column not in stray]
    head: list[Cell] = [[] for _ in first]
    for heads, columns in _blocks(table):
        if len(heads) > len(columns):
            return table
        for cell, column in zip(heads, _first_columns(table, heads, columns), strict=True):
            head[column] = cell
    rows = [[row[column] for column in kept] for row in (head, *table.rows[1:])]
    edges = (table.edges[0], *(table.edges[column] for column in kept[1:]), table.edges[-1])
    return DetectedTable(table.box, rows, edges, table.order, table.lines)


def _with_heads_beside(table: DetectedTable) -> DetectedTable:
    """A head may be set at one side of its column and the cells at the other, so that they seem to be two columns."""
    for column, cell in enumerate(table.rows[0]):
        if not cell or any(row[column] for row in table.rows[1:]):
            continue
        beside = [other for other in (column - 1, column + 1) if _is_headless(table, other)]
        if beside:
            head = around(line.box for line in cell)
            near = min(beside, key=lambda other: _distance(head, _body(table, other)))
            return _with_heads_beside(_merged(table, column, near))
    return table


def _with_heads_over_alike(table: DetectedTable) -> DetectedTable:
    """Where the second row says the same again and again, each head belongs to the first column of its part."""
    if len(table.rows) < 3:
        return table
    heads = [cell for cell in table.rows[0] if cell]
    names = [" ".join(line.text for line in cell) for cell in table.rows[1]]
    for first in range(2) if len(heads) > 1 else ():
        each, rest = divmod(len(names) - first, len(heads))
        part = names[first : first + each]
        if each < 2 or rest or not all(part) or names[first:] != part * len(heads) or any(table.rows[0][:first]):
            continue
        head: list[Cell] = [[] for _ in names]
        for place, cell in enumerate(heads):
            head[first + place * each] = cell
        return replace(table, rows=[head, *table.rows[1:]])
    return table


def _is_headless(table: DetectedTable, column: int) -> bool:
    if not 0 <= column < len(table.rows[0]) or table.rows[0][column]:
        return False
    return any(row[column] for row in table.rows[1:])


def _body(table: DetectedTable, column: int) -> Rectangle:
    return around(line.box for row in table.rows[1:] for line in row[column])


def _distance(one: Rectangle, other: Rectangle) -> float:
    return max(one.left - other.right, other.left - one.right)


def _merged(table: DetectedTable, column: int, other: int) -> DetectedTable:
    """With two columns side by side as one."""
    first = min(column, other)
    rows = [[*row[:first], row[first] + row[first + 1], *row[first + 2 :]] for row in table.rows]
    edges = (*table.edges[: first + 1], *table.edges[first + 2 :])
    return replace(table, rows=rows, edges=edges)


def spread_heads(table: DetectedTable, separators: Iterable[Separator]) -> None:
    """Notes the spans of heads that a rule underlines, over several columns but not over all."""
    box = table.box
    marks = [
        mark
        for mark in separators
        if box.top < mark.y < box.bottom and mark.right - mark.left < _WHOLE * box.width and mark.left < box.right
    ]
    for row in range(min(_TALLEST_HEADER, len(table.rows) - 2)):
        low = min(line.base for cell in table.rows[row + 1] for line in cell) if any(table.rows[row + 1]) else box.top
        for mark in (mark for mark in marks if mark.y < low):
            columns, cells = _columns_under(table, row, mark), table.rows[row]
            heads = [column for column, cell in enumerate(cells) if cell and _underlines(mark, table, row, column)]
            others = [column for column in columns if cells[column] and column not in heads]
            if len(columns) > 1 and len(heads) == 1 and not others:
                # Centred, it may have been taken for the head of another column.
                cells[columns[0]], cells[heads[0]] = cells[heads[0]], cells[columns[0]]
                table.spans.append(Span(row, columns[0], 1, len(columns)))


def _columns_under(table: DetectedTable, row: int, mark: Separator) -> list[int]:
    """The columns that have the middle of what stands below the row under the rule."""
    middles = {
        column: around(line.box for line in lines).middle
        for column in range(len(table.rows[row]))
        if (lines := [line for other in table.rows[row + 1 :] for line in other[column]])
    }
    return [column for column, middle in middles.items() if mark.left < middle < mark.right]


def _underlines(mark: Separator, table: DetectedTable, row: int, column: int) -> bool:
    """Whether the rule lies between the head and the next row, and is not shorter than the head."""
    head = around(line.box for line in table.rows[row][column])
    size = table.rows[row][column][0].size
    below = min(line.base for cell in table.rows[row + 1] for line in cell)
    is_over = mark.left - size <= head.left and head.right <= mark.right + size
    return is_over and head.bottom - size / 2 < mark.y < below


def _blocks(table: DetectedTable) -> list[tuple[list[Cell], list[int]]]:
    """Heads of the first row, with the columns side by side that they share; a head without others below is alone."""
    blocks: list[tuple[list[Cell], list[int]]] = []
    is_open = False
    for column, (cell, below) in enumerate(zip(table.rows[0], table.rows[1], strict=True)):
        is_stray = not any(row[column] for row in table.rows[1:])
        is_shared = bool(below) or is_stray
        if not is_open or not is_shared:
            blocks.append(([], []))
        blocks[-1][0].extend([cell] if cell else [])
        blocks[-1][1].extend([] if is_stray else [column])
        is_open = is_shared
    return blocks


def _first_columns(table: DetectedTable, heads: Sequence[Cell], columns: Sequence[int]) -> list[int]:
    """From left to right each head takes the columns whose middle is nearest to its own."""
    found: list[int] = []
    start = 0
    for place, cell in enumerate(heads):
        middle = around(line.box for line in cell).middle
        ends = range(start, len(columns) - (len(heads) - place - 1))
        end = min(ends, key=lambda end: abs(_middle(table, columns[start], columns[end]) - middle))
        found.append(columns[start])
        start = end + 1
    return found


def _middle(table: DetectedTable, first: int, last: int) -> float:
    return around(line.box for row in table.rows[1:] for line in (*row[first], *row[last])).middle


def with_heads_joined(tables: Sequence[DetectedTable]) -> list[DetectedTable]:
    """Those that are nothing but a header become the first rows of the table right under them."""
    found = list(tables)
    for head in tables:
        body = next((table for table in found if _is_under_head(head, table)), None) if _is_only_head(head) else None
        if body is not None:
            found = [_with_head(head, body) if table is body else table for table in found if table is not head]
    return found


def _is_only_head(table: DetectedTable) -> bool:
    return len(table.rows) <= _TALLEST_HEADER and all(line.is_bold for line in table.lines)


def _is_under_head(head: DetectedTable, table: DetectedTable) -> bool:
    if table is head or len(table.rows[0]) != len(head.rows[0]) or _is_only_head(table):
        return False
    gap, size = table.box.top - head.box.bottom, table.lines[0].size
    return -size / 2 <= gap < _CLOSE_UNDER * size


def _with_head(head: DetectedTable, body: DetectedTable) -> DetectedTable:
    spans = [*head.spans, *(span._replace(row=span.row + len(head.rows)) for span in body.spans)]
    rows, lines = [*head.rows, *body.rows], [*head.lines, *body.lines]
    return DetectedTable(around([head.box, body.box]), rows, head.edges, min(head.order, body.order), lines, spans)
