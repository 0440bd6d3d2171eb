"""From the source as it came to a PDF that opens: checked, decrypted or repaired into the workspace."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from blobforge.documents.pdf_source import damaged, opened_pdf, require_pages, require_pdf, start_of
from blobforge.domain.errors import DamagedSource, EncryptedSource
from blobforge.domain.json_value import JsonObject
from blobforge.ports.processor import Task

_COPY = "opened/source.pdf"
_SMALL = 1 << 18
_NO_TITLE = "untitled"
"""What some programs write when they know none."""
_TORN = ("reconstruct cross-reference table", "attempting to recover stream length")
"""What qpdf says where it had to look for the objects, or for the end of one, itself."""
_WRONG_PASSWORD = 4
_UNKNOWN_SECURITY = 5
_ADVICE = (
    "run blobforge convert with --password-file FILE (from Python: password=...), or save it without encryption and "
    "submit it again"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """`copy` is the name of the file in the workspace that stands for the source; empty when the source itself does."""

    copy: str
    pages: int
    title: str = ""
    repaired: bool = False
    attachments: tuple[str, ...] = ()
    """The names of files that are attached to it."""
    is_form: bool = False
    """A dynamic form, whose pages only ask to wait."""

    def as_json(self) -> JsonObject:
        return {
            "copy": self.copy,
            "pages": self.pages,
            "title": self.title,
            "repaired": self.repaired,
            "attachments": list(self.attachments),
            "is_form": self.is_form,
        }

    def path(self, task: Task) -> Path:
        return task.workspace / self.copy if self.copy else task.source


def source_in(said: Mapping[str, Any]) -> SourceFile:
    """What `as_json` wrote."""
    return SourceFile(**{**said, "attachments": tuple(said["attachments"])})


def open_source(task: Task) -> SourceFile:
    """The cheapest way that works. Raises SourceError."""
    # All of a small file: PDFium opens it faster from memory.
    start = start_of(task.source, name=task.source_name, most=_SMALL)
    require_pdf(start, name=task.source_name)
    try:
        source = _opened(task, _linked(task), start if len(start) < _SMALL else None)
    except _PdfiumRefusal as refusal:
        if refusal.code == _WRONG_PASSWORD:
            return _rewritten(task, is_repair=False)
        if refusal.code == _UNKNOWN_SECURITY:
            raise EncryptedSource(
                f"{task.source_name}: it is encrypted in a way that cannot be read here, such as with a certificate; "
                "save it without encryption and submit it again"
            ) from refusal
        return _rewritten(task, is_repair=True)
    return _completed(task, source)


class _PdfiumRefusal(Exception):
    def __init__(self, code: int | None) -> None:
        super().__init__("it does not open even when its parts are put together anew")
        self.code = code


def _linked(task: Task) -> str:
    """A blob has no extension, and a name need not be text; engines want both."""
    path = str(task.source)
    if path.endswith(".pdf") and path.isprintable():
        return ""
    place = _place_of_copy(task)
    if task.source.parent == task.workspace:
        # A sandbox lets nobody make a link that could lead out of the workspace.
        place.hardlink_to(task.source)
    else:
        place.symlink_to(task.source.absolute())
    return _COPY


def _opened(task: Task, copy: str, content: bytes | None = None) -> SourceFile:
    import pypdfium2

    path = SourceFile(copy=copy, pages=0).path(task)
    try:
        with pypdfium2.PdfDocument(content or path) as document:
            title = document.get_metadata_value("Title").strip()
            return SourceFile(copy=copy, pages=len(document), title="" if title == _NO_TITLE else title)
    except pypdfium2.PdfiumError as error:
        raise _PdfiumRefusal(error.err_code) from error


def _completed(task: Task, source: SourceFile) -> SourceFile:
    """With pages and with text that PDFium and the engines would pass over, and without what no viewer shows."""
    import pikepdf

    from blobforge.processors.pdf_markdown.page_tree import look_at_page_tree

    if source.pages > task.limits.pages:
        return source
    try:
        tree = look_at_page_tree(source.path(task))
        source = replace(source, repaired=tree.is_torn)
        with pikepdf.open(source.path(task)) as pdf:
            source = _with_beside(source, pdf)
            # PDFium believes the count that is written in a file; qpdf counts.
            more_pages = len(pdf.pages) - source.pages
            is_drawn = more_pages <= 0 and _is_rewritten(pdf)
            is_torn = _is_torn([*tree.warnings, *_warnings(pdf)])
            if is_drawn and not is_torn:
                _save(task, pdf)
                # What a page has lost is not to be seen in a copy any more.
                drawn = replace(_reopened(task), repaired=tree.is_torn or tree.lacks_content)
                return replace(drawn, attachments=source.attachments, is_form=source.is_form)
    except (pikepdf.PdfError, OSError, ValueError, TypeError, AttributeError, RuntimeError):
        return source
    if more_pages > 0 or (is_torn and not more_pages):
        return _rewritten(task, is_repair=True)
    return replace(source, repaired=is_torn or tree.is_torn)


def _with_beside(source: SourceFile, pdf: Any) -> SourceFile:
    from blobforge.processors.pdf_markdown.beside_pages import found_beside_pages

    found = found_beside_pages(pdf)
    return replace(source, attachments=found.attachments, is_form=found.form)


def _is_rewritten(pdf: Any) -> bool:
    """Whether there was anything that engines read otherwise than a viewer shows it."""
    from blobforge.processors.pdf_markdown.annotations import draw_annotations
    from blobforge.processors.pdf_markdown.hidden_layers import take_out_hidden_layers
    from blobforge.processors.pdf_markdown.masked_text import draw_masked_text

    return any([take_out_hidden_layers(pdf), draw_annotations(pdf), draw_masked_text(pdf)])


def _warnings(pdf: Any) -> list[str]:
    return [str(warning) for warning in pdf.get_warnings()]


def _is_torn(warnings: Iterable[str]) -> bool:
    """Whether their table or a length was wrong or lost. PDFium mends that without a word, and pdf-oxide cuts a stream
    at the length that is told. What else qpdf warns of is found in sound files, too."""
    return any(sign in warning for warning in warnings for sign in _TORN)


def _rewritten(task: Task, *, is_repair: bool) -> SourceFile:
    """A copy that PDFium opens, without the password, so that it goes no further than here."""
    import pikepdf

    try:
        rewritten = _rewrite(task)
    except pikepdf.PdfError as error:
        raise _unusable(task, error) from error
    require_pages(rewritten.pages, name=task.source_name)
    return rewritten.of(_reopened(task), repaired=is_repair or rewritten.was_torn)


class _Rewritten(NamedTuple):
    pages: int
    was_torn: bool
    beside: SourceFile
    """Nothing but what lies beside its pages."""

    def of(self, source: SourceFile, *, repaired: bool) -> SourceFile:
        known = self.beside
        return replace(source, repaired=repaired, attachments=known.attachments, is_form=known.is_form)


def _rewrite(task: Task) -> _Rewritten:
    """Raises EncryptedSource, pikepdf.PdfError."""
    from blobforge.processors.pdf_markdown.page_tree import look_at_page_tree

    given = task.secrets.get("password", "")
    with opened_pdf(task.source, name=task.source_name, password=given, advice=_ADVICE) as (pdf, password):
        tree = look_at_page_tree(task.source, password=password)
        if not pdf.Root.is_indirect:  # PDFium insists on it
            pdf.trailer.Root = pdf.make_indirect(pdf.Root)
        with suppress(ValueError, TypeError, AttributeError, RuntimeError):
            _is_rewritten(pdf)
        _save(task, pdf)
        beside = _with_beside(SourceFile(copy="", pages=0), pdf)
        is_torn = _is_torn([*tree.warnings, *_warnings(pdf)]) or tree.is_torn or tree.lacks_content
        return _Rewritten(len(pdf.pages), is_torn, beside)


def _save(task: Task, pdf: Any) -> None:
    """Streams as they are: a damaged one that was packed anew would look sound."""
    import pikepdf

    pdf.save(_place_of_copy(task), compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)


def _place_of_copy(task: Task) -> Path:
    copy = task.workspace / _COPY
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.unlink(missing_ok=True)
    return copy


def _reopened(task: Task) -> SourceFile:
    try:
        return _opened(task, _COPY)
    except _PdfiumRefusal as refusal:
        raise _unusable(task, refusal) from refusal


def _unusable(task: Task, reason: Any) -> DamagedSource:
    return damaged(task.source_name, str(reason).replace(str(task.source), "").lstrip(": "))
