"""docling: machine-learned layout and tables; it loads model weights."""

from collections.abc import Iterator
from typing import Any, ClassVar

from blobforge.domain.errors import BlobForgeError, EngineFailed
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.engines.embedded_images import take_out
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage
from blobforge.processors.pdf_markdown.engines.foreign import foreign_errors
from blobforge.processors.pdf_markdown.engines.page_wise import PageWise
from blobforge.processors.pdf_markdown.engines.registry import not_installed, not_loadable

NAME = "docling"
INFO = EngineInfo(
    distribution="docling",
    install="pip install 'blobforge[docling]'",
    remark="it downloads its model weights at first run",
)

_PICTURE_SCALE = 2.0
"""Pictures at 144 dpi."""


class DoclingEngine(PageWise):
    info: ClassVar[EngineInfo] = INFO

    def __init__(self) -> None:
        try:
            from docling.datamodel.base_models import InputFormat
            from docling.datamodel.pipeline_options import PdfPipelineOptions
            from docling.document_converter import DocumentConverter, PdfFormatOption
        except ImportError as error:
            raise not_installed(NAME, INFO) from error
        pipeline = PdfPipelineOptions(
            do_ocr=False,  # pages without text go to our own OCR, which accounts for them
            generate_picture_images=True,
            images_scale=_PICTURE_SCALE,
        )
        format_options = {InputFormat.PDF: PdfFormatOption(pipeline_options=pipeline)}
        self._converter = _loaded(
            DocumentConverter(allowed_formats=[InputFormat.PDF], format_options=format_options), InputFormat.PDF
        )

    def read(self, document: Document, part: Slice, _report: Report, /) -> Iterator[EnginePage]:
        with foreign_errors(NAME):
            converted = self._converter.convert(document.path, page_range=(part.first, part.last)).document
            for number in range(part.first, part.last + 1):
                if number in converted.pages:
                    markdown = converted.export_to_markdown(page_no=number, image_mode="embedded")
                    yield take_out(number, markdown)
                elif part.first == part.last:
                    raise EngineFailed(f"{NAME}: it gave nothing for this page")


def _loaded(converter: Any, pdf: Any) -> Any:
    """The weights are loaded here, so that their absence is found before any page."""
    try:
        with foreign_errors(NAME):
            converter.initialize_pipeline(pdf)
    except BlobForgeError as error:
        raise not_loadable(NAME, error) from error
    return converter
