"""What every engine of `pdf_markdown` promises.

A subclass gives two fixtures: `engine`, one that is made, and `path`, a PDF that it can read, of three pages or more.
"""

from pathlib import Path

import pytest

from blobforge.domain.json_value import canonical_json
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines.engine import Document, Engine, EnginePage, PageText
from blobforge.testing.processor_contract import nobody


class EngineContract:
    @pytest.fixture
    def document(self, engine: Engine, path: Path) -> Document:
        import pypdfium2

        with pypdfium2.PdfDocument(path) as pdf:
            pages = len(pdf)
        assert pages >= 3
        survey = engine.survey(Document(path=path, pages=pages, survey={}))
        return Document(path=path, pages=pages, survey=survey)

    def test_it_says_where_it_comes_from(self, engine: Engine) -> None:
        assert isinstance(engine.info, EngineInfo)
        assert all((engine.info.distribution, engine.info.install))

    def test_what_it_saw_of_the_whole_can_be_kept_as_json(self, document: Document) -> None:
        assert canonical_json(document.survey)

    def test_it_gives_each_page_of_a_range_once_and_no_other(self, engine: Engine, document: Document) -> None:
        numbers = [page.number for page in _read(engine, document, 1, document.pages)]

        assert sorted(numbers) == list(range(1, document.pages + 1))

    def test_a_page_can_be_read_alone(self, engine: Engine, document: Document) -> None:
        (alone,) = _read(engine, document, 2, 2)

        assert alone.number == 2
        assert alone.markdown.strip()

    def test_reading_twice_gives_the_same(self, engine: Engine, document: Document) -> None:
        assert _read(engine, document, 1, 2) == _read(engine, document, 1, 2)

    def test_the_last_word_has_as_many_pages_as_were_read(self, engine: Engine, document: Document) -> None:
        read = _read(engine, document, 1, document.pages)

        stitched = type(engine).stitch(document, [PageText(page.markdown, page.passages) for page in read])

        assert len(stitched.texts) == len(read)

    def test_what_something_else_has_read_is_left_alone(self, engine: Engine, document: Document) -> None:
        assert type(engine).stitch(document, [PageText("one"), PageText("two")]).texts == ["one", "two"]


def _read(engine: Engine, document: Document, first: int, last: int) -> list[EnginePage]:
    return list(engine.read(document, Slice(first, last), nobody))
