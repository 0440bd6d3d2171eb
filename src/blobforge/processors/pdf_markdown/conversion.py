"""One slice's way from an engine's pages to finished Markdown; every page comes out accounted for."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cached_property

from blobforge.documents.ocr_languages import LANGUAGE_MISSING
from blobforge.documents.ocr_program import advice
from blobforge.domain.errors import BlobForgeError, DamagedSource, OcrUnavailable, ProcessingError
from blobforge.domain.needs import language_package
from blobforge.domain.page import Page, PageOutcome
from blobforge.ports.processor import Progress, Report, Slice, Task
from blobforge.processors.pdf_markdown import pictures
from blobforge.processors.pdf_markdown.engines.engine import (
    LINK,
    Document,
    Engine,
    EnginePage,
    Picture,
    without_links,
)
from blobforge.processors.pdf_markdown.explanation import keep_picture
from blobforge.processors.pdf_markdown.image_files import ImageFile
from blobforge.processors.pdf_markdown.layout.output.completeness import Quality
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedPage
from blobforge.processors.pdf_markdown.ocr.paragraphs import OcrReading
from blobforge.processors.pdf_markdown.ocr.picture_text import with_texts
from blobforge.processors.pdf_markdown.ocr.reader import OcrReader
from blobforge.processors.pdf_markdown.page_view import PageView
from blobforge.processors.pdf_markdown.partly_read import (
    PAGE_OF_IMAGES,
    SPARSE,
    UNREAD_PRINT,
    has_unread_print,
    is_sure,
    merged,
)
from blobforge.processors.pdf_markdown.parts import ConvertedPage, Part, assets_in
from blobforge.processors.pdf_markdown.reading import read_pages

STAGE = "converting"
DAMAGED_CONTENT = "damaged_content"
OCR_UNSURE = "ocr_unsure"

_FEW = 20
"""Fewer letters than this, found by OCR, do not tell what a page shows."""

_UNSURE = 80.0
"""Tesseract's confidence in a page; poor copies that can be read stay above."""
_SURELY_TEXT = 1_000
_LARGE_PART_OF_PAGE = 0.5
_LONGEST_MESSAGE = 300


class Conversion:
    """Good for one slice. Pages are drawn only if one needs it."""

    def __init__(
        self,
        task: Task,
        document: Document,
        engine: Engine,
        ocr: OcrReader | None,
        *,
        repaired: bool,
        explain: bool = False,
        read_pictures: bool = False,
        is_damaged: Callable[[int], bool] = lambda _: False,
        hides_letters: Callable[[int], bool] = lambda _: False,
    ) -> None:
        """`is_damaged` tells of a page whether it may have drawn more than can be read now, whoever reads it;
        `hides_letters` whether some of that can still be seen in its picture."""
        self._task = task
        self._document = document
        self._engine = engine
        self._ocr = ocr
        self._repaired = repaired
        self._explain = explain
        self._read_pictures = read_pictures
        self._is_damaged = is_damaged
        self._hides_letters = hides_letters
        self._opened = ExitStack()
        self._scan_angles: dict[int, int] = {}
        """By how much each page that OCR has read was turned, with the clock."""

    def run(self, part: Slice, report: Report) -> Part:
        pages: list[ConvertedPage] = []
        total = part.last - part.first + 1
        images = assets_in(self._task.workspace)
        with self._opened:
            for number, found in read_pages(self._engine, self._document, part, report):
                images += len(found.pictures) if isinstance(found, EnginePage) else 0
                self._task.limits.require_pictures(self._task.source_name, images)
                pages.append(self._doubted(self._page(number, found)))
                if self._explain:
                    angle = found.angle if isinstance(found, EnginePage) else None
                    angle = self._scan_angles.get(number, angle)
                    keep_picture(self._task.workspace, self._view, number, angle=angle)
                report(Progress(STAGE, len(pages), total))
        pages.sort(key=lambda page: page.account.number)
        return Part(pages=tuple(pages), tools=self._ocr.used if self._ocr else {})

    def _page(self, number: int, found: EnginePage | ProcessingError) -> ConvertedPage:
        if isinstance(found, ProcessingError):
            return self._failed(EnginePage(number, ""), found)
        letters = _letters(found)
        if letters == 0:
            return self._without_text(found)
        return self._with_text(found, letters)

    def _with_text(self, page: EnginePage, letters: int) -> ConvertedPage:
        """Its text, unless that is no text, or not all of it."""
        is_doubtful = page.quality is not None and (page.quality.unreadable or self._is_distrusted(page.quality))
        if is_doubtful or self._hides_letters(page.number):
            return self._with_unreadable_text(page, letters)
        if self._has_unread_print(page, letters):
            return self._with_unread_print(page, letters)
        if letters < SPARSE:
            return self._with_little_text(page, letters)
        return self._finished(Page(page.number, PageOutcome.TEXT), page)

    def _has_unread_print(self, page: EnginePage, letters: int) -> bool:
        """A page that cannot be drawn keeps what there is."""
        with suppress(ProcessingError):
            return has_unread_print(lambda: self._view, page, letters)
        return False

    def _doubted(self, page: ConvertedPage) -> ConvertedPage:
        account = page.account
        if account.outcome is PageOutcome.FAILED or not self._is_damaged(account.number):
            return page
        doubted = account._replace(
            message=account.message or "its content is damaged in the file, so that text or a picture may be missing",
            confidence=None,
            warnings=(*account.warnings, DAMAGED_CONTENT),
        )
        return page._replace(account=doubted)

    def _is_distrusted(self, quality: Quality) -> bool:
        return quality.hidden and self._ocr is not None and self._ocr.preparation.distrusts_layer

    def _with_unread_print(self, page: EnginePage, letters: int) -> ConvertedPage:
        """Its text is not all of it. What lies hidden behind a scan is read anew with all the rest; what is seen stays,
        and the rest is read."""
        is_hidden = page.quality is not None and page.quality.hidden
        try:
            if self._ocr is None:
                raise OcrUnavailable("a part of this page is a scan and OCR is off; convert it with ocr=auto")
            reading = self._ocr.read(self._view, page.number, untold=not is_hidden)
        except ProcessingError as error:
            return self._failed(page, error)
        if is_hidden and is_sure(reading) and reading.letters > letters:
            return self._recognised(page, reading)
        if not is_hidden and is_sure(reading):
            return self._completed(page, reading)
        finished = self._finished(Page(page.number, PageOutcome.TEXT), page)
        # Where OCR finds next to nothing, what looked like print is none.
        warnings = (*finished.account.warnings, *((UNREAD_PRINT,) if reading.letters >= _FEW else ()))
        return finished._replace(account=finished.account._replace(warnings=warnings))

    def _completed(self, page: EnginePage, reading: OcrReading) -> ConvertedPage:
        """The text of the page with what OCR has read beside it; pictures that are more than a scan stay."""
        is_scan = page.pictured is None or page.pictured.images >= PAGE_OF_IMAGES
        kept = [
            picture
            for picture in page.pictures
            if not picture.lettered and not (is_scan and self._fills_page(page.number, picture))
        ]
        if not kept:
            whole = merged(reading, self._view.told(page.number, turned=reading.turned))
            if (scan := self._laid_out(page.number, whole)) is not None:
                return self._finished(self._account(page, reading), scan)
        gone = {picture.link for picture in page.pictures if picture not in kept}
        markdown = LINK.sub(lambda link: "" if link[2] in gone else link[0], page.markdown)
        page = page._replace(
            markdown=_paragraphs(markdown.strip("\n"), reading.markdown), pictures=tuple(kept), passages=None
        )
        return self._finished(self._account(page, reading), page)

    def _with_little_text(self, page: EnginePage, letters: int) -> ConvertedPage:
        """Perhaps a scan with a stamp on it; where OCR cannot tell more, what there is stays."""
        try:
            if self._ocr is not None and self._view.is_covered(page.number):
                reading = self._ocr.read(self._view, page.number)
                if reading.letters > 2 * letters:
                    return self._recognised(page, reading)
        except ProcessingError:
            pass
        return self._finished(Page(page.number, PageOutcome.TEXT), page)

    def _with_unreadable_text(self, page: EnginePage, letters: int) -> ConvertedPage:
        """Its letters make no words, so its picture is read; where OCR finds much less, what there is stays. Where
        there is no OCR, it waits for it, or a result with text that is none would count as current once it has come."""
        try:
            if self._ocr is not None:
                reading = self._ocr.read(self._view, page.number)
                if reading.letters > letters / 2:
                    return self._recognised(page, reading)
        except OcrUnavailable as error:
            return self._failed(page, error)
        except ProcessingError:
            pass
        return self._finished(Page(page.number, PageOutcome.TEXT), page)

    def _without_text(self, page: EnginePage) -> ConvertedPage:
        try:
            if self._view.is_blank(page.number):
                return self._blank(page)
            if self._ocr is None:
                raise OcrUnavailable("this page has no text layer and OCR is off; convert it with ocr=auto")
            return self._recognised(page, self._ocr.read(self._view, page.number))
        except ProcessingError as error:
            return self._failed(page, error)

    def _blank(self, page: EnginePage) -> ConvertedPage:
        if self._repaired or self._is_damaged(page.number):
            lost = DamagedSource("nothing is left of this page in the damaged file, unless it was blank")
            return self._failed(page, lost)
        account = Page(page.number, PageOutcome.EMPTY)
        if not self._view.hides_image(page.number):
            return ConvertedPage(account)
        return ConvertedPage(
            account._replace(message="it shows nothing of the image that should fill it", warnings=(DAMAGED_CONTENT,))
        )

    def _recognised(self, page: EnginePage, reading: OcrReading) -> ConvertedPage:
        """The text that OCR found, and the pictures that are more than the scan of that text."""
        account = self._account(page, reading)
        if reading.letters < _FEW and not page.pictures:
            image = self._view.whole_page(page.number)
            shown = pictures.place_whole_page(self._task.workspace, page.number, image)
            return ConvertedPage(account, _paragraphs(shown.markdown, reading.markdown), shown.assets)
        shows_text = reading.letters >= _FEW
        kept = [picture for picture in page.pictures if not (shows_text and self._fills_page(page.number, picture))]
        links = [f"![]({picture.link})" for picture in kept]
        if not links and (scan := self._laid_out(page.number, reading)) is not None:
            return self._finished(account, scan)
        return self._finished(account, page._replace(markdown=_paragraphs(reading.markdown, *links), passages=None))

    def _account(self, page: EnginePage, reading: OcrReading) -> Page:
        confidence = round(reading.confidence / 100, 3)
        # Where OCR has found next to nothing, the page may be a picture.
        is_unsure = reading.unread or (reading.letters >= _FEW and reading.confidence < _UNSURE)
        doubts = (OCR_UNSURE,) if is_unsure else ()
        message = self._on_layer(page, "read anew")
        account = Page(page.number, PageOutcome.OCR, message=message, confidence=confidence, warnings=doubts)
        if not reading.missing:
            return account
        told = advice(reading.missing, language_package(reading.missing))
        # Where nobody named the language, nothing tells later that this result lacks it.
        is_named = self._ocr is not None and reading.missing in self._ocr.wanted
        told += ", and convert it again" if is_named else f", and convert it with ocr_languages={reading.missing}"
        return account._replace(message=told, warnings=(LANGUAGE_MISSING, *doubts))

    def _on_layer(self, page: EnginePage, done: str) -> str | None:
        """How far the hidden text of the document was found to agree with its pictures, where this page has such."""
        agreement = self._ocr.preparation.agreement if self._ocr is not None else None
        if page.quality is None or not page.quality.hidden or agreement is None:
            return None
        return f"{done}: {agreement:.0%} of the words that OCR is sure of on sampled pages are in the hidden text"

    def _laid_out(self, number: int, reading: OcrReading) -> EnginePage | None:
        width, height = self._view.size(number)
        if reading.turned % 180:
            width, height = height, width
        self._scan_angles[number] = (self._view.rotation(number) + reading.turned) % 360
        page = ScannedPage(number, width, height, reading.words, reading.rules, reading.fills)
        return self._engine.read_scan(self._document, page)

    def _failed(self, page: EnginePage, error: BlobForgeError) -> ConvertedPage:
        return self._finished(Page(page.number, PageOutcome.FAILED, error.code, self._message(error)), page)

    def _finished(self, account: Page, page: EnginePage) -> ConvertedPage:
        if page.quality is not None and account.outcome is PageOutcome.TEXT:
            account = account._replace(
                message=self._on_layer(page, "hidden text used"),
                confidence=page.quality.confidence,
                warnings=page.quality.warnings,
            )
        page = self._with_picture_texts(page) if self._read_pictures else page
        if not page.pictures:
            return ConvertedPage(account, page.markdown, passages=page.passages)
        shown = pictures.place(self._task.workspace, page, self._draw)
        return ConvertedPage(account, shown.markdown, shown.assets, page.passages)

    def _with_picture_texts(self, page: EnginePage) -> EnginePage:
        """A picture that cannot be read is still a picture."""
        texts: dict[str, str] = {}
        for picture in page.pictures:
            with suppress(ProcessingError):
                texts[picture.link] = self._ocr.text_in(self._view, page, picture) if self._ocr else ""
        return with_texts(page, texts)

    def _fills_page(self, number: int, picture: Picture) -> bool:
        if picture.region is None:
            return False
        width, height = self._view.size(number)
        return picture.region.width * picture.region.height >= _LARGE_PART_OF_PAGE * width * height

    def _draw(self, page: EnginePage, picture: Picture) -> ImageFile | None:
        if picture.region is None:
            return None
        return self._view.picture(page.number, picture.region, angle=page.angle, as_seen=picture.as_seen)

    @cached_property
    def _view(self) -> PageView:
        """Raises EngineFailed."""
        return self._opened.enter_context(PageView(self._document.path))

    def _message(self, error: BlobForgeError) -> str:
        """One line without paths, which differ from machine to machine."""
        text = " ".join(str(error).split())
        for path in (self._document.path, self._task.source, self._task.workspace):
            text = text.replace(str(path), self._task.source_name)
        return text[:_LONGEST_MESSAGE]


def _letters(page: EnginePage) -> int:
    """Letters and digits of a page, exactly where they are few."""
    if len(page.markdown) > _SURELY_TEXT and not page.pictures:
        return _SURELY_TEXT
    text = without_links(page.markdown).replace("```text", "")
    return sum(map(str.isalnum, text))


def _paragraphs(*pieces: str) -> str:
    return "\n\n".join(piece for piece in pieces if piece)
