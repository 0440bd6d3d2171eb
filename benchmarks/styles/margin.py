"""A box that stands in the outer margin, level with the text that it belongs to."""

from typing import Any

from reportlab.platypus import Flowable as PlatypusFlowable

LOWEST = 60.0


class MarginBox(PlatypusFlowable):  # type: ignore[misc]  # reportlab carries no types
    """Takes no room in its column. Odd pages have the margin on the right."""

    def __init__(self, box: Any, *, odd_left: float, even_left: float) -> None:
        super().__init__()
        self._box = box
        self._odd_left = odd_left
        self._even_left = even_left

    def wrap(self, _width: float, _height: float) -> tuple[float, float]:
        return 0, 0

    def drawOn(self, canvas: Any, _x: float, y: float, _sW: float = 0) -> None:  # noqa: N802, N803
        left = self._odd_left if canvas.getPageNumber() % 2 else self._even_left
        _, height = self._box.wrapOn(canvas, 1000, 1000)
        self._box.drawOn(canvas, left, max(y - height, LOWEST))
