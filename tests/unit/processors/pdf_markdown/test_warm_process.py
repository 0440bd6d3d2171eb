"""A process that has read one document reads the next one as a new process would."""

from pathlib import Path

import pikepdf
import pytest
from tests.unit.processors import pdfs

from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines.blobforge import BlobforgeEngine
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage
from blobforge.testing.processor_contract import nobody


@pytest.fixture
def engine() -> BlobforgeEngine:
    return BlobforgeEngine()


def read(engine: BlobforgeEngine, path: Path, *, pages: int = 1) -> list[EnginePage]:
    document = Document(path=path, pages=pages, survey={})
    document = Document(path=path, pages=pages, survey=engine.survey(document))
    return list(engine.read(document, Slice(1, pages), nobody))


def with_panic(path: Path, source: Path) -> Path:
    """The same, but for one byte in the head of its fonts: pdf-oxide cuts a letter of several bytes in two there."""
    with pikepdf.open(source) as pdf:
        numbers = [font.objgen[0] for font in pdf.pages[0].obj.Resources.Font.values()]
    content = source.read_bytes()
    for number in numbers:
        assert content.count(b"\n%d 0 obj" % number) == 1
        content = content.replace(b"\n%d 0 obj" % number, b"\n%d \xff obj" % number)
    path.write_bytes(content)
    return path


def with_widths(path: Path, width: int) -> Path:
    """In an object of their own, as Word and others write them, of a font that is not in the file."""
    pdfs.make_pdf(path, pdfs.prose("Earth"))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for font in pdf.pages[0].obj.Resources.Font.values():
            font.FirstChar, font.LastChar = 32, 126
            font.Widths = pdf.make_indirect(pikepdf.Array([width] * 95))
        pdf.save(path)
    return path


def test_a_document_at_which_a_library_panics_takes_nothing_from_the_next(
    engine: BlobforgeEngine, tmp_path: Path
) -> None:
    good = pdfs.make_pdf(tmp_path / "good.pdf", pdfs.prose("Earth"))
    before = read(engine, good)

    (panicked,) = read(engine, with_panic(tmp_path / "bad.pdf", good))

    assert panicked.quality is not None
    assert panicked.quality.warnings == ("second_reader",)
    assert read(engine, good) == before


def test_a_page_at_which_a_library_panics_takes_nothing_from_those_after_it(
    engine: BlobforgeEngine, tmp_path: Path
) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("Earth"), pdfs.prose("Water"))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        first, second = pdf.pages
        fonts = first.obj.Resources.Font.items()
        copies = {name: pdf.make_indirect(pikepdf.Dictionary(dict(font.items()))) for name, font in fonts}
        second.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(copies))
        pdf.save(path)

    first_page, second_page = read(engine, with_panic(tmp_path / "bad.pdf", path), pages=2)

    assert first_page.quality is not None
    assert second_page.quality is not None
    assert (first_page.quality.warnings, second_page.quality.warnings) == (("second_reader",), ())


def test_a_font_has_its_own_widths_and_not_those_of_its_namesake_in_another_document(
    engine: BlobforgeEngine, tmp_path: Path
) -> None:
    narrow, wide = with_widths(tmp_path / "narrow.pdf", 300), with_widths(tmp_path / "wide.pdf", 900)
    before = read(engine, wide)

    read(engine, narrow)

    assert read(BlobforgeEngine(), wide) == before
    assert read(engine, narrow) != before


def test_a_document_in_the_place_of_another_has_its_own_pages(engine: BlobforgeEngine, tmp_path: Path) -> None:
    """Workspaces are used again, and a survey need not be made by who reads the pages."""
    path = tmp_path / "source.pdf"
    engine.survey(Document(path=pdfs.make_pdf(path, pdfs.prose("Earth")), pages=1, survey={}))
    path.unlink()
    pdfs.make_pdf(path, pdfs.prose("Water"))
    document = Document(path=path, pages=1, survey=BlobforgeEngine().survey(Document(path=path, pages=1, survey={})))

    (page,) = engine.read(document, Slice(1, 1), nobody)

    assert page.markdown.startswith("**Water**")
