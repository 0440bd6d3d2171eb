"""OCR of one page, from its picture to Markdown."""

from collections.abc import Callable
from functools import cached_property

from blobforge.processors.pdf_markdown.layout.model import Box
from blobforge.processors.pdf_markdown.ocr.ink import Ink
from blobforge.processors.pdf_markdown.ocr.paragraphs import Reading, read_tsv
from blobforge.processors.pdf_markdown.ocr.tesseract import Tesseract, recognise, require
from blobforge.processors.pdf_markdown.page_view import GreyImage, PageView

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
        reading = _with_ink(read_tsv(recognise(tool, image, self._languages), dpi=image.dpi), image)
        if not _is_doubtful(reading) or _ORIENTATION not in tool.languages:
            return reading
        # Where its words lie is told in the turned picture's own terms, which are not the page's.
        turned = read_tsv(recognise(tool, image, self._languages, turned=True))._replace(words=(), rules=())
        return max(reading, turned, key=lambda one: one.letters * one.confidence)

    @cached_property
    def _tool(self) -> Tesseract | None:
        return self._find()


def _with_ink(reading: Reading, image: GreyImage) -> Reading:
    """What the picture tells beside the words: their weight, and the rules between them."""
    ink, scale = Ink(image), 72 / image.dpi
    words = tuple(
        word._replace(
            density=ink.density(*(round(edge / scale) for edge in (word.left, word.top, word.right, word.bottom)))
        )
        for word in reading.words
    )
    across = [Box(run.left * scale, run.y * scale, run.right * scale, run.y * scale) for run in ink.rules_across()]
    down = [Box(run.y * scale, run.left * scale, run.y * scale, run.right * scale) for run in ink.rules_down()]
    return reading._replace(words=words, rules=(*across, *down))


def _is_doubtful(reading: Reading) -> bool:
    """The page may lie on its side: upside down, words still look like words (61), while poor scans stay above 80."""
    return reading.confidence < _DOUBTFUL or reading.letters < _FEW_LETTERS
