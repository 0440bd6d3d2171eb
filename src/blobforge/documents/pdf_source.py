"""The first look at a source that should be a PDF. Messages name it as the processor does."""

from pathlib import Path

from blobforge.domain.errors import EmptySource, NotAPdf, SourceMissing, SourceUnreadable

HEADER_WITHIN = 1024
_HEADER = b"%PDF"
"""Some programs leave out the dash that should follow."""


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
