"""OCR of one page, from its picture to Markdown."""

from collections.abc import Callable
from functools import cached_property

from blobforge.processors.pdf_markdown.ocr.paragraphs import Reading, read_tsv
from blobforge.processors.pdf_markdown.ocr.tesseract import Tesseract, recognise, require
from blobforge.processors.pdf_markdown.page_view import PageView

FindTesseract = Callable[[], Tesseract | None]

_ORIENTATION = "osd"
_DOUBTFUL = 75.0
_FEW_LETTERS = 20


class OcrReader:
    """Looks for tesseract at the first page that needs it, and once."""

    def __init__(self, find: FindTesseract, languages: tuple[str, ...]) -> None:
        self._find = find
        self._languages = languages
        self.used: dict[str, str] = {}

    def read(self, view: PageView, number: int) -> Reading:
        """Raises OcrUnavailable, OcrFailed, EngineFailed."""
        tool = require(self._tool, self._languages)
        image = view.grey(number)
        self.used["tesseract"] = tool.version
        reading = read_tsv(recognise(tool, image, self._languages))
        if not _is_doubtful(reading) or _ORIENTATION not in tool.languages:
            return reading
        turned = read_tsv(recognise(tool, image, self._languages, turned=True))
        return max(reading, turned, key=lambda one: one.letters * one.confidence)

    @cached_property
    def _tool(self) -> Tesseract | None:
        return self._find()


def _is_doubtful(reading: Reading) -> bool:
    """The page may lie on its side: upside down, words still look like words (61), while poor scans stay above 80."""
    return reading.confidence < _DOUBTFUL or reading.letters < _FEW_LETTERS
