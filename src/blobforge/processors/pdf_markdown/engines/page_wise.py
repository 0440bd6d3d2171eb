"""For engines that read page by page and have no view of the whole document."""

from blobforge.domain.json_value import JsonObject
from blobforge.processors.pdf_markdown.engines.engine import Document, PageText, Stitched


class PageWise:
    def survey(self, _document: Document, /) -> JsonObject:
        return {}

    @staticmethod
    def stitch(_document: Document, pages: list[PageText], /) -> Stitched:
        return Stitched([page.markdown for page in pages])
