"""pymupdf4llm: AGPL, so it is never the default and comes only with its extra."""

from collections.abc import Iterator
from typing import ClassVar

from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.engines.embedded_images import take_out
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage
from blobforge.processors.pdf_markdown.engines.foreign import foreign_errors
from blobforge.processors.pdf_markdown.engines.page_wise import PageWise
from blobforge.processors.pdf_markdown.engines.registry import not_installed

NAME = "pymupdf4llm"
INFO = EngineInfo(
    distribution="pymupdf4llm",
    install="pip install 'blobforge[pymupdf4llm]'",
    remark="its licence is the AGPL",
)


class Pymupdf4llmEngine(PageWise):
    info: ClassVar[EngineInfo] = INFO

    def __init__(self) -> None:
        try:
            import pymupdf4llm
        except ImportError as error:
            raise not_installed(NAME, INFO) from error
        self._to_markdown = pymupdf4llm.to_markdown

    def read(self, document: Document, part: Slice, _report: Report, /) -> Iterator[EnginePage]:
        numbers = range(part.first, part.last + 1)
        with foreign_errors(NAME):
            chunks = self._to_markdown(
                str(document.path),
                pages=[number - 1 for number in numbers],
                page_chunks=True,
                embed_images=True,
                show_progress=False,
                use_ocr=False,  # pages without text go to our own OCR, which accounts for them
            )
            for number, chunk in zip(numbers, chunks, strict=True):
                yield take_out(number, chunk["text"])
