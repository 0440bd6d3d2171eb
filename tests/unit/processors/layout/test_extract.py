"""A page as pdf-oxide gives it becomes a page of ours."""

import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from tests.unit.processors.layout.made_glyphs import chars

from blobforge.processors.pdf_markdown.layout.drawn import extract
from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.model.content import Rectangle


class _Document:
    """The part of pdf-oxide that is asked."""

    text = "some text on a page"
    rotation = 0
    box = (0.0, 0.0, 600.0, 800.0)
    images: Sequence[dict[str, float]] | None = ()

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def from_bytes(cls, data: bytes) -> "_Document":
        return cls(data.decode())

    def page_count(self) -> int:
        return 1

    def page_crop_box(self, index: int) -> tuple[float, ...] | None:
        return None

    def page_media_box(self, index: int) -> tuple[float, ...]:
        return self.box

    def page_rotation(self, index: int) -> int:
        return self.rotation

    def extract_chars(self, index: int) -> list[SimpleNamespace]:
        return chars(self.text)

    def extract_paths(self, index: int) -> list[dict[str, Any]]:
        if self.images is None:
            raise RuntimeError("expected Stream, found Array")
        return []

    def page_images(self, index: int) -> Sequence[dict[str, float]]:
        if self.images is None:
            raise RuntimeError("Stream decoding error")
        return self.images

    def get_annotations(self, index: int) -> list[dict[str, Any]]:
        return []

    def classify_page(self, index: int) -> str:
        return json.dumps({"signals": {"invisible_text_ratio": 1.0}})


@pytest.fixture
def document(monkeypatch: pytest.MonkeyPatch) -> type[_Document]:
    class Document(_Document):
        pass

    module = ModuleType("pdf_oxide")
    module.PdfDocument = Document  # type: ignore[attr-defined]
    monkeypatch.setattr(extract, "pdf_oxide", module)
    return Document


SCAN = {"x": 0.0, "y": 0.0, "width": 600.0, "height": 800.0}


def test_a_page_has_its_lines(document: type[_Document]) -> None:
    page = Source(Path("a.pdf"), pages=1).page(1)

    assert [line.text for line in page.lines] == ["some text on a page"]
    assert (page.number, page.width, page.height) == (1, 600, 800)


def test_the_box_of_a_rotated_page_is_not_turned_since_its_text_is_not(document: type[_Document]) -> None:
    document.rotation, document.box = 90, (0.0, 0.0, 800.0, 600.0)

    page = Source(Path("a.pdf"), pages=1).page(1)

    assert (page.width, page.height) == (800, 600)


def test_pictures_lie_where_they_are_drawn(document: type[_Document]) -> None:
    document.images = [{"x": 50.0, "y": 600.0, "width": 200.0, "height": 100.0}]

    assert Source(Path("a.pdf"), pages=1).page(1).images == [Rectangle(50, 100, 250, 200)]


def test_a_page_whose_pictures_and_strokes_are_broken_still_has_its_text(document: type[_Document]) -> None:
    document.images = None

    page = Source(Path("a.pdf"), pages=1).page(1)

    assert (len(page.lines), page.images) == (1, [])


def test_a_scan_tells_how_much_of_its_text_is_invisible(document: type[_Document]) -> None:
    document.images = [SCAN]

    assert Source(Path("a.pdf"), pages=1).page(1).invisible == 1.0


def test_a_page_without_a_picture_is_not_asked(document: type[_Document]) -> None:
    assert Source(Path("a.pdf"), pages=1).page(1).invisible == 0.0
