"""Cells over several rows or columns: only where edges or a rule were drawn for them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from blobforge.processors.pdf_markdown.layout.model.table import Cell, Span

CellPlace = tuple[int, int]
"""Row and column."""


class Edges(Protocol):
    """Where rows and columns are bounded, and what was drawn there."""

    @property
    def xs(self) -> list[float]: ...
    @property
    def ys(self) -> list[float]: ...
    def has_upright(self, x: float, y: float) -> bool: ...
    def has_level(self, x: float, y: float) -> bool: ...


def closed_spans(heads: Sequence[Sequence[CellPlace]], edges: Edges) -> list[Span]:
    """`heads` says for each place which cell it belongs to; of those only rectangles with edges all around count."""
    groups: dict[CellPlace, list[CellPlace]] = {}
    for row, places in enumerate(heads):
        for column, head in enumerate(places):
            groups.setdefault(head, []).append((row, column))
    found = [
        Span(*head, places[-1][0] - head[0] + 1, max(column for _, column in places) - head[1] + 1)
        for head, places in groups.items()
        if len(places) > 1
    ]
    return [
        span
        for span in found
        if span.rows * span.columns == len(groups[span.row, span.column]) and _is_closed(span, edges)
    ]


def _is_closed(span: Span, edges: Edges) -> bool:
    """Whether each side is drawn along its whole length, or is a side of the table."""
    xs, ys = edges.xs, edges.ys
    rows, columns = range(span.row, span.row + span.rows), range(span.column, span.column + span.columns)
    for x in (xs[span.column], xs[span.column + span.columns]):
        if x not in (xs[0], xs[-1]) and not all(edges.has_upright(x, (ys[row] + ys[row + 1]) / 2) for row in rows):
            return False
    for y in (ys[span.row], ys[span.row + span.rows]):
        if y not in (ys[0], ys[-1]) and not all(
            edges.has_level((xs[column] + xs[column + 1]) / 2, y) for column in columns
        ):
            return False
    return True


def shifted(spans: Iterable[Span], counts: Sequence[int], *, above: int) -> Iterator[Span]:
    """For rows of which each became `counts` of rows: none where it was empty, several where its lines are rows."""
    starts = [above, *(above + count for count in accumulate(counts))]
    for span in spans:
        parts = counts[span.row : span.row + span.rows]
        rows = sum(parts)
        if rows and max(parts) == 1 and (rows > 1 or span.columns > 1):
            yield span._replace(row=starts[span.row], rows=rows)


def told(spans: Iterable[Span], rows: Sequence[Sequence[Cell]]) -> list[Span]:
    """Nothing where only empty cells span: a pipe table says the same."""
    found = list(spans)
    return found if any(rows[span.row][span.column] for span in found) else []
