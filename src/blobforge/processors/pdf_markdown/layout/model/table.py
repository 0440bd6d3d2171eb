"""Detected tables: rows of cells, spans, and the baselines that lines make."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, TextLine, TextWord

Row = list[TextLine]
"""Lines on one baseline, left to right."""
Cell = list[TextLine]


class Span(NamedTuple):
    """A cell that takes several places: the first of them, and how many rows and columns. The others are empty."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(slots=True)
class DetectedTable:
    """`edges` are the left ends of the columns and the right end of the last."""

    box: Rectangle
    rows: list[list[Cell]]
    edges: tuple[float, ...]
    order: int
    lines: list[TextLine]
    """All that it was made of, whole; the cells may hold pieces of them."""
    spans: list[Span] = field(default_factory=list)
    """Only what is certain: drawn, not guessed."""


def rows_of(lines: Iterable[TextLine]) -> list[Row]:
    """Lines by baseline, top down."""
    rows: list[Row] = []
    for line in sorted(lines, key=lambda line: line.base):
        if rows and abs(rows[-1][0].base - line.base) <= 0.25 * min(line.size, rows[-1][0].size) + 0.3:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda line: line.left)
    return rows


def pieces(line: TextLine, cuts: Sequence[float]) -> list[TextLine]:
    """The line cut where columns end: a gap between cells may be no wider than one between words."""
    found: list[list[TextWord]] = [[line.words[0]]]
    for before, word in pairwise(line.words):
        if word.spaced and any(before.left + before.right < 2 * cut <= word.left + word.right for cut in cuts):
            found.append([])
        found[-1].append(word)
    if len(found) == 1:
        return [line]
    return [TextLine(words, line.base, words[0].style, line.order) for words in found]


def slot(bounds: Sequence[float], value: float) -> int:
    """Between which two bounds a value lies; what is outside belongs to the outermost."""
    return max(0, min(len(bounds) - 2, bisect_right(bounds, value) - 1))
