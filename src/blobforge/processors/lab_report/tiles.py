"""Results on tiles, several side by side: each column of tiles is read by itself, from top to bottom."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from blobforge.processors.lab_report.rows import Row, cells_of
from blobforge.processors.lab_report.words import Word

_LABEL = re.compile(r"(?P<label>[^\d:]{3,30}):\s*\S")
_NEAR = 3.0
_FEWEST = 2
_ABOVE, _BELOW = 2, 1
"""Lines of a tile before and after the one with the label."""


def without_tiles(rows: Sequence[Row]) -> list[Row]:
    """Rows of one page; between the first and the last tile, column after column."""
    labelled = {place: starts for place, row in enumerate(rows) if (starts := _repeated(row))}
    margins = _margins(list(labelled.values()))
    if not margins:
        return list(rows)
    first = max(min(labelled) - _ABOVE, 0)
    last = max(labelled) + _BELOW + 1
    edges = [float("-inf"), *(margin - _NEAR for margin in margins), float("inf")]
    columns = [part for left, right in pairwise(edges) for part in _column(rows[first:last], left, right)]
    return [*rows[:first], *columns, *rows[last:]]


def _repeated(row: Row) -> list[float]:
    """Where cells begin that have the label of the first one."""
    labels = [(match["label"].casefold(), cell[0].x0) for cell in cells_of(row) if (match := _match(cell))]
    return [x0 for label, x0 in labels[1:] if label == labels[0][0]]


def _match(cell: Sequence[Word]) -> "re.Match[str] | None":
    return _LABEL.match(" ".join(word.text for word in cell))


def _margins(starts: Sequence[Sequence[float]]) -> list[float]:
    """Where tiles begin in several lines."""
    counted = Counter(round(x0 / _NEAR) for row in starts for x0 in row)
    return sorted(place * _NEAR for place, count in counted.items() if count >= _FEWEST)


def _column(rows: Sequence[Row], left: float, right: float) -> list[Row]:
    parts = [row._replace(words=tuple(word for word in row.words if left <= word.x0 < right)) for row in rows]
    return [part for part in parts if part.words]
