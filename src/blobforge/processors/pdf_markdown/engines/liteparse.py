"""liteparse: a PDFium of its own behind a layout analysis in Rust."""

from collections.abc import Iterator
from typing import Any, ClassVar

from blobforge.domain.errors import EngineFailed
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.engines.engine import Box, Document, EnginePage, Picture, without_links
from blobforge.processors.pdf_markdown.engines.foreign import foreign_errors
from blobforge.processors.pdf_markdown.engines.page_wise import PageWise
from blobforge.processors.pdf_markdown.engines.registry import not_installed
from blobforge.processors.pdf_markdown.page_ranges import cut

NAME = "liteparse"
INFO = EngineInfo(
    distribution="liteparse",
    install="pip install 'blobforge[liteparse]'",
)

_NO_TEXT = "```text\n\n```"
"""What it writes for a page on which it found nothing."""

_SETTINGS: dict[str, Any] = {
    "output_format": "markdown",
    "ocr_enabled": False,
    "quiet": True,
    "max_pages": 10**9,
    "continue_on_page_error": True,
    # Its own copies of images have 72 dpi, and it would hold those of a whole slice at once.
    "image_mode": "placeholder",
}
_PICTURE = "](img_"
_SURELY_TEXT = 1_000
_BYTES_AT_ONCE = 32 << 20

Regions = dict[int, tuple[Picture, ...]]


class LiteparseEngine(PageWise):
    info: ClassVar[EngineInfo] = INFO

    def __init__(self) -> None:
        try:
            from liteparse import LiteParse
        except ImportError as error:
            raise not_installed(NAME, INFO) from error
        self._make_parser = LiteParse
        self._parser_of_all_pages = LiteParse(**_SETTINGS)

    def read(self, document: Document, part: Slice, _report: Report, /) -> Iterator[EnginePage]:
        with foreign_errors(NAME):
            for batch in cut([part], longest=_pages_at_once(document, part)):
                yield from self._read_batch(document, batch)

    def _read_batch(self, document: Document, part: Slice) -> Iterator[EnginePage]:
        result = self._parse(document, part)
        if part.first == part.last and _is_plain(result.text):
            yield EnginePage(part.first, result.text)
            return
        pages = [(page.page_num, _markdown(page)) for page in result.pages]
        if part.first == part.last and not pages:
            raise EngineFailed(f"{NAME}: {_reason(result)}")
        del result  # the next batch would hold it as well
        regions = self._regions(document, [number for number, markdown in pages if _PICTURE in markdown])
        for number, markdown in pages:
            yield EnginePage(number, markdown, regions.get(number, ()))

    def _parse(self, document: Document, part: Slice) -> Any:
        if part == (1, document.pages):
            return _parsed(self._parser_of_all_pages, document)
        return _parsed(self._make_parser(target_pages=f"{part.first}-{part.last}", **_SETTINGS), document)

    def _regions(self, document: Document, numbers: list[int]) -> Regions:
        """Where the pictures of these pages are: a second look, since asking for it slows every page by a twentieth."""
        if not numbers:
            return {}
        wanted = ",".join(map(str, numbers))
        parser = self._make_parser(target_pages=wanted, extract_blocks=True, **_SETTINGS)
        return {page.page_num: _pictures(page) for page in _parsed(parser, document).pages}


def _parsed(parser: Any, document: Document) -> Any:
    # The public parse() copies every word of the result into Python objects, which for 1,000 pages takes as long as
    # the parsing itself (3.9 s against 1.8 s) and twice the memory; the native result has the same fields.
    native = getattr(parser, "_native", None)
    return native.parse(str(document.path)) if native is not None else parser.parse(document.path)


def _is_plain(text: str) -> bool:
    """Whether the text of a lone page is all there is to it; looking at the page itself costs a small document 3 %."""
    return len(text) > _SURELY_TEXT and _PICTURE not in text


def _pages_at_once(document: Document, part: Slice) -> int:
    """It holds the images of the pages that it reads, so heavy documents are read a few pages at a time."""
    if part.first == part.last:
        return 1
    bytes_a_page = document.path.stat().st_size // document.pages
    return max(1, _BYTES_AT_ONCE // max(bytes_a_page, 1))


def _markdown(page: Any) -> str:
    """Its Markdown; where it took all there is for running heads, the plain text instead."""
    markdown: str = page.markdown
    if len(markdown) > _SURELY_TEXT:
        return markdown
    markdown = "" if markdown == _NO_TEXT else markdown
    if any(map(str.isalnum, without_links(markdown))):
        return markdown
    lines = [" ".join(line.split()) for line in page.text.splitlines()]
    return "\n\n".join([line for line in (*lines, markdown) if line])


def _reason(result: Any) -> str:
    reasons: list[str] = [error.message for error in result.page_errors]
    return reasons[0] if reasons else "it gave nothing for this page"


def _pictures(page: Any) -> tuple[Picture, ...]:
    return tuple(
        Picture(
            link=f"img_{block.id}.{block.format}",
            region=Box(block.bbox.x, block.bbox.y, block.bbox.width, block.bbox.height),
        )
        for block in page.blocks
        if block.kind == "figure"
    )
