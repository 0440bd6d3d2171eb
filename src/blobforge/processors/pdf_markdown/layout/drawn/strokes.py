"""Rules, fills and frames of a page, out of the paths that were drawn."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.drawn.libraries import DrawnPath, PathOperation
from blobforge.processors.pdf_markdown.layout.drawn.turns import turned_point
from blobforge.processors.pdf_markdown.layout.model.content import Fill, FreeShape, Rectangle

THIN = 2.5
"""A rectangle thinner than this is a rule, however it was drawn."""
_SHORT = 4.0
_WIDEST_BORDER = 6.0
_THICKEST_STROKE = 4.0
_SMALLEST_DOT = 1.0
_LARGEST_DOT = 8.0
_ROUND = 0.3
_BLACK = (0.0, 0.0, 0.0)
_FEWEST_POINTS = 3
_LOWEST_LETTER, _LARGEST_LETTER = 2.0, 48.0
"""Points."""
_STRAIGHT = 0.7
"""Of its outline: so much of a rectangle with rounded corners is straight."""

Point = tuple[float, float]


class _Parts(NamedTuple):
    """Of a path: rectangles, straight segments, the ends of these and of curves, the middles of curves, and with which
    of the ends each of its contours begins."""

    boxes: list[Rectangle]
    segments: list[tuple[Point, Point]]
    points: list[Point]
    swings: list[Point]
    is_straight: bool
    starts: list[int]


@dataclass(slots=True)
class Strokes:
    """Collects what the paths of one page amount to.

    `page` is the visible box in the file's own direction (up), after the page was turned by `angle` to read it.
    """

    page: Rectangle
    angle: float = 0
    horizontals: list[Rectangle] = field(default_factory=list)
    verticals: list[Rectangle] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    frames: list[Rectangle] = field(default_factory=list)
    dots: list[Rectangle] = field(default_factory=list)
    """Small discs, rings and squares, such as bullets."""
    marks: list[FreeShape] = field(default_factory=list)
    """What is none of these: curves, slanting lines, and shapes that are no rectangles."""
    contours: list[Rectangle] = field(default_factory=list)
    """Of marks, those that are no larger than letters are: a path may hold a word, a line or a page of them."""

    def read(self, paths: Iterable[DrawnPath]) -> "Strokes":
        for path in paths:
            parts = self._parts(path["operations"])
            # In a damaged file a line may go nowhere: nobody sees it, and nothing can be reckoned with it.
            if math.isfinite(sum(sum(map(sum, each)) for each in (parts.boxes, parts.points, parts.swings))):
                self._path(path, parts)
        return self

    def _path(self, path: DrawnPath, parts: _Parts) -> None:
        stroked = path["stroke_color"] is not None
        # What is painted with neither is filled with the colour that nobody set: black.
        colour = path["fill_color"] if stroked else path["fill_color"] or _BLACK
        filled = colour is not None
        boxes, segments, points, swings, is_straight, starts = parts
        outline = _upright(points) if is_straight else _rounded(points, segments)
        if len(boxes) < 2 and self._dot(boxes[0] if boxes else outline):
            return
        # What is drawn freely; lines that run straight across or down are rules, however many a path has.
        if outline is None and (not is_straight or any(_slants(*each) for each in segments)):
            self.marks.append(FreeShape(_extent(points, swings, boxes), len(path["operations"])))
            self.contours += _contours(points, starts)
        if stroked:
            for start, end in segments:
                self._segment(start, end)
        if filled and not boxes and outline is not None:
            boxes = [outline]
        elif filled and not boxes and is_straight:
            boxes = _uprights(segments)
        elif stroked and outline is not None and not is_straight:
            self.frames.append(outline)
        if filled and len(boxes) == 2 and self._border(*boxes):
            return
        thin_line = (path["stroke_width"] or 0) < _THICKEST_STROKE
        for box in boxes:
            self._rectangle(box, colour, outlined=stroked and thin_line)

    def _parts(self, operations: Iterable[PathOperation]) -> _Parts:
        # A page may have tens of thousands of these, so they are looked at once.
        boxes: list[Rectangle] = []
        segments: list[tuple[Point, Point]] = []
        points: list[Point] = []
        swings: list[Point] = []
        starts: list[int] = []
        start: Point = (0.0, 0.0)
        is_straight = True
        for operation in operations:
            name = operation["op"]
            if name == "line_to":
                point = self._point(operation["x"], operation["y"])
                if points:
                    segments.append((points[-1], point))
                points.append(point)
            elif name == "rectangle":
                boxes.append(self._box(operation["x"], operation["y"], operation["width"], operation["height"]))
            elif name == "move_to":
                start = self._point(operation["x"], operation["y"])
                starts.append(len(points))
                points.append(start)
            elif name.startswith("curve"):
                is_straight = False
                point = self._point(operation["x"], operation["y"])
                if points and "cx2" in operation:
                    swings.append(self._swing(points[-1], operation, point))
                points.append(point)
            elif points and name in {"close_path", "close"}:
                segments.append((points[-1], start))
        return _Parts(boxes, segments, points, swings, is_straight, starts)

    def _swing(self, start: Point, operation: PathOperation, end: Point) -> Point:
        """How far a curve swings out is told by its middle."""
        x1, y1 = self._point(operation["cx1"], operation["cy1"])
        x2, y2 = self._point(operation["cx2"], operation["cy2"])
        return (start[0] + 3 * x1 + 3 * x2 + end[0]) / 8, (start[1] + 3 * y1 + 3 * y2 + end[1]) / 8

    def _dot(self, box: Rectangle | None) -> bool:
        """Takes what is as wide as high and no larger than a bullet."""
        if box is None or not _SMALLEST_DOT <= box.height <= _LARGEST_DOT or abs(box.width - box.height) > _ROUND:
            return False
        self.dots.append(box)
        return True

    def _point(self, x: float, y: float) -> Point:
        if self.angle:
            x, y = turned_point(x, y, self.angle)
        return x - self.page.left, self.page.bottom - y

    def _box(self, x: float, y: float, width: float, height: float) -> Rectangle:
        low, high = turned_point(x, y, self.angle), turned_point(x + width, y + height, self.angle)
        left, right = sorted((low[0] - self.page.left, high[0] - self.page.left))
        top, bottom = sorted((self.page.bottom - low[1], self.page.bottom - high[1]))
        return Rectangle(left, top, right, bottom)

    def _segment(self, start: Point, end: Point) -> None:
        (x1, y1), (x2, y2) = start, end
        if abs(y1 - y2) <= 1 and abs(x1 - x2) > THIN:
            self.horizontals.append(Rectangle(min(x1, x2), y1, max(x1, x2), y1))
        elif abs(x1 - x2) <= 1 and abs(y1 - y2) > THIN:
            self.verticals.append(Rectangle(x1, min(y1, y2), x1, max(y1, y2)))

    def _rectangle(self, box: Rectangle, colour: tuple[float, ...] | None, *, outlined: bool) -> None:
        if box.height <= THIN and box.width > _SHORT:
            self._rule_across(box, (box.top + box.bottom) / 2)
        elif box.width <= THIN and box.height > _SHORT:
            self._rule_down(box, box.middle)
        else:
            if colour is not None:
                self.fills.append(Fill(box, tuple(round(part, 2) for part in colour)))
            if outlined:
                self._frame(box)

    def _frame(self, box: Rectangle) -> None:
        self.frames.append(box)
        for y in (box.top, box.bottom):
            self._rule_across(box, y)
        for x in (box.left, box.right):
            self._rule_down(box, x)

    def _border(self, first: Rectangle, second: Rectangle) -> bool:
        """A ring of two rectangles, painted even-odd: the border of a box, or one side of it."""
        outer, inner = (first, second) if first.area >= second.area else (second, first)
        if not outer.holds(inner, slack=0.1):
            return False
        left, top = inner.left - outer.left, inner.top - outer.top
        right, bottom = outer.right - inner.right, outer.bottom - inner.bottom
        if max(left, top, right, bottom) > _WIDEST_BORDER:
            return False
        drawn = 0.05
        sides = [left > drawn, top > drawn, right > drawn, bottom > drawn]
        if all(sides):
            self._frame(outer)
            return True
        for is_drawn, y in ((sides[1], outer.top), (sides[3], outer.bottom)):
            if is_drawn:
                self._rule_across(outer, y)
        for is_drawn, x in ((sides[0], outer.left), (sides[2], outer.right)):
            if is_drawn:
                self._rule_down(outer, x)
        return True

    def _rule_across(self, box: Rectangle, y: float) -> None:
        self.horizontals.append(Rectangle(box.left, y, box.right, y))

    def _rule_down(self, box: Rectangle, x: float) -> None:
        self.verticals.append(Rectangle(x, box.top, x, box.bottom))


def _extent(points: list[Point], swings: list[Point], boxes: list[Rectangle]) -> Rectangle:
    """What a path passes over."""
    around = [*points, *swings, *(corner for box in boxes for corner in (box[:2], box[2:]))]
    xs, ys = [x for x, _ in around], [y for _, y in around]
    return Rectangle(min(xs), min(ys), max(xs), max(ys))


def _contours(points: list[Point], starts: list[int]) -> Iterator[Rectangle]:
    for start, end in pairwise([*starts, len(points)]):
        if end - start >= _FEWEST_POINTS:
            xs, ys = [x for x, _ in points[start:end]], [y for _, y in points[start:end]]
            box = Rectangle(min(xs), min(ys), max(xs), max(ys))
            if _LOWEST_LETTER <= box.height <= _LARGEST_LETTER and box.width <= _LARGEST_LETTER:
                yield box


def _slants(start: Point, end: Point) -> bool:
    return abs(start[0] - end[0]) > 1 and abs(start[1] - end[1]) > 1


def _upright(points: list[Point]) -> Rectangle | None:
    """The rectangle that the points are the corners of, if they are."""
    if len(points) < 4:
        return None
    xs, ys = sorted({round(x, 1) for x, _ in points}), sorted({round(y, 1) for _, y in points})
    if len(xs) != 2 or len(ys) != 2:
        return None
    return Rectangle(xs[0], ys[0], xs[1], ys[1])


def _uprights(segments: list[tuple[Point, Point]]) -> list[Rectangle]:
    """The rectangles of a path that draws several of them line by line, such as all bars of one colour in a chart."""
    outlines: list[list[Point]] = []
    for place, (start, end) in enumerate(segments):
        if not place or segments[place - 1][1] != start:
            outlines.append([start])
        outlines[-1].append(end)
    boxes = [_upright(points) for points in outlines]
    found = [box for box in boxes if box is not None]
    return found if len(found) == len(boxes) else []


def _rounded(points: list[Point], segments: list[tuple[Point, Point]]) -> Rectangle | None:
    """The rectangle whose corners were rounded, or a disc so small that it may be a bullet."""
    if len(points) < 4:
        return None
    xs, ys = [x for x, _ in points], [y for _, y in points]
    box = Rectangle(min(xs), min(ys), max(xs), max(ys))
    if max(box.width, box.height) <= _LARGEST_DOT and abs(box.width - box.height) <= _ROUND:
        return box
    straight = sum(abs(x1 - x2) + abs(y1 - y2) for (x1, y1), (x2, y2) in segments if _is_along(box, x1, y1, x2, y2))
    around = 2 * (box.width + box.height)
    return box if _STRAIGHT * around <= straight <= around else None


def _is_along(box: Rectangle, x1: float, y1: float, x2: float, y2: float) -> bool:
    """Whether the segment lies on a side of the box."""
    return (
        abs(x1 - box.left) + abs(x2 - box.left) < 1
        or abs(x1 - box.right) + abs(x2 - box.right) < 1
        or abs(y1 - box.top) + abs(y2 - box.top) < 1
        or abs(y1 - box.bottom) + abs(y2 - box.bottom) < 1
    )
