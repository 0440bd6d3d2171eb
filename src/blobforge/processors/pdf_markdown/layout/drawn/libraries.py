"""What we ask of pdf-oxide and of PDFium, which say little or nothing of their types themselves."""

from collections.abc import Iterator, Sequence
from typing import NotRequired, Protocol, Self, TypedDict

from blobforge.processors.pdf_markdown.layout.model.content import OutlineEntry

Limits = tuple[float, float, float, float]
"""Left, bottom, right and top, in the file's own coordinates."""


class Character(Protocol):
    """A glyph as pdf-oxide tells it; `Letter` has the same names for what PDFium finds."""

    @property
    def char(self) -> str: ...
    @property
    def origin_x(self) -> float: ...
    @property
    def origin_y(self) -> float: ...
    @property
    def advance_width(self) -> float: ...
    @property
    def font_name(self) -> str: ...
    @property
    def font_size(self) -> float: ...
    @property
    def font_weight(self) -> str: ...
    @property
    def color(self) -> tuple[float, ...]: ...
    @property
    def rotation_degrees(self) -> float: ...
    @property
    def is_italic(self) -> bool: ...
    @property
    def is_monospace(self) -> bool: ...
    @property
    def bbox(self) -> tuple[float, float, float, float]: ...


class PathOperation(TypedDict):
    """A move of the pen; which of the places it has depends on `op`."""

    op: str
    x: NotRequired[float]
    y: NotRequired[float]
    width: NotRequired[float]
    height: NotRequired[float]
    cx1: NotRequired[float]
    cy1: NotRequired[float]
    cx2: NotRequired[float]
    cy2: NotRequired[float]


class DrawnPath(TypedDict):
    fill_color: tuple[float, ...] | None
    stroke_color: tuple[float, ...] | None
    stroke_width: float | None
    operations: Sequence[PathOperation]


class ImagePlace(TypedDict):
    x: float
    y: float
    width: float
    height: float


class Annotation(TypedDict, total=False):
    action_uri: str | None
    rect: Sequence[float]


class DocumentReader(Protocol):
    """What both pdf-oxide and `PdfiumDocument` answer; pages are counted from 0. Raises RuntimeError."""

    def extract_chars(self, page: int, /) -> Sequence[Character]: ...
    def extract_paths(self, page: int, /) -> list[DrawnPath]: ...
    def page_images(self, page: int, /) -> list[ImagePlace]: ...
    def get_annotations(self, page: int, /) -> list[Annotation]: ...
    def page_crop_box(self, page: int, /) -> Limits | None: ...
    def page_media_box(self, page: int, /) -> Limits: ...
    def classify_page(self, page: int, /) -> str: ...
    def get_outline(self) -> list[OutlineEntry] | None: ...


class PdfiumMatrix(Protocol):
    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def multiply(self, other: Self, /) -> Self: ...


class PdfiumObject(Protocol):
    """A page object of pypdfium2; `container` is the form that it lies in."""

    @property
    def raw(self) -> object: ...
    @property
    def container(self) -> "PdfiumObject | None": ...
    def get_matrix(self) -> PdfiumMatrix: ...


class PdfiumTextPage(Protocol):
    @property
    def raw(self) -> object: ...
    def get_text_range(self) -> str: ...


class PdfiumBitmap(Protocol):
    width: int
    height: int
    stride: int

    @property
    def buffer(self) -> bytes: ...


class PdfiumPage(Protocol):
    @property
    def raw(self) -> object: ...
    def get_textpage(self) -> PdfiumTextPage: ...
    def get_cropbox(self) -> Limits: ...
    def get_size(self) -> tuple[float, float]: ...
    def get_rotation(self) -> int: ...
    def render(self, *, scale: float, grayscale: bool) -> PdfiumBitmap: ...
    def get_objects(self, *, filter: Sequence[int], max_depth: int) -> Iterator[PdfiumObject]: ...  # noqa: A002


class PdfiumTarget(Protocol):
    def get_index(self) -> int | None: ...


class PdfiumBookmark(Protocol):
    level: int

    def get_title(self) -> str: ...
    def get_dest(self) -> PdfiumTarget | None: ...


class OpenPdfium(Protocol):
    """A document of pypdfium2."""

    def __len__(self) -> int: ...
    def get_page(self, index: int, /) -> PdfiumPage: ...
    def get_toc(self, *, max_depth: int) -> Iterator[PdfiumBookmark]: ...
