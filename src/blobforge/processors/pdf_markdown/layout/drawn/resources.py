"""The resource dictionaries of a document, read with pikepdf: images, and whether a page may hold text
that pdf-oxide does not extract."""

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pikepdf

from blobforge.processors.pdf_markdown.layout.drawn.coded_fonts import coded_fonts
from blobforge.processors.pdf_markdown.layout.drawn.glyph_names import Ligatures, ligatures_in
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import FAINTEST

_DEEPEST_BRANCH = 12
_DEEPEST_FORM = 4
"""What lies in more forms, one within another, is not looked at."""
_SMALL = 1 << 19
_FAINT = rb"ca\s*(?:0(?:\.0\d*)?|\.0\d*)(?=[\s/>])"
_LIGATURE = rb"[A-Za-z]_[A-Za-z_.]+(?=[\s/\]])"
_SIGN = re.compile(rb"/(?:ObjStm|Form|Type3|Properties|" + _FAINT + rb"|" + _LIGATURE + rb")")
"""All in one, for a file is long."""
_IMAGE = re.compile(rb"/Image\b")
"""Images are streams, and those are never packed into others; one that is written within the page has no such name."""
_MOST_FORMS = 200
"""Of one page; who draws more is out to keep its reader busy."""
_LAYER_OR_TAG = {"/OCGs", "/Usage", "/Name", "/VE", "/MCID", "/Lang", "/ActualText", "/Alt", "/E"}
"""What a mark in the text of a page usually says."""
_FAULTS = (pikepdf.PdfError, OSError, ValueError, TypeError, AttributeError, KeyError)
"""Of documents that are not as they should be."""


class HiddenTextRisk(Enum):
    """In order of gravity."""

    BURIED = "buried"
    """Text in a form that has its fonts written into it, or that lies deep within others."""
    DRAWN_LETTERS = "drawn letters"
    """A font whose letters are drawings."""
    PLACED = "placed"
    """Another document was placed on the page, and its text is marked as that one's."""
    FORM = "form"
    """Text in any other form; it is rarely passed over."""


class DocumentResources:
    """Of one document with that many pages, counted from 1."""

    def __init__(self, path: Path, *, pages: int) -> None:
        content = _content(path)
        self._path, self._pages = path, pages
        self._document = self._opened(path, pages) if _may_name_any(content) else None
        self._known_ligatures: dict[frozenset[tuple[int, int]], Ligatures] = {}
        self.may_have_images = content is None or _IMAGE.search(content) is not None

    def risk_of(self, number: int) -> HiddenTextRisk | None:
        """The gravest risk that text of the page is not extracted; None where its resources cannot be read."""
        if self._document is None:
            return None
        try:
            found = set(_risks(self._document.pages[number - 1].obj))
        except _FAULTS:
            return None
        return next((risk for risk in HiddenTextRisk if risk in found), None)

    def has_transparent_fills(self, number: int) -> bool:
        """Whether something on the page may be filled with what nobody sees."""
        if self._document is None:
            return False
        try:
            resources = _inherited(self._document.pages[number - 1].obj)
            states = [] if resources is None else list(_entries(resources, "/ExtGState"))
            return any(float(state.get("/ca", 1)) < FAINTEST for state in states)
        except _FAULTS:
            return False

    def ligatures(self, number: int) -> Ligatures:
        """Those that the fonts of the page tell by the names of their glyphs alone."""
        if self._document is None:
            return {}
        try:
            resources = _inherited(self._document.pages[number - 1].obj)
            return {} if resources is None else self._ligatures(list(_entries(resources, "/Font")))
        except _FAULTS:
            return {}

    def coded_fonts(self, number: int) -> frozenset[str]:
        """The names of those on the page that do not tell which letters their codes stand for."""
        document = self._document or self._opened(self._path, self._pages)
        try:
            return frozenset() if document is None else coded_fonts(_fonts_on(document.pages[number - 1].obj))
        except _FAULTS:
            return frozenset()

    def _ligatures(self, fonts: list[pikepdf.Object]) -> Ligatures:
        """Most pages set their text in the same fonts."""
        key = frozenset(font.objgen for font in fonts)
        if key not in self._known_ligatures or (0, 0) in key:
            self._known_ligatures[key] = ligatures_in(fonts)
        return self._known_ligatures[key]

    def _opened(self, path: Path, count: int) -> pikepdf.Pdf | None:
        """None where its pages are others, or cannot be told."""
        try:
            document = pikepdf.open(path)
            return document if len(document.pages) == count else None
        except _FAULTS:
            return None


def _content(path: Path) -> bytes | None:
    """All of a small file, which tells fast what is not in it."""
    try:
        return path.read_bytes() if path.stat().st_size <= _SMALL else None
    except OSError:
        return None


def _may_name_any(content: bytes | None) -> bool:
    """Objects may be packed, and then nothing is told."""
    return content is None or _SIGN.search(content) is not None


def _risks(page: pikepdf.Object) -> Iterator[HiddenTextRisk]:
    resources = _inherited(page)
    if resources is None:
        return
    yield from _of_fonts(resources)
    if any(_LAYER_OR_TAG.isdisjoint(mark.keys()) for mark in _entries(resources, "/Properties")):
        yield HiddenTextRisk.PLACED
    forms = [(form, 1) for form in _forms(resources)]
    for _ in range(_MOST_FORMS):
        if not forms:
            break
        form, depth = forms.pop()
        own = form.get("/Resources")
        if own is not None:
            yield from _of_form(own, depth)
            forms += [(inner, depth + 1) for inner in _forms(own)]


def _fonts_on(page: pikepdf.Object) -> Iterator[pikepdf.Object]:
    """Those of its forms, too."""
    waiting = [resources] if (resources := _inherited(page)) is not None else []
    for _ in range(_MOST_FORMS):
        if not waiting:
            break
        resources = waiting.pop()
        yield from _entries(resources, "/Font")
        waiting += [own for form in _forms(resources) if (own := form.get("/Resources")) is not None]


def _inherited(page: pikepdf.Object) -> pikepdf.Object | None:
    """The resources of a page: its own, or those of the branch that it hangs on."""
    branch: pikepdf.Object | None = page
    for _ in range(_DEEPEST_BRANCH):
        if branch is None:
            return None
        resources = branch.get("/Resources")
        if resources is not None:
            return resources
        branch = branch.get("/Parent")
    return None


def _of_form(resources: pikepdf.Object, depth: int) -> Iterator[HiddenTextRisk]:
    fonts = list(_entries(resources, "/Font"))
    if fonts:
        yield HiddenTextRisk.FORM
    if fonts and (depth > _DEEPEST_FORM or any(not font.is_indirect for font in fonts)):
        yield HiddenTextRisk.BURIED
    yield from _of_fonts(resources)


def _of_fonts(resources: pikepdf.Object) -> Iterator[HiddenTextRisk]:
    if any(font.get("/Subtype") == "/Type3" for font in _entries(resources, "/Font")):
        yield HiddenTextRisk.DRAWN_LETTERS


def _forms(resources: pikepdf.Object) -> Iterator[pikepdf.Object]:
    for each in _entries(resources, "/XObject"):
        if each.get("/Subtype") == "/Form":
            yield each


def _entries(resources: pikepdf.Object, kind: str) -> Iterator[pikepdf.Object]:
    found = resources.get(kind)
    if found is not None:
        yield from (entry for _, entry in found.items() if hasattr(entry, "keys"))
