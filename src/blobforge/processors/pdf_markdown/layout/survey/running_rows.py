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
from blobforge.processors.pdf_markdown.layout.survey import page_numbers
from blobforge.processors.pdf_markdown.layout.survey.page_numbers import (
    UNNUMBERED,
    EdgeText,
    Numbering,
    is_number_of_page,
    is_page_number,
    key_text,
    number_in,
    text_beside_number,
)

_SIDES = ("head", "foot")
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
_LESS = 0.9
"""Of the same: what is larger, and upright, may be text."""
_FEWEST_CELLS = 2
_SAME_EDGE = 1.0
_FARTHER = 1.3
"""Than rows of a table from each other."""
_CARD = 0.5
"""Of the page's width: a wider frame may be the border of the page."""
_ALOOF = 2.5
"""Of the body's size: so far above the text a running head stands at least."""
_SENTENCE_ENDS = ".!?:"
_TOUCHES = 1.6
"""Of the size: lines of one text are no farther apart."""

Row = list[TextLine]


class Running(NamedTuple):
    """What is known of the running rows of a document.

    Above `text_top` no text begins; what is larger than `small` is a title."""

    keys: frozenset[str]
    numbering: Numbering = UNNUMBERED
    text_top: float = 0.0
    small: float = 0.0

    @property
    def offset(self) -> int | None:
        return self.numbering.offset


def numbering_of(pages: Sequence[PageContent]) -> Numbering:
    lines = (
        _edge_text(line, row, side, page)
        for page in pages
        for side, rows in zip(_SIDES, _rows_inwards(page), strict=True)
        for row in rows[:1]
        for line in row
    )
    return page_numbers.numbering_of(lines, pages=len(pages))


def _edge_text(line: TextLine, row: Row, side: str, page: PageContent) -> EdgeText:
    is_left = line.left < page.width / 2 and all(line.left <= other.left for other in row)
    is_right = line.right > page.width / 2 and all(line.right >= other.right for other in row)
    return EdgeText(page.number, side, line.text, is_left=is_left, is_right=is_right)


def running_keys(pages: Sequence[PageContent], *, numbering: Numbering, small: float) -> frozenset[str]:
    """What the rows at the edges of these pages say over and over, as `key_of` writes it."""
    if len(pages) < 2:
        return frozenset()
    found = Running(frozenset(), numbering, small=small)
    for depth in range(_MOST_ROWS):
        seen = Counter(key for page in pages for key in _keys_of_edges(page, found))
        often, always = max(2, _OFTEN * len(pages)), max(3, _ALMOST_ALWAYS * len(pages))
        # A row under the outermost may be the head of a table, a large one a title that comes again, and a number
        # that of the page.
        more = frozenset(
            key for (key, is_odd), times in seen.items() if times >= (always if depth or is_odd else often)
        )
        more -= found.keys
        if not more:
            break
        found = found._replace(keys=found.keys | more)
    return found.keys | _places(pages, small)


def running_lines(page: PageContent, running: Running) -> list[TextLine]:
    """From top to bottom, and from left to right."""
    rows = sorted(_running_rows(page, running), key=lambda row: row[0].base)
    return [line for row in rows for line in sorted(row, key=lambda line: line.left)]


def said_by(line: TextLine, page: PageContent, running: Running) -> str:
    """What a running line says beside the number of its page; what is the same on all pages is not their number."""
    is_repeated = any(key_of(line, side, page, running) in running.keys for side in _SIDES)
    if not is_repeated and is_number_of_page(line.text, page=page.number, numbering=running.numbering):
        return ""
    return text_beside_number(line.text, page=page.number, numbering=running.numbering)


def _running_rows(page: PageContent, running: Running) -> Iterator[Row]:
    """From the text outwards: what touches a row that stays belongs to it."""
    for edges in _edges(page, running):
        stays = True
        for edge in reversed(edges):
            row = edge.running(running)
            is_whole = len(row) == len(edge.row)
            is_numbered = edge.has_number(running.numbering.offset_of_pages)
            belongs = edge.keeps_columns(of_any_step=not is_whole) or edge.belongs_to_text()
            stays = not row or (belongs and (stays or not is_whole) and not is_numbered)
            if not stays:
                yield row


class _Edge(NamedTuple):
    """A row at the edge of a page."""

    page: PageContent
    side: str
    row: Row

    def running(self, running: Running) -> Row:
        return [line for line in self.row if self._runs(line, running)]

    def runs(self, running: Running) -> bool:
        return len(self.running(running)) == len(self.row)

    def has_number(self, offset: int | None) -> bool:
        """Whether the number of the page stands in the row: then the rest of it names the chapter, or the book."""
        if offset is None or len(self.row) > _MOST_PARTS:
            return False
        return any(number_in(line.text) == self.page.number + offset for line in self.row)

    def belongs_to_text(self) -> bool:
        """Whether it is a row of the table that goes on next to it, or a line of the paragraph."""
        return any(
            len(self.row) > 1 or _goes_on(*((line, other) if self.side == "head" else (other, line)))
            for line in self.row
            for other in self.page.lines
            if _is_close(line, other, self.side)
        )

    def keeps_columns(self, *, of_any_step: bool) -> bool:
        """Whether it stands over the columns of the two rows next to it, and no farther off than they from each
        other: as a row of their table, whatever other pages say at this place. A sum may stand farther off."""
        if len(self.row) < _FEWEST_CELLS:
            return False
        base, sign = self.row[0].base, 1 if self.side == "head" else -1
        inwards = (line for line in self.page.lines if sign * (line.base - base) >= _SAME_ROW)
        near, far = [*_rows(sorted(inwards, key=lambda line: sign * line.base)), [], []][:2]
        if min(_shared(self.row, near), _shared(near, far)) < _FEWEST_CELLS:
            return False
        return of_any_step or abs(near[0].base - base) <= _FARTHER * abs(far[0].base - near[0].base)

    def _runs(self, line: TextLine, running: Running) -> bool:
        if key_of(line, self.side, self.page, running) in running.keys:
            return True
        if len(self.row) > _MOST_PARTS:
            return False
        if self.side == "head" and _place_of(line) in running.keys and _is_alone(line, self.page):
            return True
        if self._is_aloof(line, running) or self.has_number(running.offset):
            return True
        return len(self.row) == 1 and is_page_number(line.text) and not self._is_in_column(line)

    def _is_in_column(self, line: TextLine) -> bool:
        """Whether a number stands close above it, or below."""
        close = (other for side in _SIDES for other in self.page.lines if _is_close(line, other, side))
        return number_in(line.text) is not None and any(number_in(other.text) is not None for other in close)

    def _is_aloof(self, line: TextLine, running: Running) -> bool:
        """Above where the text begins on any page, where on the first one a title may stand."""
        if self.side != "head" or self.page.number == 1 or line.bottom >= running.text_top:
            return False
        if line.is_bold or (line.size > _LESS * running.small and not line.style.italic):
            return False
        return _is_alone(line, self.page)


def _is_close(line: TextLine, other: TextLine, side: str) -> bool:
    """Whether the other is the next line of one text, on the inner side."""
    apart = other.base - line.base if side == "head" else line.base - other.base
    beside = other.right < line.left or line.right < other.left
    return _SAME_ROW < apart <= _TOUCHES * max(line.size, other.size) and not beside


def _shared(row: Row, other: Row) -> int:
    """How many lines of the row stand over one of the other."""
    return sum(
        any(abs(one.left - each.left) < _SAME_EDGE or abs(one.right - each.right) < _SAME_EDGE for each in other)
        for one in row
    )


def _goes_on(upper: TextLine, lower: TextLine) -> bool:
    """From one to the other in the middle of a sentence."""
    return upper.text[-1] not in _SENTENCE_ENDS and lower.text[0].islower()


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
    """With each, whether it is as large as a title, or a number."""
    return {
        (key_of(line, edge.side, page, running), line.size > running.small or not any(map(str.isalpha, line.text)))
        for edges in _edges(page, running)
        for edge in edges
        if len(edge.row) <= _MOST_PARTS
        for line in edge.row
    }


def _edges(page: PageContent, running: Running) -> Iterator[list[_Edge]]:
    """Of each side, the first row that is not all running, with those that are beyond it."""
    for side, rows in zip(_SIDES, _rows_inwards(page), strict=True):
        edges: list[_Edge] = []
        for row in rows[:_MOST_ROWS]:
            edges.append(_Edge(page, side, row))
            if not edges[-1].runs(running):
                break
        yield edges


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


def key_of(line: TextLine, side: str, page: PageContent, running: Running) -> str:
    """Without the number of the page, which may stand left or right of the rest.

    A title may say what the running head says, but not at its size; and titles may differ by a number alone."""
    is_title = line.size > running.small
    said = line.text if is_title else key_text(line.text, page=page.number, offset=running.offset)
    words = re.findall(r"[+-]?\w+", said)
    return f"{side} {line.size:.0f} {' '.join(words).lower()}"
