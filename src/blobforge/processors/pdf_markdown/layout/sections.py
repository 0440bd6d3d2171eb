"""Sections of a page: parts one below the other that have columns of their own.

From the top down, a section goes on as long as one strip between its columns stays free. What is set apart in the
middle of it, in another size or in italics with text beside it, does not end it.
"""

from collections.abc import Sequence
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.gutters import Rules, best_gutter
from blobforge.processors.pdf_markdown.layout.items import Figure, Item
from blobforge.processors.pdf_markdown.layout.model import Line
from blobforge.processors.pdf_markdown.layout.survey import Survey

Strip = tuple[float, float]
_NARROWEST = 0.7
"""Of the body's size."""
_FEWEST = 4
_READS_ON = 0.3
"""Of the lines of running text: at least so many begin within a sentence."""


def sections_of(items: Sequence[Item], survey: Survey, rules: Rules) -> list[list[Item]]:
    """Top down; only one when the page does not change its columns."""
    if sum(_stand_side_by_side(*pair) for pair in pairwise(items)) < _FEWEST:
        return [list(items)]
    sections: list[list[Item]] = []
    strips: list[Strip] = []
    for band in _bands(items, survey):
        own = _strips(band, _NARROWEST * survey.size)
        kept = _shared(strips, own, band, _NARROWEST * survey.size)
        if sections and (kept if strips else not own):
            sections[-1] += band
            strips = kept
        else:
            sections.append(list(band))
            strips = own
    return _told_apart(sections, survey, rules)


def _stand_side_by_side(one: Item, other: Item) -> bool:
    apart = one.box.right < other.box.left or other.box.right < one.box.left
    return apart and min(one.box.bottom, other.box.bottom) - max(one.box.top, other.box.top) > 0.3 * one.box.height


def _bands(items: Sequence[Item], survey: Survey) -> list[list[Item]]:
    """Items that overlap in height, top down."""
    bands: list[list[Item]] = []
    reach = 0.0
    for item in items:
        is_aside = _is_aside(item, items, survey)
        if bands and (is_aside or item.box.top < reach):
            bands[-1].append(item)
        else:
            bands.append([item])
        if not is_aside:
            reach = max(reach, item.box.bottom)
    return bands


def _is_aside(item: Item, items: Sequence[Item], survey: Survey) -> bool:
    line = item.thing
    if isinstance(line, Figure):
        return True
    if not isinstance(line, Line) or (abs(line.size - survey.size) < 0.05 * survey.size and not line.style.italic):
        return False
    middle = (line.top + line.bottom) / 2
    return any(other is not item and other.box.top < middle < other.box.bottom for other in items)


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


def _told_apart(sections: list[list[Item]], survey: Survey, rules: Rules) -> list[list[Item]]:
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


def _has_columns(section: Sequence[Item], survey: Survey, rules: Rules) -> bool:
    """Running text on both sides of a gutter. A row or two of text beside other text may as well be a table."""
    gutter = best_gutter(section, survey, rules)
    if gutter is None:
        return False
    top, bottom = min(item.box.top for item in section), max(item.box.bottom for item in section)
    if any(
        rule.left < gutter.left and rule.right > gutter.right and top < rule.top < bottom for rule in rules.horizontals
    ):
        return False
    lines = [item.thing for item in section if isinstance(item.thing, Line)]
    left = [line for line in lines if line.right <= gutter.middle]
    right = [line for line in lines if line.left >= gutter.middle]
    return _runs_on(left) and _runs_on(right)


def _runs_on(lines: Sequence[Line]) -> bool:
    return len(lines) >= _FEWEST and sum(line.text[0].islower() for line in lines) >= _READS_ON * len(lines)
