"""Running heads and feet, page numbers and stamps: rows at the edge of pages that say nothing of their own.

Only outermost rows are looked at, since a zone would eat the rows of tables; but under a running row that is
taken away there may be another.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.rulings.frames import ruled_frames

_MARGIN = 0.12
"""Of the page's height: running rows lie within this."""
_OFTEN = 0.2
"""Of the pages: left and right pages may differ, and so may chapters."""
_ALMOST_ALWAYS = 0.6
_MOST_ROWS = 3
_MOST_PARTS = 3
"""Left, middle and right: a row of more is a table's."""
_SAME_ROW = 2.0
_SMALLER = 0.85
"""Of what may be a title: so small is no running text."""
_CARD = 0.5
"""Of the page's width: a wider frame may be the border of the page."""
_ALOOF = 2.5
"""Of the body's size: so far above the text a running head stands at least."""
_NUMBER = re.compile(
    r"[-–—~•|\s]*(?:page\s*)?(\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of)\s*\d{1,4})?[-–—~•|\s]*", re.IGNORECASE
)

Row = list[TextLine]


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
        often, always = max(2, _OFTEN * len(pages)), max(3, _ALMOST_ALWAYS * len(pages))
        # A row under the outermost may be the head of a table, and a large one a title that comes again.
        more = frozenset(
            key for (key, is_large), times in seen.items() if times >= (always if depth or is_large else often)
        )
        more -= found.keys
        if not more:
            break
        found = found._replace(keys=found.keys | more)
    return found.keys | _places(pages, small)


def running_lines(page: PageContent, running: Running) -> set[int]:
    """The ids of the lines that run along."""
    return {id(line) for edge in _edges(page, running) for line in edge.row if edge.runs(line, running)}


class _Edge(NamedTuple):
    """A row at the edge of a page."""

    page: PageContent
    side: str
    row: Row

    def runs(self, line: TextLine, running: Running) -> bool:
        if key_of(line, self.side, small=running.small) in running.keys:
            return True
        if len(self.row) > _MOST_PARTS:
            return False
        if self.side == "head" and _place_of(line) in running.keys and _is_alone(line, self.page):
            return True
        if self._is_aloof(line, running) or _is_numbered(self.row, self.page, running):
            return True
        return len(self.row) == 1 and _NUMBER.fullmatch(line.text) is not None

    def _is_aloof(self, line: TextLine, running: Running) -> bool:
        """Above where the text begins on any page, where on the first one a title may stand."""
        if self.side != "head" or self.page.number == 1 or line.bottom >= running.text_top:
            return False
        if line.is_bold or line.size > running.small:
            return False
        return _is_alone(line, self.page)


def _is_alone(line: TextLine, page: PageContent) -> bool:
    """Whether nothing stands close below it."""
    return not any(_SAME_ROW < other.base - line.base <= _ALOOF * line.size for other in page.lines)


def _places(pages: Sequence[PageContent], small: float) -> frozenset[str]:
    """Where almost every page has a small line at its head, all in one look, whatever they say."""
    seen = Counter(
        place
        for page in pages
        for rows in _rows_inwards(page)[:1]
        for row in rows[:1]
        for place in {_place_of(line) for line in row if line.size < _SMALLER * small and _is_alone(line, page)}
    )
    return frozenset(place for place, times in seen.items() if times >= max(2, _ALMOST_ALWAYS * len(pages)))


def _place_of(line: TextLine) -> str:
    return f"head at {line.base:.0f} {line.size:.1f} {line.style.font}"


def _keys_of_edges(page: PageContent, running: Running) -> set[tuple[str, bool]]:
    """With each, whether it is as large as a title."""
    return {
        (key_of(line, edge.side, small=running.small), line.size > running.small)
        for edge in _edges(page, running)
        if len(edge.row) <= _MOST_PARTS
        for line in edge.row
        if any(map(str.isalpha, line.text))
    }


def _edges(page: PageContent, running: Running) -> Iterator[_Edge]:
    """The first and the last row that are not all running, with those that are beyond them."""
    for side, rows in zip(("head", "foot"), _rows_inwards(page), strict=True):
        for row in rows[:_MOST_ROWS]:
            edge = _Edge(page, side, row)
            yield edge
            if not all(edge.runs(line, running) for line in row):
                break


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
    cards = _cards(page, margin)
    heads = (line for line in page.lines if line.base < margin and not _is_on(cards, line))
    feet = (line for line in page.lines if line.base > page.height - margin and not _is_on(cards, line))
    return (
        _rows(sorted(heads, key=lambda line: line.base)),
        _rows(sorted(feet, key=lambda line: -line.base)),
    )


def _cards(page: PageContent, margin: float) -> list[Rectangle]:
    """Frames that reach from the edge far into the page, beside others: what is in them belongs to their text."""
    sides = [rule for rule in page.verticals if rule.height > margin]
    frames = [*page.frames, *ruled_frames(page.horizontals, sides)]
    return [frame for frame in frames if frame.height > margin and frame.width < _CARD * page.width]


def _is_on(cards: Sequence[Rectangle], line: TextLine) -> bool:
    return any(card.holds(line.box, slack=1) for card in cards)


def _rows(lines: Iterable[TextLine]) -> list[Row]:
    rows: list[Row] = []
    for line in lines:
        if rows and abs(rows[-1][0].base - line.base) < _SAME_ROW:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def key_of(line: TextLine, side: str, *, small: float) -> str:
    """Without figures, since the page's number may be among them, left or right of the rest.

    A title may say what the running head says, but not at its size; and titles may differ by a number alone."""
    words = re.findall(r"[^\W\d]+" if line.size <= small else r"\w+", line.text)
    return f"{side} {line.size:.0f} {' '.join(words).lower()}"


def _number(text: str) -> int | None:
    found = _NUMBER.fullmatch(text)
    return int(found[1]) if found and found[1].isdigit() else None
