"""Every processor under the one contract."""

from itertools import count
from pathlib import Path

import pytest
from tests.unit.processors import pdfs

from blobforge.ports.processor import Processor
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.processors.lab_report.plugin import LabReportProcessor
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import MakeTask, ProcessorContract


class TestEcho(ProcessorContract):
    @pytest.fixture
    def processor(self) -> Processor:
        return EchoProcessor()

    @pytest.fixture
    def make_task(self, tmp_path: Path) -> MakeTask:
        source = tmp_path / "source"
        source.write_bytes(bytes(range(256)) * 5)
        numbers = count()
        return lambda: pdfs.a_task(source, tmp_path / f"work-{next(numbers)}", slices=2, units=5)


class TestPdfMarkdown(ProcessorContract):
    @pytest.fixture
    def processor(self) -> Processor:
        return PdfMarkdownProcessor()

    @pytest.fixture
    def make_task(self, tmp_path: Path) -> MakeTask:
        picture = pdfs.encoded(pdfs.shades(), "PNG")
        drawing = pdfs.with_picture("A picture", picture, box=(72, 300, 180, 120))
        source = pdfs.make_pdf(
            tmp_path / "book.pdf", pdfs.prose("One"), drawing, pdfs.nothing, drawing, pdfs.prose("Five")
        )
        numbers = count()
        return lambda: pdfs.a_task(source, tmp_path / f"work-{next(numbers)}", slice_pages=2)


class TestLabReport(ProcessorContract):
    @pytest.fixture
    def processor(self) -> Processor:
        return LabReportProcessor()

    @pytest.fixture
    def make_task(self, tmp_path: Path) -> MakeTask:
        source = pdfs.make_pdf(
            tmp_path / "report.pdf",
            pdfs.prose("One"),
            pdfs.prose("Two"),
            pdfs.nothing,
            pdfs.prose("Four"),
            pdfs.prose("Five"),
        )
        numbers = count()
        return lambda: pdfs.a_task(source, tmp_path / f"work-{next(numbers)}", slice_pages=2)
