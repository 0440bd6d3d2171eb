"""An engine that gives what it was told, programs that play tesseract, and a conversion with both."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from tests.unit.processors import pdfs
from tests.unit.processors.pdf_markdown.sheets import Sheet

from blobforge.documents.tesseract import Tesseract
from blobforge.domain.errors import ProcessingError
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Report, Slice, Task
from blobforge.processors.pdf_markdown.conversion import Conversion
from blobforge.processors.pdf_markdown.engines.engine import Box, Document, EnginePage, Picture
from blobforge.processors.pdf_markdown.engines.page_wise import PageWise
from blobforge.processors.pdf_markdown.ocr.reader import OcrReader
from blobforge.processors.pdf_markdown.parts import ConvertedPage, Part
from blobforge.testing.processor_contract import nobody

LONG = "words of a text layer " * 20
VERY_LONG = LONG * 5
FULL_PAGE = Box(0, 0, pdfs.WIDTH, pdfs.HEIGHT)


class Engine(PageWise):
    """Gives what it was told for each page."""

    info: ClassVar[EngineInfo] = EngineInfo(distribution="told", install="tell it")

    def __init__(self, pages: Mapping[int, EnginePage | ProcessingError]) -> None:
        self.pages = pages

    def read(self, _document: Document, part: Slice, _report: Report, /) -> Iterator[EnginePage]:
        for number in range(part.first, part.last + 1):
            page = self.pages[number]
            if isinstance(page, ProcessingError):
                raise page
            yield page


class Tesseracts:
    """Makes programs that play tesseract, and counts how often they ran."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.languages = frozenset({"eng"})
        self.wanted: tuple[str, ...] = ("eng",)

    def answering(self, *sheets: Sheet) -> OcrReader:
        """Each run gives the next sheet, the last one for ever."""
        self.folder.mkdir()
        for place, sheet in enumerate(sheets):
            (self.folder / f"{place}.tsv").write_text("\n".join(sheet.rows))
        return self._running(
            f"""
import pathlib, sys
folder = pathlib.Path({str(self.folder)!r})
runs = len(list(folder.glob("run-*")))
(folder / f"run-{{runs}}").touch()
sys.stdin.buffer.read()
print((folder / f"{{min(runs, {len(sheets) - 1})}}.tsv").read_text())
"""
        )

    def failing(self) -> OcrReader:
        self.folder.mkdir()
        return self._running("import sys; sys.exit('it broke')")

    def missing(self) -> OcrReader:
        return OcrReader(lambda: None, ("eng",))

    @property
    def runs(self) -> int:
        return len(list(self.folder.glob("run-*")))

    def _running(self, code: str) -> OcrReader:
        program = self.folder / "tesseract"
        program.write_text(f"#!{sys.executable} -S\n{code}\n")
        program.chmod(0o755)
        tool = Tesseract(program=str(program), version="5.3.0", languages=self.languages)
        return OcrReader(lambda: tool, self.wanted)


def convert(
    task: Task, *pages: EnginePage | ProcessingError, ocr: OcrReader | None = None, repaired: bool = False
) -> Part:
    engine = Engine(dict(enumerate(pages, start=1)))
    document = Document(path=task.source, pages=len(pages), survey={})
    conversion = Conversion(task, document, engine=engine, ocr=ocr, repaired=repaired)
    return conversion.run(Slice(1, len(pages)), nobody)


def convert_one(
    task: Task, page: EnginePage | ProcessingError, *, ocr: OcrReader | None = None, repaired: bool = False
) -> ConvertedPage:
    (converted,) = convert(task, page, ocr=ocr, repaired=repaired).pages
    return converted


def readable() -> Sheet:
    return Sheet().line("clear words that were read from a scan")


def says(answer: str) -> Sheet:
    """What tesseract tells of a page's orientation."""
    sheet = Sheet()
    sheet.rows = [answer]
    return sheet


def picture_page(markdown: str, *regions: Box) -> EnginePage:
    links = [f"img_{place}.png" for place in range(1, len(regions) + 1)]
    text = "\n\n".join([markdown, *(f"![]({link})" for link in links)]).strip()
    return EnginePage(1, text, tuple(Picture(link, region=region) for link, region in zip(links, regions, strict=True)))
