"""Every page of a slice comes once, whatever the engine does."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from blobforge.domain.errors import EngineFailed, ProcessingError
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage
from blobforge.processors.pdf_markdown.engines.page_wise import PageWise
from blobforge.processors.pdf_markdown.reading import read_pages
from blobforge.testing.processor_contract import nobody

DOCUMENT = Document(path=Path("book.pdf"), pages=9, survey={})


class Engine(PageWise):
    """Fails on some pages, leaves others out, and may break a whole range after a number of pages."""

    info: ClassVar[EngineInfo] = EngineInfo(distribution="flawed", install="mend it")

    def __init__(self, *, bad: Iterable[int] = (), left_out: Iterable[int] = (), breaks_after: int = 99) -> None:
        self.bad = bad
        self.left_out = left_out
        self.breaks_after = breaks_after
        self.calls: list[Slice] = []

    def read(self, _document: Document, part: Slice, _report: Report, /) -> Iterator[EnginePage]:
        self.calls.append(part)
        for place, number in enumerate(range(part.first, part.last + 1)):
            if number in self.bad:
                raise EngineFailed(f"page {number} is bad")
            if place >= self.breaks_after:
                raise EngineFailed("the range broke")
            if number not in self.left_out:
                yield EnginePage(number, f"text {number}")


def read(engine: Engine, part: Slice) -> dict[int, EnginePage | ProcessingError]:
    found = list(read_pages(engine, DOCUMENT, part, nobody))
    assert len(dict(found)) == len(found)
    return dict(found)


def test_a_healthy_slice_is_one_call() -> None:
    engine = Engine()

    assert sorted(read(engine, Slice(1, 5))) == [1, 2, 3, 4, 5]
    assert engine.calls == [Slice(1, 5)]


def test_a_single_page_is_one_call_too() -> None:
    engine = Engine()

    assert read(engine, Slice(3, 3)) == {3: EnginePage(3, "text 3")}
    assert engine.calls == [Slice(3, 3)]


def test_a_bad_page_costs_no_other() -> None:
    found = read(Engine(bad={2}), Slice(1, 4))

    assert [number for number, page in found.items() if isinstance(page, EngineFailed)] == [2]
    assert str(found[2]) == "page 2 is bad"


def test_after_a_broken_range_only_what_is_missing_is_read_again() -> None:
    engine = Engine(breaks_after=2)

    found = read(engine, Slice(1, 4))

    assert sorted(found) == [1, 2, 3, 4]
    assert engine.calls == [Slice(1, 4), Slice(3, 3), Slice(4, 4)]


def test_a_page_that_the_engine_leaves_out_has_failed() -> None:
    found = read(Engine(left_out={3}), Slice(1, 4))

    assert isinstance(found[3], EngineFailed)
    assert "gave nothing" in str(found[3])
