"""Frames on a scanned page: four rules that meet at their corners, as the picture shows them one by one."""

from collections.abc import Iterable, Sequence

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle
from blobforge.processors.pdf_markdown.layout.rulings.separators import joined_rules

_CLOSE = 5.0
"""Points: rules in a picture end a little before their corner or run over it."""
_MOST = 0.8
"""Of a side: so much of it must be drawn."""


def frames_of(horizontals: Iterable[Rectangle], verticals: Sequence[Rectangle]) -> list[Rectangle]:
    """Each upper side with the nearest lower one that makes a frame with it."""
    rules = sorted(joined_rules(horizontals), key=lambda rule: rule.top)
    frames: list[Rectangle] = []
    for place, upper in enumerate(rules):
        for lower in rules[place + 1 :]:
            if _fits(upper, lower) and _has_sides(frame := _between(upper, lower), verticals):
                frames.append(frame)
                break
    return frames


def _fits(upper: Rectangle, lower: Rectangle) -> bool:
    is_as_wide = abs(upper.left - lower.left) <= _CLOSE and abs(upper.right - lower.right) <= _CLOSE
    return is_as_wide and lower.top - upper.top > 2 * _CLOSE


def _between(upper: Rectangle, lower: Rectangle) -> Rectangle:
    return Rectangle(min(upper.left, lower.left), upper.top, max(upper.right, lower.right), lower.top)


def _has_sides(frame: Rectangle, verticals: Sequence[Rectangle]) -> bool:
    """And nothing that parts it: then it is a row of cells."""
    inner = {rule.left for rule in verticals if frame.left + 2 * _CLOSE < rule.left < frame.right - 2 * _CLOSE}
    has_sides = all(_is_drawn(frame, x, verticals) for x in (frame.left, frame.right))
    return has_sides and not any(_is_drawn(frame, x, verticals) for x in inner)


def _is_drawn(frame: Rectangle, x: float, verticals: Iterable[Rectangle]) -> bool:
    drawn = sum(
        max(0.0, min(rule.bottom, frame.bottom) - max(rule.top, frame.top))
        for rule in verticals
        if abs(rule.left - x) <= _CLOSE
    )
    return drawn >= _MOST * frame.height
