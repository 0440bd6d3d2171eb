"""One slice: the words of its pages, by pdfplumber."""

from typing import TYPE_CHECKING

from blobforge.domain.errors import EngineFailed
from blobforge.domain.page import Page, PageOutcome
from blobforge.ports.processor import Progress, Report, Slice, Task
from blobforge.processors.lab_report.page.slice_files import ReadPage
from blobforge.processors.lab_report.page.words import words_of
from blobforge.processors.lab_report.source_file import hush, named, opened_path

if TYPE_CHECKING:
    from pdfplumber.page import Page as PlumberPage


def read_pages(task: Task, part: Slice, report: Report) -> list[ReadPage]:
    """Every page, accounted for; one that cannot be read is failed. Raises EngineFailed."""
    import pdfplumber
    from pdfplumber.utils.exceptions import PdfminerException

    hush()
    wanted = list(range(part.first, part.last + 1))
    try:
        with pdfplumber.open(opened_path(task), pages=wanted) as pdf:
            return [
                _reported(_read(number, page), report, part) for number, page in zip(wanted, pdf.pages, strict=True)
            ]
    except PdfminerException:
        # Without its cause: what the library says may quote the document.
        raise EngineFailed(f"{named(task)}: pdfplumber cannot open its pages {part.first} to {part.last}") from None


def _reported(page: ReadPage, report: Report, part: Slice) -> ReadPage:
    report(Progress("reading", page.account.number - part.first + 1, part.last - part.first + 1))
    return page


def _read(number: int, page: "PlumberPage") -> ReadPage:
    try:
        words = tuple(words_of(page))
        page.close()
    except Exception as error:  # noqa: BLE001 - a library for broken files raises what it likes; the page is accounted for
        # The type alone: a message of the library may quote the page.
        return ReadPage(
            Page(number, PageOutcome.FAILED, EngineFailed.code, f"pdfplumber failed: {type(error).__name__}")
        )
    return ReadPage(Page(number, PageOutcome.TEXT if words else PageOutcome.EMPTY), words)
