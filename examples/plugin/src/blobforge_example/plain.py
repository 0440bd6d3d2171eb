"""The engine `plain`: the text of each page as PDFium gives it, without headings, tables or pictures."""

from collections.abc import Iterator
from typing import ClassVar

from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Progress, Report, Slice
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage
from blobforge.processors.pdf_markdown.engines.foreign import foreign_errors
from blobforge.processors.pdf_markdown.engines.page_wise import PageWise


class PlainEngine(PageWise):
    # The version of this package is in the recipe: after a new release, results are made anew.
    info: ClassVar[EngineInfo] = EngineInfo(
        distribution="blobforge-example",
        install="pip install blobforge-example",
        remark="it knows no layout",
    )

    def read(self, document: Document, part: Slice, report: Report, /) -> Iterator[EnginePage]:
        import pypdfium2  # here: the class alone is loaded in processes that read nothing

        total = part.last - part.first + 1
        # Whatever the library raises costs the pages it was raised over, and not the document.
        with foreign_errors("plain"), pypdfium2.PdfDocument(document.path) as pdf:
            for done, number in enumerate(range(part.first, part.last + 1), start=1):
                text = pdf[number - 1].get_textpage().get_text_range()
                report(Progress("reading", done, total))
                yield EnginePage(number, "\n\n".join(line.strip() for line in text.splitlines() if line.strip()))
