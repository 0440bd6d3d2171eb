"""Our own engine behind the port of all engines."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from reportlab.lib.utils import ImageReader
from tests.pdfs import pdf_with_a_bad_page
from tests.unit.processors import pdfs

from blobforge.domain.errors import EngineFailed
from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines.blobforge import BlobforgeEngine
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage, PageText
from blobforge.processors.pdf_markdown.layout.drawn.extract import Source
from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle
from blobforge.processors.pdf_markdown.layout.output.completeness import SECOND_READER
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedPage, ScannedWord
from blobforge.testing.processor_contract import nobody


@pytest.fixture
def engine() -> BlobforgeEngine:
    return BlobforgeEngine()


def surveyed(engine: BlobforgeEngine, path: Path, pages: int) -> Document:
    document = Document(path=path, pages=pages, survey={})
    return Document(path=path, pages=pages, survey=engine.survey(document))


def read(engine: BlobforgeEngine, document: Document) -> list[EnginePage]:
    return list(engine.read(document, Slice(1, document.pages), nobody))


def stitched(engine: BlobforgeEngine, document: Document, pages: list[EnginePage]) -> list[str]:
    return engine.stitch(document, [PageText(page.markdown, page.passages) for page in pages]).texts


def test_a_document_is_read_page_by_page_with_its_headings(engine: BlobforgeEngine, tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("Earth"), pdfs.prose("Water"))
    document = surveyed(engine, path, 2)

    first, second = stitched(engine, document, read(engine, document))

    assert first == f"# Earth\n\n{' '.join(pdfs.PROSE)}"
    assert second.startswith("# Water\n\n")


def test_another_process_that_did_not_make_the_survey_reads_the_same(engine: BlobforgeEngine, tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", *(pdfs.prose(name) for name in ("Earth", "Water", "Air")))
    document = surveyed(engine, path, 3)

    here, there = read(engine, document), read(BlobforgeEngine(), document)

    assert here == there


def test_of_a_long_document_some_pages_are_surveyed_and_all_are_read(engine: BlobforgeEngine, tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", *(pdfs.prose(f"Part {number}") for number in range(1, 61)))
    document = surveyed(engine, path, 60)

    pages = read(engine, document)

    assert [page.number for page in pages] == list(range(1, 61))
    prose = " ".join(pdfs.PROSE)
    assert stitched(engine, document, pages) == [f"# Part {number}\n\n{prose}" for number in range(1, 61)]


def test_a_page_is_the_same_page_though_another_one_is_broken(engine: BlobforgeEngine, tmp_path: Path) -> None:
    path = pdf_with_a_bad_page(tmp_path / "book.pdf")
    document = surveyed(engine, path, 3)

    (first,) = engine.read(document, Slice(1, 1), nobody)
    (last,) = engine.read(document, Slice(3, 3), nobody)

    assert (first.number, last.number) == (1, 3)
    assert ("One" in first.markdown, "Three" in last.markdown) == (True, True)


def test_a_picture_is_a_passage_with_its_place(engine: BlobforgeEngine, tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.with_picture("Earth", pdfs.shades(), box=(72, 300, 180, 120)))
    document = surveyed(engine, path, 1)

    (page,) = read(engine, document)

    (picture,) = page.pictures
    assert f"]({picture.link})" in page.markdown
    assert picture.region is not None
    assert tuple(map(round, picture.region)) == (72, 422, 180, 120)


def rings(canvas: Any) -> None:
    """A drawing with a label below it."""
    pdfs.prose("Earth")(canvas)
    for radius in range(10, 60, 10):
        canvas.circle(200, 400, radius)
    canvas.drawString(190, 335, "Orbits")


def test_a_drawing_is_a_picture_with_room_for_its_lines_and_its_labels_come_after_it(
    engine: BlobforgeEngine, tmp_path: Path
) -> None:
    document = surveyed(engine, pdfs.make_pdf(tmp_path / "book.pdf", rings), 1)

    (page,) = read(engine, document)

    (picture,) = page.pictures
    assert picture.as_seen
    assert picture.region is not None
    assert tuple(map(round, picture.region[:3])) == (148, 390, 104)
    assert f"![]({picture.link})\n\nOrbits" in page.markdown
    assert page.quality is not None
    assert page.quality.warnings == ()


@pytest.mark.parametrize("shown", [0, 90, 180, 270])
def test_a_picture_has_its_place_on_the_page_as_it_is_read(engine: BlobforgeEngine, tmp_path: Path, shown: int) -> None:
    def sideways(canvas: Any) -> None:
        canvas.translate(pdfs.HEIGHT, 0)
        canvas.rotate(90)
        pdfs.with_picture("Earth", pdfs.shades(), box=(72, 300, 180, 120))(canvas)

    path = pdfs.make_pdf(tmp_path / "book.pdf", sideways, size=(pdfs.HEIGHT, pdfs.WIDTH))
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = shown
        pdf.save(path)

    (page,) = read(engine, surveyed(engine, path, 1))

    (picture,) = page.pictures
    assert page.angle == 90
    assert picture.region is not None
    assert tuple(map(round, picture.region)) == (72, 422, 180, 120)


def test_a_picture_without_any_text_has_its_place_on_the_page_as_it_is_shown(
    engine: BlobforgeEngine, tmp_path: Path
) -> None:
    def picture_alone(canvas: Any) -> None:
        canvas.drawImage(ImageReader(pdfs.shades()), 72, 300, 180, 120)

    path = pdfs.make_pdf(tmp_path / "book.pdf", picture_alone)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].Rotate = 90
        pdf.save(path)

    (page,) = read(engine, surveyed(engine, path, 1))

    (picture,) = page.pictures
    assert page.angle == 90
    assert picture.region is not None
    assert tuple(map(round, picture.region)) == (300, 72, 120, 180)


def test_a_scan_is_laid_out_like_any_page(engine: BlobforgeEngine, tmp_path: Path) -> None:
    document = Document(path=tmp_path / "scan.pdf", pages=1, survey={})
    words = [
        ScannedWord(text, 50 + 60 * place, base - 0.74 * size, 100 + 60 * place, base, (str(base),))
        for base, size, line in ((80, 20, "The Old Mill"), (110, 10, "There still stands a mill at the old weir"))
        for place, text in enumerate(line.split())
    ]

    page = engine.read_scan(document, ScannedPage(1, 600, 800, tuple(words), (Rectangle(50, 90, 500, 90),)))

    assert page is not None
    assert stitched(engine, document, [page]) == ["# The Old Mill\n\nThere still stands a mill at the old weir"]


def test_a_scan_without_words_is_left_to_others(engine: BlobforgeEngine, tmp_path: Path) -> None:
    document = Document(path=tmp_path / "scan.pdf", pages=1, survey={})

    assert engine.read_scan(document, ScannedPage(1, 600, 800, ())) is None


def test_a_file_that_does_not_open_is_a_failure_of_the_engine(engine: BlobforgeEngine, tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 nothing more")

    with pytest.raises(EngineFailed, match="blobforge: "):
        engine.survey(Document(path=tmp_path / "bad.pdf", pages=1, survey={}))


def test_a_page_that_one_reader_refuses_is_read_by_another_and_that_is_told(
    engine: BlobforgeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("Earth"), pdfs.prose("Water"))
    read_page = Source.page

    def refuse(source: Source, number: int) -> PageContent:
        if number == 2:
            raise RuntimeError("no such object")
        return read_page(source, number)

    monkeypatch.setattr(Source, "page", refuse)
    document = surveyed(engine, path, 2)

    first, second = read(engine, document)

    assert " ".join(pdfs.PROSE) in second.markdown
    assert first.quality is not None
    assert second.quality is not None
    assert (first.quality.warnings, second.quality.warnings) == ((), (SECOND_READER,))


def test_a_document_that_one_reader_does_not_open_is_read_by_another(
    engine: BlobforgeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_source: Source, _path: Path, *, pages: int) -> None:
        raise RuntimeError(f"no cross-references to {pages} pages")

    monkeypatch.setattr(Source, "__init__", refuse)
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("Earth"))
    document = surveyed(engine, path, 1)

    assert stitched(engine, document, read(engine, document)) == [f"# Earth\n\n{' '.join(pdfs.PROSE)}"]


def test_a_page_that_has_killed_a_child_is_read_the_safer_way(
    engine: BlobforgeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_source: Source, _number: int) -> PageContent:
        raise AssertionError

    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("Earth"))
    monkeypatch.setattr(Source, "page", die)
    document = replace(Document(path=path, pages=1, survey={}), has_killed=True)

    (page,) = read(engine, document)

    assert " ".join(pdfs.PROSE) in page.markdown


def lines_at(*lines: tuple[float, str]) -> pdfs.Draw:
    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 11)
        for base, text in lines:
            canvas.drawString(72, base, text)

    return draw


def test_merged_invoices_keep_their_numbers_and_totals(engine: BlobforgeEngine, tmp_path: Path) -> None:
    sums = {1041: "1482.50", 1048: "97.20", 1055: "310.00"}
    pages = (
        lines_at(
            (770, f"Invoice 2024-{number}"), (690, pdfs.PROSE[0]), (675, pdfs.PROSE[1]), (80, f"Total due: {owed}")
        )
        for number, owed in sums.items()
    )
    document = surveyed(engine, pdfs.make_pdf(tmp_path / "merged.pdf", *pages), 3)

    texts = stitched(engine, document, read(engine, document))

    for text, (number, owed) in zip(texts, sums.items(), strict=True):
        assert text.startswith(f"Invoice 2024-{number}")
        assert text.endswith(f"Total due: {owed}")


def test_a_letterhead_is_told_once_and_the_text_goes_on_over_it(engine: BlobforgeEngine, tmp_path: Path) -> None:
    halves = (
        "The crossing below the mill is no longer safe, and whoever keeps it",
        "asks for another one before spring.",
    )
    pages = (
        lines_at((800, "Dr. Brombeer, file 12/345"), (700, half), (30, "IBAN DE02 1203"), (15, f"Page {number} of 2"))
        for number, half in enumerate(halves, start=1)
    )
    document = surveyed(engine, pdfs.make_pdf(tmp_path / "letter.pdf", *pages), 2)

    result = engine.stitch(document, [PageText(page.markdown, page.passages) for page in read(engine, document)])

    assert result.texts == [f"Dr. Brombeer, file 12/345\n\n{' '.join(halves)}\n\nIBAN DE02 1203", ""]
    assert [(one.role.value, one.page) for one in result.passages or ()] == [
        ("running", 1),
        ("paragraph", 1),
        ("running", 1),
    ]


def test_what_runs_along_is_not_missed_on_its_page(engine: BlobforgeEngine, tmp_path: Path) -> None:
    pages = (lines_at((800, "Dr. Brombeer, file 12/345"), (700, text)) for text in pdfs.PROSE)
    document = surveyed(engine, pdfs.make_pdf(tmp_path / "letter.pdf", *pages), 2)

    pages_read = read(engine, document)

    assert [page.markdown for page in pages_read] == list(pdfs.PROSE)
    assert [page.quality.confidence for page in pages_read if page.quality] == [1.0, 1.0]
