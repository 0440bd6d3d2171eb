"""The default engine, for real."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.processors import pdfs

from blobforge.domain.errors import EngineFailed
from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.engines.engine import Document, Engine, EnginePage
from blobforge.testing.processor_contract import nobody


def make(name: str) -> Engine:
    return registry.engine_class(name)()


def read(engine: Engine, document: Document, part: Slice) -> list[EnginePage]:
    return list(engine.read(document, part, nobody))


def test_liteparse_reads_pages_as_markdown(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"), pdfs.prose("Two"))
    document = Document(path=path, pages=2, survey={})

    one, two = read(make("liteparse"), document, Slice(1, 2))

    assert one == EnginePage(1, "# One\n\n" + " ".join(pdfs.PROSE))
    assert two.markdown.startswith("# Two")


def test_liteparse_gives_long_pages_as_they_are(tmp_path: Path) -> None:
    def draw(canvas: Any) -> None:
        for place in range(30):
            canvas.drawString(72, 780 - 15 * place, pdfs.PROSE[place % 2])

    path = pdfs.make_pdf(tmp_path / "book.pdf", draw)

    (page,) = read(make("liteparse"), Document(path=path, pages=1, survey={}), Slice(1, 1))

    assert page.markdown == " ".join(pdfs.PROSE * 15)


def test_liteparse_reads_a_range_and_no_more(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", *map(pdfs.prose, ("Earth", "Water", "Air", "Fire")))
    document = Document(path=path, pages=4, survey={})

    pages = read(make("liteparse"), document, Slice(2, 3))

    assert [(page.number, page.markdown.splitlines()[0]) for page in pages] == [(2, "# Water"), (3, "# Air")]


def test_liteparse_says_where_pictures_are(tmp_path: Path) -> None:
    drawing = pdfs.with_picture("One", pdfs.shades(), box=(72, 300, 180, 120))
    path = pdfs.make_pdf(tmp_path / "book.pdf", drawing)

    (page,) = read(make("liteparse"), Document(path=path, pages=1, survey={}), Slice(1, 1))

    (picture,) = page.pictures
    assert picture.region is not None
    assert [round(number) for number in picture.region] == [72, 422, 180, 120]
    assert f"]({picture.link})" in page.markdown


def test_liteparse_gives_nothing_for_a_page_without_text(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.nothing)

    assert read(make("liteparse"), Document(path=path, pages=1, survey={}), Slice(1, 1)) == [EnginePage(1, "")]


def test_text_that_liteparse_takes_for_a_running_head_is_kept_when_it_is_all(tmp_path: Path) -> None:
    def head(number: int) -> pdfs.Draw:
        return lambda canvas: canvas.drawString(72, 800, f"Page {number} of the file")

    path = pdfs.make_pdf(tmp_path / "book.pdf", *map(head, range(1, 9)))

    pages = read(make("liteparse"), Document(path=path, pages=8, survey={}), Slice(1, 8))

    assert [page.markdown for page in pages] == [f"Page {number} of the file" for number in range(1, 9)]


def test_liteparse_reads_heavy_documents_a_few_pages_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blobforge.processors.pdf_markdown.engines.liteparse._BYTES_AT_ONCE", 1)
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"), pdfs.prose("Two"), pdfs.prose("Three"))

    pages = read(make("liteparse"), Document(path=path, pages=3, survey={}), Slice(1, 3))

    assert [page.number for page in pages] == [1, 2, 3]


def test_liteparse_says_why_a_page_cannot_be_read(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"))

    with pytest.raises(EngineFailed, match="liteparse: "):
        read(make("liteparse"), Document(path=path, pages=7, survey={}), Slice(7, 7))


def test_a_file_that_liteparse_cannot_open_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "book.pdf").write_text("no PDF at all")

    with pytest.raises(EngineFailed, match="liteparse: "):
        read(make("liteparse"), Document(path=tmp_path / "book.pdf", pages=1, survey={}), Slice(1, 1))


def test_the_public_and_the_native_result_of_liteparse_say_the_same(tmp_path: Path) -> None:
    """We use the native one; should it go away, the public one takes its place."""
    from liteparse import LiteParse

    from blobforge.processors.pdf_markdown.engines import liteparse

    drawing = pdfs.with_picture("One", pdfs.shades(), box=(72, 300, 180, 120))
    path = pdfs.make_pdf(tmp_path / "book.pdf", drawing)
    document = Document(path=path, pages=1, survey={})

    class PublicOnly:
        def parse(self, path: Path) -> object:
            return LiteParse(**liteparse._SETTINGS).parse(path)

    (public,) = liteparse._parsed(PublicOnly(), document).pages
    (native,) = liteparse._parsed(LiteParse(**liteparse._SETTINGS), document).pages
    assert (public.page_num, public.markdown, public.text) == (native.page_num, native.markdown, native.text)
