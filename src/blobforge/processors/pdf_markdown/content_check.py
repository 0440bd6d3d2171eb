"""Whether all that a page draws can be decoded to its end and understood: readers keep quiet about what is lost in
between."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pikepdf

from blobforge.processors.pdf_markdown.annotations import appearances_on
from blobforge.processors.pdf_markdown.colour_check import ColourCheck
from blobforge.processors.pdf_markdown.content_syntax import drawn_in, fonts_in, is_content, without_strings
from blobforge.processors.pdf_markdown.font_check import FontCondition, condition_of
from blobforge.processors.pdf_markdown.image_check import is_image_whole
from blobforge.processors.pdf_markdown.inline_images import are_inline_images_whole
from blobforge.processors.pdf_markdown.page_resources import resources_of
from blobforge.processors.pdf_markdown.stream_decoding import MOST_TEXT, decoded

_MOST_DRAWN = 1_000
"""Forms and images of one page; who draws more is out to keep its reader busy."""
_FAULTS = (pikepdf.PdfError, OSError, ValueError, TypeError, AttributeError, LookupError, RuntimeError)
"""Of documents that are not as they should be."""


class _Damage(NamedTuple):
    """Of one page."""

    is_any: bool
    hides_letters: bool = False


class _Content(NamedTuple):
    """Of one stream: whether it goes to its end without noise, and the names of what it draws and sets text in."""

    whole: bool
    drawn: frozenset[str] = frozenset()
    fonts: frozenset[str] = frozenset()


_DAMAGED = _Content(whole=False)


class ContentCheck:
    """Of one document that PDFium opens, and in which it counts that many pages."""

    def __init__(self, path: Path, *, pages: int) -> None:
        self._path = path
        self._count = pages
        self._known: dict[tuple[int, int], _Content] = {}
        """What many pages share is decoded once."""
        self._colours = ColourCheck()
        self._fonts: dict[tuple[int, int], FontCondition] = {}
        self._latest = 0, _Damage(is_any=False)

    def is_damaged(self, number: int) -> bool:
        return self._damage(number).is_any

    def hides_letters(self, number: int) -> bool:
        """Whether which letters the glyphs of a font are is damaged, while they can still be seen."""
        return self._damage(number).hides_letters

    def _damage(self, number: int) -> _Damage:
        """It is asked for twice, of one page after another."""
        if self._latest[0] != number:
            self._latest = number, self._look(number)
        return self._latest[1]

    def _look(self, number: int) -> _Damage:
        """Also where qpdf finds other pages than PDFium, or none: they were made of what is left of a damaged file."""
        if self._document is None:
            return _Damage(is_any=True)
        try:
            return self._found_on(self._document.pages[number - 1].obj)
        except _FAULTS:
            return _Damage(is_any=True)

    def _found_on(self, page: pikepdf.Object) -> _Damage:
        conditions: set[FontCondition] = set()
        for stream, resources in self._drawn_by(page):
            content = self._content(stream)
            if not content.whole:
                return _Damage(is_any=True)
            conditions |= set(self._conditions(stream, content.fonts, resources))
        return _Damage(bool(conditions - {FontCondition.WHOLE}), hides_letters=FontCondition.LETTERS_LOST in conditions)

    def _drawn_by(self, page: pikepdf.Object) -> Iterator[tuple[pikepdf.Object | None, pikepdf.Object | None]]:
        """The streams of a page, then its annotations and the forms and images of all these, each with the resources
        that it takes from; None for one that is nowhere."""
        own = resources_of(page)
        waiting: list[tuple[pikepdf.Object | None, pikepdf.Object | None]] = []
        for stream in _streams(page):
            yield stream, own
            waiting += ((found, own) for found in _objects(self._content(stream).drawn, own))
        waiting += ((found, self._of_forms) for found in appearances_on(page))
        seen: set[tuple[int, int]] = set()
        while waiting and len(seen) < _MOST_DRAWN:
            found, resources = waiting.pop()
            if found is not None and found.objgen in seen:
                continue
            if found is not None:
                seen.add(found.objgen)
                resources = found.get("/Resources") or resources
            yield found, resources
            waiting += ((inner, resources) for inner in _objects(self._content(found).drawn, resources))

    def _conditions(
        self, stream: pikepdf.Object | None, names: frozenset[str], resources: pikepdf.Object | None
    ) -> Iterator[FontCondition]:
        fonts = resources.get("/Font") if names and resources is not None else None
        for name in names:
            condition = self._condition(fonts.get(name) if fonts is not None else None)
            if condition is FontCondition.WHOLE or name in _surely_in(stream):
                yield condition

    def _condition(self, font: pikepdf.Object | None) -> FontCondition:
        if not isinstance(font, pikepdf.Object) or not font.is_indirect:
            return condition_of(font)
        known = self._fonts.get(font.objgen)
        if known is None:
            known = self._fonts[font.objgen] = condition_of(font)
        return known

    def _content(self, stream: pikepdf.Object | None) -> _Content:
        if not isinstance(stream, pikepdf.Stream):
            return _DAMAGED
        known = self._known.get(stream.objgen)
        if known is None:
            known = self._known[stream.objgen] = _looked_at(stream, self._colours)
        return known

    @cached_property
    def _of_forms(self) -> pikepdf.Object | None:
        """What fields take from where their own appearance has no resources."""
        form = self._document.Root.get("/AcroForm") if self._document is not None else None
        return form.get("/DR") if isinstance(form, pikepdf.Dictionary) else None

    @cached_property
    def _document(self) -> pikepdf.Pdf | None:
        """None where it is closed to qpdf, or has other pages, so that none can be told from another."""
        try:
            document = pikepdf.open(self._path)
            return document if len(document.pages) == self._count else None
        except _FAULTS:
            return None


def _streams(page: pikepdf.Object) -> Iterator[pikepdf.Object | None]:
    # A key whose value is nowhere in the file is not there for `get`.
    for name, contents in page.items():
        if name == "/Contents":
            yield from contents if isinstance(contents, pikepdf.Array) else (contents,)


def _looked_at(stream: pikepdf.Stream, colours: ColourCheck) -> _Content:
    match stream.get("/Subtype"):
        case pikepdf.Name.Image:
            return _Content(is_image_whole(stream, colours))
        case None | pikepdf.Name.Form:
            text, whole = decoded(stream)
            is_read = len(text) >= MOST_TEXT or (is_content(text) and are_inline_images_whole(text))
            return _Content(whole and is_read, drawn_in(text), fonts_in(text))
        case pikepdf.Name.PS:
            return _Content(whole=True)  # for printers; no reader shows it
    return _DAMAGED


def _surely_in(stream: pikepdf.Object | None) -> frozenset[str]:
    """The fonts of a stream without those of which its strings speak. They cost more to find than all others."""
    return fonts_in(without_strings(decoded(stream).text)) if isinstance(stream, pikepdf.Stream) else frozenset()


def _objects(drawn: frozenset[str], resources: pikepdf.Object | None) -> Iterator[pikepdf.Stream | None]:
    """The forms and images of these names; None for one that is nowhere."""
    there = resources.get("/XObject") if resources is not None else None
    for name in drawn:
        found = there.get(name) if there is not None else None
        yield found if isinstance(found, pikepdf.Stream) else None
