"""OCR of one page, from its picture to Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import groupby
from statistics import median
from typing import Any

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_languages import language_of
from blobforge.documents.ocr_program import FindOcr, OcrProgram, OcrWord, Segmentation, require
from blobforge.domain.errors import OcrFailed
from blobforge.processors.pdf_markdown.engines.engine import EnginePage, Picture
from blobforge.processors.pdf_markdown.layout.model.content import Fill, Rectangle
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedWord
from blobforge.processors.pdf_markdown.ocr.ink import Ink
from blobforge.processors.pdf_markdown.ocr.paragraphs import OcrReading, believed, read_words
from blobforge.processors.pdf_markdown.ocr.picture_text import is_drawing, text_in
from blobforge.processors.pdf_markdown.ocr.preparation import Preparation, chosen_languages
from blobforge.processors.pdf_markdown.ocr.second_look import with_pieces
from blobforge.processors.pdf_markdown.ocr.tints import Tint, tints_of, with_dark_letters
from blobforge.processors.pdf_markdown.ocr.unread_print import DPI, PrintPlace, print_in
from blobforge.processors.pdf_markdown.page_view import PageView

_ORIENTATION = "osd"
_ON_SIDE = (90, 270)
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
_MOSTLY = 0.5
_SURE = 75.0
_LINES = 0.5
"""As wide as the page, of print in none of the words that were found: less is a stamp or a signature."""
_SHARE, _SOME_PRINT = 0.1, 0.15
"""Of all print on the page, and of all ink that is not in words."""


class OcrReader:
    """Looks for a program at the first page that needs it, and once."""

    def __init__(
        self,
        find: FindOcr,
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
        program = require(self._program, self.wanted)
        self._choose(program, view, number)
        self.used[program.name] = program.version
        self.used[f"{program.name}_languages"] = "+".join(self.preparation.languages)
        reading = self._upright(program, view, number, untold=untold)
        return reading._replace(missing=self.preparation.missing or self._unread(reading, program))

    def text_in(self, view: PageView, page: EnginePage, picture: Picture) -> str:
        """What stands in a picture of a page; nothing in a photograph, nor in a small one. Raises as `read` does."""
        region = picture.region
        if region is None or min(region.width, region.height) < _SMALLEST_PICTURE:
            return ""
        image = view.part(page.number, region, dpi=_PICTURE_DPI, angle=page.angle)
        if not is_drawing(image):
            return ""
        program = require(self._program, self.wanted)
        self._choose(program, view, page.number)
        self.used[program.name] = program.version
        languages, sparse = self.preparation.languages, Segmentation.SPARSE
        return text_in(program.words(image, languages, segmentation=sparse, seconds=_SECONDS_A_PICTURE), dpi=image.dpi)

    def _choose(self, program: OcrProgram, view: PageView, number: int) -> None:
        if not self.preparation.languages:
            chosen = chosen_languages(program, view, number, wanted=self.wanted, text=self._text_language)
            self.preparation = replace(self.preparation, languages=chosen.languages, missing=chosen.missing)

    def _unread(self, reading: OcrReading, program: OcrProgram) -> str:
        """The language that the text turns out to be in, if nobody asked for another and there is no data for it."""
        language = "" if self.wanted else language_of([reading.markdown])
        return "" if language in program.languages else language

    def _upright(self, program: OcrProgram, view: PageView, number: int, *, untold: bool) -> OcrReading:
        upright = self._read(program, view, number, untold=untold)
        turns: tuple[int, ...] = ()
        if _is_doubtful(upright) and _ORIENTATION in program.languages:
            turns = tuple(filter(None, [_turn(program, view.grey(number, untold=untold))]))
        if not turns and _is_tall(upright.words):
            turns = _ON_SIDE
        turned = (self._read(program, view, number, turned=turn, untold=untold) for turn in turns)
        return max(upright, *turned, key=_worth) if turns else upright

    def _read(
        self, program: OcrProgram, view: PageView, number: int, *, turned: int = 0, untold: bool = False
    ) -> OcrReading:
        image = view.grey(number, turned=turned, untold=untold)
        tints = tints_of(image)
        ink = Ink(with_dark_letters(image, tints))
        found = self._recognised(program, ink.without_rules())
        return _with_ink(found, ink)._replace(fills=_fills(tints, scale=72 / image.dpi), turned=turned)

    def _recognised(self, program: OcrProgram, image: GreyImage) -> OcrReading:
        """A program may take a line of few for a picture: where print is left, words here and there are looked for."""
        words = program.words(image, self.preparation.languages)
        found = read_words(words, dpi=image.dpi)
        if _is_tall(found.words):
            return found
        found = self._with_pieces(program, image, words)
        if not _leaves_print(image, found):
            return found
        try:
            again = program.words(image, self.preparation.languages, segmentation=Segmentation.SPARSE)
        except OcrFailed:
            return found._replace(unread=True)
        sparse = self._with_pieces(program, image, again)
        # Of pictures, and of scripts that it does not know, it makes more nonsense word by word.
        if sparse.confidence >= _SURE and sparse.letters > found.letters:
            found = sparse
        return found._replace(unread=found.unread or _leaves_print(image, found))

    def _with_pieces(self, program: OcrProgram, image: GreyImage, words: Iterable[OcrWord]) -> OcrReading:
        read_lines = partial(program.words, languages=self.preparation.languages, segmentation=Segmentation.BLOCK)
        whole, unread = with_pieces(believed(words), image, read_lines)
        return read_words(whole, dpi=image.dpi)._replace(unread=unread)

    @cached_property
    def _program(self) -> OcrProgram | None:
        return self._find()


def _leaves_print(image: GreyImage, found: OcrReading) -> bool:
    """Whether much of the print in the picture is in none of the words."""
    small, scale = _small(image)
    told = [_place_of(list(line), scale) for _, line in groupby(found.words, key=lambda word: word.line)]
    unread, seen = print_in(small, told)
    return unread.lines >= max(_LINES, _SHARE * seen.lines) and unread.share >= _SOME_PRINT


def _place_of(line: Sequence[ScannedWord], scale: float) -> PrintPlace:
    """In pixels, with some room: the boxes of words are not exact, and single signs between them have none."""
    # The box of a sign that was misread may reach into the next line.
    top, bottom = median(word.top for word in line), median(word.bottom for word in line)
    room = max(2.0, (bottom - top) / 4)
    left, right = min(word.left for word in line), max(word.right for word in line)
    edges = (left - 2 * room, top - room, right + 2 * room, bottom + room)
    return PrintPlace(*(round(scale * edge) for edge in edges))


def _small(image: GreyImage) -> tuple[Any, float]:
    """The picture at a pixel a point, as Pillow has it; and how many pixels a point has where it is larger."""
    from PIL import Image

    drawn = image.drawn()
    shrunk = min(DPI / image.dpi, 1.0)
    size = max(round(shrunk * drawn.width), 1), max(round(shrunk * drawn.height), 1)
    return drawn.resize(size, resample=Image.Resampling.BOX), shrunk * image.dpi / DPI


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


def _turn(program: OcrProgram, image: GreyImage) -> int:
    """A page with too few letters to tell makes a program fail; it is taken for upright."""
    try:
        return program.orientation(image).turn
    except OcrFailed:
        return 0


def _is_doubtful(reading: OcrReading) -> bool:
    """The page may lie on its side: upside down, words still look like words (61), while poor scans stay above 80."""
    return reading.confidence < _DOUBTFUL or reading.letters < _FEW_LETTERS or _is_tall(reading.words)


def _worth(reading: OcrReading) -> float:
    """Programs also read lines on their side, and are sure of them: those that lie level count."""
    return reading.letters * reading.confidence * (1 - _tall_share(reading.words))


def _is_tall(words: Sequence[ScannedWord]) -> bool:
    """Whether most words are higher than wide, for programs also read columns of print that lie on their side."""
    return _tall_share(words) > _MOSTLY


def _tall_share(words: Sequence[ScannedWord]) -> float:
    long = [word for word in words if len(word.text) >= _LONG_WORD]
    return sum(word.bottom - word.top > word.right - word.left for word in long) / len(long) if long else 0.0
