"""Tables whose cells are enclosed by invisible rectangles, row by row in the same columns."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.model.table import Cell, DetectedTable, rows_of

_FEWEST_ROWS = 3
_SAME = 1.0
_ASIDE = 2.0
_MOST = 0.8
_FILLED = 0.5

Boxes = Sequence[Rectangle]


def invisible_cell_tables(boxes: Boxes, lines: Sequence[TextLine]) -> list[DetectedTable]:
    """What lies in a lattice of boxes, each with the text of one cell."""
    tables: list[DetectedTable] = []
    for rows in _lattices(boxes):
        table = _filled(rows, lines)
        if table is not None:
            tables.append(table)
            lines = [line for line in lines if line not in table.lines]
    return tables


def _lattices(boxes: Boxes) -> Iterator[list[Boxes]]:
    first = 0
    while first < len(boxes):
        rows = _rows_from(boxes, first)
        if len(rows) >= _FEWEST_ROWS:
            yield rows
            first += len(rows) * len(rows[0])
        else:
            first += 1


def _rows_from(boxes: Boxes, first: int) -> list[Boxes]:
    """The boxes up to the next one in the first column are a row; others follow below as long as they are alike."""
    again = next((at for at in range(first + 1, len(boxes)) if _is_alike(boxes[at], boxes[first])), len(boxes))
    columns = boxes[first:again]
    if len(columns) < 2 or any(right.left < left.right for left, right in pairwise(columns)):
        return []
    rows = [columns]
    for start in range(again, len(boxes), len(columns)):
        row = boxes[start : start + len(columns)]
        if len(row) < len(columns) or not all(map(_is_alike, row, columns)):
            break
        if min(box.top for box in row) < min(box.top for box in rows[-1]):
            break
        rows.append(row)
    return rows


def _is_alike(one: Rectangle, other: Rectangle) -> bool:
    return abs(one.left - other.left) <= _SAME and abs(one.right - other.right) <= _SAME


def _filled(rows: Sequence[Boxes], lines: Sequence[TextLine]) -> DetectedTable | None:
    """None where much text lies across the columns, or hardly any in them."""
    whole = around(box for row in rows for box in row)
    inner = [line for line in lines if whole.left - _ASIDE <= line.left < whole.right and _is_level(line, whole)]
    cells: list[list[Cell]] = [[[] for _ in row] for row in rows]
    taken: list[TextLine] = []
    for line in (line for row in rows_of(inner) for line in row):
        column = next((at for at, box in enumerate(rows[0]) if _is_within(line, box)), None)
        if column is not None:
            place = min(range(len(rows)), key=lambda at: _distance(line, rows[at][column]))
            cells[place][column].append(line)
            taken.append(line)
    full = sum(bool(cell) for row in cells for cell in row)
    if len(taken) < _MOST * len(inner) or full < _FILLED * len(rows) * len(rows[0]):
        return None
    edges = (*(box.left for box in rows[0]), whole.right)
    kept = [row for row in cells if any(row)]
    return DetectedTable(around(line.box for line in taken), kept, edges, min(line.order for line in taken), taken)


def _is_level(line: TextLine, box: Rectangle) -> bool:
    return box.top - line.size / 2 < line.base - 0.3 * line.size < box.bottom + line.size / 2


def _is_within(line: TextLine, box: Rectangle) -> bool:
    return box.left - _ASIDE <= line.left and line.right <= box.right + line.size


def _distance(line: TextLine, box: Rectangle) -> tuple[float, float]:
    """How far above or below the box it is; of several around it the lowest one counts."""
    middle = line.base - 0.3 * line.size
    return max(box.top - middle, middle - box.bottom, 0.0), box.height
