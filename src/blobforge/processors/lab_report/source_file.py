"""From the source as it came to a PDF that opens: decrypted and mended into the workspace.

Names of files and what the libraries say can hold a patient's name, so that errors name the document by its hash.
"""

import logging
from pathlib import Path

from blobforge.documents.pdf_source import require_pdf, start_of
from blobforge.domain.errors import DamagedSource, EncryptedSource, NoPages
from blobforge.ports.processor import Task

_COPY = "opened.pdf"
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
        raise DamagedSource(
            f"{named(task)}: the PDF is damaged beyond repair; get another copy, or print it to a new PDF"
        ) from None
    if pages == 0:
        raise NoPages(f"{named(task)}: the PDF opens but has no pages; there is nothing to read")
    return pages


def _rewrite(task: Task) -> int:
    """Raises EncryptedSource, pikepdf.PdfError."""
    import pikepdf

    try:
        return _saved(task, password="")
    except pikepdf.PasswordError as error:
        password = task.secrets.get("password", "")
        if not password:
            raise EncryptedSource(_locked(task, "it is encrypted and needs a password")) from error
    try:
        return _saved(task, password=password)
    except pikepdf.PasswordError as error:
        raise EncryptedSource(_locked(task, "the password given is wrong")) from error


def _saved(task: Task, *, password: str) -> int:
    import pikepdf

    with pikepdf.open(task.source, password=password) as pdf:
        pdf.save(opened_path(task))
        return len(pdf.pages)


def _locked(task: Task, state: str) -> str:
    return f"{named(task)}: {state}; save it without encryption and submit it again"
