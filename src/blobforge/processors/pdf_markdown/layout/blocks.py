"""The lines of a column become passages: headings by size, list items by their markers, paragraphs by space."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from blobforge.processors.pdf_markdown.layout.heading_looks import Tone, body_of, look_of, tone_of
from blobforge.processors.pdf_markdown.layout.inline import joined, markdown_of, plain_text
from blobforge.processors.pdf_markdown.layout.model import Line, Word, around
from blobforge.processors.pdf_markdown.layout.passages import Passage, Role
from blobforge.processors.pdf_markdown.layout.survey import Survey
from blobforge.processors.pdf_markdown.layout.tables import rows_of

BULLET = re.compile(r"[•◦▪●○■‣⁃∙·*✦❖➢►–—-]")
NUMBER = re.compile(r"\(?\d{1,3}[.)]")
_BULLETS = "•◦▪●■‣"
_SAME_SIZE = 0.12
_SPACED = 1.22
"""Of the leading: more space than this parts paragraphs."""
_SPACED_TITLE = 1.35
"""Of the leading: the lines of a title may stand farther apart."""


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
    tone: Tone | None
    """How all of it stands out from the body, if it does."""
    marker: str = ""
    lines: list[Line] = field(default_factory=list)

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
        self._body = body_of(survey)
        self._page = page
        self._right = max((line.right for line in lines), default=0.0)
        self._left = min((line.left for line in lines), default=0.0)

    def passages(self) -> list[Passage]:
        blocks: list[_Block] = []
        before: Line | None = None
        for line in self._lines:
            marker, tone = marker_of(line), tone_of(line.words, self._body)
            if before is None or marker or self._begins(blocks[-1], before, line, tone):
                blocks.append(_Block(Role.ITEM if marker else Role.PARAGRAPH, tone, marker))
            blocks[-1].lines.append(line)
            if tone != blocks[-1].tone:
                blocks[-1].tone = None
            before = line
        return [self._passage(block) for block in blocks]

    def _begins(self, block: _Block, before: Line, line: Line, tone: Tone | None) -> bool:
        """Whether the line begins a new block."""
        step, lead = line.base - before.base, self._survey.leading * max(line.size, before.size)
        if abs(line.size - before.size) > _SAME_SIZE * self._survey.size or step < 0:
            return True
        if block.tone is not None and block.tone == tone:
            return step > _SPACED_TITLE * lead
        if step > _SPACED * lead or self._changes_tone(block, before, line, tone):
            return True
        if block.role is Role.ITEM:
            return line.left < block.text_left - 1
        return self._is_indented(block, before, line)

    def _changes_tone(self, block: _Block, before: Line, line: Line, tone: Tone | None) -> bool:
        """Whether a title ends or begins here; within running text a line may stand out by chance."""
        first = line.words[0]
        had_room = before.right + first.right - first.left < self._right - before.size
        if block.tone is not None and block.role is Role.PARAGRAPH:
            return had_room or tone_of([first], self._body) != block.tone
        if tone is None or tone_of(before.words[-1:], self._body) == tone:
            return False
        return had_room or before.words[-1].text[-1] in ".:!?"

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
            look=look_of(words),
            lines=len(block.lines),
            stands_out=block.tone is not None,
            fills=last.right >= self._right - 1.5 * last.size,
            marker=block.marker,
            indent=block.lines[0].left - self._left,
        )


def _without_marker(words: list[Word]) -> list[Word]:
    first = words[0]
    if BULLET.fullmatch(first.text) or NUMBER.fullmatch(first.text):
        return words[1:]
    return [first._replace(text=first.text[1:]), *words[1:]]
