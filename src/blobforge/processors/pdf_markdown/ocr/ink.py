"""The ink on a scanned page: how heavy words are printed, and where rules run. OCR tells neither."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from blobforge.processors.pdf_markdown.page_view import GreyImage

_DARK = bytes(1 if level < 128 else 0 for level in range(256))
_SHADED = bytes(1 if level < 208 else 0 for level in range(256))
"""Rules are often printed in grey."""
_SHORTEST_RULE = 0.35
"""Of an inch: letters have no strokes so long."""
_THICKEST_RULE = 0.06
_GAP = 0.03


class Run(NamedTuple):
    """Dark pixels in a row."""

    left: int
    right: int
    y: int


class Ink:
    """Of a picture in pixels; asked in pixels."""

    def __init__(self, image: GreyImage) -> None:
        header, _, pixels = image.content.partition(b"\n")
        _, width, height, _ = header.split()
        self.width, self.height, self.dpi = int(width), int(height), image.dpi
        # One byte a pixel, as the renderer gives them; a row may be longer than the picture is wide.
        self._stride = len(pixels) // self.height
        self._dark = pixels.translate(_DARK)
        self._shaded = pixels.translate(_SHADED)

    def density(self, left: int, top: int, right: int, bottom: int) -> float:
        """The dark share of a place."""
        left, right = max(left, 0), min(right, self.width)
        top, bottom = max(top, 0), min(bottom, self.height)
        if left >= right or top >= bottom:
            return 0.0
        dark = sum(self._dark.count(1, y * self._stride + left, y * self._stride + right) for y in range(top, bottom))
        return dark / ((right - left) * (bottom - top))

    def rules_across(self) -> list[Run]:
        """Horizontal rules, each once, at the height of its middle."""
        rows = (self._shaded[y * self._stride : y * self._stride + self.width] for y in range(self.height))
        return self._rules(rows)

    def rules_down(self) -> list[Run]:
        """Vertical rules, told as if the page lay on its side: from top to bottom, at `y` from the left."""
        return self._rules(self._shaded[x :: self._stride] for x in range(self.width))

    def _rules(self, rows: Iterable[bytes]) -> list[Run]:
        rules: list[list[Run]] = []
        for run in self._runs(rows):
            rule = next((rule for rule in reversed(rules) if self._goes_on(rule, run)), None)
            if rule is None:
                rules.append([run])
            else:
                rule.append(run)
        return [_one(rule) for rule in rules if self._is_thin(rule)]

    def _runs(self, rows: Iterable[bytes]) -> Iterator[Run]:
        shortest = b"\1" * round(_SHORTEST_RULE * self.dpi)
        for y, row in enumerate(rows):
            found = row.find(shortest)
            while found >= 0:
                stop = row.find(b"\0", found)
                stop = len(row) if stop < 0 else stop
                yield Run(found, stop, y)
                found = row.find(shortest, stop)

    def _goes_on(self, rule: list[Run], run: Run) -> bool:
        """A sheet that lay askew has its rules in steps."""
        last, gap = rule[-1], round(_GAP * self.dpi)
        return (
            run.y - last.y <= gap
            and run.left <= max(r.right for r in rule[-8:]) + gap
            and run.right >= min(r.left for r in rule[-8:]) - gap
        )

    def _is_thin(self, rule: list[Run]) -> bool:
        pixels = sum(run.right - run.left for run in rule)
        length = max(run.right for run in rule) - min(run.left for run in rule)
        return pixels <= _THICKEST_RULE * self.dpi * length


def _one(rule: list[Run]) -> Run:
    return Run(min(run.left for run in rule), max(run.right for run in rule), (rule[0].y + rule[-1].y) // 2)
