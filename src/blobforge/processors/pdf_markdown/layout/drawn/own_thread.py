"""What pdf-oxide keeps from one document to the next, and how none of it gets there.

A panic within it leaves the objects that it was about to load marked as being loaded, in a variable of its thread: from
then on those of the same numbers count as lost, in whatever document. And fonts are kept for all documents of a process
under keys that leave out what lies in objects of their own, such as widths: a font gets those of its namesake.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import pdf_oxide

from blobforge.processors.pdf_markdown.engines.foreign import is_panic
from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.model.content import OutlineEntry, PageContent

Answer = TypeVar("Answer")

_FONTS_KEPT = 1_024
"""By pdf-oxide: when there are more, the oldest go."""


class SourceApart(AbstractContextManager["SourceApart"]):
    """A `Source` in a thread of its own, and anew in another one after each panic."""

    def __init__(self, path: Path, *, pages: int) -> None:
        self._open = partial(Source, path, pages=pages)
        self._has_panicked = False
        self._thread, self._source = self._begin()

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self._thread.shutdown()

    def page(self, number: int) -> PageContent:
        return self._ask(lambda source: source.page(number))

    def outline(self) -> list[OutlineEntry]:
        return self._ask(Source.outline)

    def _ask(self, question: Callable[[Source], Answer]) -> Answer:
        if self._has_panicked:
            self._thread.shutdown()
            self._thread, self._source = self._begin()
            self._has_panicked = False
        try:
            return self._thread.submit(question, self._source).result()
        except BaseException as error:
            self._has_panicked = is_panic(error)
            raise

    def _begin(self) -> tuple[ThreadPoolExecutor, Source]:
        thread = ThreadPoolExecutor(1, thread_name_prefix="pdf-oxide")
        thread.submit(_forget_fonts).result()
        return thread, thread.submit(self._open).result()


def _forget_fonts() -> None:
    """By as many others, for nothing else makes it forget them; some milliseconds."""
    pdf_oxide.PdfDocument.from_bytes(_many_fonts()).extract_chars(0)


@cache
def _many_fonts() -> bytes:
    """A page that could set text in any of them."""
    first = 5
    names = b"".join(b"/F%d %d 0 R" % (number, first + number) for number in range(_FONTS_KEPT))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<<%b>>>>>>" % names,
        b"<</Length 21>>stream\nBT /F0 1 Tf (a) Tj ET\nendstream",
        *(b"<</Type/Font/Subtype/Type1/BaseFont/Other%d>>" % number for number in range(_FONTS_KEPT)),
    ]
    written = bytearray(b"%PDF-1.4\n")
    table = b"0000000000 65535 f \n"
    for number, each in enumerate(objects, start=1):
        table += b"%010d 00000 n \n" % len(written)
        written += b"%d 0 obj%bendobj\n" % (number, each)
    size = len(objects) + 1
    end = b"xref\n0 %d\n%btrailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, table, size, len(written))
    return bytes(written) + end
