"""Reads a page with pdf-oxide into our own model. Nothing else here knows that library."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from blobforge.processors.pdf_markdown.layout.dots import with_dots
from blobforge.processors.pdf_markdown.layout.glyphs import Glyphs, read_glyphs, turned_box
from blobforge.processors.pdf_markdown.layout.lines import lines_of
from blobforge.processors.pdf_markdown.layout.links import Link, is_followed, put_links
from blobforge.processors.pdf_markdown.layout.model import Box, PageContent
from blobforge.processors.pdf_markdown.layout.pdfium_letters import letters_at
from blobforge.processors.pdf_markdown.layout.single_pages import page_alone
from blobforge.processors.pdf_markdown.layout.strokes import Strokes

_MOSTLY = 0.7
"""Of the page: a picture that is larger is a scan, or the paper."""


class Source:
    """An open PDF. Pages are counted from 1, as PDFium counts them: `pages` is how many it found."""

    def __init__(self, path: Path, *, pages: int) -> None:
        import pdf_oxide

        self._path = path
        self._pages = pages
        self._from_bytes = pdf_oxide.PdfDocument.from_bytes
        self._document = pdf_oxide.PdfDocument(str(path))
        self._agrees = self._document.page_count() == pages and self._reaches(pages)

    def page(self, number: int) -> PageContent:
        if self._agrees:
            return _Reader(self._document, self._path).page(number, index=number - 1)
        # It passes over pages that are broken, and all after them would be taken for others.
        alone = page_alone(self._path, number, of=self._pages)
        return _Reader(self._from_bytes(alone), alone).page(number, index=0)

    def _reaches(self, last: int) -> bool:
        """It counts broken pages, but passes over them: then there is nothing where the last one should be."""
        try:
            self._document.page_media_box(last - 1)
        except RuntimeError:
            return False
        return True

    def outline(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] | None = self._document.get_outline()
        return found or []


class _Reader:
    """Reads pages of a document as pdf-oxide counts them. `source` is the same document, for another reader."""

    def __init__(self, document: Any, source: Path | bytes) -> None:
        self._document = document
        self._source = source

    def page(self, number: int, *, index: int) -> PageContent:
        visible = self._visible(index)
        glyphs = read_glyphs(
            self._document.extract_chars(index),
            visible,
            look=lambda places: letters_at(self._source, index, places),
        )
        images = [placed_box(turned_box(box, glyphs.angle), glyphs.page) for box in self._images(index)]
        strokes = Strokes(glyphs.page, angle=glyphs.angle).read(_or_none(self._document.extract_paths, index))
        lines = with_dots(lines_of(glyphs.pieces), strokes.dots)
        put_links(lines, self._links(index, glyphs))
        return PageContent(
            number=number,
            width=glyphs.page.width,
            height=glyphs.page.height,
            lines=lines,
            turned=lines_of(glyphs.turned),
            horizontals=strokes.horizontals,
            verticals=strokes.verticals,
            fills=strokes.fills,
            frames=strokes.frames,
            images=images,
            unknown=glyphs.unknown,
            angle=glyphs.angle,
            invisible=self._invisible(index) if _is_picture(glyphs.page, images) and glyphs.pieces else 0.0,
        )

    def _links(self, index: int, glyphs: Glyphs) -> Iterator[Link]:
        for note in _or_none(self._document.get_annotations, index):
            target = note.get("action_uri") or ""
            if is_followed(target) and "rect" in note:
                x1, y1, x2, y2 = note["rect"]
                box = Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
                yield Link(placed_box(turned_box(box, glyphs.angle), glyphs.page), target)

    def _invisible(self, index: int) -> float:
        """Costs as much as reading the page, so it is asked for scans only."""
        share: float = json.loads(self._document.classify_page(index))["signals"]["invisible_text_ratio"]
        return share

    def _visible(self, index: int) -> Box:
        """What is shown of the page, not turned: pdf-oxide turns this box, but not what is in it."""
        left, bottom, right, top = self._document.page_crop_box(index) or self._document.page_media_box(index)
        if self._document.page_rotation(index) % 180:
            return Box(bottom, left, top, right)
        return Box(left, bottom, right, top)

    def _images(self, index: int) -> list[Box]:
        """In the file's own coordinates."""
        found = _or_none(self._document.page_images, index)
        return [Box(each["x"], each["y"], each["x"] + each["width"], each["y"] + each["height"]) for each in found]


def _or_none(ask: Callable[[int], list[dict[str, Any]]], index: int) -> list[dict[str, Any]]:
    """A page whose pictures, strokes or links are broken still has its text, and can be drawn."""
    try:
        return ask(index)
    except RuntimeError:
        return []


def placed_box(box: Box, page: Box) -> Box:
    """From the file's own direction (up) to ours (down)."""
    return Box(box.left - page.left, page.bottom - box.bottom, box.right - page.left, page.bottom - box.top)


def _is_picture(page: Box, images: Iterable[Box]) -> bool:
    return any(box.area > _MOSTLY * page.area for box in images)
