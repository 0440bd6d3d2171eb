"""The text that a page tells by itself, run by run, with the places where it is drawn."""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedWord

_FINER = 16
"""PDFium gives whole pixels."""
_MOST_RUNS = 5_000
"""Of one page; who sets more is out to keep its reader busy."""


class ToldRun(NamedTuple):
    """Text in one line and one look, from the upper left corner of the page as it is shown."""

    text: str
    left: float
    top: float
    right: float
    bottom: float


def runs_on(page: Any, *, scale: float = 1.0, turned: int = 0) -> Iterator[ToldRun]:
    """`page` is pypdfium2's; `scale` is how many units a point has, `turned` by how many degrees it is turned with the
    clock to be shown. Also text that nobody sees."""
    import pypdfium2.raw as pdfium

    size = [round(_FINER * scale * edge) for edge in page.get_size()]
    width, height = reversed(size) if turned % 180 else size
    x, y = ctypes.c_int(), ctypes.c_int()
    layer = page.get_textpage()
    try:
        for number in range(min(layer.count_rects(), _MOST_RUNS)):
            left, bottom, right, top = layer.get_rect(number)
            corners: list[tuple[float, float]] = []
            for across, up in ((left, bottom), (right, top)):
                pdfium.FPDF_PageToDevice(page.raw, 0, 0, width, height, turned // 90, across, up, x, y)
                corners.append((x.value / _FINER, y.value / _FINER))
            (x1, y1), (x2, y2) = corners
            text = layer.get_text_bounded(left, bottom, right, top)
            yield ToldRun(" ".join(text.split()), min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
    finally:
        layer.close()


def words_of(runs: list[ToldRun]) -> Iterator[ScannedWord]:
    """As OCR tells them: a word has its share of its run by its letters."""
    for number, run in enumerate(runs):
        if not run.text or run.right <= run.left or run.bottom <= run.top:
            continue
        letter = (run.right - run.left) / len(run.text)
        place = run.left
        for word in run.text.split():
            end = place + letter * len(word)
            yield ScannedWord(word, place, run.top, end, run.bottom, ("told", str(number)))
            place = end + letter
