"""Where the images of a page are seen, as PDFium finds them: also those within other objects, turned or cut off.

pdf-oxide tells fast whether a page has any, but neither sees what clips them nor looks into forms.
"""

import ctypes
from collections.abc import Callable, Iterator

from pypdfium2 import raw

from blobforge.processors.pdf_markdown.layout.drawn.libraries import PdfiumPage
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import Matrix, PdfiumDocument, moved
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle, around

_DEEPEST = 5
_UNIT = Rectangle(0.0, 0.0, 1.0, 1.0)
"""What an image fills, in its own coordinates."""

Point = tuple[float, float]


def image_boxes(document: PdfiumDocument, index: int) -> list[Rectangle] | None:
    """In the file's own coordinates, top is low; None where PDFium cannot read the page."""
    try:
        return list(_Images(document.page(index)).boxes())
    except (RuntimeError, FileNotFoundError):
        return None


def shown_angle(document: PdfiumDocument, index: int) -> int:
    """By how many degrees, clockwise, the page is turned to be shown: where no text says how it is read."""
    try:
        return document.page(index).get_rotation()
    except (RuntimeError, FileNotFoundError):
        return 0


class _Images:
    def __init__(self, page: PdfiumPage) -> None:
        self._page = page

    def boxes(self) -> Iterator[Rectangle]:
        yield from self._within(self._page.raw, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, ())

    def _within(
        self,
        holder: object,
        count: Callable[[object], int],
        get: Callable[[object, int], object],
        forms: tuple[object, ...],
    ) -> Iterator[Rectangle]:
        """`forms` are those that it lies in, the innermost first."""
        kind_of = raw.FPDFPageObj_GetType
        # Browsers draw letter by letter, so a page has thousands: nothing is made of those that are no images.
        for number in range(max(count(holder), 0)):
            thing = get(holder, number)
            kind = kind_of(thing)
            if kind == raw.FPDF_PAGEOBJ_IMAGE and (seen := self._seen(thing, forms)) is not None:
                yield seen
            elif kind == raw.FPDF_PAGEOBJ_FORM and len(forms) < _DEEPEST:
                yield from self._within(thing, raw.FPDFFormObj_CountObjects, raw.FPDFFormObj_GetObject, (thing, *forms))

    def _seen(self, image: object, forms: tuple[object, ...]) -> Rectangle | None:
        """Each form has coordinates of its own, and what holds for it holds for what is in it."""
        seen = _common(_moved(_UNIT, self._matrix(image)), self._clip(image))
        for form in forms:
            if seen is None:
                break
            seen = _common(_moved(seen, self._matrix(form)), self._clip(form))
        return seen

    def _matrix(self, thing: object) -> Matrix:
        matrix = raw.FS_MATRIX()
        raw.FPDFPageObj_GetMatrix(thing, matrix)
        return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f

    def _clip(self, thing: object) -> Rectangle | None:
        """The box outside of which nothing of it is seen."""
        path = raw.FPDFPageObj_GetClipPath(thing)
        clip: Rectangle | None = None
        for number in range(max(raw.FPDFClipPath_CountPaths(path), 0) if path else 0):
            points = list(self._points(path, number))
            if points:
                box = _box(points)
                clip = box if clip is None else _common(clip, box) or Rectangle(0, 0, 0, 0)
        return clip

    def _points(self, path: object, number: int) -> Iterator[Point]:
        x, y = ctypes.c_float(), ctypes.c_float()
        for place in range(max(raw.FPDFClipPath_CountPathSegments(path, number), 0)):
            segment = raw.FPDFClipPath_GetPathSegment(path, number, place)
            if raw.FPDFPathSegment_GetPoint(segment, x, y):
                yield x.value, y.value


def _box(points: list[Point]) -> Rectangle:
    return around(Rectangle(x, y, x, y) for x, y in points)


def _moved(box: Rectangle, matrix: Matrix) -> Rectangle:
    corners = ((box.left, box.top), (box.right, box.top), (box.left, box.bottom), (box.right, box.bottom))
    return _box([moved(matrix, x, y) for x, y in corners])


def _common(one: Rectangle, other: Rectangle | None) -> Rectangle | None:
    """What lies in both; None where nothing does."""
    if other is None:
        return one
    box = Rectangle(
        max(one.left, other.left), max(one.top, other.top), min(one.right, other.right), min(one.bottom, other.bottom)
    )
    return box if box.width > 0 and box.height > 0 else None
