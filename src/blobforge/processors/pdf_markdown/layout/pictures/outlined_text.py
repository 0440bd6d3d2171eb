"""Lines of text that were turned into outlines: shapes of letters in rows, and no text that tells them.

What long rows of letters have, and a pattern, a scale, a border or a picture has not: a common baseline, narrow gaps,
and shapes of many widths but of few heights. Latin, Greek and Cyrillic letters stand so; of others, ink tells more.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, around

FEWEST = 25
"""Letters: so long are lines of running text; labels of charts and maps, names and most formulas are shorter."""
_MOST = 50_000
"""Shapes of one page; who draws more is out to keep its reader busy."""
_FINE = 4
"""Parts of a point: letters that stand on a line do so to less than one."""
_ON_BASELINE = 0.35
"""Of the letters: so many are flat at their feet, or round."""
_ROUND = 0.7
"""Points: so far do round letters reach below the baseline, and some end above it."""
_DESCENT = 0.6
"""Of the usual height of those that stand on it: so far do others reach below."""
_NARROW, _WIDE = 0.4, 3.0
"""Of the usual height: the gaps between letters, and the widest between words, with a comma in it that is no shape."""
_LOWEST, _HIGHEST = 0.5, 2.0
_EVEN = 0.8
_KINDS = 6
_LEADING = 1.5
"""Of its height, between a line and the next: lines that are set wide are no farther apart."""
_COVERED = 0.5
_LETTERED = 0.2
"""Of the area of text, by the boxes of its letters; of charts and maps, by their labels, it is far less."""


class OutlinedLine(NamedTuple):
    box: Rectangle
    letters: int


def lines_in_outlines(page: PageContent) -> list[OutlinedLine]:
    """Those that are long and lie close to another, and that the text of the page does not tell. A formula or a title
    stands alone."""
    if not FEWEST <= len(page.contours) <= _MOST:
        return []
    told = [line.box for line in page.lines]
    # An "o" that is drawn alone is as round as a dot.
    lines = [line for line in _apart(_rows([*page.contours, *page.dots])) if _covered(line.box, told) < _COVERED]
    return [line for line in lines if any(_is_next(line.box, other.box) for other in lines)]


def is_lettered(place: Rectangle, contours: Iterable[Rectangle]) -> bool:
    """Whether there are letters in outlines, and hardly anything else."""
    return _covered(place, contours) >= _LETTERED


def _rows(contours: Sequence[Rectangle]) -> Iterator[list[Rectangle]]:
    for baseline, boxes in _levels(contours):
        yield from (run for run in _runs(sorted(boxes)) if _is_text(run, baseline))


def _levels(contours: Sequence[Rectangle]) -> Iterator[tuple[float, list[Rectangle]]]:
    """Each height at which so many shapes end that they may be the letters of a line."""
    boxes = sorted(contours, key=lambda box: box.bottom)
    bottoms = [box.bottom for box in boxes]
    feet = Counter(round(_FINE * bottom) for bottom in bottoms)
    for height, count in feet.items():
        if count + feet[height + 1] >= _ON_BASELINE * FEWEST:
            baseline = (height + 0.5) / _FINE
            first = bisect_left(bottoms, baseline - _ROUND)
            standing = boxes[first : bisect_left(bottoms, baseline + _ROUND)]
            below = max(_ROUND, _DESCENT * median(box.height for box in standing))
            yield baseline, boxes[first : bisect_left(bottoms, baseline + below)]


def _runs(boxes: Sequence[Rectangle]) -> Iterator[list[Rectangle]]:
    """Shapes without a wide gap. What lies over another is of one letter, as the inside of an "o" is."""
    wide = _WIDE * median(box.height for box in boxes)
    run: list[Rectangle] = []
    for box in boxes:
        if run and box.right <= run[-1].right:
            run[-1] = around([run[-1], box])
            continue
        if run and box.left - run[-1].right > wide:
            yield run
            run = []
        run.append(box)
    yield run


def _is_text(run: Sequence[Rectangle], baseline: float) -> bool:
    if len(run) < FEWEST:
        return False
    height = median(box.height for box in run)
    standing = sum(abs(box.bottom - baseline) <= 1 / _FINE for box in run)
    even = sum(_LOWEST * height <= box.height <= _HIGHEST * height for box in run)
    gap = median(after.left - before.right for before, after in pairwise(run))
    kinds = {(round(10 * box.width / height), round(10 * box.height / height)) for box in run}
    is_row = standing >= _ON_BASELINE * len(run) and even >= _EVEN * len(run) and gap <= _NARROW * height
    return is_row and len(kinds) >= _KINDS


def _apart(rows: Iterable[list[Rectangle]]) -> Iterator[OutlinedLine]:
    """Each line once: the insides of its letters, and its accents, may look like another."""
    found: list[Rectangle] = []
    for row in sorted(rows, key=len, reverse=True):
        box = around(row)
        if not any(other.overlaps(box) for other in found):
            found.append(box)
            yield OutlinedLine(box, len(row))


def _is_next(one: Rectangle, other: Rectangle) -> bool:
    apart = max(one.top, other.top) - min(one.bottom, other.bottom)
    is_beneath = one.left < other.right and other.left < one.right
    return one is not other and is_beneath and apart <= _LEADING * min(one.height, other.height)


def _covered(place: Rectangle, boxes: Iterable[Rectangle]) -> float:
    """The share of it; what lies under two of them counts twice."""
    if not place.area:
        return 0.0
    return sum(_shared(place, box) for box in boxes) / place.area


def _shared(one: Rectangle, other: Rectangle) -> float:
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    return max(width, 0.0) * max(height, 0.0)
