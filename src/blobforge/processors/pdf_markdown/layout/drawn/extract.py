"""Reads a page with pdf-oxide, or with PDFium, into our own model. Nothing else here knows those libraries."""

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pdf_oxide
import pikepdf

from blobforge.domain.errors import EngineFailed
from blobforge.gc_pause import gc_paused
from blobforge.processors.pdf_markdown.layout.drawn.bullets import lost_bullets, may_have_lost_bullets
from blobforge.processors.pdf_markdown.layout.drawn.glyphs import Glyphs, read_glyphs
from blobforge.processors.pdf_markdown.layout.drawn.icons import with_icons
from blobforge.processors.pdf_markdown.layout.drawn.libraries import (
    Annotation,
    Character,
    DocumentReader,
    DrawnPath,
    ImagePlace,
)
from blobforge.processors.pdf_markdown.layout.drawn.links import Link, is_followed, put_links
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_images import image_boxes, shown_angle
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import PdfiumDocument
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_places import Mirrors, letters_at
from blobforge.processors.pdf_markdown.layout.drawn.private_codes import in_cipher
from blobforge.processors.pdf_markdown.layout.drawn.resources import DocumentResources
from blobforge.processors.pdf_markdown.layout.drawn.strokes import Strokes
from blobforge.processors.pdf_markdown.layout.drawn.text_coverage import PageCharacters, TextCoverage
from blobforge.processors.pdf_markdown.layout.drawn.turns import turned_box
from blobforge.processors.pdf_markdown.layout.drawn.visibility import seen
from blobforge.processors.pdf_markdown.layout.model.content import (
    OutlineEntry,
    PageContent,
    Point,
    Rectangle,
    TextLine,
    TextRun,
    around,
)
from blobforge.processors.pdf_markdown.layout.words.drawn_bullets import with_dots
from blobforge.processors.pdf_markdown.layout.words.lines import lines_of

# It reports every oddity of a file on standard error, where nobody reads it.
pdf_oxide.disable_logging()

_MOSTLY = 0.7
"""Of the page: a picture that is larger is a scan, or the paper."""

_MOST_IMAGES = 3_000
"""Of one page: more are slices and dots of one picture, or there to keep a reader busy."""

Answer = TypeVar("Answer", Annotation, DrawnPath, ImagePlace)


class Source:
    """An open PDF. Pages are counted from 1, as PDFium counts them: `pages` is how many it found."""

    def __init__(self, path: Path, *, pages: int) -> None:
        self._path = path
        self._pages = pages
        self._from_bytes = pdf_oxide.PdfDocument.from_bytes
        self._document = pdf_oxide.PdfDocument(str(path))
        self._agrees = self._document.page_count() == pages and self._reaches(pages)
        self._pdfium = PdfiumDocument(path)
        self._resources = DocumentResources(path, pages=pages)
        self._coverage = TextCoverage(self._resources, self._pdfium, pages=pages)
        self._mirrors = Mirrors(self._pdfium)
        self._has_lost_bullets = may_have_lost_bullets(path)

    def page(self, number: int) -> PageContent:
        if self._agrees:
            reader = _PageReader(
                self._document,
                self._pdfium,
                resources=self._resources,
                coverage=self._coverage,
                mirrors=self._mirrors,
                oxide=self._document,
                has_lost_bullets=self._has_lost_bullets,
            )
            return reader.page(number, index=number - 1)
        # It passes over pages that are broken, and all after them would be taken for others.
        alone = page_alone(self._path, number, of=self._pages)
        return _PageReader(self._from_bytes(alone), PdfiumDocument(alone)).page(number, index=0)

    def _reaches(self, last: int) -> bool:
        """It counts broken pages, but passes over them: then there is nothing where the last one should be."""
        try:
            self._document.page_media_box(last - 1)
        except RuntimeError:
            return False
        return True

    def outline(self) -> list[OutlineEntry]:
        found: list[OutlineEntry] | None = self._document.get_outline()
        return found or []


def page_alone(path: Path, number: int, *, of: int) -> bytes:
    """A PDF of that one page. Raises EngineFailed where even the third library counts otherwise."""
    with pikepdf.open(path) as whole, pikepdf.new() as part:
        if len(whole.pages) != of:
            raise EngineFailed(f"its pages cannot be told apart: it seems to have {of}, or {len(whole.pages)}")
        part.pages.append(whole.pages[number - 1])
        content = io.BytesIO()
        part.save(content)
    return content.getvalue()


class SecondSource:
    """The same, read by PDFium alone: for documents and pages that pdf-oxide cannot read."""

    def __init__(self, path: Path) -> None:
        self._document = PdfiumDocument(path)
        self._document.page_count()

    def page(self, number: int) -> PageContent:
        page = _PageReader(self._document, self._document).page(number, index=number - 1)
        return page._replace(is_second_reading=True)

    def outline(self) -> list[OutlineEntry]:
        return self._document.get_outline()


class _PageReader:
    """Reads pages of a document as pdf-oxide counts them. `pdfium` is the same document, for another reader."""

    def __init__(
        self,
        document: DocumentReader,
        pdfium: PdfiumDocument,
        *,
        resources: DocumentResources | None = None,
        coverage: TextCoverage | None = None,
        mirrors: Mirrors | None = None,
        oxide: pdf_oxide.PdfDocument | None = None,
        has_lost_bullets: bool = False,
    ) -> None:
        self._document = document
        self._oxide = oxide
        self._has_lost_bullets = has_lost_bullets
        self._pdfium = pdfium
        self._resources = resources
        self._coverage = coverage
        self._mirrors = mirrors or Mirrors(pdfium)

    @gc_paused()
    def page(self, number: int, *, index: int) -> PageContent:
        visible = self._visible(index)
        chars, labels = self._chars(number, index)
        glyphs = read_glyphs(
            chars,
            visible,
            look=lambda places: letters_at(self._pdfium, index, places),
            again=lambda: self._read_again(index),
            is_mirrored=lambda place, angle: self._mirrors.is_mirrored(index, place, angle),
            ligatures={} if self._resources is None else self._resources.ligatures(number),
        )
        glyphs, placed = _with_labels(glyphs, labels, visible) if labels else (glyphs, [])
        if not chars and (angle := shown_angle(self._pdfium, index)):
            glyphs = glyphs._replace(angle=angle, page=turned_box(visible, angle))
        boxes = self._images(index) if chars else self._all_images(index)
        if len(boxes) > _MOST_IMAGES:
            boxes = [around(boxes)]
        elif boxes and glyphs.angle % 90:
            boxes = [visible]  # such a page is shown as a whole
        images = [placed_box(turned_box(box, glyphs.angle), glyphs.page) for box in boxes]
        paths = self._paths(number, index)
        strokes = Strokes(glyphs.page, angle=glyphs.angle).read(paths if not glyphs.angle % 90 else ())
        lines = with_dots(with_icons(lines_of(glyphs.pieces), unknown=glyphs.unknown), strokes.dots)
        if not glyphs.angle:
            lines = seen(lines, strokes.fills, images, lambda: self._pdfium.sheet(index))
        put_links(lines, self._links(index, glyphs))
        return PageContent(
            number=number,
            width=glyphs.page.width,
            height=glyphs.page.height,
            lines=lines,
            turned=_turned(number, glyphs.turned, glyphs.turned_by, visible, paths) if glyphs.turned else None,
            horizontals=strokes.horizontals,
            verticals=strokes.verticals,
            fills=strokes.fills,
            frames=strokes.frames,
            images=images,
            marks=strokes.marks,
            contours=strokes.contours,
            dots=strokes.dots,
            unknown=min(glyphs.unknown + self._in_cipher(number, lines), 1.0),
            angle=glyphs.angle,
            placed=placed,
            slanted=[Point(x - glyphs.page.left, glyphs.page.bottom - y) for x, y in glyphs.slanted],
            asides=[_turned(number, pieces, angle, visible) for angle, pieces in glyphs.asides if pieces],
            unseen=self._unseen(number, index, glyphs),
            invisible=self._invisible(index) if _is_picture(glyphs.page, images) and glyphs.pieces else 0.0,
        )

    def _chars(self, number: int, index: int) -> PageCharacters:
        chars: Sequence[Character] = self._document.extract_chars(index)
        if self._oxide is not None and self._has_lost_bullets:
            chars = [*chars, *lost_bullets(self._oxide, index)]
        return PageCharacters(chars) if self._coverage is None else self._coverage.completed(chars, number)

    def _read_again(self, index: int) -> Sequence[Character]:
        """Nothing where PDFium has read it already, or cannot read it either."""
        if self._document is self._pdfium:
            return []
        try:
            return self._pdfium.extract_chars(index)
        except RuntimeError:
            return []

    def _in_cipher(self, number: int, lines: Sequence[TextLine]) -> float:
        """The share of the text whose font does not tell its letters, and that does not read as text does."""
        resources = self._resources
        found = in_cipher(lines, lambda: resources.coded_fonts(number)) if resources is not None else 0
        return found / sum(len(line.text) for line in lines) if found else 0.0

    def _links(self, index: int, glyphs: Glyphs) -> Iterator[Link]:
        for note in _or_none(self._document.get_annotations, index):
            target = note.get("action_uri") or ""
            if is_followed(target) and "rect" in note:
                x1, y1, x2, y2 = note["rect"]
                box = Rectangle(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
                yield Link(placed_box(turned_box(box, glyphs.angle), glyphs.page), target)

    def _invisible(self, index: int) -> float:
        """Costs as much as reading the page, so it is asked for scans only."""
        share: float = json.loads(self._document.classify_page(index))["signals"]["invisible_text_ratio"]
        return share

    def _visible(self, index: int) -> Rectangle:
        """What is shown of the page, not turned: like the places of its glyphs, whatever the page's own rotation is."""
        left, bottom, right, top = self._document.page_crop_box(index) or self._document.page_media_box(index)
        return Rectangle(left, bottom, right, top)

    def _paths(self, number: int, index: int) -> list[DrawnPath]:
        """pdf-oxide does not tell what is transparent."""
        if self._has_transparent_fills(number):
            return _or_none(self._pdfium.extract_paths, index)
        return _or_none(self._document.extract_paths, index)

    def _has_transparent_fills(self, number: int) -> bool:
        return self._resources is not None and self._resources.has_transparent_fills(number)

    def _unseen(self, number: int, index: int, glyphs: Glyphs) -> list[Rectangle]:
        if not self._has_transparent_fills(number):
            return []
        paths = _or_none(self._pdfium.unseen_paths, index)
        return [fill.box for fill in Strokes(glyphs.page, angle=glyphs.angle).read(paths).fills]

    def _images(self, index: int) -> list[Rectangle]:
        """In the file's own coordinates."""
        may_have_any = self._resources is None or self._resources.may_have_images
        found = _or_none(self._document.page_images, index) if may_have_any else []
        if found and (seen := image_boxes(self._pdfium, index)) is not None:
            return seen
        return [
            Rectangle(each["x"], each["y"], each["x"] + each["width"], each["y"] + each["height"]) for each in found
        ]

    def _all_images(self, index: int) -> list[Rectangle]:
        """Also those that are written within the page itself: a page without text may be nothing but these."""
        seen = image_boxes(self._pdfium, index)
        return self._images(index) if seen is None else seen


def _with_labels(glyphs: Glyphs, labels: Sequence[Character], visible: Rectangle) -> tuple[Glyphs, list[TextLine]]:
    """The upright labels of a drawing, and the glyphs of the page with those that run along an axis."""
    upright = [label for label in labels if not label.rotation_degrees]
    if len(upright) < len(labels):
        aside = read_glyphs([label for label in labels if label.rotation_degrees], visible)
        if aside.pieces and (not glyphs.turned or glyphs.turned_by == aside.angle):
            glyphs = glyphs._replace(turned=[*glyphs.turned, *aside.pieces], turned_by=aside.angle)
    return glyphs, lines_of(read_glyphs(upright, visible).pieces)


def _turned(
    number: int, pieces: list[TextRun], angle: float, visible: Rectangle, paths: Iterable[DrawnPath] = ()
) -> PageContent:
    """What is set at another angle, as a page of its own. Pictures are told on the page itself."""
    sheet = turned_box(visible, angle)
    # At an odd angle, rules are no rules.
    strokes = Strokes(sheet, angle=angle).read(paths if not angle % 90 else ())
    return PageContent(
        number=number,
        width=sheet.width,
        height=sheet.height,
        lines=lines_of(pieces),
        turned=None,
        horizontals=strokes.horizontals,
        verticals=strokes.verticals,
        fills=strokes.fills,
        frames=strokes.frames,
        images=[],
        angle=angle,
    )


def _or_none(ask: Callable[[int], list[Answer]], index: int) -> list[Answer]:
    """A page whose pictures, strokes or links are broken still has its text, and can be drawn."""
    try:
        return ask(index)
    except RuntimeError:
        return []


def placed_box(box: Rectangle, page: Rectangle) -> Rectangle:
    """From the file's own direction (up) to ours (down)."""
    return Rectangle(box.left - page.left, page.bottom - box.bottom, box.right - page.left, page.bottom - box.top)


def _is_picture(page: Rectangle, images: Iterable[Rectangle]) -> bool:
    return any(box.area > _MOSTLY * page.area for box in images)
