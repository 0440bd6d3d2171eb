"""Bars of fractions: rules, too, but none of a table."""

from collections.abc import Iterable, Sequence

from blobforge.processors.pdf_markdown.layout.model import Line
from blobforge.processors.pdf_markdown.layout.tables.separators import Separator

_AXIS = 0.5
"""Of the size: so little above the baseline of what stands beside it runs a bar."""
_BESIDE = 1.2
_CLOSE = 1.5
_SAME_END = 0.3


def without_fractions(separators: Iterable[Separator], lines: Sequence[Line]) -> list[Separator]:
    return [mark for mark in separators if not _is_bar(mark, lines)]


def _is_bar(mark: Separator, lines: Sequence[Line]) -> bool:
    """Whether it is as long as what stands above and below it, and a formula goes on beside it at its height."""
    if not any(_stands_beside(line, mark) for line in lines):
        return False
    near = [line for line in lines if mark.left - line.size < line.left and line.right < mark.right + line.size]
    above = [line for line in near if 0 <= mark.y - line.base < _CLOSE * line.size]
    below = [line for line in near if 0 < line.base - mark.y < _CLOSE * line.size]
    if not above or not below:
        return False
    slack = _SAME_END * above[0].size
    left, right = min(line.left for line in (*above, *below)), max(line.right for line in (*above, *below))
    return abs(left - mark.left) <= slack and abs(right - mark.right) <= slack


def _stands_beside(line: Line, mark: Separator) -> bool:
    if not 0 < line.base - mark.y <= _AXIS * line.size:
        return False
    return min(abs(mark.left - line.right), abs(line.left - mark.right)) <= _BESIDE * line.size
