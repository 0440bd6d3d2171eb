"""An engine's pages of a slice, each exactly once: one that it cannot read comes with the reason."""

from collections.abc import Iterator

from blobforge.domain.errors import EngineFailed, ProcessingError
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.engines.engine import Document, Engine, EnginePage


def read_pages(
    engine: Engine, document: Document, part: Slice, report: Report
) -> Iterator[tuple[int, EnginePage | ProcessingError]]:
    """The range at once, then one by one what is missing: so a bad page costs no other."""
    missing = set(range(part.first, part.last + 1))
    for page in _as_far_as_it_goes(engine, document, part, report):
        missing.discard(page.number)
        yield page.number, page
    for number in sorted(missing):
        yield number, _read_one(engine, document, number, report)


def _as_far_as_it_goes(engine: Engine, document: Document, part: Slice, report: Report) -> Iterator[EnginePage]:
    if part.first == part.last:
        return
    try:
        yield from engine.read(document, part, report)
    except ProcessingError:
        return


def _read_one(engine: Engine, document: Document, number: int, report: Report) -> EnginePage | ProcessingError:
    try:
        page = next(iter(engine.read(document, Slice(number, number), report)), None)
    except ProcessingError as error:
        return error
    return page or EngineFailed("the engine gave nothing for this page")
