"""Text in the pictures of a page: charts, screens and maps, but not photographs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_program import OcrWord
from blobforge.processors.pdf_markdown.engines.engine import LINK, EnginePage
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, all_of
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedWord
from blobforge.processors.pdf_markdown.ocr.paragraphs import sure_words

_FLAT = 0.3
"""Of a drawing, at least this share has one level of grey, or almost: its ground. A photograph has all levels."""
_ALMOST = 3
_FEWEST = 4
_LETTERS = 12
_ONE_ROW = 0.5
_APART = 1.5


def is_drawing(image: GreyImage) -> bool:
    _, _, pixels = image.content.partition(b"\n")
    levels = Counter(pixels[::7])
    ground, _ = levels.most_common(1)[0]
    almost = sum(levels[level] for level in range(ground - _ALMOST, ground + _ALMOST + 1))
    return almost >= _FLAT * levels.total()


def text_in(found: Iterable[OcrWord], *, dpi: int) -> str:
    """A row a line, as far as the program is sure; nothing where that is hardly a word."""
    words = sure_words(found, dpi=dpi)
    letters = sum(map(str.isalpha, "".join(word.text for word in words)))
    if len(words) < _FEWEST or letters < _LETTERS:
        return ""
    return "\n".join(_said(row) for row in _rows(words))


def _rows(words: list[ScannedWord]) -> list[list[ScannedWord]]:
    """Words side by side, whatever the program takes for lines: charts have labels everywhere."""
    lines = [list(group) for _, group in groupby(words, key=lambda word: word.line)]
    rows: list[list[ScannedWord]] = []
    for line in sorted(lines, key=_middle):
        if rows and abs(_middle(rows[-1]) - _middle(line)) < _ONE_ROW * _height(line):
            rows[-1] += line
        else:
            rows.append(list(line))
    return [sorted(row, key=lambda word: word.left) for row in rows]


def _middle(words: list[ScannedWord]) -> float:
    return sum(word.top + word.bottom for word in words) / 2 / len(words)


def _height(words: list[ScannedWord]) -> float:
    return max(word.bottom - word.top for word in words)


def _said(row: list[ScannedWord]) -> str:
    """So that a line means nothing else in Markdown."""
    text = " ".join(word.text for word in row).replace("\\", "\\\\")
    for sign in "`*<_|":
        text = text.replace(sign, f"\\{sign}")
    return text if text[:1].isalnum() else f"\\{text}" if text[:1] in "#>-+=~" else text


def with_texts(page: EnginePage, texts: Mapping[str, str]) -> EnginePage:
    """The page with what was read in its pictures, by their links, right behind each."""
    for passage in all_of(page.passages or ()):
        found = LINK.fullmatch(passage.text) if passage.role is PassageRole.FIGURE else None
        if found is not None and (text := texts.get(found[2])):
            read = Passage(role=PassageRole.PICTURE_TEXT, page=page.number, box=passage.box, text=text, plain=text)
            passage.children = [*passage.children, read]
    markdown = LINK.sub(lambda found: "\n\n".join(filter(None, [found[0], texts.get(found[2])])), page.markdown)
    return page._replace(markdown=markdown)
