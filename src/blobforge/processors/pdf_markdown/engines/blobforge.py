"""Our own engine: glyphs and strokes from pdf-oxide, and a layout analysis made for documents in columns."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self

from blobforge.domain.errors import EngineFailed
from blobforge.domain.json_value import JsonObject
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.engines.engine import (
    LINK,
    SCANS,
    Box,
    Document,
    EnginePage,
    PageText,
    Picture,
    Pictured,
    Stitched,
)
from blobforge.processors.pdf_markdown.engines.foreign import foreign_errors
from blobforge.processors.pdf_markdown.engines.registry import INFO_OF_OURS, not_installed
from blobforge.processors.pdf_markdown.engines.scans import scans_in
from blobforge.processors.pdf_markdown.layout.document import joined_document
from blobforge.processors.pdf_markdown.layout.model.content import OutlineEntry, PageContent, Rectangle
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, all_of
from blobforge.processors.pdf_markdown.layout.output.completeness import quality_of
from blobforge.processors.pdf_markdown.layout.output.markdown import Lines, markdown_of_document, markdown_with_lines
from blobforge.processors.pdf_markdown.layout.page import passages_of
from blobforge.processors.pdf_markdown.layout.pictures.illustrations import DRAWING
from blobforge.processors.pdf_markdown.layout.pictures.outlined_text import is_lettered, lines_in_outlines
from blobforge.processors.pdf_markdown.layout.running_text import (
    mark_scanned_heads,
    with_running_text_once,
    without_running_text,
)
from blobforge.processors.pdf_markdown.layout.scans.scan import (
    ScannedPage,
    content_of,
    in_terms_of,
    settle_sizes,
)
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey, survey_in, survey_of, without_running

if TYPE_CHECKING:
    from blobforge.processors.pdf_markdown.layout.drawn.extract import SecondSource
    from blobforge.processors.pdf_markdown.layout.drawn.own_thread import SourceApart

NAME = "blobforge"

_ROOM = 2.0
"""Points around a drawing: its lines have a width."""
_MANY_SHAPES = 100
_OUTLINED = 0.25
"""Of the letters of a page: with so many shapes, they are more than its formulas and logos."""
_SURVEYED = 40
"""So many pages tell what holds for a whole document; those of a short one are kept for the reading."""


_FileState = tuple[int, ...]
"""What tells a file from all others, also from one that takes its place."""


class BlobforgeEngine:
    info: ClassVar[EngineInfo] = INFO_OF_OURS

    def __init__(self) -> None:
        try:
            import pdf_oxide  # noqa: F401 - whether it is there
        except ImportError as error:
            raise not_installed(NAME, INFO_OF_OURS) from error
        self._kept: tuple[_FileState, dict[int, PageContent]] = ((), {})

    def survey(self, document: Document, /) -> JsonObject:
        pages: dict[int, PageContent] = {}
        with _Reading(document) as reading:
            reading.open()
            for number in _sample(document.pages):
                if number in document.deadly:
                    continue
                document.visit(number)
                # A page that cannot be read tells nothing here; when its turn comes, it is accounted for.
                with suppress(EngineFailed):
                    pages[number] = reading.page(number)
            outline = reading.outline()
        self._kept = (_state_of(document.path), pages)
        survey = survey_of(list(pages.values()), count=document.pages, outline=outline)
        return {**survey.as_json(), SCANS: list(scans_in(pages.values()))}

    def read(self, document: Document, part: Slice, _report: Report, /) -> Iterator[EnginePage]:
        survey = _survey(document)
        with _Reading(document) as reading:
            for number in range(part.first, part.last + 1):
                page = self._kept_page(document, number) or reading.page(number)
                with foreign_errors(NAME):
                    yield _read(page, survey, angle=None if page.angle % 90 else int(page.angle))

    def _kept_page(self, document: Document, number: int) -> PageContent | None:
        """From the survey, where that was made here and of this document: another may have its path by now."""
        state, pages = self._kept
        return pages.pop(number, None) if number in pages and state == _state_of(document.path) else None

    def read_scan(self, document: Document, page: ScannedPage, /) -> EnginePage | None:
        if not page.words:
            return None
        content = content_of(page)
        # It is its own measure; in the end its sizes are told in terms of the document's.
        survey = survey_of([content], count=document.pages)
        read = _read(content, survey, angle=None)
        in_terms_of(read.passages or (), body=survey.size, wanted=_survey(document).size)
        return read

    @staticmethod
    def stitch(document: Document, pages: list[PageText], /) -> Stitched:
        survey = _survey(document)
        known = [passage for page in pages for passage in page.passages or ()]
        settle_sizes(known)
        mark_scanned_heads(known)
        passages = with_running_text_once(joined_document(without_running_text(known), survey), known, survey)
        written = _by_page(passages)
        texts = [
            page.markdown if page.passages is None else written.get(_number(page.passages), ("", {}))[0]
            for page in pages
        ]
        return Stitched(texts, passages, [written[passage.page][1][id(passage)] for passage in passages])


class _Reading:
    """The pages of a document as pdf-oxide reads them; those that it cannot read, as PDFium does.

    Both are opened when they are needed. Raises EngineFailed, MemoryLimit.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self._opened.close()

    def open(self) -> None:
        with foreign_errors(NAME):
            _ = self._first or self._second

    def page(self, number: int) -> PageContent:
        if self._first is not None:
            with suppress(EngineFailed), foreign_errors(NAME):
                return self._first.page(number)
        with foreign_errors(NAME):
            return self._second.page(number)

    def outline(self) -> list[OutlineEntry]:
        with suppress(EngineFailed), foreign_errors(NAME):
            return (self._first or self._second).outline()
        return []

    @cached_property
    def _first(self) -> "SourceApart | None":
        if not self._document.has_killed:
            # Whoever only puts pages together needs none of the libraries that read them.
            from blobforge.processors.pdf_markdown.layout.drawn.own_thread import SourceApart

            with suppress(EngineFailed), foreign_errors(NAME):
                return self._opened.enter_context(SourceApart(self._document.path, pages=self._document.pages))
        return None

    @cached_property
    def _second(self) -> "SecondSource":
        from blobforge.processors.pdf_markdown.layout.drawn.extract import SecondSource

        return SecondSource(self._document.path)


def _state_of(path: Path) -> _FileState:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _survey(document: Document) -> DocumentSurvey:
    """What the survey found; where nobody asked for one, what is usual."""
    said = {name: value for name, value in document.survey.items() if name != SCANS}
    return survey_in(said) if said else DocumentSurvey()


def _by_page(passages: list[Passage]) -> dict[int, tuple[str, dict[int, Lines]]]:
    """The Markdown of each page, with the lines of its passages, which are known by their identity."""
    by_page: dict[int, list[Passage]] = {}
    for passage in passages:
        by_page.setdefault(passage.page, []).append(passage)
    written: dict[int, tuple[str, dict[int, Lines]]] = {}
    for number, own in by_page.items():
        text, lines = markdown_with_lines(own)
        written[number] = text, {id(passage): place for passage, place in zip(own, lines, strict=True)}
    return written


def _number(passages: tuple[Passage, ...]) -> int:
    return passages[0].page if passages else 0


def _sample(pages: int) -> list[int]:
    """All pages of a short document; of a long one, runs of neighbours, since left and right pages differ."""
    if pages <= _SURVEYED:
        return list(range(1, pages + 1))
    runs = _SURVEYED // 4
    return [1 + run * (pages - 4) // (runs - 1) + place for run in range(runs) for place in range(4)]


def _read(page: PageContent, survey: DocumentSurvey, *, angle: int | None) -> EnginePage:
    passages = tuple(passages_of(page, survey))
    told = [passage for passage in passages if passage.role is not PassageRole.RUNNING]
    pictures = tuple(
        _picture(passage, page.contours) for passage in all_of(passages) if passage.role is PassageRole.FIGURE
    )
    own = [*without_running(page, survey), *page.placed]
    own += [line for aside in (page.turned, *page.asides) if aside is not None for line in aside.lines]
    quality = quality_of(
        own,
        told,
        unknown=page.unknown,
        invisible=page.invisible,
        is_second_reading=page.is_second_reading,
        slanted=page.slanted,
    )
    pictured = Pictured(_share_of_images(page), _outlined(page), _outlined_letters(page, pictures))
    return EnginePage(page.number, markdown_of_document(told), pictures, passages, quality, angle, pictured)


def _share_of_images(page: PageContent) -> float:
    """What lies under two of them counts twice."""
    return sum(_area_within(box, page) for box in page.images) / max(page.width * page.height, 1.0)


def _outlined(page: PageContent) -> bool:
    """Whether shapes that may be letters are many beside its letters: text that was turned into outlines."""
    return len(page.contours) >= max(_MANY_SHAPES, _OUTLINED * sum(len(line.text) for line in page.lines))


def _outlined_letters(page: PageContent, pictures: Iterable[Picture]) -> int:
    """In a chart or a map they are its labels, which are read with it or not at all."""
    lines = lines_in_outlines(page)
    drawn = [_box(picture.region) for picture in pictures if picture.region and not picture.lettered] if lines else []
    return sum(line.letters for line in lines if not any(box.overlaps(line.box) for box in drawn))


def _box(region: Box) -> Rectangle:
    return Rectangle(region.left, region.top, region.left + region.width, region.top + region.height)


def _area_within(box: Rectangle, page: PageContent) -> float:
    width = min(box.right, page.width) - max(box.left, 0.0)
    height = min(box.bottom, page.height) - max(box.top, 0.0)
    return max(width, 0.0) * max(height, 0.0)


def _picture(passage: Passage, contours: Sequence[Rectangle]) -> Picture:
    box, found = passage.box, LINK.fullmatch(passage.text)
    assert found is not None, "the text of a figure is a picture's link"
    as_seen = found[2].startswith(DRAWING)
    room = _ROOM if as_seen else 0.0
    region = Box(box.left - room, box.top - room, box.width + 2 * room, box.height + 2 * room)
    lettered = as_seen and is_lettered(box, contours)
    return Picture(link=found[2], region=region, as_seen=as_seen, lettered=lettered)
