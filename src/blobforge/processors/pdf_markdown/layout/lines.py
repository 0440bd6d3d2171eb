"""Glyphs become words and words become lines, by geometry alone: in what order they were drawn does not matter."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from blobforge.processors.pdf_markdown.layout.model import Glyph, Line, Style, Word

SPACE = 0.18
"""Of the size: a gap wider than this is a space, also where none was drawn."""
BREAK = 0.95
"""Of the size: a gap wider than this ends the line; what follows is another column or another cell."""
_DRAWN_SPACE = 0.02
_RAISED = 0.2
_SMALL = 0.8


def lines_of(glyphs: Sequence[Glyph]) -> list[Line]:
    lines = [line for row in _rows(glyphs) for line in _segments(row)]
    return _with_raised(lines)


@dataclass(slots=True)
class _Place:
    """A glyph and its place in the stream."""

    glyph: Glyph
    order: int


def _rows(glyphs: Sequence[Glyph]) -> list[list[_Place]]:
    """Glyphs that share a baseline."""
    rows: list[list[_Place]] = []
    last = 0.0
    for place in sorted((_Place(glyph, order) for order, glyph in enumerate(glyphs)), key=lambda at: at.glyph.base):
        glyph = place.glyph
        if not rows or glyph.base - last > 0.5 + 0.03 * glyph.style.size:
            rows.append([])
        rows[-1].append(place)
        last = glyph.base
    return rows


@dataclass(slots=True)
class _Writer:
    """Puts the glyphs of one row together, from left to right."""

    lines: list[Line] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    glyphs: list[Glyph] = field(default_factory=list)
    spaced: bool = True
    order: int = 0
    base: float = 0.0

    def add(self, glyph: Glyph, order: int) -> None:
        if not self.words and not self.glyphs:
            self.order, self.base = order, glyph.base
        self.glyphs.append(glyph)
        self.order = min(self.order, order)

    def end_word(self, *, spaced: bool) -> None:
        if self.glyphs:
            self.words.append(_word(self.glyphs, spaced=self.spaced))
            self.glyphs = []
        self.spaced = spaced

    def end_line(self) -> None:
        self.end_word(spaced=True)
        if self.words:
            self.lines.append(Line(self.words, self.base, _main_style(self.words), self.order))
            self.words = []


def _segments(row: Iterable[_Place]) -> list[Line]:
    writer = _Writer()
    before: Glyph | None = None
    space_drawn = False
    for place in sorted(row, key=lambda at: (at.glyph.left, at.order)):
        glyph = place.glyph
        if glyph.text.isspace():
            space_drawn = True
            continue
        if before is not None:
            gap, size = glyph.left - before.right, max(glyph.style.size, before.style.size)
            if gap > BREAK * size:
                writer.end_line()
            elif gap > SPACE * size or (space_drawn and gap > _DRAWN_SPACE * size):
                writer.end_word(spaced=True)
            elif glyph.style is not before.style and _looks(glyph.style) != _looks(before.style):
                writer.end_word(spaced=False)
        writer.add(glyph, place.order)
        before, space_drawn = glyph, False
    writer.end_line()
    return writer.lines


def _looks(style: Style) -> tuple[str, bool, bool]:
    return style.font, style.bold, style.italic


def _word(glyphs: Sequence[Glyph], *, spaced: bool) -> Word:
    """In small capitals the initials are larger: the word has their size."""
    style = max((glyph.style for glyph in glyphs), key=lambda style: style.size)
    return Word("".join(glyph.text for glyph in glyphs), glyphs[0].left, glyphs[-1].right, style, spaced)


def _main_style(words: Iterable[Word]) -> Style:
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
        small.size <= _SMALL * line.size
        and 1.0 < abs(line.base - small.base) < 0.6 * line.size
        and line.left < small.left <= line.right + _RAISED * line.size
    )


def _insert(line: Line, word: Word) -> None:
    place = sum(other.left < word.left for other in line.words)
    before = line.words[place - 1]
    line.words.insert(place, word._replace(spaced=word.left - before.right > SPACE * line.size))
    if place + 1 < len(line.words):
        after = line.words[place + 1]
        line.words[place + 1] = after._replace(spaced=after.left - word.right > SPACE * line.size)
