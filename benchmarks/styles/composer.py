"""Fills pages: columns one after the other, headings that stay with their text, notes at the foot."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from reportlab.lib.colors import Color
from reportlab.platypus import Paragraph, Table

# reportlab carries no types: a flowable or a canvas is Any to the type checker.
Flowable = Any
Canvas = Any

SMALLEST_REST = 60.0
TALL_TABLE = 150.0
NOTE_GAP = 9.0
FEWEST_ROWS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    left: float
    bottom: float
    width: float
    top: float

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def right(self) -> float:
        return self.left + self.width


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What is the same on every page: where text may stand, and what is printed around it."""

    body: Callable[[int], Area]
    furniture: Callable[[Canvas, int], None]
    gutter: float = 14.0
    column_rule: Color | None = None
    section_gap: float = 8.0


@dataclass(slots=True, kw_only=True)
class Column:
    area: Area
    at: float
    foot: float
    notes: list[Flowable] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return self.at == self.area.top


class Composer:
    def __init__(self, canvas: Canvas, sheet: Sheet, *, obstacles: Mapping[int, Callable[[Canvas], Area]]) -> None:
        self._canvas = canvas
        self._sheet = sheet
        self._obstacles = obstacles
        self._page = 0
        self._top = 0.0
        self._turn_page()

    @property
    def page(self) -> int:
        return self._page

    def add(self, flowables: Sequence[Flowable], *, columns: int) -> None:
        queue = deque(flowables)
        while queue:
            rest = replace(self._sheet.body(self._page), top=self._top)
            if rest.height < SMALLEST_REST:
                self._turn_page()
                continue
            filled = self._fill_page(queue, self._balanced(queue, rest, columns), columns)
            self._top = filled - self._sheet.section_gap
            if queue:
                self._turn_page()

    def finish(self) -> None:
        self._canvas.showPage()

    def _turn_page(self) -> None:
        if self._page:
            self._canvas.showPage()
        self._page += 1
        self._sheet.furniture(self._canvas, self._page)
        self._top = self._sheet.body(self._page).top
        self._barrier = self._obstacles[self._page](self._canvas) if self._page in self._obstacles else None

    def _balanced(self, queue: deque[Flowable], rest: Area, columns: int) -> Area:
        """The lowest area whose columns hold all that is left, or the whole rest of the page."""
        if columns == 1 or not self._holds(queue, rest, columns):
            return rest
        height = SMALLEST_REST
        while height < rest.height:
            area = replace(rest, bottom=rest.top - height)
            if self._holds(queue, area, columns):
                return area
            height += 4
        return rest

    def _holds(self, queue: deque[Flowable], area: Area, columns: int) -> bool:
        trial = deque(queue)
        for part in self._zones(area, columns):
            _fill(Column(area=part, at=part.top, foot=part.bottom), trial, self._canvas, draw=_draw_nothing)
        return not trial

    def _fill_page(self, queue: deque[Flowable], area: Area, columns: int) -> float:
        lowest = area.top
        for part in self._zones(area, columns):
            column = Column(area=part, at=part.top, foot=part.bottom)
            _fill(column, queue, self._canvas, draw=_draw)
            _draw_notes(column, self._canvas)
            lowest = min(lowest, column.at)
        self._draw_column_rules(area, columns, lowest)
        return lowest

    def _zones(self, area: Area, columns: int) -> Sequence[Area]:
        """In reading order; a column that an obstacle reaches into is three zones."""
        gutter = self._sheet.gutter
        width = column_width(area.width, columns, gutter)
        upright = [replace(area, left=area.left + n * (width + gutter), width=width) for n in range(columns)]
        if self._barrier is None:
            return upright
        return [zone for column in upright for zone in _around(column, self._barrier)]

    def _draw_column_rules(self, area: Area, columns: int, lowest: float) -> None:
        if self._sheet.column_rule is None:
            return
        width = column_width(area.width, columns, self._sheet.gutter)
        self._canvas.setStrokeColor(self._sheet.column_rule)
        self._canvas.setLineWidth(0.5)
        for n in range(1, columns):
            x = area.left + n * (width + self._sheet.gutter) - self._sheet.gutter / 2
            self._canvas.line(x, area.top, x, lowest)


def column_width(width: float, columns: int, gutter: float) -> float:
    return (width - gutter * (columns - 1)) / columns


def _around(column: Area, barrier: Area) -> Sequence[Area]:
    if barrier.top <= column.bottom or barrier.bottom >= column.top:
        return [column]
    if barrier.left > column.left:
        beside = replace(column, width=min(barrier.left, column.right) - column.left)
    else:
        left = min(barrier.right, column.right)
        beside = replace(column, left=left, width=column.right - left)
    zones = [
        replace(column, bottom=barrier.top),
        replace(beside, top=barrier.top, bottom=barrier.bottom),
        replace(column, top=barrier.bottom),
    ]
    return [zone for zone in zones if zone.height > 0]


Draw = Callable[[Flowable, Canvas, float, float], None]


def _draw(flowable: Flowable, canvas: Canvas, x: float, y: float) -> None:
    flowable.drawOn(canvas, x, y)


def _draw_nothing(_flowable: Flowable, _canvas: Canvas, _x: float, _y: float) -> None:
    return


def _fill(column: Column, queue: deque[Flowable], canvas: Canvas, *, draw: Draw) -> None:
    while queue:
        gap = 0.0 if column.is_empty else queue[0].getSpaceBefore()
        free = column.at - column.foot - gap
        height = _height(queue[0], column.area.width, canvas)
        needed = _needed(queue, column.area.width, canvas)
        if needed <= free or (column.is_empty and height <= free):
            flowable = queue.popleft()
            _take_notes(column, flowable, canvas)
        else:
            parts = _split(queue[0], column.area.width, free, canvas)
            if len(parts) < 2:
                return
            flowable, rest = parts[0], parts[1:]
            queue.popleft()
            queue.extendleft(reversed(rest))
            height = _height(flowable, column.area.width, canvas)
        column.at -= gap + height
        draw(flowable, canvas, column.area.left, column.at)
        column.at -= flowable.getSpaceAfter()


def _height(flowable: Flowable, width: float, canvas: Canvas) -> float:
    return float(flowable.wrapOn(canvas, width, 10_000)[1])


def _split(flowable: Flowable, width: float, free: float, canvas: Canvas) -> Sequence[Flowable]:
    if not _can_be_split(flowable) or free <= 0:
        return []
    # Some flowables, such as a paragraph around a picture, forget their second part when they are split for a trial.
    parts: Sequence[Flowable] = copy(flowable).splitOn(canvas, width, free)
    if any(isinstance(part, Table) and part._nrows < FEWEST_ROWS for part in parts):
        return []
    return parts


def _can_be_split(flowable: Flowable) -> bool:
    return not flowable.getKeepWithNext() and not getattr(flowable, "footnotes", None)


def _needed(queue: deque[Flowable], width: float, canvas: Canvas) -> float:
    """The height of the first, with its notes, and with the beginning of what it must not be parted from."""
    first = queue[0]
    height = _height(first, width, canvas) + _notes_height(first, width, canvas)
    if not first.getKeepWithNext() or len(queue) == 1:
        return height
    following = deque(list(queue)[1:4])
    gap = float(max(first.getSpaceAfter(), following[0].getSpaceBefore()))
    if following[0].getKeepWithNext():
        return height + gap + _needed(following, width, canvas)
    return height + gap + _beginning(following[0], width, canvas)


def _beginning(flowable: Flowable, width: float, canvas: Canvas) -> float:
    height = _height(flowable, width, canvas) + _notes_height(flowable, width, canvas)
    if isinstance(flowable, Paragraph) and not getattr(flowable, "footnotes", None):
        return min(height, 2.2 * float(flowable.style.leading))
    return height if height < TALL_TABLE else TALL_TABLE / 2


def _notes_height(flowable: Flowable, width: float, canvas: Canvas) -> float:
    notes = getattr(flowable, "footnotes", [])
    return sum(_height(note, width, canvas) + 2 for note in notes) + (NOTE_GAP if notes else 0)


def _take_notes(column: Column, flowable: Flowable, canvas: Canvas) -> None:
    notes = getattr(flowable, "footnotes", [])
    column.foot += _notes_height(flowable, column.area.width, canvas)
    column.notes.extend(notes)


def _draw_notes(column: Column, canvas: Canvas) -> None:
    if not column.notes:
        return
    canvas.setLineWidth(0.4)
    canvas.line(column.area.left, column.foot - 5, column.area.left + 110, column.foot - 5)
    y = column.area.bottom
    for note in reversed(column.notes):
        height = _height(note, column.area.width, canvas)
        note.drawOn(canvas, column.area.left, y)
        y += height + 2
