"""A source that should be a PDF: the first look at it, how it is opened, and what may be wrong with it.

Messages name it as the processor does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blobforge.domain.errors import (
    DamagedSource,
    EmptySource,
    EncryptedSource,
    NoPages,
    NotAPdf,
    SourceMissing,
    SourceUnreadable,
)

if TYPE_CHECKING:
    import pikepdf

HEADER_WITHIN = 1024
_HEADER = b"%PDF"
"""Some programs leave out the dash that should follow."""


class OpenedPdf(NamedTuple):
    """`password` is the one that it opened with: empty where it needs none."""

    pdf: "pikepdf.Pdf"
    password: str


def start_of(source: Path, *, name: str, most: int = HEADER_WITHIN) -> bytes:
    """Up to `most` bytes. Raises SourceMissing, SourceUnreadable."""
    try:
        with source.open("rb") as file:
            return file.read(most)
    except FileNotFoundError as error:
        raise SourceMissing(f"{name}: the file is gone") from error
    except OSError as error:
        raise SourceUnreadable(f"{name}: the file cannot be read: {error.strerror}") from error


def require_pdf(start: bytes, *, name: str) -> None:
    """Raises EmptySource, NotAPdf."""
    if not start:
        raise EmptySource(f"{name}: the file is empty (0 bytes); copy or download it again")
    if start.find(_HEADER, 0, HEADER_WITHIN) < 0:
        raise NotAPdf(
            f"{name}: this is not a PDF (there is no %PDF in its first {HEADER_WITHIN} bytes); "
            "check what the file really is"
        )


@contextmanager
def opened_pdf(source: Path, *, name: str, password: str, advice: str) -> Iterator[OpenedPdf]:
    """Without a password where it needs none. Raises EncryptedSource with the advice, pikepdf.PdfError."""
    import pikepdf

    try:
        opened = OpenedPdf(pikepdf.open(source), "")
    except pikepdf.PasswordError as error:
        if not password:
            raise EncryptedSource(f"{name}: it is encrypted and needs a password; {advice}") from error
        try:
            opened = OpenedPdf(pikepdf.open(source, password=password), password)
        except pikepdf.PasswordError as refusal:
            raise EncryptedSource(f"{name}: the password given is wrong; {advice}") from refusal
    with opened.pdf:
        yield opened


def require_pages(count: int, *, name: str) -> None:
    """Raises NoPages."""
    if not count:
        raise NoPages(f"{name}: the PDF opens but has no pages; there is nothing to read")


def damaged(name: str, detail: str = "") -> DamagedSource:
    why = f" ({detail})" if detail else ""
    return DamagedSource(
        f"{name}: the PDF is damaged beyond repair{why}; get another copy, or open it in a PDF reader and print it to "
        "a new PDF"
    )
