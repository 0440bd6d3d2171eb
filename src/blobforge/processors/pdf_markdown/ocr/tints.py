"""Tinted places of a scanned page: boxes of text are printed on a shade of grey, titles in white on a dark bar."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from blobforge.documents.grey_image import GreyImage

_CELL = 0.06
"""Of an inch: a cell holds some paper between the letters."""
_BACKGROUND = 0.6
"""The level that so much of a cell is darker than is that of its paper."""
_FAINTEST = 9
"""Levels of grey between the paper and a tint."""
_ALIKE = 14
_UNEVEN = 24
"""Levels of grey between the lightest and the darkest part of one tint: a shadow has more."""
_FULL = 0.8
"""Of its outline: so much of a tinted place is tinted, or it is a picture or a shadow."""
_LEAST = 0.12
"""Of an inch, in height and in width."""
_CONTRAST = 60
"""Levels of grey between a bar and the white letters on it."""
_MOST_LETTERS = 0.45
_FEWEST_LETTERS = 0.02
"""Shares of a bar that letters on it take."""


class Tint(NamedTuple):
    """A place in pixels, and its level of grey."""

    left: int
    top: int
    right: int
    bottom: int
    level: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top


Cell = tuple[int, int]


def tints_of(image: GreyImage) -> list[Tint]:
    header, _, pixels = image.content.partition(b"\n")
    _, width, _, _ = header.split()
    step = max(4, round(_CELL * image.dpi))
    levels = _levels(pixels, int(width), step)
    if not levels:
        return []
    paper = Counter(level // 4 for level in levels.values()).most_common(1)[0][0] * 4
    tinted = {cell: level for cell, level in levels.items() if level < paper - _FAINTEST}
    found = (_tint(cells, tinted, step) for cells in _patches(tinted))
    return [
        _to_its_edges(tint, pixels, int(width), paper, step)
        for tint in found
        if tint is not None and min(tint.width, tint.height) >= _LEAST * image.dpi
    ]


def _to_its_edges(tint: Tint, pixels: bytes, width: int, paper: int, step: int) -> Tint:
    """Cells are coarse: the upper and lower edge are where a row has turned half the way from paper to tint."""
    half = (paper + tint.level) / 2
    last = len(pixels) // width

    def is_tinted(y: int) -> bool:
        row = pixels[y * width + tint.left : y * width + tint.right : 3]
        return sum(row) / len(row) < half

    upper = range(max(0, tint.top - step), min(tint.top + step, last))
    lower = range(min(tint.bottom + step, last) - 1, max(0, tint.bottom - step) - 1, -1)
    top = next((y for y in upper if is_tinted(y)), tint.top)
    bottom = next((y + 1 for y in lower if is_tinted(y)), tint.bottom)
    return tint._replace(top=top, bottom=bottom)


def with_dark_letters(image: GreyImage, tints: Iterable[Tint]) -> GreyImage:
    """The picture with white letters on dark places turned into dark ones on white: OCR reads few of the others."""
    header, _, found = image.content.partition(b"\n")
    width = int(header.split()[1])
    pixels = bytearray(found)
    for tint in tints:
        if _has_light_letters(tint, found, width, edge=round(_CELL * image.dpi)):
            for y in range(tint.top, tint.bottom):
                place = slice(y * width + tint.left, y * width + tint.right)
                pixels[place] = found[place].translate(_inverted(tint.level))
    return image._replace(content=header + b"\n" + bytes(pixels))


def _has_light_letters(tint: Tint, pixels: bytes, width: int, *, edge: int) -> bool:
    """Not looking at its edges, where some paper may be."""
    left, right = tint.left + edge, tint.right - edge
    rows = range(tint.top + edge // 2, tint.bottom - edge // 2, 2)
    levels = Counter(b"".join(pixels[y * width + left : y * width + right] for y in rows))
    if not levels:
        return False
    lighter = sum(count for level, count in levels.items() if level > tint.level + _CONTRAST)
    darker = sum(count for level, count in levels.items() if level < tint.level - _CONTRAST)
    share = lighter / levels.total()
    return _FEWEST_LETTERS < share < _MOST_LETTERS and lighter > 3 * darker


def _inverted(ground: int) -> bytes:
    """Levels in which that ground is white, and what is lighter than it dark."""
    return bytes(255 - min(255, max(0, level - ground) * 255 // (255 - ground)) for level in range(256))


def _tint(cells: list[Cell], tinted: dict[Cell, int], step: int) -> Tint | None:
    """The rectangle that the cells make, if they do."""
    columns, rows = [column for column, _ in cells], [row for _, row in cells]
    left, top, right, bottom = min(columns), min(rows), max(columns) + 1, max(rows) + 1
    levels = sorted(tinted[cell] for cell in cells)
    is_even = levels[len(levels) * 9 // 10] - levels[len(levels) // 10] <= _UNEVEN
    if len(cells) < _FULL * (right - left) * (bottom - top) or not is_even:
        return None
    level = levels[len(levels) // 2]
    return Tint(left * step, top * step, right * step, bottom * step, level)


def _levels(pixels: bytes, width: int, step: int) -> dict[Cell, int]:
    """The level of the paper in each cell, by its column and row. Every second pixel tells enough."""
    levels: dict[Cell, int] = {}
    place = int(_BACKGROUND * len(range(0, step, 2)) ** 2)
    for row in range(len(pixels) // width // step):
        rows = [pixels[y * width : (y + 1) * width] for y in range(row * step, (row + 1) * step, 2)]
        for column in range(width // step):
            found = b"".join(each[column * step : (column + 1) * step : 2] for each in rows)
            levels[column, row] = sorted(found)[place]
    return levels


def _patches(tinted: dict[Cell, int]) -> Iterator[list[Cell]]:
    """Cells that touch and are alike."""
    left = set(tinted)
    while left:
        patch, todo = [], [left.pop()]
        while todo:
            cell = todo.pop()
            patch.append(cell)
            column, row = cell
            for other in ((column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)):
                if other in left and abs(tinted[other] - tinted[cell]) <= _ALIKE:
                    left.remove(other)
                    todo.append(other)
        yield patch
