"""Pieces of text become words and words become lines, by geometry alone: the order they were drawn in is no matter."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextLine, TextRun, TextWord
from blobforge.processors.pdf_markdown.layout.words.alignment import main_style, split_at_edges, with_justified_joined
from blobforge.processors.pdf_markdown.layout.words.bidi import in_logical_order
from blobforge.processors.pdf_markdown.layout.words.capitals import (
    DROP_CAP,
    SmallCapitals,
    in_normal_case,
    is_initial,
    small_capitals_in,
    spread_words,
    with_drop_caps,
    with_normal_case,
)
from blobforge.processors.pdf_markdown.layout.words.characters import SOFT_HYPHEN, cleaned

SPACE = 0.18
"""Of the size: a gap wider than this is a space, also where none was drawn."""
SAME_PLACE = 0.12
"""Of the size: what is drawn again so close is the same letter. Shadows and some bold type are made so."""
BREAK = 0.95
"""Of the size: a gap wider than this ends the line; what follows is another column or another cell."""
_OVERLAID = 1.0
"""Of the size: text that begins so far before the end of other text lies over it."""
_APART = 0.6
_OTHER_SIZE = 0.9
_DRAWN_SPACE = 0.02
_MARK = 0.85
_RAISED = 0.2
_FARTHEST = 3.0
"""Of its own size: the line that a raised figure belongs to is nearer."""
_HIGHEST = 0.8
_LOWEST = 0.6
_BEFORE_NOTE = 0.8
_VISIBLE_SHIFT = 0.05
_SHADOW = 0.25
"""Of the size: the same in another colour is a shadow as far as this."""
_BAND = 16
"""Points: pieces are compared with those of their own height on the page."""
_WITHIN = 0.8
"""Of its width: but no letter is the shadow of the next one."""


def lines_of(pieces: Sequence[TextRun]) -> list[TextLine]:
    rows = [_segments(row) for row in _rows(_once(pieces))]
    lines = split_at_edges(with_justified_joined(rows))
    return with_drop_caps(_with_raised(lines))


def _once(pieces: Sequence[TextRun]) -> list[TextRun]:
    """Without what was drawn over."""
    kept: list[TextRun] = []
    first: dict[str, int] = {}
    # By text and height, for a page says "the" a hundred times, and has a thousand dots in its contents.
    places: dict[str, dict[int, list[int]]] = {}
    for piece in pieces:
        text = piece.text
        known = first.setdefault(text, len(kept))
        if known == len(kept):
            kept.append(piece)
            continue
        same = places.get(text)
        if same is None:
            same = places[text] = {_band(kept[known].base): [known]}
        below = _below(piece, same, kept)
        if below is None:
            same.setdefault(_band(piece.base), []).append(len(kept))
            kept.append(piece)
        else:
            kept[below] = _over(kept[below], piece)
    return kept


def _band(base: float) -> int:
    return int(base // _BAND)


def _below(piece: TextRun, same: Mapping[int, list[int]], kept: Sequence[TextRun]) -> int | None:
    """Where the same was drawn under the piece. In `same` are all that have its text."""
    _, left, right, base, style, _, _ = piece
    farthest = _SHADOW * style.size
    first, last = left - farthest, left + farthest
    for band in range(_band(base - farthest), _band(base + farthest) + 1):
        for place in same.get(band, ()):
            other = kept[place]
            if first < other.left < last:
                is_shadow = style.colour != other.style.colour
                reach = min(farthest, _WITHIN * (right - left)) if is_shadow else SAME_PLACE * style.size
                if -reach < other.base - base < reach and -reach < other.left - left < reach:
                    return place
    return None


def _over(below: TextRun, above: TextRun) -> TextRun:
    """What is on top shows. The same in one colour, a little shifted, is bold."""
    shift = max(abs(above.left - below.left), abs(above.base - below.base))
    is_bold = shift > _VISIBLE_SHIFT and above.style.colour == below.style.colour
    return above._replace(
        style=above.style._replace(bold=True) if is_bold else above.style,
        before=above.before or below.before,
        after=above.after or below.after,
    )


_Row = list[tuple[float, int, TextRun]]
"""Pieces of one baseline, each with its left edge and its place in the stream."""


def _rows(pieces: Sequence[TextRun]) -> list[_Row]:
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

    lines: list[TextLine] = field(default_factory=list)
    words: list[TextWord] = field(default_factory=list)
    pieces: list[TextRun] = field(default_factory=list)
    spaced: bool = True
    order: int = 0
    base: float = 0.0
    capitals: SmallCapitals | None = None

    def add(self, piece: TextRun, order: int) -> None:
        if not self.words and not self.pieces:
            self.order, self.base = order, piece.base
        elif order < self.order:
            self.order = order
        self.pieces.append(piece)

    def end_word(self, *, spaced: bool) -> None:
        if len(self.pieces) == 1:
            text, left, right, _, style, _, _ = self.pieces.pop()
            self.words.append(TextWord(text, left, right, style, self.spaced))
        elif self.pieces:
            mark = self._taken_mark()
            self.words.append(self._word())
            if mark is not None:
                self.words.append(TextWord(mark.text, mark.left, mark.right, mark.style, spaced=False, raised=True))
            self.pieces = []
        self.spaced = spaced

    def end_line(self) -> None:
        self.end_word(spaced=True)
        if self.words:
            words = in_logical_order(with_normal_case(self.words, self.capitals))
            self.lines.append(TextLine(words, self.base, main_style(words), self.order))
            self.words, self.capitals = [], None

    def _taken_mark(self) -> TextRun | None:
        """The small figures at the end of a word: a note's mark. pdf-oxide does not say that they are raised."""
        word, mark = self.pieces[-2:]
        is_small = mark.style.size <= _MARK * word.style.size and mark.text.isdecimal()
        return self.pieces.pop() if is_small and not word.text[-1].isdecimal() else None

    def _word(self) -> TextWord:
        """In small capitals the initials are larger: the word has their size."""
        pieces, first = self.pieces, self.pieces[0]
        if len(pieces) == 1:
            return TextWord(first.text, first.left, first.right, first.style, self.spaced)
        capitals = small_capitals_in(pieces)
        self.capitals = self.capitals or capitals
        text = "".join(piece.text for piece in pieces) if capitals is None else in_normal_case(pieces)
        if SOFT_HYPHEN in text[:-1]:
            text = cleaned(text)
        style = max((piece.style for piece in pieces), key=lambda style: style.size)
        return TextWord(text, first.left, pieces[-1].right, style, self.spaced)


def _segments(row: _Row) -> list[TextLine]:
    # A page has hundreds of pieces: whatever is asked of each is taken out of it once.
    writer = _Writer()
    before: TextRun | None = None
    end, after, last_style = 0.0, False, row[0][2].style
    row.sort()
    spread = spread_words([piece for _, _, piece in row])
    if spread:
        return [TextLine(spread, row[0][2].base, spread[0].style, min(order for _, order, _ in row))]
    for left, order, piece in row:
        text, _, right, _, style, is_after_space, has_space_after = piece
        if before is not None:
            gap = left - end
            size = style.size if style is last_style else max(style.size, last_style.size)
            has_space = is_after_space or after
            if gap > BREAK * size or (not has_space and _stands_apart(before, piece, gap)):
                writer.end_line()
            elif gap > SPACE * size and is_spaceless(before.text[-1]) and is_spaceless(text[0]):
                writer.end_word(spaced=False)
            elif gap > SPACE * size or (has_space and gap > _DRAWN_SPACE * size) or _lies_over(before, piece, gap):
                writer.end_word(spaced=True)
            elif style is not last_style and _looks(style) != _looks(last_style):
                writer.end_word(spaced=False)
        writer.add(piece, order)
        before, end, after, last_style = piece, right, has_space_after, style
    writer.end_line()
    return writer.lines


def _lies_over(before: TextRun, piece: TextRun, gap: float) -> bool:
    """A sign by itself over a letter is its accent."""
    return gap < -_OVERLAID * piece.style.size and len(before.text) > 1 and len(piece.text) > 1


def _stands_apart(before: TextRun, piece: TextRun, gap: float) -> bool:
    """Text of another size with a gap that no space explains, such as a caption beside the text; or a drop cap."""
    if is_initial(before.text) and before.style.size >= DROP_CAP * piece.style.size:
        return True
    less, more = sorted((before.style.size, piece.style.size))
    return gap > _APART * less and less < _OTHER_SIZE * more


def is_spaceless(letter: str) -> bool:
    """Chinese and Japanese, which have no spaces; a wide gap between their letters only fills the line."""
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\ufaff" or "\uff00" <= letter <= "\uff9f"


def _looks(style: Style) -> tuple[str, bool, bool]:
    return style.font, style.bold, style.italic


def _with_raised(lines: list[TextLine]) -> list[TextLine]:
    """Small figures above or below a baseline go into the line that they stand in."""
    raised = [line for line in lines if len(line.words) == 1 and len(line.words[0].text) <= 3]
    hosts = sorted(lines, key=lambda line: line.base)
    bases = [line.base for line in hosts]
    gone: set[int] = set()
    for small in raised:
        reach = _FARTHEST * small.size
        near = hosts[bisect_left(bases, small.base - reach) : bisect_right(bases, small.base + reach)]
        host = next((line for line in near if line is not small and _carries(line, small)), None)
        noted = None if host else next((line for line in near if line is not small and _is_led(line, small)), None)
        if host is not None:
            _insert(host, small.words[0]._replace(raised=small.base < host.base))
            gone.add(id(small))
        elif noted is not None:
            noted.words = [small.words[0]._replace(raised=True), *noted.words]
            gone.add(id(small))
    return [line for line in lines if id(line) not in gone] if gone else lines


def _carries(line: TextLine, small: TextLine) -> bool:
    return (
        1.0 < abs(line.base - small.base) < (_HIGHEST if small.base < line.base else _LOWEST) * line.size
        and small.size <= _MARK * line.size
        and line.left < small.left <= line.right + _RAISED * line.size
    )


def _is_led(line: TextLine, small: TextLine) -> bool:
    """Whether the small figure or letter is the mark of a note that begins with the line."""
    return (
        (small.text.isdecimal() or len(small.text) == 1)
        and 1.0 < line.base - small.base < _HIGHEST * line.size
        # Notes are small themselves, and their figures then little smaller.
        and small.size <= (1.0 if small.text.isdecimal() else _MARK) * line.size
        and 0 <= line.left - small.right < _BEFORE_NOTE * line.size
    )


def _insert(line: TextLine, word: TextWord) -> None:
    words = list(line.words)
    place = sum(other.left < word.left for other in words)
    before = words[place - 1]
    words.insert(place, word._replace(spaced=word.left - before.right > SPACE * line.size))
    if place + 1 < len(words):
        after = words[place + 1]
        words[place + 1] = after._replace(spaced=after.left - word.right > SPACE * line.size)
    line.words = words
