"""What a PDF holds beside its pages, and that nobody converts: attached files, and forms that few programs show."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

import pikepdf

_MOST_NAMES = 100
_LONGEST_NAME = 200
_MOST_ANNOTATIONS = 20_000
"""Of one page."""
_FAULTS = (pikepdf.PdfError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)


class BesidePages(NamedTuple):
    """`attachments` are the names of attached files, `form`: the pages stand in for a dynamic form."""

    attachments: tuple[str, ...] = ()
    form: bool = False


def found_beside_pages(pdf: pikepdf.Pdf) -> BesidePages:
    """Of a damaged file, as far as it can be told."""
    names: dict[str, None] = {}
    with suppress(*_FAULTS):
        names.update(dict.fromkeys(_shown(name) for name in pdf.attachments))
    with suppress(*_FAULTS):
        names.update(dict.fromkeys(_on_pages(pdf)))
    return BesidePages(tuple(names)[:_MOST_NAMES], _is_dynamic_form(pdf))


def _on_pages(pdf: pikepdf.Pdf) -> Iterator[str]:
    """Files that hang on a page, as a note does."""
    for page in pdf.pages:
        notes = page.obj.get("/Annots")
        for note in islice(notes, _MOST_ANNOTATIONS) if isinstance(notes, pikepdf.Array) else ():
            if isinstance(note, pikepdf.Dictionary) and note.get("/Subtype") == "/FileAttachment":
                file = note.get("/FS")
                named = file.get("/UF") or file.get("/F") if isinstance(file, pikepdf.Dictionary) else file
                yield _shown(str(named or ""))


def _is_dynamic_form(pdf: pikepdf.Pdf) -> bool:
    """Its pages are drawn anew by whoever can; what they hold asks the reader to wait."""
    with suppress(*_FAULTS):
        form = pdf.Root.get("/AcroForm")
        return isinstance(form, pikepdf.Dictionary) and "/XFA" in form and bool(pdf.Root.get("/NeedsRendering"))
    return False


def _shown(name: str) -> str:
    return "".join(filter(str.isprintable, name))[:_LONGEST_NAME] or "a file without a name"
