"""Paragraphs with results in running text: their rows become one, in the order of reading."""

import re
from collections.abc import Iterator, Sequence

from blobforge.processors.lab_report.page.rows import PrintedRow, cells_of

_RESULT = re.compile(
    r"\d\s*(?:[^\s\d(),;]\S{0,14}\s*){0,2}\((?:[^\W\d_]+\.?:?\s*){0,3}[<>≤≥]?\s*\d[^()]*\)\s*(?:[,;.]|$|\w)"
)
_BARE = re.compile(r"[^\W\d_]\S*\s+[<>]?\d+(?:[.,]\d+)?\s*(?:%|[^\s\d,;()]\S{0,14}|10\S{1,8})\s*[,;.]")
_FEWEST, FEWEST_BARE = 2, 4
"""Results with a range, and without one: fewer are a remark."""
_LEADING = 1.8
_MARGIN = 1.5


def with_paragraphs(rows: Sequence[PrintedRow]) -> list[PrintedRow]:
    """Rows of one page; those of a paragraph with results become one row, whose words are in the order of reading."""
    return [
        PrintedRow(block[0].page, tuple(word for row in block for word in row.words), flows=True)
        if len(block) > 1
        else block[0]
        for block in _blocks(rows)
    ]


def tells_results(text: str) -> bool:
    return len(_RESULT.findall(text)) >= _FEWEST or len(_BARE.findall(text)) >= FEWEST_BARE


def is_next_of_paragraph(above: PrintedRow, row: PrintedRow) -> bool:
    """Lines of one paragraph: without wide gaps, close to each other, from margin to margin."""
    fall = row.box.bottom - above.box.bottom
    is_close = above.page == row.page and 0 < fall < _LEADING * row.size
    is_flush = abs(row.box.x0 - above.box.x0) < _MARGIN * row.size
    return is_close and is_flush and len(cells_of(above)) == 1 and len(cells_of(row)) == 1


def _blocks(rows: Sequence[PrintedRow]) -> Iterator[Sequence[PrintedRow]]:
    start = 0
    for place in range(1, len(rows) + 1):
        if place < len(rows) and is_next_of_paragraph(rows[place - 1], rows[place]):
            continue
        block = rows[start:place]
        # In a list every line is a result by itself.
        if any(tells_results(row.text) or len(_BARE.findall(row.text)) >= _FEWEST for row in block) and tells_results(
            " ".join(row.text for row in block)
        ):
            yield block
        else:
            yield from ([row] for row in block)
        start = place
