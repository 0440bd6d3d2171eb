"""Sections of a page: parts one below the other that have columns of their own.

From the top down, a section goes on as long as one strip between its columns stays free. A figure does not end it.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model.content import TextLine
from blobforge.processors.pdf_markdown.layout.model.items import Figure, Item, by_top
from blobforge.processors.pdf_markdown.layout.order.gutters import Rules, best_gutter
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.emphasis import LARGER

Strip = tuple[float, float]
_NARROWEST = 0.7
"""Of the body's size."""
_FEWEST = 4
_READS_ON = 0.3
"""Of the lines of running text: at least so many begin within a sentence."""
_LEVEL = 0.6


def sections_of(items: Sequence[Item], survey: DocumentSurvey, rules: Rules) -> list[list[Item]]:
    """Top down; only one when the page does not change its columns."""
    if sum(_stand_side_by_side(*pair) for pair in pairwise(items)) < _FEWEST:
        return [list(items)]
    sections: list[list[Item]] = []
    strips: list[Strip] = []
    for band in _bands(items):
        own = _strips(band, _NARROWEST * survey.size)
        kept = _shared(strips, own, band, _NARROWEST * survey.size)
        if sections and (kept if strips else not own):
            sections[-1] += band
            strips = kept
        else:
            sections.append(list(band))
            strips = own
    return _told_apart(_with_headings_below(sections, survey), survey, rules)


def _stand_side_by_side(one: Item, other: Item) -> bool:
    apart = one.box.right < other.box.left or other.box.right < one.box.left
    return apart and min(one.box.bottom, other.box.bottom) - max(one.box.top, other.box.top) > 0.3 * one.box.height


def _bands(items: Sequence[Item]) -> list[list[Item]]:
    """Items that overlap in height, top down; a figure goes with what it stands beside."""
    bands: list[list[Item]] = []
    ends: list[float] = []
    figures: list[Item] = []
    for item in items:
        if isinstance(item.thing, Figure):
            figures.append(item)
        elif bands and item.box.top < ends[-1]:
            bands[-1].append(item)
            ends[-1] = max(ends[-1], item.box.bottom)
        else:
            bands.append([item])
            ends.append(item.box.bottom)
    if not bands:
        return [figures]
    for item in figures:
        middle = (item.box.top + item.box.bottom) / 2
        bands[min(bisect_left(ends, middle), len(bands) - 1)].append(item)
    return [by_top(band) for band in bands]


def _strips(band: Sequence[Item], narrowest: float) -> list[Strip]:
    """The free places between its items."""
    found: list[Strip] = []
    reach: float | None = None
    for left, _, right, _ in sorted(item.box for item in band):
        if reach is not None and left - reach >= narrowest:
            found.append((reach, left))
        reach = right if reach is None else max(reach, right)
    return found


def _shared(strips: Sequence[Strip], own: Sequence[Strip], band: Sequence[Item], narrowest: float) -> list[Strip]:
    """What of the strips the band leaves free; left and right of it all is free."""
    left, right = min(item.box.left for item in band), max(item.box.right for item in band)
    free = [(float("-inf"), left), *own, (right, float("inf"))]
    cut = [(max(a, c), min(b, d)) for a, b in strips for c, d in free]
    return [(begin, end) for begin, end in cut if end - begin >= narrowest]


def _with_headings_below(sections: list[list[Item]], survey: DocumentSurvey) -> list[list[Item]]:
    """A short heading under columns leaves all strips free, but it heads what comes after them."""
    for upper, lower in pairwise(sections):
        last = upper[-1]
        is_below_all = len(upper) > 1 and all(item.box.bottom <= last.box.top + 1 for item in upper[:-1])
        if is_below_all and isinstance(last.thing, TextLine) and _is_heading(last.thing, survey):
            lower.insert(0, upper.pop())
    return sections


def _is_heading(line: TextLine, survey: DocumentSurvey) -> bool:
    return line.size >= LARGER * survey.size or (line.is_bold and not survey.bold)


def _told_apart(sections: list[list[Item]], survey: DocumentSurvey, rules: Rules) -> list[list[Item]]:
    """Sections without columns, next to each other, are one: rows of a table have strips too."""
    told: list[list[Item]] = []
    before = True
    for section in sections:
        has_columns = _has_columns(section, survey, rules)
        if told and not before and not has_columns:
            told[-1] += section
        else:
            told.append(section)
        before = has_columns
    return told


def _has_columns(section: Sequence[Item], survey: DocumentSurvey, rules: Rules) -> bool:
    """Running text beside a gutter. A row or two of text beside other text may as well be a table."""
    gutter = best_gutter(section, survey, rules)
    if gutter is None:
        return False
    top, bottom = min(item.box.top for item in section), max(item.box.bottom for item in section)
    if any(
        rule.left < gutter.left and rule.right > gutter.right and top < rule.top < bottom for rule in rules.horizontals
    ):
        return False
    lines = [item.thing for item in section if isinstance(item.thing, TextLine)]
    left = [line for line in lines if line.right <= gutter.middle]
    right = [line for line in lines if line.left >= gutter.middle]
    if _runs_on(left) and _runs_on(right):
        return True
    # A list beside running text keeps to lines of its own, the cells of a table to those of its rows.
    return (_runs_on(left) or _runs_on(right)) and min(len(left), len(right)) >= _FEWEST and not _are_level(left, right)


def _are_level(left: Sequence[TextLine], right: Sequence[TextLine]) -> bool:
    """Whether most lines of the shorter side have one of the other beside them, on one baseline."""
    shorter, longer = sorted((left, right), key=len)
    level = sum(any(abs(line.base - other.base) <= 1 for other in longer) for line in shorter)
    return level > _LEVEL * len(shorter)


def _runs_on(lines: Sequence[TextLine]) -> bool:
    return len(lines) >= _FEWEST and sum(line.text[0].islower() for line in lines) >= _READS_ON * len(lines)
