"""From the source as it came to a PDF that opens: decrypted and mended into the workspace.

Names of files and what the libraries say can hold a patient's name, so that errors name the document by its hash.
"""

import logging
from pathlib import Path

from blobforge.documents.pdf_source import damaged, opened_pdf, require_pages, require_pdf, start_of
from blobforge.ports.processor import Task

_COPY = "opened.pdf"
_ADVICE = "save it without encryption and submit it again"
_TALKATIVE = ("pdfminer", "pdfplumber", "pikepdf")


def opened_path(task: Task) -> Path:
    return task.workspace / _COPY


def named(task: Task) -> str:
    """How messages name the document."""
    return f"document {task.source_hash[:12]}"


def hush() -> None:
    """The libraries log what they stumble over, and that can be a report's text."""
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def open_source(task: Task) -> int:
    """Leaves a clean copy in the workspace and gives its number of pages. Raises SourceError."""
    import pikepdf

    hush()
    require_pdf(start_of(task.source, name=named(task)), name=named(task))
    try:
        pages = _rewrite(task)
    except pikepdf.PdfError:
        # Without its cause: what the library says may quote the document.
        raise damaged(named(task)) from None
    require_pages(pages, name=named(task))
    return pages


def _rewrite(task: Task) -> int:
    """Raises EncryptedSource, pikepdf.PdfError."""
    password = task.secrets.get("password", "")
    with opened_pdf(task.source, name=named(task), password=password, advice=_ADVICE) as opened:
        opened.pdf.save(opened_path(task))
        return len(opened.pdf.pages)
