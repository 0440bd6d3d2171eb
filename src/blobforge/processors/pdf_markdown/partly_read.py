"""Pages whose text is not all that can be read on them: a stamp or a letterhead on a scan, letters in outlines.

How far text that was told covers the print that is seen decides, not how much text there is.
"""

from collections.abc import Callable

from blobforge.processors.pdf_markdown.engines.engine import EnginePage, Pictured
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedWord
from blobforge.processors.pdf_markdown.ocr.paragraphs import OcrReading
from blobforge.processors.pdf_markdown.page_view import PageView
from blobforge.processors.pdf_markdown.told_text import ToldRun, words_of

UNREAD_PRINT = "unread_print"
SPARSE = 60
"""Fewer letters than this on a page that is one big image are a stamp or a page number on a scan."""
PAGE_OF_IMAGES = 0.65
"""Of its area: smaller images are illustrations, in which nobody reads unless asked to."""
_LINES, _LINES_BY_A_STAMP = 2.0, 0.5
"""As wide as the page: less than this on an image is a logo, or the shelf behind a speaker."""
_LINES_IN_LAYER = 0.1
"""Of all print of a scan: hidden text is never in its place to the point."""
_ONE_LINE = 0.37
"""Of the width of the page: a single line that no told text touches. Shorter ones are found in drawings, too."""
_LINES_OF_OUTLINES = 4.0
_OUTLINED_LETTERS = 100
"""In long lines: fewer are a title, a claim below a logo, or a formula or two."""
_SOME_PRINT, _MOSTLY_PRINT = 0.15, 0.75
"""Of the ink: drawings have strokes, photographs have all shades."""
_SURE = 60.0
"""Tesseract's confidence; of what is no print it makes words of less."""
_FEWEST = 20


def has_unread_print(view: Callable[[], PageView], page: EnginePage, letters: int) -> bool:
    """Whether lines of print are seen on the page where it tells no text. Raises EngineFailed."""
    pictured = page.pictured
    if pictured is None:
        pictured = Pictured(float(letters < SPARSE and view().is_covered(page.number)))
    has_lines = pictured.outlined_letters >= _OUTLINED_LETTERS
    if pictured.images < PAGE_OF_IMAGES and not pictured.outlines and not has_lines:
        return False
    is_hidden = page.quality is not None and page.quality.hidden
    unread, seen = view().print_on(page.number, is_hidden=is_hidden)
    if has_lines and unread.lines >= _LINES_BY_A_STAMP and unread.share >= _SOME_PRINT:
        return True
    if pictured.images < PAGE_OF_IMAGES:
        return pictured.outlines and unread.lines >= _LINES_OF_OUTLINES and unread.share >= _MOSTLY_PRINT
    fewest = _LINES if letters >= SPARSE else _LINES_BY_A_STAMP
    fewest = max(fewest, _LINES_IN_LAYER * seen.lines) if is_hidden else fewest
    is_line = unread.longest >= _ONE_LINE
    # Beside digital text an image is often a picture, in which there are rows of all kinds.
    return (is_hidden and is_line) or ((unread.lines >= fewest or is_line) and unread.share >= _SOME_PRINT)


def is_sure(reading: OcrReading) -> bool:
    return reading.letters >= _FEWEST and reading.confidence >= _SURE


def merged(reading: OcrReading, told: list[ToldRun]) -> OcrReading:
    """What OCR has read beside the text of the page, with that text."""
    words: list[ScannedWord] = [*words_of(told), *reading.words]
    letters = sum(map(str.isalnum, "".join(run.text for run in told)))
    return reading._replace(words=tuple(words), letters=reading.letters + letters)
