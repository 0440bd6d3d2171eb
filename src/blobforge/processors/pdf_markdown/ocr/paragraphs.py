"""From tesseract's words to Markdown: lines joined into paragraphs, words mended, headings told by their size."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Fill, Rectangle
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedWord

_WORD = "5"
_FIELDS = 12
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


class Line(NamedTuple):
    """A line of print, in pixels: `first_width` is that of its first word, `gap` the widest between two."""

    block: str
    paragraph: str
    words: tuple[str, ...]
    right: int
    height: int
    confidence: float
    first_width: int
    gap: int
    rows: tuple[list[str], ...] = ()
    """Its words as tesseract gave them."""


class OcrReading(NamedTuple):
    """`confidence` is tesseract's own, from 0 to 100."""

    markdown: str
    letters: int
    confidence: float
    words: tuple[ScannedWord, ...] = ()
    rules: tuple[Rectangle, ...] = ()
    fills: tuple[Fill, ...] = ()
    turned: int = 0
    """Degrees, with the clock, by which the page was turned to read it: the places are those of the turned page."""
    missing: str = ""
    """A language that it should have been read in, and that tesseract has no data for."""
    unread: bool = False
    """Much of the print that is seen is in none of its words."""


def read_tsv(tsv: str, *, dpi: int = 72) -> OcrReading:
    """Lines that tesseract hardly believes itself are left out: they are specks and pictures."""
    lines = [line for line in _lines(tsv) if line.confidence >= _LEAST_CONFIDENCE]
    if not lines:
        return OcrReading("", 0, 0.0)
    body = _median([line.height for line in lines for _ in line.words])
    pieces: list[str] = []
    for _, block in groupby(lines, key=lambda line: line.block):
        pieces += _block(list(block), body=body)
    letters = sum(character.isalnum() for line in lines for word in line.words for character in word)
    words = tuple(word for line in lines for word in _scanned(line, scale=72 / dpi))
    return OcrReading(_joined(pieces), letters, _mean([line.confidence for line in lines]), words)


def sure_words(tsv: str, *, dpi: int) -> list[ScannedWord]:
    """The words that tesseract is sure of, one by one."""
    lines = (line._replace(rows=tuple(row for row in line.rows if _is_sure(row))) for line in _lines(tsv))
    return [word for line in lines for word in _scanned(line, scale=72 / dpi)]


def _is_sure(row: list[str]) -> bool:
    return float(row[10]) >= _SURE and any(map(str.isalnum, row[11]))


def _scanned(line: Line, *, scale: float) -> Iterator[ScannedWord]:
    for row in line.rows:
        left, top, width, height = (int(edge) * scale for edge in row[6:10])
        yield ScannedWord(row[11].strip(), left, top, left + width, top + height, tuple(row[2:5]))


def _lines(tsv: str) -> Iterator[Line]:
    rows = [row.split("\t") for row in tsv.splitlines()]
    words = [row for row in rows if len(row) == _FIELDS and row[0] == _WORD and row[11].strip().strip(_SPECKS)]
    for (block, paragraph, _), group in groupby(words, key=lambda row: (row[2], row[3], row[4])):
        yield _line(block, paragraph, list(group))


def _line(block: str, paragraph: str, words: list[list[str]]) -> Line:
    heights = sorted(int(word[9]) for word in words)
    return Line(
        block=block,
        paragraph=paragraph,
        words=tuple(word[11].strip() for word in words),
        right=max(int(word[6]) + int(word[8]) for word in words),
        height=heights[len(heights) * 3 // 4],
        confidence=_mean([float(word[10]) for word in words]),
        first_width=int(words[0][8]),
        gap=max((int(after[6]) - int(word[6]) - int(word[8]) for word, after in pairwise(words)), default=0),
        rows=tuple(words),
    )


def _block(lines: list[Line], *, body: float) -> Iterator[str]:
    edge = max(line.right for line in lines)
    for (_, large), group in groupby(lines, key=lambda line: (line.paragraph, line.height >= _HEADING_SIZE * body)):
        paragraph = list(group)
        if large and _is_heading(paragraph):
            mark = "#" if paragraph[0].height >= _TITLE_SIZE * body else "##"
            yield f"{mark} {' '.join(map(_escaped, paragraph))}"
        else:
            yield from (_item(lines, edge=edge) for lines in _items(paragraph))


def _is_heading(lines: list[Line]) -> bool:
    text = "".join(word for line in lines for word in line.words)
    rows = any(_is_row(line) for line in lines)
    return len(text) <= _HEADING_LETTERS and any(map(str.isalpha, text)) and not rows


def _items(lines: list[Line]) -> Iterator[list[Line]]:
    """A paragraph, cut where a bullet begins a line."""
    item: list[Line] = []
    for line in lines:
        if item and _has_bullet(line):
            yield item
            item = []
        item.append(line)
    yield item


def _has_bullet(line: Line) -> bool:
    return len(line.words) > 1 and line.words[0] in _BULLETS


def _item(lines: list[Line], *, edge: int) -> str:
    if not _has_bullet(lines[0]):
        return _SPECIAL_AT_START.sub(r"\\\1", _prose(lines, edge=edge))
    first = lines[0]._replace(words=lines[0].words[1:])
    return f"- {_prose([first, *lines[1:]], edge=edge)}"


def _prose(lines: list[Line], *, edge: int) -> str:
    """One running text, but for lines that end for good."""
    text = _escaped(lines[0])
    for line, following in pairwise(lines):
        if _ends_for_good(line, following, edge=edge):
            text += "  \n" + _escaped(following)
        else:
            text = _continued(text, _escaped(following))
    return text


def _ends_for_good(line: Line, following: Line, *, edge: int) -> bool:
    """The next word would still have fitted on it, or it stands in a table."""
    fits = line.right + following.first_width + line.height < edge
    return fits or _is_row(line) or _is_row(following)


def _is_row(line: Line) -> bool:
    return line.gap > _TABLE_GAP * line.height


def _continued(text: str, following: str) -> str:
    if text.endswith(_HYPHENS) and text[-2:-1].isalpha() and following[:1].islower():
        return text[:-1] + following
    return f"{text} {following}"


def _escaped(line: Line) -> str:
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
