"""Bullets that are drawn instead of written: small discs, rings and squares right before a line."""

from collections.abc import Iterable, Sequence

from blobforge.processors.pdf_markdown.layout.model import Box, Line, Word

_SIZE = (0.1, 0.6)
"""Of the text: a bullet is between these; a larger one is a thing by itself."""
_FARTHEST = 2.0
"""Of the size: the text that a bullet belongs to begins within so much."""
_HIGHEST = 0.75
_GAP = 0.4
DOT = "•"


def with_dots(lines: Sequence[Line], dots: Iterable[Box]) -> list[Line]:
    """Each line with the bullet that was drawn before it as its first word."""
    for dot in dots:
        after = [line for line in lines if _is_before(dot, line)]
        if after:
            line = min(after, key=lambda line: line.left)
            first = line.words[0]
            # It reaches up to the text, or a column of bullets would look like one of a table.
            mark = Word(DOT, dot.left, max(dot.right, first.left - _GAP * line.size), first.style)
            line.words = [mark, first._replace(spaced=True), *line.words[1:]]
    return list(lines)


def _is_before(dot: Box, line: Line) -> bool:
    least, most = _SIZE
    is_bullet = least * line.size <= dot.height <= most * line.size and line.words[0].text != DOT
    is_level = line.base - _HIGHEST * line.size < dot.top and dot.bottom < line.base
    return is_bullet and is_level and 0 < line.left - dot.right < _FARTHEST * line.size
