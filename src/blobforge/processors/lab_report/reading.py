"""One slice: the words of its pages, by pdfplumber."""

from blobforge.domain.errors import EngineFailed
from blobforge.domain.page import Page, PageOutcome
from blobforge.ports.processor import Progress, Report, Slice, Task
from blobforge.processors.lab_report.parts import ReadPage
from blobforge.processors.lab_report.source_file import opened_path
from blobforge.processors.lab_report.words import words_of


def read_pages(task: Task, part: Slice, report: Report) -> list[ReadPage]:
    """Every page, accounted for; one that cannot be read is failed."""
    import pdfplumber

    pages = []
    total = part.last - part.first + 1
    with pdfplumber.open(opened_path(task), pages=list(range(part.first, part.last + 1))) as pdf:
        for done, page in enumerate(pdf.pages, start=1):
            pages.append(_read(part.first + done - 1, page))
            page.close()
            report(Progress("reading", done, total))
    return pages


def _read(number: int, page: object) -> ReadPage:
    try:
        words = tuple(words_of(page))
    except Exception as error:  # noqa: BLE001 - a library for broken files raises what it likes; the page is accounted for
        # The type alone: a message of the library may quote the page.
        return ReadPage(
            Page(number, PageOutcome.FAILED, EngineFailed.code, f"pdfplumber failed: {type(error).__name__}")
        )
    return ReadPage(Page(number, PageOutcome.TEXT if words else PageOutcome.EMPTY), words)
