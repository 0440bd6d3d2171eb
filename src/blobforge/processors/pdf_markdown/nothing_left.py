"""Whether anything of a document was converted, and why not: one without a single page is a failed document."""

from collections.abc import Sequence

from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import BlobForgeError, NoPageConverted, OcrUnavailable
from blobforge.domain.page import Page, PageOutcome, tally


def require_something(source_name: str, pages: Sequence[Page]) -> None:
    """Raises the error that all pages share, or NoPageConverted where they do not.

    Pages that wait for OCR are not lost: a document with one stays a result, which is mended once OCR is there.
    """
    if any(page.outcome is not PageOutcome.FAILED or page.code == OcrUnavailable.code for page in pages):
        return
    codes = tally(pages).codes
    if codes:
        raise _error(codes)(_message(source_name, pages, codes))


def _error(codes: dict[str, int]) -> type[BlobForgeError]:
    shared = next(iter(codes)) if len(codes) == 1 else NoPageConverted.code
    return all_errors().get(shared, NoPageConverted)


def _message(source_name: str, pages: Sequence[Page], codes: dict[str, int]) -> str:
    first = pages[0]
    if len(pages) == 1:
        return f"{source_name}: page {first.number} could not be converted: {first.message}"
    reasons = "" if len(codes) == 1 else f" ({', '.join(f'{count} {code}' for code, count in codes.items())})"
    return (
        f"{source_name}: none of {len(pages)} pages could be converted{reasons}; page {first.number}: {first.message}"
    )
