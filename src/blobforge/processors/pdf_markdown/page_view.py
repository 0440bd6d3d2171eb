"""Pages as a reader sees them, drawn by PDFium: for OCR, for pictures, and to tell an empty page."""

import io
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from blobforge.domain.errors import EngineFailed
from blobforge.processors.pdf_markdown.engines.engine import Box

_GLANCE_DPI = 36
_FAINTEST = 16
"""Grey levels, of 255: less contrast than this on a whole page is paper, not print."""

_OCR_DPI = 200
_LOWEST_OCR_DPI = 200
_HIGHEST_OCR_DPI = 300
_PICTURE_DPI = 150
_SHOWN_DPI = 100
_MOST_PIXELS = 25_000_000
_COVERING = 0.8
_SHOWN_EVERYWHERE = (1, 3)
"""Components of a JPEG: grey and colour, but not print inks."""
_DRAWN_BEFORE_REOPENING = 16


class GreyImage(NamedTuple):
    """`content` is a whole PGM file."""

    content: bytes
    dpi: int


class ImageFile(NamedTuple):
    extension: str
    content: bytes


class PageView:
    """An open document. Pages are drawn one at a time, so memory does not grow with their number."""

    def __init__(self, path: Path) -> None:
        import pypdfium2
        import pypdfium2.raw

        self._error = pypdfium2.PdfiumError
        self._image = pypdfium2.raw.FPDF_PAGEOBJ_IMAGE
        self._has_mask = pypdfium2.raw.FPDFPageObj_HasTransparency
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

    def size(self, number: int) -> tuple[float, float]:
        """Width and height in points, as the page is shown."""
        with self._page(number) as page:
            width, height = page.get_size()
            return width, height

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

    def grey(self, number: int) -> GreyImage:
        """The page for OCR, at the resolution of its scan where that makes sense."""
        with self._page(number) as page:
            dpi = self._scan_dpi(page)
            scale = _scale(page.get_size(), dpi)
            bitmap = page.render(scale=scale, grayscale=True)
            header = b"P5 %d %d 255\n" % (bitmap.width, bitmap.height)
            return GreyImage(header + bytes(bitmap.buffer), dpi=max(70, round(scale * 72)))

    def picture(self, number: int, region: Box) -> ImageFile | None:
        """The image there: its own file where that is a plain JPEG, else as it is seen; None outside the page."""
        with self._page(number) as page:
            region = _within(region, page.get_size())
            if region.width < 1 or region.height < 1:
                return None
            jpeg = self._jpeg(page, region)
            return ImageFile("jpg", jpeg) if jpeg else ImageFile("png", _drawn(page, region))

    def glance(self, number: int) -> bytes:
        """A small JPEG of the whole page."""
        with self._page(number) as page:
            bitmap = page.render(scale=_scale(page.get_size(), _SHOWN_DPI))
            return _encoded(bitmap.to_pil().convert("RGB"), "JPEG", quality=70)

    def whole_page(self, number: int) -> ImageFile:
        with self._page(number) as page:
            bitmap = page.render(scale=_scale(page.get_size(), _PICTURE_DPI))
            return ImageFile("jpg", _encoded(bitmap.to_pil().convert("RGB"), "JPEG", quality=85))

    def _jpeg(self, page: Any, region: Box) -> bytes | None:
        if page.get_rotation():
            return None
        for image in self._images(page):
            if self._is_plain_jpeg(image) and _lies_in(image, page, region):
                content = bytes(image.get_data(decode_simple=True))
                return content if jpeg_components(content) in _SHOWN_EVERYWHERE else None
        return None

    def _is_plain_jpeg(self, image: Any) -> bool:
        return image.get_filters(skip_simple=True) == ["DCTDecode"] and not self._has_mask(image)

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
    def _page(self, number: int) -> Iterator[Any]:
        self._forget_images()
        with self._faults(f"page {number}"):
            page = self._document[number - 1]
            try:
                yield page
            finally:
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


def _scale(size: tuple[float, float], dpi: int) -> float:
    """Pixels a point for that resolution, less where the image would be too large."""
    width, height = size
    wanted = dpi / 72
    most = math.sqrt(_MOST_PIXELS / max(width * height, 1.0))
    return min(wanted, most)


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


def _drawn(page: Any, region: Box) -> bytes:
    width, height = page.get_size()
    right, bottom = region.left + region.width, region.top + region.height
    crop = (region.left, height - bottom, width - right, region.top)
    bitmap = page.render(scale=_scale((region.width, region.height), _PICTURE_DPI), crop=crop)
    return _encoded(bitmap.to_pil(), "PNG")


def _encoded(image: Any, kind: str, **settings: int) -> bytes:
    content = io.BytesIO()
    image.save(content, kind, **settings)
    return content.getvalue()


def jpeg_components(content: bytes) -> int:
    """1 for grey, 3 for colour, 4 for print inks; 0 when it is no JPEG."""
    place = 2
    while content[place : place + 1] == b"\xff" and place + 10 <= len(content):
        kind = content[place + 1]
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            return content[place + 9]
        place += 2 + int.from_bytes(content[place + 2 : place + 4], "big")
    return 0


def _area(image: Any) -> float:
    left, bottom, right, top = image.get_bounds()
    area: float = (right - left) * (top - bottom)
    return area
