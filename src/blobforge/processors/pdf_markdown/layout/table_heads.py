"""Heads over several columns. Centred, they may stand where no column is; they belong to the first one under them."""

from collections.abc import Sequence

from blobforge.processors.pdf_markdown.layout.model import around
from blobforge.processors.pdf_markdown.layout.tables import Cell, Table


def with_heads_placed(table: Table) -> Table:
    """Without columns that hold nothing but a head of the first row, where a second row of heads fills more."""
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
    return Table(table.box, rows, edges, table.order, table.lines)


def _blocks(table: Table) -> list[tuple[list[Cell], list[int]]]:
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


def _first_columns(table: Table, heads: Sequence[Cell], columns: Sequence[int]) -> list[int]:
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


def _middle(table: Table, first: int, last: int) -> float:
    return around(line.box for row in table.rows[1:] for line in (*row[first], *row[last])).middle
