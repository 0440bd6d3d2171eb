"""Frames that were drawn side by side: four rules that meet at their corners, such as the dashed border of a card."""

from collections.abc import Iterator, Sequence

from blobforge.processors.pdf_markdown.layout.model.content import Rectangle

_NEAR = 1.5
_LEAST = 20.0
"""Points: what is smaller is a box to tick."""
_MOST_RULES = 200
"""A page with more of them is a form, a map or a chart; to compare each with each would take long."""


def ruled_frames(horizontals: Sequence[Rectangle], verticals: Sequence[Rectangle]) -> list[Rectangle]:
    """Those that stand free: where other rules go on from a side, it is the grid of a table."""
    if len(horizontals) < 2 or not 2 <= len(verticals) <= _MOST_RULES or len(horizontals) > _MOST_RULES:
        return []
    return [frame for frame in _closed(horizontals, verticals) if _is_free(frame, horizontals, verticals)]


def _closed(horizontals: Sequence[Rectangle], verticals: Sequence[Rectangle]) -> Iterator[Rectangle]:
    sides = sorted((rule for rule in verticals if rule.height > _LEAST), key=lambda rule: rule.left)
    for place, left in enumerate(sides):
        right = next((rule for rule in sides[place + 1 :] if _is_other_side(left, rule)), None)
        if right is not None:
            frame = Rectangle(left.left, left.top, right.left, left.bottom)
            if all(any(_is_level_side(rule, frame, y) for rule in horizontals) for y in (frame.top, frame.bottom)):
                yield frame


def _is_other_side(left: Rectangle, rule: Rectangle) -> bool:
    is_as_high = abs(rule.top - left.top) <= _NEAR and abs(rule.bottom - left.bottom) <= _NEAR
    return is_as_high and rule.left - left.left > _LEAST


def _is_level_side(rule: Rectangle, frame: Rectangle, y: float) -> bool:
    return (
        abs(rule.top - y) <= _NEAR and abs(rule.left - frame.left) <= _NEAR and abs(rule.right - frame.right) <= _NEAR
    )


def _is_free(frame: Rectangle, horizontals: Sequence[Rectangle], verticals: Sequence[Rectangle]) -> bool:
    """Whether no rule reaches over a side or ends at it from outside, and none runs from top to bottom within."""
    outer = Rectangle(frame.left - _NEAR, frame.top - _NEAR, frame.right + _NEAR, frame.bottom + _NEAR)
    for rule in (*horizontals, *verticals):
        is_apart = (
            rule.right < outer.left or rule.left > outer.right or rule.bottom < outer.top or rule.top > outer.bottom
        )
        if not is_apart and not outer.holds(rule):
            return False
    inner = [rule for rule in verticals if frame.left + _NEAR < rule.left < frame.right - _NEAR]
    return not any(outer.holds(rule) and rule.height > frame.height / 2 for rule in inner)
