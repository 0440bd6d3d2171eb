"""The angle at which a sheet lay on the glass, told from its picture: lines of print are darkest when level."""

import math
from itertools import pairwise
from typing import Any

_ROWS = 1_400
"""More tell no more: each line of print is some ten rows high."""
_STRIPS = 48
_MARGIN = 0.08
"""Of each side: shadows and the edges of the sheet lie there."""
_FARTHEST = 5.0
_COARSE = 0.5
_FINE = 0.1
_LEAST = 0.15
"""Degrees: less does no harm, and drawing anew costs sharpness."""
_CLEARER = 1.1
"""So much clearer must the lines be than on the sheet as it lies: a picture without lines is left alone."""
_LINED = 8
"""Levels of grey, squared, from row to row: a page with less has no lines of print to lay straight."""
_WIDE = 1.15
_GUTTER = 0.008
_CROSSED = 40
_AFFINE, _BILINEAR, _BICUBIC, _BY_AREA = 0, 2, 3, 4
"""Pillow's names for these ways."""


def laid_straight(image: Any) -> Any:
    """`image` is Pillow's, in grey. The two pages of an open book lie each in its own way."""
    for place in _sheets(image):
        part = image.crop(place)
        angle = askew_by(part)
        if angle:
            image.paste(part.rotate(angle, resample=_BICUBIC, fillcolor=part.getextrema()[1]), place)
    return image


def _sheets(image: Any) -> list[tuple[int, int, int, int]]:
    """The page, or two pages side by side: it is much wider than high, and nothing crosses the middle."""
    width, height = image.size
    whole, middle = (0, 0, width, height), width // 2
    if width < _WIDE * height:
        return [whole]
    gutter = image.crop((int(middle - _GUTTER * width), 0, int(middle + _GUTTER * width), height))
    rows = sorted(gutter.resize((1, height), resample=_BY_AREA).tobytes())
    # A few rows may have the edges of the book.
    if rows[len(rows) * 98 // 100] - rows[len(rows) * 2 // 100] > _CROSSED:
        return [whole]
    return [(0, 0, middle, height), (middle, 0, width, height)]


def askew_by(image: Any) -> float:
    """The degrees, against the clock, that lay the sheet straight; 0 when it lies so. `image` is Pillow's, in grey."""
    strips, stretch = _strips(image)
    steps = round(_FARTHEST / _COARSE)
    found = max((step * _COARSE for step in range(-steps, steps + 1)), key=lambda a: _clearness(strips, a, stretch))
    found = max((found + step * _FINE for step in range(-4, 5)), key=lambda a: _clearness(strips, a, stretch))
    least = max(_CLEARER * _clearness(strips, 0.0, stretch), _LINED * strips.height)
    if abs(found) < _LEAST or _clearness(strips, found, stretch) < least:
        return 0.0
    return found


def _strips(image: Any) -> tuple[Any, float]:
    """The picture squeezed into a few columns, for its rows alone are looked at; and how many rows high a column is
    wide."""
    width, height = image.size
    inner = image.crop((int(_MARGIN * width), int(_MARGIN * height), int(width * 0.92), int(height * 0.92)))
    rows = min(inner.height, _ROWS)
    return inner.resize((_STRIPS, rows), resample=_BY_AREA), inner.width / _STRIPS * rows / inner.height


def _clearness(strips: Any, angle: float, stretch: float) -> int:
    """How sharply dark rows follow light ones when the picture is turned by that angle."""
    fall = math.tan(math.radians(angle)) * stretch
    shear = (1, 0, 0, fall, 1, -fall * _STRIPS / 2)
    level = strips.transform(strips.size, _AFFINE, shear, resample=_BILINEAR, fillcolor=strips.getextrema()[1])
    rows = level.resize((1, level.height), resample=_BY_AREA).tobytes()
    return sum((upper - lower) ** 2 for upper, lower in pairwise(rows))
