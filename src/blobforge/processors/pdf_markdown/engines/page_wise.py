"""For engines that read page by page and have no view of the whole document."""

from blobforge.domain.json_value import JsonObject
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage, PageText, Stitched
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedPage


class PageWise:
    def survey(self, _document: Document, /) -> JsonObject:
        return {}

    def read_scan(self, _document: Document, _page: ScannedPage, /) -> EnginePage | None:
        return None

    @staticmethod
    def stitch(_document: Document, pages: list[PageText], /) -> Stitched:
        return Stitched([page.markdown for page in pages])
