"""Running heads and feet, page numbers and stamps: rows at the edge of pages that say nothing of their own.

Only outermost rows are looked at, since a zone would eat the rows of tables; but under a running row that is
taken away there may be another.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model import Line, PageContent

_MARGIN = 0.12
"""Of the page's height: running rows lie within this."""
_OFTEN = 0.2
"""Of the pages: left and right pages may differ, and so may chapters."""
_ALMOST_ALWAYS = 0.6
_MOST_ROWS = 3
_MOST_PARTS = 3
"""Left, middle and right: a row of more is a table's."""
_SAME_ROW = 2.0
_NUMBER = re.compile(r"[-–—~•|\s]*(?:page\s*)?(\d{1,4}|[ivxlc]{1,7})[-–—~•|\s]*", re.IGNORECASE)

Row = list[Line]


class Running(NamedTuple):
    """What is known of the running rows of a document.

    `offset` is what a page's printed number exceeds its own by; above `text_top` no text begins; what is larger than
    `small` is a title."""

    keys: frozenset[str]
    offset: int | None = None
    text_top: float = 0.0
    small: float = 0.0


def offset_of(pages: Sequence[PageContent]) -> int | None:
    """By how much most pages are numbered higher than they are."""
    seen = Counter(
        number - page.number
        for page in pages
        for row in _outermost(page)
        for number in {_number(line.text) for line in row}
        if number is not None
    )
    if not seen:
        return None
    offset, times = seen.most_common(1)[0]
    return offset if times >= max(2, len(pages) / 2) else None


def running_keys(pages: Sequence[PageContent], *, offset: int | None, small: float) -> frozenset[str]:
    """What the rows at the edges of these pages say over and over, as `key_of` writes it."""
    if len(pages) < 2:
        return frozenset()
    found = Running(frozenset(), offset, small=small)
    for depth in range(_MOST_ROWS):
        seen = Counter(key for page in pages for key in _keys_of_edges(page, found))
        # The outermost row is likelier to run along than one under it, which may be the head of a table.
        least = max(2, _OFTEN * len(pages)) if depth == 0 else max(3, _ALMOST_ALWAYS * len(pages))
        more = frozenset(key for key, times in seen.items() if times >= least) - found.keys
        if not more:
            break
        found = found._replace(keys=found.keys | more)
    return found.keys


def running_lines(page: PageContent, running: Running) -> set[int]:
    """The ids of the lines that run along."""
    return {id(line) for side, row in _edges(page, running) for line in row if _runs(line, row, side, page, running)}


def _keys_of_edges(page: PageContent, running: Running) -> set[str]:
    return {
        key_of(line, side, small=running.small)
        for side, row in _edges(page, running)
        if len(row) <= _MOST_PARTS
        for line in row
        if any(map(str.isalpha, line.text))
    }


def _edges(page: PageContent, running: Running) -> Iterator[tuple[str, Row]]:
    """The first and the last row that are not all running, with those that are beyond them."""
    for side, rows in zip(("head", "foot"), _rows_inwards(page), strict=True):
        for row in rows[:_MOST_ROWS]:
            yield side, row
            if not all(_runs(line, row, side, page, running) for line in row):
                break


def _runs(line: Line, row: Row, side: str, page: PageContent, running: Running) -> bool:
    if key_of(line, side, small=running.small) in running.keys:
        return True
    if len(row) > _MOST_PARTS:
        return False
    # Only a running head stands above where the text begins on any page, unless it is the first one.
    if side == "head" and page.number > 1 and line.bottom < running.text_top and line.size <= running.small:
        return True
    return _is_numbered(row, page, running) or (len(row) == 1 and _NUMBER.fullmatch(line.text) is not None)


def _is_numbered(row: Row, page: PageContent, running: Running) -> bool:
    """Whether the number of the page stands in the row: then the rest of it names the chapter, or the book."""
    if running.offset is None:
        return False
    return any(_number(line.text) == page.number + running.offset for line in row)


def _outermost(page: PageContent) -> list[Row]:
    return [rows[0] for rows in _rows_inwards(page) if rows]


def _rows_inwards(page: PageContent) -> tuple[list[Row], list[Row]]:
    """The rows in the upper margin downwards, and those in the lower one upwards."""
    margin = _MARGIN * page.height
    heads = (line for line in page.lines if line.base < margin)
    feet = (line for line in page.lines if line.base > page.height - margin)
    return (
        _rows(sorted(heads, key=lambda line: line.base)),
        _rows(sorted(feet, key=lambda line: -line.base)),
    )


def _rows(lines: Iterable[Line]) -> list[Row]:
    rows: list[Row] = []
    for line in lines:
        if rows and abs(rows[-1][0].base - line.base) < _SAME_ROW:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def key_of(line: Line, side: str, *, small: float) -> str:
    """Without figures, since the page's number may be among them, left or right of the rest.

    A title may say what the running head says, but not at its size; and titles may differ by a number alone."""
    words = re.findall(r"[^\W\d]+" if line.size <= small else r"\w+", line.text)
    return f"{side} {line.size:.0f} {' '.join(words).lower()}"


def _number(text: str) -> int | None:
    found = _NUMBER.fullmatch(text)
    return int(found[1]) if found and found[1].isdigit() else None
