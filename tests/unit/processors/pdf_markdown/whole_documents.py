"""A PDF of some pages, and what our engine makes of the whole of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.unit.processors.pdfs import make_pdf

from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines.blobforge import BlobforgeEngine
from blobforge.processors.pdf_markdown.engines.engine import Document, PageText
from blobforge.testing.processor_contract import nobody

Draw = Callable[[Any], None]


def converted(path: Path, *pages: Draw) -> str:
    return markdown_of(make_pdf(path, *pages), pages=len(pages))


def markdown_of(path: Path, *, pages: int = 1) -> str:
    engine = BlobforgeEngine()
    document = Document(path=path, pages=pages, survey={})
    document = replace(document, survey=engine.survey(document))
    read = engine.read(document, Slice(1, pages), nobody)
    return "\n\n".join(engine.stitch(document, [PageText(page.markdown, page.passages) for page in read]).texts)
