"""Printed lines: words that stand side by side, and the cells that wide gaps make of them."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.lab_report.page.words import PositionedWord, body_size, is_oversized, settled, text_of

_SHARED_HEIGHT = 0.5
_LEVEL = 0.9
_PEER = 0.15
_SPACED_OUT = 6
_EVEN = 0.25
_CELL_GAP = 0.8
"""Of the letter size; a space is a third of it."""


class RowBox(NamedTuple):
    x0: float
    top: float
    x1: float
    bottom: float


class PrintedRow(NamedTuple):
    """A line of a page (counted from 1), its words from left to right; or, where it flows, a paragraph."""

    page: int
    words: tuple[PositionedWord, ...]
    flows: bool = False

    @property
    def text(self) -> str:
        return text_of(self.words)

    @property
    def size(self) -> float:
        return max(word.size for word in self.words)

    @property
    def box(self) -> RowBox:
        return RowBox(
            min(word.x0 for word in self.words),
            min(word.top for word in self.words),
            max(word.x1 for word in self.words),
            max(word.bottom for word in self.words),
        )


def rows_of(page: int, words: Sequence[PositionedWord]) -> list[PrintedRow]:
    """From top to bottom. Oversized words make lines of their own, so that a watermark does not run into a table."""
    body = body_size(words)
    plain = [word for word in words if not is_oversized(word, body)]
    large = [word for word in words if is_oversized(word, body)]
    lines = [*_lines(plain), *_lines(large)]
    rows = (
        PrintedRow(page, tuple(settled(line)))
        for line in sorted(lines, key=lambda line: min(word.top for word in line))
    )
    return [row for row in rows if row.words]


def rough_rows(page: int, words: Sequence[PositionedWord]) -> list[PrintedRow]:
    """The same before marks are dropped and pieces joined: what stands side by side may yet be of different lines."""
    lines = sorted(_lines(words), key=lambda line: min(word.top for word in line))
    return [PrintedRow(page, tuple(sorted(line, key=lambda word: word.x0))) for line in lines]


def _lines(words: Iterable[PositionedWord]) -> list[list[PositionedWord]]:
    lines: list[list[PositionedWord]] = []
    for word in sorted(words, key=lambda word: (word.top + word.bottom, word.x0)):
        home = next((line for line in reversed(lines[-4:]) if _share_a_line(line, word)), None)
        if home is None:
            lines.append([word])
        else:
            home.append(word)
    return lines


def _share_a_line(line: Sequence[PositionedWord], word: PositionedWord) -> bool:
    """With the largest word, and with one of its own size or right beside it: at a headline there is room for two
    lines."""
    seed = max(line, key=lambda word: word.size)
    if not _overlap(seed, word):
        return False
    peers = [other for other in line if abs(other.size - word.size) < _PEER * word.size] or [seed]
    return any(_overlap(peer, word) for peer in peers) or _stands_beside(line, word)


def _stands_beside(line: Sequence[PositionedWord], word: PositionedWord) -> bool:
    """Right behind a word and level with it, over no other: the unit of a value in larger print."""
    before = [other for other in line if other.x1 <= word.x0]
    if len(before) < len(line) and any(other.x0 < word.x1 for other in line if other.x1 > word.x0):
        return False
    return any(word.x0 - other.x1 < _CELL_GAP * other.size and _overlap(other, word, _LEVEL) for other in before)


def _overlap(one: PositionedWord, other: PositionedWord, share: float = _SHARED_HEIGHT) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared >= share * min(one.bottom - one.top, other.bottom - other.top)


def _is_justified(row: PrintedRow) -> bool:
    gaps = [after.x0 - before.x1 for before, after in pairwise(row.words)]
    return len(gaps) >= _SPACED_OUT and max(gaps) - min(gaps) < _EVEN * row.size


def lead_size(row: PrintedRow) -> float:
    """Of what stands first in a line: a value may be printed larger than its name."""
    return max(word.size for word in cells_of(row)[0])


def cells_of(row: PrintedRow) -> list[tuple[PositionedWord, ...]]:
    """Runs of words without a wide gap. In a line that is spaced out to the margin all gaps are alike, and wide."""
    if row.flows or _is_justified(row):
        return [row.words]
    cells: list[list[PositionedWord]] = []
    for word in row.words:
        if cells and word.x0 - cells[-1][-1].x1 < _CELL_GAP * min(word.size, cells[-1][-1].size):
            cells[-1].append(word)
        else:
            cells.append([word])
    return [tuple(cell) for cell in cells]
