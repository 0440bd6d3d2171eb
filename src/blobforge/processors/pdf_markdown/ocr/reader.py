"""OCR of one page, from its picture to Markdown."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_languages import language_of
from blobforge.documents.tesseract import SPARSE, Tesseract, orientation, recognise, require
from blobforge.domain.errors import OcrFailed
from blobforge.processors.pdf_markdown.engines.engine import EnginePage, Picture
from blobforge.processors.pdf_markdown.layout.model.content import Fill, Rectangle
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedWord
from blobforge.processors.pdf_markdown.ocr.ink import Ink
from blobforge.processors.pdf_markdown.ocr.paragraphs import OcrReading, read_tsv
from blobforge.processors.pdf_markdown.ocr.picture_text import is_drawing, text_in
from blobforge.processors.pdf_markdown.ocr.preparation import Preparation, chosen_languages
from blobforge.processors.pdf_markdown.ocr.tints import Tint, tints_of, with_dark_letters
from blobforge.processors.pdf_markdown.page_view import PageView

FindTesseract = Callable[[], Tesseract | None]

_ORIENTATION = "osd"
_SMALLEST_PICTURE = 60.0
"""Points."""
_PICTURE_DPI = 300
_SECONDS_A_PICTURE = 30.0
_DOUBTFUL = 75.0
_FEW_LETTERS = 20
_LOWEST_FILL = 8.0
_NARROWEST_FILL = 60.0
"""Points: smaller ones are in pictures."""
_LONG_WORD = 4


class OcrReader:
    """Looks for tesseract at the first page that needs it, and once."""

    def __init__(
        self,
        find: FindTesseract,
        languages: tuple[str, ...],
        preparation: Preparation | None = None,
        *,
        text_language: str = "",
    ) -> None:
        """`languages` are those that were asked for, `text_language` is that of the document's own text."""
        self._find = find
        self.wanted = languages
        self._text_language = text_language
        self.preparation = preparation or Preparation()
        self.used: dict[str, str] = {}

    def read(self, view: PageView, number: int, *, untold: bool = False) -> OcrReading:
        """`untold`: only what the page does not tell by itself. Raises OcrUnavailable, OcrFailed, EngineFailed."""
        tool = require(self._tool, self.wanted)
        self._choose(tool, view, number)
        self.used["tesseract"] = tool.version
        self.used["tesseract_languages"] = "+".join(self.preparation.languages)
        reading = self._upright(tool, view, number, untold=untold)
        return reading._replace(missing=self.preparation.missing or self._unread(reading, tool))

    def text_in(self, view: PageView, page: EnginePage, picture: Picture) -> str:
        """What stands in a picture of a page; nothing in a photograph, nor in a small one. Raises as `read` does."""
        region = picture.region
        if region is None or min(region.width, region.height) < _SMALLEST_PICTURE:
            return ""
        image = view.part(page.number, region, dpi=_PICTURE_DPI, angle=page.angle)
        if not is_drawing(image):
            return ""
        tool = require(self._tool, self.wanted)
        self._choose(tool, view, page.number)
        self.used["tesseract"] = tool.version
        found = recognise(tool, image, self.preparation.languages, segmentation=SPARSE, seconds=_SECONDS_A_PICTURE)
        return text_in(found, dpi=image.dpi)

    def _choose(self, tool: Tesseract, view: PageView, number: int) -> None:
        if not self.preparation.languages:
            chosen = chosen_languages(tool, view, number, wanted=self.wanted, text=self._text_language)
            self.preparation = replace(self.preparation, languages=chosen.languages, missing=chosen.missing)

    def _unread(self, reading: OcrReading, tool: Tesseract) -> str:
        """The language that the text turns out to be in, if nobody asked for another and there is no data for it."""
        language = "" if self.wanted else language_of([reading.markdown])
        return "" if language in tool.languages else language

    def _upright(self, tool: Tesseract, view: PageView, number: int, *, untold: bool) -> OcrReading:
        upright = self._read(tool, view, number, untold=untold)
        if not _is_doubtful(upright) or _ORIENTATION not in tool.languages:
            return upright
        turn = _turn(tool, view.grey(number, untold=untold))
        readings = [upright, self._read(tool, view, number, turned=turn, untold=untold)] if turn else [upright]
        return max(readings, key=lambda one: one.letters * one.confidence)

    def _read(
        self, tool: Tesseract, view: PageView, number: int, *, turned: int = 0, untold: bool = False
    ) -> OcrReading:
        image = view.grey(number, turned=turned, untold=untold)
        tints = tints_of(image)
        ink = Ink(with_dark_letters(image, tints))
        found = read_tsv(recognise(tool, ink.without_rules(), self.preparation.languages), dpi=image.dpi)
        return _with_ink(found, ink)._replace(fills=_fills(tints, scale=72 / image.dpi), turned=turned)

    @cached_property
    def _tool(self) -> Tesseract | None:
        return self._find()


def _with_ink(reading: OcrReading, ink: Ink) -> OcrReading:
    """What the picture tells beside the words: their weight, and the rules between them."""
    scale = 72 / ink.dpi
    words = tuple(_measured(word, ink, scale) for word in reading.words)
    across = [
        Rectangle(run.left * scale, run.y * scale, run.right * scale, run.y * scale) for run in ink.rules_across()
    ]
    down = [Rectangle(run.y * scale, run.left * scale, run.y * scale, run.right * scale) for run in ink.rules_down()]
    return reading._replace(words=words, rules=(*across, *down))


def _measured(word: ScannedWord, ink: Ink, scale: float) -> ScannedWord:
    left, top, right, bottom = (round(edge / scale) for edge in (word.left, word.top, word.right, word.bottom))
    top, bottom = ink.extent(left, top, right, bottom)
    return word._replace(top=top * scale, bottom=bottom * scale, stem=scale * ink.stem(left, top, right, bottom))


def _fills(tints: Iterable[Tint], *, scale: float) -> tuple[Fill, ...]:
    """Those that may be boxes with text in them, or the bars and stripes of tables."""
    places = (
        Fill(Rectangle(*(edge * scale for edge in (tint.left, tint.top, tint.right, tint.bottom))), (tint.level / 255,))
        for tint in tints
    )
    return tuple(place for place in places if place.box.height >= _LOWEST_FILL and place.box.width >= _NARROWEST_FILL)


def _turn(tool: Tesseract, image: GreyImage) -> int:
    """A page with too few letters to tell makes tesseract fail; it is taken for upright."""
    try:
        return orientation(tool, image).turn
    except OcrFailed:
        return 0


def _is_doubtful(reading: OcrReading) -> bool:
    """The page may lie on its side: upside down, words still look like words (61), while poor scans stay above 80."""
    return reading.confidence < _DOUBTFUL or reading.letters < _FEW_LETTERS or _is_tall(reading.words)


def _is_tall(words: Sequence[ScannedWord]) -> bool:
    """Whether most words are higher than wide, for tesseract also reads columns of print that lie on their side."""
    long = [word for word in words if len(word.text) >= _LONG_WORD]
    return 2 * sum(word.bottom - word.top > word.right - word.left for word in long) > len(long) > 0
