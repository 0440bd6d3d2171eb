"""Revises the gaps between words with the whole page in view.

A gap is wide or narrow by the size of its text at first. But the words of a justified line may stand far apart, and
the gutter between two columns may be as narrow as a space: there the lines around decide.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextLine, TextWord
from blobforge.processors.pdf_markdown.layout.words.capitals import DROP_CAP

_WIDEST = 2.5
"""Of the size: words of one justified line stand no farther apart."""
_EVEN = 1.6
"""How much the widest gap of a justified line may exceed its narrowest."""
_LONG = 20
_NARROW = 0.45
"""Of the size: a narrower gap is a space, whatever stands around it."""
_FEWEST = 5
_FROM_START = 3.0
"""Of the size: what stands nearer to the start of its line is a marker, not a column."""


def with_justified_joined(rows: Sequence[list[TextLine]]) -> list[TextLine]:
    """The lines of all rows; words that fill the measure of other lines with even gaps are one line."""
    measures = _measures(rows)
    lines: list[TextLine] = []
    for row in rows:
        lines += row if len(row) == 1 else _joined(row, measures)
    return lines


def _measures(rows: Iterable[Sequence[TextLine]]) -> set[tuple[int, int]]:
    """Left and right ends of long lines, each a point more or less."""
    found = {(round(line.left), round(line.right)) for row in rows for line in row if len(line.text) > _LONG}
    return {(left + i, right + j) for left, right in found for i in (-1, 0, 1) for j in (-1, 0, 1)}


def _joined(row: list[TextLine], measures: set[tuple[int, int]]) -> Iterator[TextLine]:
    first = 0
    while first < len(row):
        last = _last_of_line(row, first, measures)
        yield row[first] if last == first else _one(row[first : last + 1])
        first = last + 1


def _last_of_line(row: Sequence[TextLine], first: int, measures: set[tuple[int, int]]) -> int:
    size = row[first].size
    for last in range(len(row) - 1, first, -1):
        lines = row[first : last + 1]
        if (round(lines[0].left), round(lines[-1].right)) not in measures or size >= DROP_CAP * lines[1].size:
            continue
        words = [word for line in lines for word in line.words]
        gaps = [after.left - before.right for before, after in pairwise(words) if after.spaced]
        if len(gaps) > 1 and max(gaps) <= min(_EVEN * min(gaps) + 0.5, _WIDEST * size):
            return last
    return first


def _one(lines: Sequence[TextLine]) -> TextLine:
    longest = max(lines, key=lambda line: len(line.text))
    words = [word for line in lines for word in line.words]
    return TextLine(words, lines[0].base, longest.style, min(line.order for line in lines))


class _LineGap(NamedTuple):
    """Before which word of which line."""

    line: int
    word: int
    left: float
    base: float


def split_at_edges(lines: list[TextLine]) -> list[TextLine]:
    """Lines that run over a narrow gutter are cut at it."""
    gaps: dict[int, list[_LineGap]] = {}
    for number, line in enumerate(lines):
        for gap in _gaps(number, line):
            gaps.setdefault(round(gap.left), []).append(gap)
    starts = Counter(round(line.left) for line in lines)
    cuts: dict[int, set[int]] = {}
    for x, found in gaps.items():
        near = [gap for place in (x - 1, x, x + 1) for gap in gaps.get(place, ()) if abs(gap.left - found[0].left) < 1]
        if len(near) + sum(starts[place] for place in (x - 1, x, x + 1)) >= _FEWEST and _is_clear(x, near, lines):
            for gap in found:
                cuts.setdefault(gap.line, set()).add(gap.word)
    if not cuts:
        return lines
    return [part for number, line in enumerate(lines) for part in _parts(line, cuts.get(number, set()))]


def _gaps(number: int, line: TextLine) -> Iterator[_LineGap]:
    least, start = _NARROW * line.size, line.left + _FROM_START * line.size
    before = line.words[0]
    for place, word in enumerate(line.words):
        if word.left - before.right > least and word.left > start:
            yield _LineGap(number, place, word.left, line.base)
        before = word


def _is_clear(x: int, gaps: Sequence[_LineGap], lines: Sequence[TextLine]) -> bool:
    """Whether few lines among those with the gap run over its place."""
    top, bottom = min(gap.base for gap in gaps), max(gap.base for gap in gaps)
    numbers = {gap.line for gap in gaps}
    over = sum(
        line.left < x - 3 and line.right > x + 3 and top <= line.base <= bottom and number not in numbers
        for number, line in enumerate(lines)
    )
    return 2 * over < len(gaps)


def _parts(line: TextLine, cuts: set[int]) -> Iterator[TextLine]:
    if not cuts:
        yield line
        return
    places = [0, *sorted(cuts), len(line.words)]
    for begin, end in pairwise(places):
        words = line.words[begin:end]
        yield TextLine([words[0]._replace(spaced=True), *words[1:]], line.base, main_style(words), line.order)


def main_style(words: Sequence[TextWord]) -> Style:
    """That of most letters."""
    style = words[0].style
    if all(word.style is style for word in words):
        return style
    letters: Counter[Style] = Counter()
    for word in words:
        letters[word.style] += len(word.text)
    return letters.most_common(1)[0][0]
