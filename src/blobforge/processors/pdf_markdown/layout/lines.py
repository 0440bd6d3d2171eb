"""Pieces of text become words and words become lines, by geometry alone: in what order they were drawn does not matter."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from blobforge.processors.pdf_markdown.layout.capitals import lowered, with_drop_caps, with_normal_case
from blobforge.processors.pdf_markdown.layout.glyphs import SAME_PLACE, SPACE
from blobforge.processors.pdf_markdown.layout.model import Line, Piece, Style, Word

BREAK = 0.95
"""Of the size: a gap wider than this ends the line; what follows is another column or another cell."""
_DRAWN_SPACE = 0.02
_RAISED = 0.2
_SMALL = 0.8
_VISIBLE_SHIFT = 0.05


def lines_of(pieces: Sequence[Piece]) -> list[Line]:
    lines = [line for row in _rows(_once(pieces)) for line in _segments(row)]
    return with_drop_caps(_with_raised(lines))


def _once(pieces: Sequence[Piece]) -> list[Piece]:
    """Without what was drawn over before. What is on top shows; the same in one colour, a little shifted, is bold."""
    kept: list[Piece] = []
    places: dict[str, list[int]] = {}
    for piece in pieces:
        same = places.setdefault(piece.text, [])
        reach = SAME_PLACE * piece.style.size
        for place in same:
            other = kept[place]
            shift = max(abs(other.left - piece.left), abs(other.base - piece.base))
            if shift < reach:
                is_bold = shift > _VISIBLE_SHIFT and other.style.colour == piece.style.colour
                kept[place] = piece._replace(
                    style=piece.style._replace(bold=True) if is_bold else piece.style,
                    before=piece.before or other.before,
                    after=piece.after or other.after,
                )
                break
        else:
            same.append(len(kept))
            kept.append(piece)
    return kept


_Row = list[tuple[float, int, Piece]]
"""Pieces of one baseline, each with its left edge and its place in the stream."""


def _rows(pieces: Sequence[Piece]) -> list[_Row]:
    rows: list[_Row] = []
    last = 0.0
    for base, order, piece in sorted((piece.base, order, piece) for order, piece in enumerate(pieces)):
        if not rows or base - last > 0.5 + 0.03 * piece.style.size:
            rows.append([])
        rows[-1].append((piece.left, order, piece))
        last = base
    return rows


@dataclass(slots=True)
class _Writer:
    """Puts the pieces of one row together, from left to right."""

    lines: list[Line] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    spaced: bool = True
    order: int = 0
    base: float = 0.0

    def add(self, piece: Piece, order: int) -> None:
        if not self.words and not self.pieces:
            self.order, self.base = order, piece.base
        self.pieces.append(piece)
        self.order = min(self.order, order)

    def end_word(self, *, spaced: bool) -> None:
        if self.pieces:
            self.words.append(_word(self.pieces, spaced=self.spaced))
            self.pieces = []
        self.spaced = spaced

    def end_line(self) -> None:
        self.end_word(spaced=True)
        if self.words:
            words = with_normal_case(self.words)
            self.lines.append(Line(words, self.base, _main_style(words), self.order))
            self.words = []


def _segments(row: _Row) -> list[Line]:
    writer = _Writer()
    before: Piece | None = None
    row.sort()
    for left, order, piece in row:
        if before is not None:
            gap, size = left - before.right, max(piece.style.size, before.style.size)
            if gap > BREAK * size:
                writer.end_line()
            elif gap > SPACE * size or ((piece.before or before.after) and gap > _DRAWN_SPACE * size):
                writer.end_word(spaced=True)
            elif piece.style is not before.style and _looks(piece.style) != _looks(before.style):
                writer.end_word(spaced=False)
        writer.add(piece, order)
        before = piece
    writer.end_line()
    return writer.lines


def _looks(style: Style) -> tuple[str, bool, bool]:
    return style.font, style.bold, style.italic


def _word(pieces: Sequence[Piece], *, spaced: bool) -> Word:
    """In small capitals the initials are larger: the word has their size."""
    first = pieces[0]
    if len(pieces) == 1:
        return Word(first.text, first.left, first.right, first.style, spaced)
    style = max((piece.style for piece in pieces), key=lambda style: style.size)
    text = "".join(piece.text if piece.style.size == style.size else lowered(piece, style) for piece in pieces)
    return Word(text, first.left, pieces[-1].right, style, spaced)


def _main_style(words: Sequence[Word]) -> Style:
    style = words[0].style
    if all(word.style is style for word in words):
        return style
    letters: Counter[Style] = Counter()
    for word in words:
        letters[word.style] += len(word.text)
    return letters.most_common(1)[0][0]


def _with_raised(lines: list[Line]) -> list[Line]:
    """Small figures above or below a baseline go into the line that they stand in."""
    raised = [line for line in lines if len(line.words) == 1 and len(line.words[0].text) <= 3]
    gone: set[int] = set()
    for small in raised:
        host = next((line for line in lines if line is not small and _carries(line, small)), None)
        if host is not None:
            _insert(host, small.words[0]._replace(raised=small.base < host.base))
            gone.add(id(small))
    return [line for line in lines if id(line) not in gone] if gone else lines


def _carries(line: Line, small: Line) -> bool:
    return (
        1.0 < abs(line.base - small.base) < 0.6 * line.size
        and small.size <= _SMALL * line.size
        and line.left < small.left <= line.right + _RAISED * line.size
    )


def _insert(line: Line, word: Word) -> None:
    words = list(line.words)
    place = sum(other.left < word.left for other in words)
    before = words[place - 1]
    words.insert(place, word._replace(spaced=word.left - before.right > SPACE * line.size))
    if place + 1 < len(words):
        after = words[place + 1]
        words[place + 1] = after._replace(spaced=after.left - word.right > SPACE * line.size)
    line.words = words
