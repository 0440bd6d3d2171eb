"""Whether all that a page draws can be decoded to its end and understood: readers keep quiet about what is lost in
between."""

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pikepdf

from blobforge.processors.pdf_markdown.content_syntax import is_content
from blobforge.processors.pdf_markdown.stream_decoding import MOST_TEXT, decoded

_DRAWN = re.compile(rb"/([^\s/<>\[\](){}%]+)\s+Do\b")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_DEEPEST_BRANCH = 64
_MOST_FORMS = 1_000
"""Of one page; who draws more is out to keep its reader busy."""
_FAULTS = (pikepdf.PdfError, OSError, ValueError, TypeError, AttributeError, KeyError, RuntimeError)
"""Of documents that are not as they should be."""


class _Content(NamedTuple):
    """Of one stream: whether it goes to its end without noise, and the names of what it draws."""

    whole: bool
    drawn: frozenset[str]


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
        return not drawn or self._are_forms_whole(drawn, _inherited(page))

    def _are_forms_whole(self, drawn: set[str] | frozenset[str], resources: pikepdf.Object | None) -> bool:
        waiting = list(_forms(drawn, resources))
        seen: set[tuple[int, int]] = set()
        while waiting and len(seen) < _MOST_FORMS:
            form = waiting.pop()
            if form.objgen in seen:
                continue
            seen.add(form.objgen)
            content = self._content(form)
            if not content.whole:
                return False
            waiting += _forms(content.drawn, form.get("/Resources") or resources)
        return True

    def _content(self, stream: pikepdf.Object | None) -> _Content:
        if not isinstance(stream, pikepdf.Stream):
            return _Content(whole=False, drawn=frozenset())
        known = self._known.get(stream.objgen)
        if known is None:
            text, whole = decoded(stream)
            drawn = frozenset(map(_name, _DRAWN.findall(text))) if b"Do" in text else frozenset()
            is_cut = len(text) >= MOST_TEXT
            known = self._known[stream.objgen] = _Content(whole and (is_cut or is_content(text)), drawn)
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


def _forms(drawn: set[str] | frozenset[str], resources: pikepdf.Object | None) -> Iterator[pikepdf.Object]:
    """Images are left out: they have decoders of their own, and no text is lost with them."""
    found = resources.get("/XObject") if resources is not None else None
    for name in drawn:
        form = found.get(name) if found is not None else None
        if isinstance(form, pikepdf.Stream) and form.get("/Subtype") == "/Form":
            yield form


def _inherited(page: pikepdf.Object) -> pikepdf.Object | None:
    """The resources of a page: its own, or those of the branch that it hangs on."""
    branch: pikepdf.Object | None = page
    for _ in range(_DEEPEST_BRANCH):
        if branch is None or (resources := branch.get("/Resources")) is not None:
            return None if branch is None else resources
        branch = branch.get("/Parent")
    return None


def _name(written: bytes) -> str:
    plain = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), written)
    return "/" + plain.decode("utf-8", "replace")
