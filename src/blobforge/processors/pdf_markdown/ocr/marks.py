"""Marks on a scanned page: dark spots that hang together, each a sign or a part of one, outside the words found."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from blobforge.processors.pdf_markdown.ocr.unread_print import PrintPlace, ground_of

_CONTRAST = 70
"""Levels of grey between the ground and the ink on it, of 255: less is a tint, or the edge of a letter."""
_MOST_RUNS = 60_000
"""Of dark pixels in a row: print that is in no word has less, and in pictures marks tell nothing."""
_RUN = re.compile(b"\1+")


class Mark(NamedTuple):
    """In pixels."""

    left: int
    top: int
    right: int
    bottom: int
    ink: int = 0

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top


class _Run(NamedTuple):
    left: int
    right: int
    y: int


def marks_in(image: Any, told: Sequence[PrintPlace]) -> list[Mark]:
    """`image` is Pillow's, in grey; `told` is where words were found. What touches one is a part of a sign there."""
    ground = ground_of(image)
    dark = image.point([int(ground - level > _CONTRAST) for level in range(256)])
    for place in told:
        dark.paste(0, place)
    runs = _runs(dark)
    marks = _joined(runs) if len(runs) <= _MOST_RUNS else []
    return [mark for mark in marks if not any(_touch(mark, place) for place in told)]


def _runs(dark: Any) -> list[_Run]:
    """Row after row, and from left to right."""
    width, height = dark.size
    pixels = dark.tobytes()
    rows = ((y, pixels[y * width : (y + 1) * width]) for y in range(height))
    return [_Run(*run.span(), y) for y, row in rows if 1 in row for run in _RUN.finditer(row)]


def _joined(runs: Sequence[_Run]) -> Iterable[Mark]:
    """Those that touch each other, row by row, are one."""
    parents = list(range(len(runs)))

    def first(place: int) -> int:
        while parents[place] != place:
            parents[place] = place = parents[parents[place]]
        return place

    above = 0
    for place, run in enumerate(runs):
        while _ends_before(runs[above], run):
            above += 1
        other = above
        while runs[other].y < run.y and runs[other].left <= run.right:
            parents[first(place)] = first(other)
            other += 1
    found: dict[int, list[_Run]] = {}
    for place, run in enumerate(runs):
        found.setdefault(first(place), []).append(run)
    return [
        Mark(
            min(run.left for run in mark),
            mark[0].y,
            max(run.right for run in mark),
            mark[-1].y + 1,
            sum(run.right - run.left for run in mark),
        )
        for mark in found.values()
    ]


def _ends_before(one: _Run, run: _Run) -> bool:
    """Whether it touches neither this run nor one that comes after it."""
    return one.y < run.y - 1 or (one.y == run.y - 1 and one.right < run.left)


def _touch(mark: Mark, place: PrintPlace) -> bool:
    across = mark.left <= place.right and place.left <= mark.right
    return across and mark.top <= place.bottom and place.top <= mark.bottom
