"""Our own engine: glyphs and strokes from pdf-oxide, and a layout analysis made for documents in columns."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from blobforge.domain.errors import EngineFailed
from blobforge.domain.json_value import JsonObject
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.engines.engine import (
    LINK,
    Box,
    Document,
    EnginePage,
    PageText,
    Picture,
    Stitched,
)
from blobforge.processors.pdf_markdown.engines.foreign import foreign_errors
from blobforge.processors.pdf_markdown.engines.registry import not_installed
from blobforge.processors.pdf_markdown.layout.document import joined_document
from blobforge.processors.pdf_markdown.layout.extract import Source
from blobforge.processors.pdf_markdown.layout.honesty import quality_of
from blobforge.processors.pdf_markdown.layout.markdown import markdown_of_document
from blobforge.processors.pdf_markdown.layout.model import PageContent
from blobforge.processors.pdf_markdown.layout.page import passages_of
from blobforge.processors.pdf_markdown.layout.passages import Passage, Role, all_of
from blobforge.processors.pdf_markdown.layout.scan import (
    ScannedPage,
    content_of,
    in_terms_of,
    settle_sizes,
    without_running_heads,
)
from blobforge.processors.pdf_markdown.layout.survey import Survey, survey_in, survey_of, without_running

NAME = "blobforge"

_SURVEYED = 40
"""So many pages tell what holds for a whole document; those of a short one are kept for the reading."""


class BlobforgeEngine:
    def __init__(self) -> None:
        try:
            import pdf_oxide
        except ImportError as error:
            raise not_installed(NAME) from error
        # It reports every oddity of a file on standard error, where nobody reads it.
        pdf_oxide.disable_logging()
        self._kept: tuple[Path, dict[int, PageContent]] = (Path(), {})

    def survey(self, document: Document, /) -> JsonObject:
        with foreign_errors(NAME):
            source = Source(document.path, pages=document.pages)
        pages: dict[int, PageContent] = {}
        for number in _sample(document.pages):
            # A page that cannot be read tells nothing here; when its turn comes, it is accounted for.
            with suppress(EngineFailed), foreign_errors(NAME):
                pages[number] = source.page(number)
        self._kept = (document.path, pages)
        outline = source.outline()
        return survey_of(list(pages.values()), count=document.pages, outline=outline).as_json()

    def read(self, document: Document, part: Slice, _report: Report, /) -> Iterator[EnginePage]:
        survey = _survey(document)
        kept = self._kept[1] if self._kept[0] == document.path else {}
        source: Source | None = None
        for number in range(part.first, part.last + 1):
            with foreign_errors(NAME):
                page = kept.pop(number, None)
                if page is None:
                    source = source or Source(document.path, pages=document.pages)
                    page = source.page(number)
                yield _read(page, survey)

    def read_scan(self, document: Document, page: ScannedPage, /) -> EnginePage | None:
        if not page.words:
            return None
        content = content_of(page)
        # It is its own measure; in the end its sizes are told in terms of the document's.
        survey = survey_of([content], count=document.pages)
        read = _read(content, survey)
        in_terms_of(read.passages or (), body=survey.size, wanted=_survey(document).size)
        return read

    @staticmethod
    def stitch(document: Document, pages: list[PageText], /) -> Stitched:
        survey = _survey(document)
        known = [passage for page in pages for passage in page.passages or ()]
        settle_sizes(known)
        known = without_running_heads(known)
        passages = joined_document(known, survey)
        by_page: dict[int, list[Passage]] = {}
        for passage in passages:
            by_page.setdefault(passage.page, []).append(passage)
        texts = [
            page.markdown if page.passages is None else markdown_of_document(by_page.get(_number(page.passages), []))
            for page in pages
        ]
        return Stitched(texts, passages)


def _survey(document: Document) -> Survey:
    """What the survey found; where nobody asked for one, what is usual."""
    return survey_in(document.survey) if document.survey else Survey()


def _number(passages: tuple[Passage, ...]) -> int:
    return passages[0].page if passages else 0


def _sample(pages: int) -> list[int]:
    """All pages of a short document; of a long one, runs of neighbours, since left and right pages differ."""
    if pages <= _SURVEYED:
        return list(range(1, pages + 1))
    runs = _SURVEYED // 4
    return [1 + run * (pages - 4) // (runs - 1) + place for run in range(runs) for place in range(4)]


def _read(page: PageContent, survey: Survey) -> EnginePage:
    passages = tuple(passages_of(page, survey))
    pictures = tuple(_picture(passage) for passage in all_of(passages) if passage.role is Role.FIGURE)
    own = without_running(page, survey)
    quality = quality_of(own, passages, unknown=page.unknown, invisible=page.invisible)
    return EnginePage(page.number, markdown_of_document(passages), pictures, passages, quality)


def _picture(passage: Passage) -> Picture:
    box, found = passage.box, LINK.fullmatch(passage.text)
    assert found is not None, "the text of a figure is a picture's link"
    return Picture(link=found[2], region=Box(box.left, box.top, box.width, box.height))
