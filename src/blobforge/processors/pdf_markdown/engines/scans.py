"""What pages tell about the scans among them, before any is read."""

from collections.abc import Iterable

from blobforge.documents.ocr_languages import language_of
from blobforge.processors.pdf_markdown.engines.engine import Scans
from blobforge.processors.pdf_markdown.layout.model.content import PageContent
from blobforge.processors.pdf_markdown.layout.output.completeness import HIDDEN

_SAMPLE = 40
"""Pages: so many may be a part of a longer document."""


def scans_in(pages: Iterable[PageContent]) -> Scans:
    """The language is told by all text, also by that which is hidden: it is rarely so bad that its small words are
    lost. Where there is no scan, nobody asks for it, unless the pages are but a sample."""
    known = list(pages)
    bare = tuple(page.number for page in known if not page.lines)
    hidden = tuple(page.number for page in known if page.invisible > HIDDEN)
    is_asked_for = bare or hidden or len(known) >= _SAMPLE
    language = language_of(line.text for page in known for line in page.lines) if is_asked_for else ""
    return Scans(bare, hidden, language)
