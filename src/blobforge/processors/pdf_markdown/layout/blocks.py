"""The lines of a column become passages: headings by size, list items by their markers, paragraphs by space."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from blobforge.processors.pdf_markdown.layout.inline import joined, markdown_of, plain_text
from blobforge.processors.pdf_markdown.layout.model import Line, Style, Word, around
from blobforge.processors.pdf_markdown.layout.passages import Look, Passage, Role
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.tables import rows_of

BULLET = re.compile(r"[•◦▪●○■‣⁃∙·*✦❖➢►–—-]")
NUMBER = re.compile(r"\(?\d{1,3}[.)]")
_BULLETS = "•◦▪●■‣"
_LONGEST_HEADING = 140
_LARGER = 1.08
_OF_SIZE = 1.06


def merged_rows(lines: Sequence[Line]) -> list[Line]:
    """Pieces on one baseline of one column are one line."""
    merged: list[Line] = []
    for row in rows_of(lines):
        longest = max(row, key=lambda line: len(line.text))
        words = [word for line in row for word in line.words]
        merged.append(
            row[0] if len(row) == 1 else Line(words, row[0].base, longest.style, min(line.order for line in row))
        )
    return merged


def marker_of(line: Line) -> str:
    """The mark of a list item that the line begins with: "-" for any bullet, a number as it stands, or nothing."""
    first = line.words[0].text
    if len(line.words) > 1 and line.words[1].spaced:
        if BULLET.fullmatch(first):
            return "-"
        if NUMBER.fullmatch(first):
            return first
    return "-" if first[0] in _BULLETS and len(first) > 1 else ""


@dataclass(slots=True)
class _Block:
    role: Role
    lines: list[Line] = field(default_factory=list)
    marker: str = ""

    @property
    def text_left(self) -> float:
        """Where the text of an item begins, right of its marker."""
        words = self.lines[0].words
        return words[1].left if len(words) > 1 else words[0].left


class Blocks:
    """For the lines of one column, top down."""

    def __init__(self, lines: Sequence[Line], survey: Survey, *, page: int) -> None:
        self._lines = lines
        self._survey = survey
        self._page = page
        self._right = max((line.right for line in lines), default=0.0)
        self._left = min((line.left for line in lines), default=0.0)

    def passages(self) -> list[Passage]:
        blocks: list[_Block] = []
        before: Line | None = None
        for line in self._lines:
            marker = marker_of(line)
            if before is None or self._begins(blocks[-1], before, line, marker):
                blocks.append(self._new(line, marker))
            blocks[-1].lines.append(line)
            before = line
        return [self._passage(block) for block in blocks]

    def _new(self, line: Line, marker: str) -> _Block:
        if self._is_large(line):
            return _Block(Role.HEADING)
        return _Block(Role.ITEM, marker=marker) if marker else _Block(Role.PARAGRAPH)

    def _is_large(self, line: Line) -> bool:
        if len(line.text) > _LONGEST_HEADING or line.size < _LARGER * self._survey.size:
            return False
        large = sum(len(word.text) for word in line.words if word.style.size >= _OF_SIZE * self._survey.size)
        return large >= 0.7 * sum(len(word.text) for word in line.words)

    def _begins(self, block: _Block, before: Line, line: Line, marker: str) -> bool:
        """Whether the line begins a new block."""
        step, lead = line.base - before.base, self._survey.leading * max(line.size, before.size)
        is_large = self._is_large(line)
        if is_large and block.role is Role.HEADING:
            alike = abs(line.size - before.size) < 0.6 and _tone(line) == _tone(before)  # noqa: PLR2004
            return not alike or step > 1.35 * lead
        if is_large or block.role is Role.HEADING or marker or step < 0 or step > 1.22 * lead:
            return True
        if abs(line.size - before.size) > 0.12 * self._survey.size:
            return True
        if block.role is Role.ITEM:
            return line.left < block.text_left - 1 and (
                line.left <= block.lines[0].left + 0.5 or line.left < block.text_left - 1
            )
        return self._is_indented(block, before, line)

    def _is_indented(self, block: _Block, before: Line, line: Line) -> bool:
        """A first line that stands in, as paragraphs without space between them have it."""
        indent = 0.7 * line.size
        left = min((other.left for other in block.lines[1:]), default=block.lines[0].left)
        return line.left > left + indent and before.left < line.left - indent and line.left - self._left > indent

    def _passage(self, block: _Block) -> Passage:
        words = joined(block.lines)
        if block.role is Role.ITEM:
            words = _without_marker(words)
        last = block.lines[-1]
        return Passage(
            role=block.role,
            page=self._page,
            box=around(line.box for line in block.lines),
            text=markdown_of(words),
            plain=plain_text(words),
            look=_look(words),
            lines=len(block.lines),
            stands_out=stands_out(words, self._survey),
            fills=last.right >= self._right - 1.5 * last.size,
            marker=block.marker,
            indent=block.lines[0].left - self._left,
        )


def stands_out(words: Sequence[Word], survey: Survey) -> bool:
    telling = [word.style for word in words if any(map(str.isalnum, word.text))]
    return bool(telling) and all(_differs(style, survey) for style in telling)


def _differs(style: Style, survey: Survey) -> bool:
    if style.bold and not survey.bold:
        return True
    if style.colour == survey.colour or len(style.colour) != len(survey.colour):
        return False
    return any(style.colour) and sum(abs(a - b) for a, b in zip(style.colour, survey.colour, strict=True)) > 0.25  # noqa: PLR2004


def _tone(line: Line) -> tuple[bool, tuple[float, ...]]:
    return line.style.bold, line.style.colour


def _without_marker(words: list[Word]) -> list[Word]:
    first = words[0]
    if BULLET.fullmatch(first.text) or NUMBER.fullmatch(first.text):
        return words[1:]
    return [first._replace(text=first.text[1:]), *words[1:]]


def _look(words: Sequence[Word]) -> Look:
    letters: Counter[Style] = Counter()
    for word in words:
        letters[word.style] += len(word.text)
    style = letters.most_common(1)[0][0] if letters else words[0].style
    text = "".join(word.text for word in words)
    return Look(
        size=max(word.style.size for word in words),
        bold=style.bold,
        italic=style.italic,
        caps=text.isupper(),
        font=style.font,
        colour=style.colour,
    )
