"""What reads the pictures of pages, as a port: tesseract stands behind it, and another program can.

People are told of tesseract, since that is what they can install.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from typing import NamedTuple, Protocol

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_languages import USUAL, readable, usable
from blobforge.domain.errors import OcrUnavailable
from blobforge.domain.needs import language_package

SECONDS_A_PAGE = 120.0


class Segmentation(Enum):
    """What a picture shows: a page of columns and paragraphs, words here and there, or lines one below the other."""

    PAGE = auto()
    SPARSE = auto()
    BLOCK = auto()


class OcrWord(NamedTuple):
    """A word as it was read, with its place in pixels. `confidence` is the program's own, from 0 to 100."""

    text: str
    left: int
    top: int
    width: int
    height: int
    confidence: float
    line: tuple[str, str, str]
    """Its block, the paragraph in that and the line in that: words of one line have the same three."""


class Orientation(NamedTuple):
    """By how many degrees a page must be turned with the clock to stand upright; and its script, where known."""

    turn: int
    script: str


class OcrProgram(Protocol):
    @property
    def name(self) -> str:
        """By which a result says what has read its pages."""
        ...

    @property
    def version(self) -> str: ...

    @property
    def languages(self) -> frozenset[str]:
        """By tesseract's names; `osd` among them where it can tell how a page lies and its script."""
        ...

    def words(
        self,
        image: GreyImage,
        languages: Iterable[str],
        *,
        segmentation: Segmentation = Segmentation.PAGE,
        seconds: float = SECONDS_A_PAGE,
    ) -> list[OcrWord]:
        """Line after line. Raises OcrFailed."""
        ...

    def orientation(self, image: GreyImage, *, seconds: float = SECONDS_A_PAGE) -> Orientation:
        """As far as the letters of the page tell. Raises OcrFailed."""
        ...


FindOcr = Callable[[], OcrProgram | None]
"""What there is on this machine, or None."""


def can_read(program: OcrProgram | None, languages: Sequence[str]) -> bool:
    """With no languages: any that is there."""
    return program is not None and bool(
        usable(tuple(languages), program.languages) if languages else readable(program.languages)
    )


def require(program: OcrProgram | None, languages: Sequence[str]) -> OcrProgram:
    """Raises OcrUnavailable where it can read none of these, nor one like them; with no languages: none at all."""
    if program is None:
        raise OcrUnavailable(
            "this page has to be read from its picture, and tesseract is not installed here; install it "
            "(Debian: apt install tesseract-ocr, macOS: brew install tesseract) and convert again"
        )
    if not can_read(program, languages):
        wanted = languages or (USUAL,)
        raise OcrUnavailable(
            f"this page has to be read from its picture, and {advice(', '.join(wanted), language_package(wanted[0]))} "
            f"or choose other ocr_languages; here are {', '.join(readable(program.languages)) or 'none'}"
        )
    return program


def advice(missing: str, needed: str) -> str:
    return f"tesseract has no data for {missing}; install it (Debian: apt install {needed})"
