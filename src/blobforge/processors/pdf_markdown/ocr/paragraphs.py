"""From the words of OCR to Markdown: lines joined into paragraphs, words mended, headings told by their size."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from blobforge.documents.ocr_program import OcrWord
from blobforge.processors.pdf_markdown.layout.model.content import Fill, Rectangle
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedWord

_LEAST_CONFIDENCE = 30.0
_SURE = 70.0
_HEADING_SIZE = 1.25
_TITLE_SIZE = 1.8
_HEADING_LETTERS = 90
_TABLE_GAP = 2.5

_SPECKS = "|_~¦"
"""What OCR makes of rules, edges and specks."""
_BULLETS = frozenset("•·▪‣●○◦*¢«»+-–—")
_SPECIAL = re.compile(r"([\\`*<])")
_SPECIAL_AT_START = re.compile(r"^(#|>|[-+=~])")
_HYPHENS = ("-", "‐", "\N{SOFT HYPHEN}")  # noqa: RUF001 - the real hyphen


class PrintLine(NamedTuple):
    """A line of print, in pixels: `first_width` is that of its first word, `gap` the widest between two."""

    block: str
    paragraph: str
    words: tuple[str, ...]
    right: int
    height: int
    confidence: float
    first_width: int
    gap: int


class OcrReading(NamedTuple):
    """`confidence` is that of the program, from 0 to 100."""

    markdown: str
    letters: int
    confidence: float
    words: tuple[ScannedWord, ...] = ()
    rules: tuple[Rectangle, ...] = ()
    fills: tuple[Fill, ...] = ()
    turned: int = 0
    """Degrees, with the clock, by which the page was turned to read it: the places are those of the turned page."""
    missing: str = ""
    """A language that it should have been read in, and that there is no data for."""
    unread: bool = False
    """Much of the print that is seen is in none of its words."""


def read_words(found: Iterable[OcrWord], *, dpi: int = 72) -> OcrReading:
    """Lines that the program hardly believes itself are left out: they are specks and pictures."""
    told = _believed(found)
    lines = [_line(words) for words in told]
    if not lines:
        return OcrReading("", 0, 0.0)
    body = _median([line.height for line in lines for _ in line.words])
    pieces: list[str] = []
    for _, block in groupby(lines, key=lambda line: line.block):
        pieces += _block(list(block), body=body)
    letters = sum(character.isalnum() for line in lines for word in line.words for character in word)
    words = tuple(_scanned(word, scale=72 / dpi) for line in told for word in line)
    return OcrReading(_joined(pieces), letters, _mean([line.confidence for line in lines]), words)


def believed(found: Iterable[OcrWord]) -> list[OcrWord]:
    """The words of the lines that are not left out."""
    return [word for line in _believed(found) for word in line]


def _believed(found: Iterable[OcrWord]) -> list[list[OcrWord]]:
    return [line for line in _lines(found) if _mean([word.confidence for word in line]) >= _LEAST_CONFIDENCE]


def sure_words(found: Iterable[OcrWord], *, dpi: int) -> list[ScannedWord]:
    """The words that the program is sure of, one by one."""
    return [_scanned(word, scale=72 / dpi) for line in _lines(found) for word in line if _is_sure(word)]


def _is_sure(word: OcrWord) -> bool:
    return word.confidence >= _SURE and any(map(str.isalnum, word.text))


def _scanned(word: OcrWord, *, scale: float) -> ScannedWord:
    left, top, width, height = (edge * scale for edge in (word.left, word.top, word.width, word.height))
    return ScannedWord(word.text, left, top, left + width, top + height, word.line)


def _lines(found: Iterable[OcrWord]) -> Iterator[list[OcrWord]]:
    words = [word for word in found if word.text.strip(_SPECKS)]
    return (list(group) for _, group in groupby(words, key=lambda word: word.line))


def _line(words: Sequence[OcrWord]) -> PrintLine:
    heights = sorted(word.height for word in words)
    block, paragraph, _ = words[0].line
    return PrintLine(
        block=block,
        paragraph=paragraph,
        words=tuple(word.text for word in words),
        right=max(word.left + word.width for word in words),
        height=heights[len(heights) * 3 // 4],
        confidence=_mean([word.confidence for word in words]),
        first_width=words[0].width,
        gap=max((after.left - word.left - word.width for word, after in pairwise(words)), default=0),
    )


def _block(lines: list[PrintLine], *, body: float) -> Iterator[str]:
    edge = max(line.right for line in lines)
    for (_, large), group in groupby(lines, key=lambda line: (line.paragraph, line.height >= _HEADING_SIZE * body)):
        paragraph = list(group)
        if large and _is_heading(paragraph):
            mark = "#" if paragraph[0].height >= _TITLE_SIZE * body else "##"
            yield f"{mark} {' '.join(map(_escaped, paragraph))}"
        else:
            yield from (_item(lines, edge=edge) for lines in _items(paragraph))


def _is_heading(lines: list[PrintLine]) -> bool:
    text = "".join(word for line in lines for word in line.words)
    rows = any(_is_row(line) for line in lines)
    return len(text) <= _HEADING_LETTERS and any(map(str.isalpha, text)) and not rows


def _items(lines: list[PrintLine]) -> Iterator[list[PrintLine]]:
    """A paragraph, cut where a bullet begins a line."""
    item: list[PrintLine] = []
    for line in lines:
        if item and _has_bullet(line):
            yield item
            item = []
        item.append(line)
    yield item


def _has_bullet(line: PrintLine) -> bool:
    return len(line.words) > 1 and line.words[0] in _BULLETS


def _item(lines: list[PrintLine], *, edge: int) -> str:
    if not _has_bullet(lines[0]):
        return _SPECIAL_AT_START.sub(r"\\\1", _prose(lines, edge=edge))
    first = lines[0]._replace(words=lines[0].words[1:])
    return f"- {_prose([first, *lines[1:]], edge=edge)}"


def _prose(lines: list[PrintLine], *, edge: int) -> str:
    """One running text, but for lines that end for good."""
    text = _escaped(lines[0])
    for line, following in pairwise(lines):
        if _ends_for_good(line, following, edge=edge):
            text += "  \n" + _escaped(following)
        else:
            text = _continued(text, _escaped(following))
    return text


def _ends_for_good(line: PrintLine, following: PrintLine, *, edge: int) -> bool:
    """The next word would still have fitted on it, or it stands in a table."""
    fits = line.right + following.first_width + line.height < edge
    return fits or _is_row(line) or _is_row(following)


def _is_row(line: PrintLine) -> bool:
    return line.gap > _TABLE_GAP * line.height


def _continued(text: str, following: str) -> str:
    if text.endswith(_HYPHENS) and text[-2:-1].isalpha() and following[:1].islower():
        return text[:-1] + following
    return f"{text} {following}"


def _escaped(line: PrintLine) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(line.words))


def _joined(pieces: Iterable[str]) -> str:
    """A blank line between paragraphs and none between the items of a list; a sentence cut in two is made whole."""
    text = ""
    for before, piece in pairwise(["", *pieces]):
        if before and _runs_on(before, piece):
            text = _continued(text, piece)
        else:
            both_items = before.startswith("- ") and piece.startswith("- ")
            text += ("\n" if both_items else "\n\n") + piece
    return text.strip()


def _runs_on(before: str, piece: str) -> bool:
    """Tesseract ends a paragraph with the column, or where a line is short by chance."""
    return piece[:1].islower() and (before[-1].isalnum() or before.endswith((",", *_HYPHENS))) and before[:1] != "#"


def _median(values: list[int]) -> int:
    return sorted(values)[len(values) // 2]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
