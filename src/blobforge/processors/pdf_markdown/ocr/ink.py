"""The ink on a scanned page: how heavy words are printed, and where rules run. OCR tells neither."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from blobforge.documents.grey_image import GreyImage

_DARK = bytes(1 if level < 128 else 0 for level in range(256))
_SHADED = bytes(1 if level < 208 else 0 for level in range(256))
"""Rules are often printed in grey."""
_SHORTEST_RULE = 0.35
"""Of an inch: letters have no strokes so long."""
_THICKEST_RULE = 0.06
_GAP = 0.03
_BREAK = 0.016
"""Of an inch: a dot is no farther from its letter."""
_ASIDE = 0.02
_LIGHT = 0.5
"""Right above and below a rule at most this share is shaded; beside the strokes of letters it is more."""
_PAPER = 255
_FINE = 250


class InkRun(NamedTuple):
    """Dark pixels in a row."""

    left: int
    right: int
    y: int


class Ink:
    """Of a picture in pixels; asked in pixels."""

    def __init__(self, image: GreyImage) -> None:
        self._image = image
        header, _, self._pixels = image.content.partition(b"\n")
        _, width, height, _ = header.split()
        self.width, self.height, self.dpi = int(width), int(height), image.dpi
        self._dark = self._pixels.translate(_DARK)
        self._shaded = self._pixels.translate(_SHADED)

    def stem(self, left: int, top: int, right: int, bottom: int) -> float:
        """How wide the strokes of the letters are in a place, usually: the heavier the face, the wider."""
        left, right = max(left, 0), min(right, self.width)
        runs: list[int] = []
        # Every second row of a fine picture tells as much.
        for y in range(max(top, 0), min(bottom, self.height), 2 if self.dpi >= _FINE else 1):
            row = self._dark[y * self.width + left : y * self.width + right]
            runs += [len(run) for run in row.split(b"\0") if run]
        if not runs:
            return 0.0
        # Bars and bows run along the row.
        widest = 2 * sorted(runs)[len(runs) // 2] + 1
        upright = [run for run in runs if run <= widest]
        return sum(upright) / len(upright)

    def extent(self, left: int, top: int, right: int, bottom: int) -> tuple[int, int]:
        """From which row to which a word has ink: OCR draws some boxes around a part of another line as well."""
        left, right = max(left, 0), min(right, self.width)
        rows = range(max(top, 0), min(bottom, self.height))
        inked = [y for y in rows if self._dark.count(1, y * self.width + left, y * self.width + right) > 1]
        bands: list[list[int]] = []
        for y in inked:
            if not bands or y - bands[-1][-1] > _BREAK * self.dpi + 1:
                bands.append([])
            bands[-1].append(y)
        if not bands:
            return top, bottom
        band = max(bands, key=len)
        return band[0], band[-1] + 1

    def rules_across(self) -> list[InkRun]:
        """Horizontal rules, each once, at the height of its middle."""
        return [_one(rule) for rule in self._across]

    def rules_down(self) -> list[InkRun]:
        """Vertical rules, told as if the page lay on its side: from top to bottom, at `y` from the left."""
        return [_one(rule) for rule in self._down]

    def without_rules(self) -> GreyImage:
        """The picture with its rules painted over: OCR takes them for letters and mixes the cells of tables."""
        if not self._across and not self._down:
            return self._image
        pixels = bytearray(self._pixels)
        for run in _widened(self._across, self.height):
            pixels[run.y * self.width + run.left : run.y * self.width + run.right] = bytes((_PAPER,)) * (
                run.right - run.left
            )
        for run in _widened(self._down, self.width):
            place = slice(run.left * self.width + run.y, run.right * self.width + run.y, self.width)
            pixels[place] = bytes((_PAPER,)) * (run.right - run.left)
        header, _, _ = self._image.content.partition(b"\n")
        return self._image._replace(content=header + b"\n" + bytes(pixels))

    @cached_property
    def _across(self) -> list[list[InkRun]]:
        return self._rules([self._shaded[y * self.width : (y + 1) * self.width] for y in range(self.height)])

    @cached_property
    def _down(self) -> list[list[InkRun]]:
        return self._rules([self._shaded[x :: self.width] for x in range(self.width)])

    def _rules(self, rows: Sequence[bytes]) -> list[list[InkRun]]:
        rules: list[list[InkRun]] = []
        for run in self._runs(rows):
            rule = next((rule for rule in reversed(rules) if self._goes_on(rule, run)), None)
            if rule is None:
                rules.append([run])
            else:
                rule.append(run)
        return [rule for rule in rules if self._is_thin(rule) and self._stands_free(rule, rows)]

    def _runs(self, rows: Iterable[bytes]) -> Iterator[InkRun]:
        shortest = b"\1" * round(_SHORTEST_RULE * self.dpi)
        for y, row in enumerate(rows):
            found = row.find(shortest)
            while found >= 0:
                stop = row.find(b"\0", found)
                stop = len(row) if stop < 0 else stop
                yield InkRun(found, stop, y)
                found = row.find(shortest, stop)

    def _goes_on(self, rule: list[InkRun], run: InkRun) -> bool:
        """A sheet that lay askew has its rules in steps."""
        last, gap = rule[-1], round(_GAP * self.dpi)
        return (
            run.y - last.y <= gap
            and run.left <= max(r.right for r in rule[-8:]) + gap
            and run.right >= min(r.left for r in rule[-8:]) - gap
        )

    def _is_thin(self, rule: list[InkRun]) -> bool:
        pixels = sum(run.right - run.left for run in rule)
        length = max(run.right for run in rule) - min(run.left for run in rule)
        return pixels <= _THICKEST_RULE * self.dpi * length

    def _stands_free(self, rule: list[InkRun], rows: Sequence[bytes]) -> bool:
        """Not a row of letters that run into each other, nor a stroke of a large one."""
        aside = max(2, round(_ASIDE * self.dpi))
        first, last = rule[0], rule[-1]
        return _share(rows, first, first.y - aside) <= _LIGHT and _share(rows, last, last.y + aside) <= _LIGHT


def _share(rows: Sequence[bytes], run: InkRun, y: int) -> float:
    """Of shaded pixels along a run, in another row; nothing lies outside the picture."""
    if not 0 <= y < len(rows):
        return 0.0
    return rows[y].count(1, run.left, run.right) / (run.right - run.left)


def _widened(rules: Iterable[list[InkRun]], rows: int) -> Iterator[InkRun]:
    """The runs of rules with the rows next to them, where their edges fade out."""
    for rule in rules:
        yield from rule
        yield rule[0]._replace(y=max(rule[0].y - 1, 0))
        yield rule[-1]._replace(y=min(rule[-1].y + 1, rows - 1))


def _one(rule: list[InkRun]) -> InkRun:
    return InkRun(min(run.left for run in rule), max(run.right for run in rule), (rule[0].y + rule[-1].y) // 2)
