"""Running heads and feet, page numbers and stamps: rows at the edge of pages that say nothing of their own.

Only outermost rows are looked at, since a zone would eat the rows of tables; but under a running row that is
taken away there may be another.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from blobforge.processors.pdf_markdown.layout.model import Line, PageContent

_MARGIN = 0.12
"""Of the page's height: running rows lie within this."""
_OFTEN = 0.2
"""Of the pages: left and right pages may differ, and so may chapters."""
_ALMOST_ALWAYS = 0.6
_MOST_ROWS = 3
_SAME_ROW = 2.0
_PAGE_NUMBER = re.compile(r"[-–—~•|\s]*(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,7})[-–—~•|\s]*", re.IGNORECASE)

Row = list[Line]
Runs = Callable[[Line, str], bool]


def running_keys(pages: Sequence[PageContent]) -> frozenset[str]:
    """What the rows at the edges of these pages say over and over, as `key_of` writes it."""
    if len(pages) < 2:  # noqa: PLR2004
        return frozenset()
    found: frozenset[str] = frozenset()
    for depth in range(_MOST_ROWS):
        seen = Counter(key for page in pages for key in _keys_of_edges(page, found))
        # The outermost row is likelier to run along than one under it, which may be the head of a table.
        least = max(2, _OFTEN * len(pages)) if depth == 0 else max(3, _ALMOST_ALWAYS * len(pages))
        more = frozenset(key for key, times in seen.items() if times >= least) - found
        if not more:
            break
        found |= more
    return found


def _keys_of_edges(page: PageContent, found: frozenset[str]) -> set[str]:
    rows = _edges(page, lambda line, side: key_of(line, side) in found or is_page_number(line.text))
    return {key_of(line, side) for side, row in rows for line in row}


def running_lines(page: PageContent, keys: frozenset[str], *, text_top: float, small: float) -> set[int]:
    """The ids of the lines that run along.

    Nothing but a running head stands above where the text begins on any page, unless it is the first one; what is
    larger than `small` there is a title."""
    gone: set[int] = set()

    def runs(line: Line, side: str) -> bool:
        is_above = side == "head" and page.number > 1 and line.bottom < text_top and line.size <= small
        return key_of(line, side) in keys or is_page_number(line.text) or is_above

    for side, row in _edges(page, runs):
        gone.update(id(line) for line in row if runs(line, side))
    return gone


def _edges(page: PageContent, runs: Runs) -> Iterator[tuple[str, Row]]:
    """The first and the last row that are not all running, with those that are beyond them."""
    margin = _MARGIN * page.height
    heads = [line for line in page.lines if line.base < margin]
    feet = [line for line in page.lines if line.base > page.height - margin]
    for side, lines in (("head", heads), ("foot", feet)):
        for row in _rows_inwards(lines, is_foot=side == "foot")[:_MOST_ROWS]:
            yield side, row
            if not all(runs(line, side) for line in row):
                break


def _rows_inwards(lines: Iterable[Line], *, is_foot: bool) -> list[Row]:
    rows: list[Row] = []
    for line in sorted(lines, key=lambda line: line.base, reverse=is_foot):
        if rows and abs(rows[-1][0].base - line.base) < _SAME_ROW:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def key_of(line: Line, side: str) -> str:
    """A title may say what the running head says, but not at its size."""
    return f"{side} {line.size:.0f} {without_digits(line.text)}"


def without_digits(text: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\W+", " ", text)).strip().lower()


def is_page_number(text: str) -> bool:
    return _PAGE_NUMBER.fullmatch(text) is not None
