"""Pages as a reader sees them, drawn by PDFium: for OCR, for pictures, and to tell an empty page."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from blobforge.documents.grey_image import GreyImage
from blobforge.domain.errors import EngineFailed
from blobforge.processors.pdf_markdown.engines.engine import Box
from blobforge.processors.pdf_markdown.image_files import ImageFile, encoded, own_file
from blobforge.processors.pdf_markdown.ocr.straight import laid_straight
from blobforge.processors.pdf_markdown.ocr.unread_print import DPI, Print, PrintPlace, ground_of, print_in
from blobforge.processors.pdf_markdown.told_text import ToldRun, runs_on

_GLANCE_DPI = 36
_FAINTEST = 16
"""Grey levels, of 255: less contrast than this on a whole page is paper, not print."""

_OCR_DPI = 200
_LOWEST_OCR_DPI = 200
_HIGHEST_OCR_DPI = 300
_PICTURE_DPI = 150
_SHOWN_DPI = 100
_MOST_PIXELS = 25_000_000
_MOST_PICTURE_PIXELS = 8_000_000
_GLANCE_PIXELS = 128
_COVERING = 0.8
_DRAWN_BEFORE_REOPENING = 16
_ROOM = 0.25
"""Of its height, around a line: letters rise and descend beyond what is told of them."""
_WIDER = 0.4
"""Of its width, on both sides of a hidden line: its letters are others than those of the scan."""
_MOST_SEEN_PIXELS = 2_000_000


class PageView:
    """An open document. Pages are drawn one at a time, so memory does not grow with their number."""

    def __init__(self, path: Path) -> None:
        import pypdfium2
        import pypdfium2.raw

        self._error = pypdfium2.PdfiumError
        self._image = pypdfium2.raw.FPDF_PAGEOBJ_IMAGE
        self._path = path
        self._open = pypdfium2.PdfDocument
        self._drawn = 0
        self._document = self._opened()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._document.close()

    def size(self, number: int, *, angle: int | None = None) -> tuple[float, float]:
        """Width and height in points, as the page is shown."""
        with self._page(number, angle=angle) as page:
            width, height = page.get_size()
            return width, height

    def rotation(self, number: int) -> int:
        """By how many degrees the page is turned to be shown, with the clock."""
        with self._page(number) as page:
            angle: int = page.get_rotation()
            return angle

    def is_blank(self, number: int) -> bool:
        """Whether nothing at all is to be seen on the page."""
        with self._page(number) as page:
            bitmap = page.render(scale=_scale(page.get_size(), _GLANCE_DPI), grayscale=True)
            pixels = bytes(bitmap.buffer)
        return max(pixels) - min(pixels) < _FAINTEST

    def is_covered(self, number: int) -> bool:
        """Whether one image fills the page, as in a scan."""
        with self._page(number) as page:
            width, height = page.get_size()
            return any(_area(image) >= _COVERING * width * height for image in self._images(page))

    def hides_image(self, number: int) -> bool:
        """Whether PDFium draws nothing of an image that should fill the page."""
        with self._page(number) as page:
            width, height = page.get_size()
            covering = (image for image in self._images(page) if _area(image) >= _COVERING * width * height)
            return not all(map(self._is_drawn, covering))

    def _is_drawn(self, image: Any) -> bool:
        try:
            image.get_bitmap().close()
        except self._error:
            return False
        return True

    def print_on(self, number: int, *, is_hidden: bool) -> tuple[Print, Print]:
        """What is printed on the page where it tells no text, and all that is; `is_hidden`: its text lies behind a
        scan."""
        with self._page(number) as page:
            scale = _scale(page.get_size(), DPI, most=_MOST_SEEN_PIXELS)
            image = page.render(scale=scale, grayscale=True).to_pil()
            wider = _WIDER if is_hidden else 0.0
            return print_in(image, [_place(run, wider=wider) for run in runs_on(page, scale=scale)])

    def told(self, number: int, *, turned: int = 0) -> list[ToldRun]:
        """The text that the page tells by itself, in points."""
        with self._page(number) as page:
            return list(runs_on(page, turned=turned))

    def text(self, number: int) -> str:
        """The text of the page as PDFium finds it, seen or hidden."""
        with self._page(number) as page:
            layer = page.get_textpage()
            try:
                return str(layer.get_text_range())
            finally:
                layer.close()

    def grey(self, number: int, *, turned: int = 0, untold: bool = False) -> GreyImage:
        """The page for OCR, laid straight, at the resolution of its scan where that makes sense.

        `turned` is a quarter, a half or three quarters of a turn, in degrees with the clock. `untold`: without the text
        that the page tells by itself.
        """
        with self._page(number) as page:
            scale = _scale(page.get_size(), self._scan_dpi(page))
            image = page.render(scale=scale, grayscale=True, rotation=turned).to_pil()
            if untold:
                ground = ground_of(image)
                for run in runs_on(page, scale=scale, turned=turned):
                    image.paste(ground, _place(run))
            return GreyImage.of(laid_straight(image), dpi=max(70, round(scale * 72)))

    def part(self, number: int, region: Box, *, dpi: int, angle: int | None = None) -> GreyImage:
        """A region of the page for OCR; `angle` is how the page was turned to find it."""
        with self._page(number, angle=angle) as page:
            region = _within(region, page.get_size())
            scale = _scale((region.width, region.height), dpi)
            image = page.render(scale=scale, grayscale=True, crop=_crop(page, region)).to_pil()
            return GreyImage.of(image, dpi=max(70, round(scale * 72)))

    def picture(self, number: int, region: Box, *, angle: int | None = None, as_seen: bool = False) -> ImageFile | None:
        """The image there: its own file where that shows the same, else as it is seen; None outside the page.

        `angle` is how the page was turned to find the region, clockwise, where that is not as it is shown. With
        `as_seen` nothing but a drawing will do, since there is more than an image.
        """
        with self._page(number, angle=angle) as page:
            region = _within(region, page.get_size())
            if region.width < 1 or region.height < 1:
                return None
            image = None if as_seen else self._image_at(page, region)
            own = None if image is None else own_file(image, _glance(page, region))
            return own or ImageFile("png", _drawn(page, region))

    def glance(self, number: int, *, angle: int | None = None) -> bytes:
        """A small JPEG of the whole page."""
        with self._page(number, angle=angle) as page:
            bitmap = page.render(scale=_scale(page.get_size(), _SHOWN_DPI))
            return encoded(bitmap.to_pil().convert("RGB"), "JPEG", quality=70)

    def whole_page(self, number: int) -> ImageFile:
        with self._page(number) as page:
            bitmap = page.render(scale=_scale(page.get_size(), _PICTURE_DPI))
            return ImageFile("jpg", encoded(bitmap.to_pil().convert("RGB"), "JPEG", quality=85))

    def _image_at(self, page: Any, region: Box) -> Any:
        """The image that fills the region; None where it is turned, or where there is none."""
        if page.get_rotation():
            return None
        return next((image for image in self._images(page) if _lies_in(image, page, region)), None)

    def _scan_dpi(self, page: Any) -> int:
        width, _ = page.get_size()
        for image in self._images(page):
            left, _, right, _ = image.get_bounds()
            if right - left >= _COVERING * width:
                dpi = int(image.get_px_size()[0] * 72 / (right - left))
                return min(max(dpi, _LOWEST_OCR_DPI), _HIGHEST_OCR_DPI)
        return _OCR_DPI

    def _images(self, page: Any) -> Iterator[Any]:
        yield from page.get_objects(filter=[self._image], max_depth=4)

    def _opened(self) -> Any:
        with self._faults("the document"):
            document = self._open(self._path)
            document.init_forms()
            return document

    @contextmanager
    def _page(self, number: int, *, angle: int | None = None) -> Iterator[Any]:
        """Turned by `angle` degrees clockwise, whatever the document says, if one is given."""
        self._forget_images()
        with self._faults(f"page {number}"):
            page = self._document[number - 1]
            shown = page.get_rotation()
            try:
                if angle is not None:
                    page.set_rotation(angle)
                yield page
            finally:
                # The document remembers.
                page.set_rotation(shown)
                page.close()

    def _forget_images(self) -> None:
        """PDFium keeps the images of the pages it has drawn for as long as the document is open."""
        self._drawn += 1
        if self._drawn % _DRAWN_BEFORE_REOPENING == 0:
            fresh = self._opened()
            self._document.close()
            self._document = fresh

    @contextmanager
    def _faults(self, what: str) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            raise EngineFailed(f"{what} cannot be drawn: {error}") from error
        except MemoryError as error:
            raise EngineFailed(f"{what} cannot be drawn in the memory that there is") from error


def _scale(size: tuple[float, float], dpi: int, *, most: int = _MOST_PIXELS) -> float:
    """Pixels a point for that resolution, less where the image would be too large."""
    width, height = size
    return min(dpi / 72, math.sqrt(most / max(width * height, 1.0)))


def _place(run: ToldRun, *, wider: float = 0.0) -> PrintPlace:
    up = max(1.0, _ROOM * (run.bottom - run.top))
    aside = up + wider * (run.right - run.left)
    return PrintPlace(round(run.left - aside), round(run.top - up), round(run.right + aside), round(run.bottom + up))


def _within(region: Box, size: tuple[float, float]) -> Box:
    left, top = max(region.left, 0.0), max(region.top, 0.0)
    right = min(region.left + region.width, size[0])
    bottom = min(region.top + region.height, size[1])
    return Box(left, top, right - left, bottom - top)


def _lies_in(image: Any, page: Any, region: Box) -> bool:
    """Whether this image, upright and not mirrored, fills the region to within a few points."""
    matrix = image.get_matrix()
    if matrix.b or matrix.c or matrix.a <= 0 or matrix.d <= 0:
        return False
    page_left, _, _, page_top = page.get_bbox()
    left, bottom, right, top = image.get_bounds()
    found = Box(left - page_left, page_top - top, right - left, top - bottom)
    return all(abs(one - other) < 3 for one, other in zip(found, region, strict=True))


def _glance(page: Any, region: Box) -> Any:
    """What is seen there, small."""
    scale = _GLANCE_PIXELS / max(region.width, region.height)
    return page.render(scale=scale, crop=_crop(page, region)).to_pil()


def _drawn(page: Any, region: Box) -> bytes:
    scale = _scale((region.width, region.height), _PICTURE_DPI, most=_MOST_PICTURE_PIXELS)
    return encoded(page.render(scale=scale, crop=_crop(page, region)).to_pil(), "PNG")


def _crop(page: Any, region: Box) -> tuple[float, float, float, float]:
    """What is cut off at each side of a page to leave that region, as PDFium wants it."""
    width, height = page.get_size()
    return region.left, height - region.top - region.height, width - region.left - region.width, region.top


def _area(image: Any) -> float:
    left, bottom, right, top = image.get_bounds()
    area: float = (right - left) * (top - bottom)
    return area
