"""marker: machine-learned reading of whole pages; it loads model weights."""

import io
import re
from collections.abc import Iterator
from typing import Any, ClassVar

from blobforge.domain.errors import BlobForgeError, EngineFailed
from blobforge.ports.engine import EngineInfo
from blobforge.ports.processor import Report, Slice
from blobforge.processors.pdf_markdown.engines.engine import Document, EnginePage, Picture
from blobforge.processors.pdf_markdown.engines.foreign import foreign_errors
from blobforge.processors.pdf_markdown.engines.page_wise import PageWise
from blobforge.processors.pdf_markdown.engines.registry import not_installed, not_loadable
from blobforge.processors.pdf_markdown.engines.tqdm_progress import progress_of_tqdm

NAME = "marker"
INFO = EngineInfo(
    distribution="marker-pdf",
    install="pip install 'blobforge[marker]'",
    remark="it downloads its model weights at first run",
)

_PAGE_MARK = re.compile(r"\n*\{(\d+)\}-{48}\n*")
_FORMATS = {"jpg": "JPEG", "png": "PNG", "webp": "WEBP", "gif": "GIF"}


class MarkerEngine(PageWise):
    info: ClassVar[EngineInfo] = INFO

    def __init__(self) -> None:
        try:
            from marker.converters.pdf import PdfConverter
            from marker.models import create_model_dict
            from marker.output import text_from_rendered
        except ImportError as error:
            raise not_installed(NAME, INFO) from error
        self._make_converter = PdfConverter
        self._text_from_rendered = text_from_rendered
        self._models = _loaded(create_model_dict)

    def read(self, document: Document, part: Slice, report: Report, /) -> Iterator[EnginePage]:
        with foreign_errors(NAME):
            with progress_of_tqdm(report):
                markdown, images = self._convert(document, part)
            pages = _split(markdown)
            for number in range(part.first, part.last + 1):
                if number in pages:
                    yield EnginePage(number, pages[number], _pictures(pages[number], images))
                elif part.first == part.last:
                    raise EngineFailed(f"{NAME}: it gave nothing for this page")

    def _convert(self, document: Document, part: Slice) -> tuple[str, dict[str, Any]]:
        converter = self._make_converter(
            artifact_dict=self._models,
            config={
                "output_format": "markdown",
                "paginate_output": True,
                "page_range": list(range(part.first - 1, part.last)),
                "pdftext_workers": 1,  # one child, one process: the worker decides what runs beside it
            },
        )
        markdown, _, images = self._text_from_rendered(converter(str(document.path)))
        return markdown, images


def _loaded(create_model_dict: Any) -> Any:
    try:
        with foreign_errors(NAME):
            return create_model_dict()
    except BlobForgeError as error:
        raise not_loadable(NAME, error) from error


def _split(markdown: str) -> dict[int, str]:
    """By the marks that stand before each page and count from 0."""
    _, *marked = _PAGE_MARK.split(markdown)
    return {int(index) + 1: text.strip() for index, text in zip(marked[::2], marked[1::2], strict=True)}


def _pictures(markdown: str, images: dict[str, Any]) -> tuple[Picture, ...]:
    return tuple(_picture(link, image) for link, image in images.items() if f"]({link})" in markdown)


def _picture(link: str, image: Any) -> Picture:
    extension = link.rpartition(".")[2].lower().replace("jpeg", "jpg")
    extension = extension if extension in _FORMATS else "png"
    content = io.BytesIO()
    opaque = image.convert("RGB") if extension == "jpg" and image.mode != "RGB" else image
    opaque.save(content, _FORMATS[extension])
    return Picture(link, extension, content.getvalue())
