"""Whether all that a page draws can be decoded to its end and understood: readers keep quiet about what is lost in
between."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pikepdf

from blobforge.processors.pdf_markdown.content_syntax import drawn_in, is_content
from blobforge.processors.pdf_markdown.image_check import is_image_whole
from blobforge.processors.pdf_markdown.stream_decoding import MOST_TEXT, decoded

_DEEPEST_BRANCH = 64
_MOST_DRAWN = 1_000
"""Forms and images of one page; who draws more is out to keep its reader busy."""
_FAULTS = (pikepdf.PdfError, OSError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)
"""Of documents that are not as they should be."""


class _Content(NamedTuple):
    """Of one stream: whether it goes to its end without noise, and the names of what it draws."""

    whole: bool
    drawn: frozenset[str]


_DAMAGED = _Content(whole=False, drawn=frozenset())


class ContentCheck:
    """Of one document that PDFium opens, and in which it counts that many pages."""

    def __init__(self, path: Path, *, pages: int) -> None:
        self._path = path
        self._count = pages
        self._known: dict[tuple[int, int], _Content] = {}
        """What many pages share is decoded once."""

    def is_damaged(self, number: int) -> bool:
        """Also where qpdf finds other pages than PDFium, or none: they were made of what is left of a damaged file."""
        if self._document is None:
            return True
        try:
            return not self._is_whole(self._document.pages[number - 1].obj)
        except _FAULTS:
            return True

    def _is_whole(self, page: pikepdf.Object) -> bool:
        drawn: set[str] = set()
        for stream in _streams(page):
            content = self._content(stream)
            if not content.whole:
                return False
            drawn |= content.drawn
        return not drawn or self._are_drawn_whole(drawn, _inherited(page))

    def _are_drawn_whole(self, drawn: set[str] | frozenset[str], resources: pikepdf.Object | None) -> bool:
        waiting = list(_objects(drawn, resources))
        seen: set[tuple[int, int]] = set()
        while waiting and len(seen) < _MOST_DRAWN:
            found = waiting.pop()
            if found is None:
                return False
            if found.objgen in seen:
                continue
            seen.add(found.objgen)
            content = self._content(found)
            if not content.whole:
                return False
            waiting += _objects(content.drawn, found.get("/Resources") or resources)
        return True

    def _content(self, stream: pikepdf.Object | None) -> _Content:
        if not isinstance(stream, pikepdf.Stream):
            return _DAMAGED
        known = self._known.get(stream.objgen)
        if known is None:
            known = self._known[stream.objgen] = _looked_at(stream)
        return known

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


def _looked_at(stream: pikepdf.Stream) -> _Content:
    match stream.get("/Subtype"):
        case pikepdf.Name.Image:
            return _Content(is_image_whole(stream), drawn=frozenset())
        case None | pikepdf.Name.Form:
            text, whole = decoded(stream)
            is_cut = len(text) >= MOST_TEXT
            return _Content(whole and (is_cut or is_content(text)), drawn_in(text))
        case pikepdf.Name.PS:
            return _Content(whole=True, drawn=frozenset())  # for printers; no reader shows it
    return _DAMAGED


def _objects(drawn: set[str] | frozenset[str], resources: pikepdf.Object | None) -> Iterator[pikepdf.Stream | None]:
    """The forms and images of these names; None for one that is nowhere."""
    there = resources.get("/XObject") if resources is not None else None
    for name in drawn:
        found = there.get(name) if there is not None else None
        yield found if isinstance(found, pikepdf.Stream) else None


def _inherited(page: pikepdf.Object) -> pikepdf.Object | None:
    """The resources of a page: its own, or those of the branch that it hangs on."""
    branch: pikepdf.Object | None = page
    for _ in range(_DEEPEST_BRANCH):
        if branch is None or (resources := branch.get("/Resources")) is not None:
            return None if branch is None else resources
        branch = branch.get("/Parent")
    return None
