"""Drawings: places where curves, slanting lines or bars make a picture, with the rules and fills that belong to it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import FreeShape, PageContent, Rectangle, TextLine, around
from blobforge.processors.pdf_markdown.layout.rulings.separators import BACKGROUND
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey

SMALLEST = 24.0
"""A picture that is lower or narrower is an ornament or an icon."""
_LONG = 25
"""Letters of a line that is probably running text, as in the survey."""
_BODY = 0.85
"""Of the body's size: labels may be long, but then they are smaller."""
_RUNNING = 2
_MOST_TEXT = 0.3
"""Of a drawing: where lines cover more, it is text in a box."""
_TOUCHING = 2.0
_LONGER = 2.5
"""Of the drawing: an axis or a grid is no longer than this; a rule that is runs across the page."""
_CELLS = 120
"""Of the page's longer side: marks are put together on a grid no finer than this."""
_FEWEST_STEPS = 12
"""A simpler shape, such as a single disc, arrow or wave, is an ornament."""
_EDGE = 0.12
"""Of the page."""
_STEPS_OF_RULE = 2
_FEWEST_POINTS = 8
_FEWEST_ROWS = 3
_FEWEST_BARS = 3
_UNEVEN = 2.0
_FAR = 8.0
"""Of the size: bars are no farther apart in one chart."""
_TALLEST_LETTER = 2.5
_TALLEST_ROW = 6.0
_WIDER = 1.5
_WORDS_APART = 3.0
"""Of the size: so far from a formula in outlines its number may stand."""
_FIGURE = re.compile(r"[$€£¥+−–-]?\d[\d.,]*[%kKmM]?")
_NUMBER = re.compile(r"\(?[A-Z]?[\d.]+[a-z]?\)?")
"""Of a formula."""
_LETTERS_IN_ROW = 5
"""Shapes in a row that are lower than a picture are a formula or a name in outlines, if there are so many."""


def may_have_drawings(page: PageContent) -> bool:
    """A quick look; most pages have none."""
    return bool(page.marks) or len(page.fills) >= _FEWEST_BARS or len(page.dots) >= _FEWEST_POINTS


def drawings_of(page: PageContent, lines: Sequence[TextLine], survey: DocumentSurvey) -> list[Rectangle]:
    """The boxes of the drawings on a page, without the labels around them."""
    charts = _charts(page, lines, survey.size)
    if not page.marks and not charts and len(page.dots) < _FEWEST_POINTS:
        return []
    return _Search(page, lines, survey).drawings(charts)


@dataclass(slots=True)
class _ShapeRow:
    box: Rectangle
    marks: list[FreeShape]

    def reaches(self, box: Rectangle, gap: float) -> bool:
        return box.top < self.box.bottom and self.box.top < box.bottom and box.left - self.box.right < gap


class _Search:
    def __init__(self, page: PageContent, lines: Sequence[TextLine], survey: DocumentSurvey) -> None:
        self._page = page
        self._lines = lines
        self._survey = survey
        self._sheet = Rectangle(0.0, 0.0, page.width, page.height)
        self._running = [line for line in lines if self._runs(line)]

    def drawings(self, charts: Sequence[Rectangle]) -> list[Rectangle]:
        marks = [FreeShape(_cut(mark.box, self._sheet), mark.steps) for mark in self._page.marks]
        dots = [dot for dot in self._page.dots if not self._is_beside_text(dot)]
        marks = [mark for mark in marks if not self._is_behind_text(mark.box)]
        marks += [FreeShape(dot, 0) for dot in dots]
        marks += [FreeShape(chart, _FEWEST_STEPS) for chart in (*charts, *self._scattered(dots))]
        groups = self._lettered(self._groups(marks))
        return _joined(box for group in groups for box in self._drawing(group))

    def _lettered(self, groups: Iterable[list[FreeShape]]) -> Iterator[list[FreeShape]]:
        """Groups of shapes no larger than letters, put together where they stand in a row: formulas in outlines."""
        tallest = _TALLEST_LETTER * self._survey.size
        small: list[list[FreeShape]] = []
        for group in groups:
            if any(mark.box.height > tallest for mark in group):
                yield group
            else:
                small.append(group)
        if small:
            yield from self._rows(small, [[FreeShape(box, 0)] for box in self._simple_letters(2 * tallest)])

    def _simple_letters(self, largest: float) -> Iterator[Rectangle]:
        """Such as a sign of equality or a fraction's bar: no letters by themselves."""
        page = self._page
        for box in (*(fill.box for fill in page.fills), *page.horizontals, *page.verticals, *page.dots):
            if max(box.width, box.height) < largest:
                yield box

    def _rows(self, letters: list[list[FreeShape]], fillers: list[list[FreeShape]]) -> Iterator[list[FreeShape]]:
        rows: list[_ShapeRow] = []
        for group in sorted([*letters, *fillers], key=lambda group: min(mark.box.left for mark in group)):
            box = around(mark.box for mark in group)
            row = next((row for row in rows if row.reaches(box, _WORDS_APART * self._survey.size)), None)
            if row is None:
                rows.append(_ShapeRow(box, group))
            else:
                row.box = around([row.box, box])
                row.marks += group
        yield from (row.marks for row in rows if any(mark.steps for mark in row.marks))

    def _scattered(self, dots: Sequence[Rectangle]) -> Iterator[Rectangle]:
        """Where points lie between two axes."""
        if len(dots) < _FEWEST_POINTS:
            return
        across = [rule for rule in self._page.horizontals if rule.width > SMALLEST]
        down = [rule for rule in self._page.verticals if rule.height > SMALLEST]
        for x_axis in across:
            for y_axis in down:
                # Axes meet where they begin; lines that cross are a grid.
                is_corner = _touches(Rectangle(x_axis.left, x_axis.top, x_axis.left, x_axis.top), y_axis)
                field = around([x_axis, y_axis])
                is_corner = is_corner and abs(field.bottom - x_axis.top) <= _TOUCHING
                if is_corner and sum(field.holds(dot) for dot in dots) >= _FEWEST_POINTS:
                    yield field

    def _is_beside_text(self, dot: Rectangle) -> bool:
        """A bullet, or a dot of a leader."""
        return any(
            line.top < dot.bottom and dot.top < line.bottom and -1 < line.left - dot.right < 3 * line.size
            for line in self._lines
        )

    def _is_behind_text(self, box: Rectangle) -> bool:
        return box.height > self._survey.size and len(lines_in(box, self._running)) >= _RUNNING

    def _runs(self, line: TextLine) -> bool:
        return len(line.text) > _LONG and line.size > _BODY * self._survey.size

    def _groups(self, marks: Sequence[FreeShape]) -> Iterator[list[FreeShape]]:
        """Marks that lie on or near each other."""
        cell = max(self._survey.size, max(self._sheet.width, self._sheet.height) / _CELLS)
        by_cells: dict[tuple[int, int, int, int], list[FreeShape]] = defaultdict(list)
        for mark in marks:
            left, top, right, bottom = (int(edge // cell) for edge in mark.box)
            by_cells[left, top, right, bottom].append(mark)
        names = _connected(by_cells)
        groups: dict[int, list[FreeShape]] = defaultdict(list)
        for cells, members in by_cells.items():
            groups[names[cells[0], cells[1]]] += members
        yield from groups.values()

    def _drawing(self, marks: Sequence[FreeShape]) -> Iterator[Rectangle]:
        core = around(mark.box for mark in marks)
        if self._is_row_of_letters(core, marks):
            if not self._is_furniture(core):
                yield core
            return
        if self._is_in_table(core):
            return
        box, others = self._grown(core)
        steps = sum(mark.steps for mark in marks) + (_STEPS_OF_RULE * others)
        is_large = box.width > SMALLEST and box.height > SMALLEST
        if is_large and steps >= _FEWEST_STEPS and not self._is_text(box) and not self._is_furniture(box):
            yield box

    def _is_row_of_letters(self, box: Rectangle, marks: Sequence[FreeShape]) -> bool:
        """A formula that was drawn and not written, alone on its line."""
        size = self._survey.size
        letters = [mark for mark in marks if mark.steps and mark.box.height <= _TALLEST_LETTER * size]
        if len(letters) < max(_LETTERS_IN_ROW, len(marks) / 2) or box.width < _WIDER * box.height:
            return False
        if not size < box.height <= _TALLEST_ROW * size:
            return False
        beside = (line for line in self._lines if line.top < box.bottom and box.top < line.bottom)
        return not any(
            line.left - 2 * size < box.right and box.left < line.right + 2 * size and not _NUMBER.fullmatch(line.text)
            for line in beside
        )

    def _is_in_table(self, core: Rectangle) -> bool:
        """Whether the rules through it go on to words beside it: signs in the cells of a table."""
        rules = [rule for rule in self._page.horizontals if core.top - 1 <= rule.top <= core.bottom + 1]
        rules = [rule for rule in rules if rule.left < core.right and core.left < rule.right]
        if len(rules) < _FEWEST_ROWS:
            return False
        left, right = min(rule.left for rule in rules), max(rule.right for rule in rules)
        level = [line for line in self._lines if core.top < line.base < core.bottom + line.size]
        beside = [line for line in level if not core.left < (line.left + line.right) / 2 < core.right]
        return sum(left <= line.left and line.right <= right for line in beside) >= _FEWEST_ROWS - 1

    def _grown(self, core: Rectangle) -> tuple[Rectangle, int]:
        """With the rules, fills and frames that touch it, and how many these are."""
        most = BACKGROUND * self._sheet.area
        fills = [fill.box for fill in self._page.fills if fill.box.area < most]
        rest = [*fills, *(frame for frame in self._page.frames if frame.area < most)]
        rest += [*self._page.horizontals, *self._page.verticals]
        box, taken = core, 0
        grid: set[tuple[int, int]] = set()
        while True:
            left_over: list[Rectangle] = []
            before = taken
            for other in rest:
                if not _touches(box, other) and not _is_of_grid(other, grid, box):
                    left_over.append(other)
                elif box.holds(other):
                    taken += 1
                elif self._belongs(other, box):
                    box, taken = _cut(around([box, other]), self._sheet), taken + 1
                    grid.add(_ends(other))
            if taken == before:
                return box, taken
            rest = left_over

    def _belongs(self, other: Rectangle, box: Rectangle) -> bool:
        is_rule = min(other.width, other.height) <= _TOUCHING
        if is_rule and (other.width > _LONGER * box.width + 1 or other.height > _LONGER * box.height + 1):
            return False
        held = lines_in(other, self._lines)
        if any(self._runs(line) or line.size > self._survey.size for line in held) and not other.holds(box):
            return False
        return not self._is_text(around([box, other]))

    def _is_text(self, box: Rectangle) -> bool:
        if self._is_behind_text(box):
            return True
        return sum(line.box.area for line in lines_in(box, self._lines)) > _MOST_TEXT * box.area

    def _is_furniture(self, box: Rectangle) -> bool:
        """What lies above all running text of the document, or as far down, is on each page; so are small things
        at the edge of a page of text, such as flourishes in its corners."""
        margin = self._survey.text_top
        is_head = box.bottom < margin or box.top > self._sheet.height - margin
        if self._survey.pages > 1 and box.height < margin and is_head:
            return True
        across, down = _EDGE * self._sheet.width, _EDGE * self._sheet.height
        is_aside = box.right < across or box.left > self._sheet.width - across
        is_aside = is_aside or box.bottom < down or box.top > self._sheet.height - down
        return is_aside and max(box.width, box.height) < across and bool(self._running)


def _joined(boxes: Iterable[Rectangle]) -> list[Rectangle]:
    """Those that overlap are one."""
    joined: list[Rectangle] = []
    for box in boxes:
        whole = box
        while overlapping := [other for other in joined if other.overlaps(whole)]:
            whole = around([whole, *overlapping])
            joined = [other for other in joined if other not in overlapping]
        joined.append(whole)
    return joined


def lines_in(box: Rectangle, lines: Iterable[TextLine]) -> list[TextLine]:
    """Those whose middle lies in the box."""
    return [
        line
        for line in lines
        if box.left <= (line.left + line.right) / 2 <= box.right
        and box.top <= (line.top + line.bottom) / 2 <= box.bottom
    ]


def _charts(page: PageContent, lines: Sequence[TextLine], size: float) -> list[Rectangle]:
    """Bars that stand on one line or begin at one, and end unevenly: a table's fills end where its rows do."""
    if len(page.fills) < _FEWEST_BARS:
        return []
    standing, lying = defaultdict[int, list[_Bar]](list), defaultdict[int, list[_Bar]](list)
    for left, top, right, bottom in {fill.box for fill in page.fills}:
        box = Rectangle(left, top, right, bottom)
        standing[round(bottom)].append(_Bar(left, right, top, box))
        lying[round(left)].append(_Bar(top, bottom, right, box))
    axes = [bars for bars in (*standing.values(), *lying.values()) if len(bars) >= _FEWEST_BARS]
    return [chart for bars in axes for chart in _on_axis(bars, lines, size)]


class _Bar(NamedTuple):
    """Where a bar begins and ends along its axis, and where it ends away from it."""

    start: float
    stop: float
    end: float
    box: Rectangle


def _on_axis(bars: list[_Bar], lines: Sequence[TextLine], size: float) -> Iterator[Rectangle]:
    """The boxes of the charts that these bars make; those far from each other are of several."""
    if not _are_uneven(bars):
        return
    run: list[_Bar] = []
    # What a bar stands for may be written in it.
    lines = [line for line in lines if not _FIGURE.fullmatch(line.text)]
    for bar in sorted(bar for bar in bars if not any(bar.box.overlaps(line.box) for line in lines)):
        if run and bar.start - run[-1].stop > _FAR * size:
            yield from _whole(run)
            run = []
        run.append(bar)
    yield from _whole(run)


def _are_uneven(bars: Iterable[_Bar]) -> bool:
    return len({round(bar.end / _UNEVEN) for bar in bars}) >= _FEWEST_BARS


def _whole(bars: Sequence[_Bar]) -> Iterator[Rectangle]:
    if not _are_uneven(bars):
        return
    is_apart = all(after.start >= before.stop - 1 for before, after in pairwise(bars))
    thick = [bar.stop - bar.start for bar in bars]
    if is_apart and max(thick) - min(thick) < _UNEVEN:
        yield around(bar.box for bar in bars)


def _connected(areas: Iterable[tuple[int, int, int, int]]) -> dict[tuple[int, int], int]:
    """The cells that these areas cover, each with the name of the island that it lies on."""
    rest = {
        (x, y) for left, top, right, bottom in areas for x in range(left, right + 1) for y in range(top, bottom + 1)
    }
    names: dict[tuple[int, int], int] = {}
    name = 0
    while rest:
        shore = [rest.pop()]
        while shore:
            x, y = shore.pop()
            names[x, y] = name
            near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & rest
            rest -= near
            shore += near
        name += 1
    return names


def _is_of_grid(rule: Rectangle, grid: set[tuple[int, int]], box: Rectangle) -> bool:
    """Whether it runs from edge to edge like another rule of the drawing, not far above or below it."""
    is_near = box.top - box.height / 2 < rule.top < box.bottom + box.height / 2
    return is_near and not rule.height and _ends(rule) in grid


def _ends(rule: Rectangle) -> tuple[int, int]:
    return round(rule.left), round(rule.right)


def _touches(box: Rectangle, other: Rectangle) -> bool:
    return (
        other.left <= box.right + _TOUCHING
        and box.left <= other.right + _TOUCHING
        and other.top <= box.bottom + _TOUCHING
        and box.top <= other.bottom + _TOUCHING
    )


def _cut(box: Rectangle, sheet: Rectangle) -> Rectangle:
    """What of it lies on the sheet; a box that lies elsewhere comes to lie on its edge."""
    left, right = (min(max(x, sheet.left), sheet.right) for x in (box.left, box.right))
    top, bottom = (min(max(y, sheet.top), sheet.bottom) for y in (box.top, box.bottom))
    return Rectangle(left, top, right, bottom)
