"""The lines of a column become passages: list items by their markers, paragraphs by space, titles by their tone.

Which titles are headings is judged later, with the whole document in view."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, around
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.model.table import rows_of
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.emphasis import Tone, body_of, look_of, tone_of
from blobforge.processors.pdf_markdown.layout.text.inline import joined, markdown_of, plain_text
from blobforge.processors.pdf_markdown.layout.text.list_contents import contents_in
from blobforge.processors.pdf_markdown.layout.text.list_entries import (
    CHECK_BOXES,
    LETTER,
    has_leader,
    marker_of,
    without_leader,
    without_marker,
)
from blobforge.processors.pdf_markdown.layout.text.list_index import entries_begun
from blobforge.processors.pdf_markdown.layout.words.fonts import is_monospaced

_SAME_SIZE = 0.12
_ROOM = 0.3
"""Of the column's width."""
_SENTENCE_ENDS = ".:!?"
_BESIDE_MARKER = 0.3
_PARTED = 1.5
_HANGING = 0.8
_SAME_MIDDLE = 0.3
_SAME_LEFT = 0.2
_STANDS_IN = 2.0
"""Of the size: so far from both ends of the column is a centred line."""
_MOST = 0.8
"""Of the column's width: so long is a centred line that was full."""
_NOTE_TEXT = 0.95
_NOTE = 0.85
"""Of the size: so small is the number of a note before its text."""
_SPACED = 1.22
"""Of the leading: more space than this parts paragraphs."""
_SPACED_TITLE = 1.35
"""Of the leading: the lines of a title may stand farther apart."""


def merged_rows(lines: Sequence[TextLine]) -> list[TextLine]:
    """Pieces on one baseline of one column are one line."""
    merged: list[TextLine] = []
    for row in rows_of(lines):
        longest = max(row, key=lambda line: len(line.text))
        words = [word for line in row for word in line.words]
        merged.append(
            row[0] if len(row) == 1 else TextLine(words, row[0].base, longest.style, min(line.order for line in row))
        )
    return merged


@dataclass(slots=True)
class _TextBlock:
    role: PassageRole
    tone: Tone | None
    """How all of it stands out from the body, if it does."""
    marker: str = ""
    is_entry: bool = False
    """Of contents or an index, with a leader to its page."""
    is_numbered: bool = False
    """Its number is bare, and hangs before the text."""
    is_note: bool = False
    """It begins with a small number, and its other lines may stand in."""
    lines: list[TextLine] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether it is of one line by its nature."""
        return self.is_entry or self.role is PassageRole.CODE


class Blocks:
    """For lines of one column, top down; `numbered` are the ids of those that begin a numbered paragraph."""

    def __init__(
        self, lines: Sequence[TextLine], survey: DocumentSurvey, *, page: int, numbered: Container[int] = frozenset()
    ) -> None:
        self._lines = lines
        self._survey = survey
        self._body = body_of(survey)
        self._page = page
        self._right = max((line.right for line in lines), default=0.0)
        self._left = min((line.left for line in lines), default=0.0)
        self._numbered = numbered
        self._contents = contents_in(lines)
        self._begun = entries_begun(lines, lambda line: tone_of(line.words, self._body) is not None)

    def passages(self) -> list[Passage]:
        blocks: list[_TextBlock] = []
        before: TextLine | None = None
        for line in self._lines:
            new = self._new(line)
            if (
                before is None
                or new.role is not PassageRole.PARAGRAPH
                or self._begins(blocks[-1], before, line, new.tone)
            ):
                blocks.append(new)
            block = blocks[-1]
            block.lines.append(line)
            if new.tone != block.tone:
                block.tone = None
            before = line
        return [self._passage(block) for block in blocks]

    def _new(self, line: TextLine) -> _TextBlock:
        tone = tone_of(line.words, self._body)
        if has_leader(line) or id(line) in self._contents:
            return _TextBlock(PassageRole.ITEM, tone, "-", is_entry=True)
        if id(line) in self._begun:
            return _TextBlock(PassageRole.ITEM, tone, "-")
        if self._is_code(line):
            return _TextBlock(PassageRole.CODE, tone)
        if id(line) in self._numbered:
            return _TextBlock(PassageRole.ITEM, tone, f"{line.words[0].text}.", is_numbered=True)
        # A title may have a box to tick before it.
        marker = "" if tone is not None and line.words[0].text in CHECK_BOXES else marker_of(line)
        return _TextBlock(
            PassageRole.ITEM if marker else PassageRole.PARAGRAPH, tone, marker, is_note=self._is_note(line)
        )

    def _begins_by_itself(self, line: TextLine) -> bool:
        """An entry marked with a letter, or a note."""
        return (len(line.words) > 1 and LETTER.fullmatch(line.words[0].text) is not None) or self._is_note(line)

    def _is_note(self, line: TextLine) -> bool:
        """Its number is small, or hangs before text that is."""
        first = line.words[0]
        if len(line.words) < 2 or not first.text.isdigit():
            return False
        hangs = line.words[1].left - first.right > _HANGING * line.size and line.size < _NOTE_TEXT * self._survey.size
        return hangs or first.raised or first.style.size <= _NOTE * line.size

    def _is_code(self, line: TextLine) -> bool:
        """In a font of typewriters, where the body is in another."""
        return not self._survey.mono and all(is_monospaced(word.style) for word in line.words)

    def _begins(self, block: _TextBlock, before: TextLine, line: TextLine, tone: Tone | None) -> bool:
        """Whether the line begins a new block."""
        step, lead = line.base - before.base, self._survey.leading * max(line.size, before.size)
        if abs(line.size - before.size) > _SAME_SIZE * self._survey.size or step < 0:
            return True
        if block.tone is not None and block.tone == tone:
            return step > _SPACED_TITLE * lead
        return (
            step > _SPACED * lead
            or block.is_whole
            or self._begins_by_itself(line)
            or self._changes_tone(block, before, line, tone)
            or self._ended_early(before)
            or self._ended_a_title(before, line)
            or self._begins_elsewhere(block, before, line)
        )

    def _begins_elsewhere(self, block: _TextBlock, before: TextLine, line: TextLine) -> bool:
        """Whether it begins where the lines of the block do not."""
        if block.is_note:
            return False
        if block.role is PassageRole.PARAGRAPH and self._ends_hanging(block, before, line):
            return True
        if block.role is PassageRole.PARAGRAPH and _are_centred(before, line):
            return not self._is_wrapped(before, line) and self._had_room(before, line)
        if block.role is PassageRole.ITEM:
            hangs = line.left > block.lines[0].left + _BESIDE_MARKER * line.size
            return not hangs and self._had_room(before, line)
        return self._is_indented(block, before, line) and not self._runs_on(before, line)

    def _ends_hanging(self, block: _TextBlock, before: TextLine, line: TextLine) -> bool:
        """Whether it stands out again to the left, after lines that all stood in but for the first one.

        At the head of a column the first one may be elsewhere."""
        indent, slack = 0.7 * line.size, _SAME_LEFT * line.size
        others = block.lines[1:]
        if not others or any(abs(other.left - before.left) > slack for other in others):
            return False
        if before.left - line.left < indent or line.text[0].islower():
            return False
        if abs(block.lines[0].left - line.left) < slack:
            return True
        return (
            abs(block.lines[0].left - before.left) < slack and _ends_sentence(before) and self._had_room(before, line)
        )

    def _is_wrapped(self, before: TextLine, line: TextLine) -> bool:
        """Whether one sentence goes on: centred lines may as well be an address."""
        is_long = before.right - before.left > _MOST * (self._right - self._left)
        return not _ends_sentence(before) and (line.text[0].islower() or is_long)

    def _runs_on(self, before: TextLine, line: TextLine) -> bool:
        """A full line without an end goes on, wherever the next one begins: beside an initial, for one."""
        return not self._had_room(before, line) and not _ends_sentence(before)

    def _had_room(self, before: TextLine, line: TextLine) -> bool:
        """Whether the first word of the line would have gone at the end of the one before."""
        first = line.words[0]
        return before.right + first.right - first.left < self._right - before.size

    def _ended_early(self, before: TextLine) -> bool:
        """A sentence that ends well before the column does ends a paragraph."""
        room = self._right - before.right
        return room > _ROOM * (self._right - self._left) and before.words[-1].text[-1] in _SENTENCE_ENDS

    def _ended_a_title(self, before: TextLine, line: TextLine) -> bool:
        """A short line in italics, or in the middle of the column, over one that is neither."""
        if not self._had_room(before, line):
            return False
        was_italic = all(word.style.italic for word in before.words) and not line.words[0].style.italic
        return was_italic or (self._is_in_middle(before) and not self._is_in_middle(line))

    def _is_in_middle(self, line: TextLine) -> bool:
        stands_in = min(line.left - self._left, self._right - line.right)
        is_even = abs(line.box.middle - (self._left + self._right) / 2) < _SAME_MIDDLE * line.size
        return is_even and stands_in > _STANDS_IN * line.size

    def _changes_tone(self, block: _TextBlock, before: TextLine, line: TextLine, tone: Tone | None) -> bool:
        """Whether a title ends or begins here; within running text a line may stand out by chance."""
        had_room = self._had_room(before, line)
        if block.tone is not None and block.role is PassageRole.PARAGRAPH:
            return had_room or tone_of(line.words[:1], self._body) != block.tone
        if tone is None or tone_of(before.words[-1:], self._body) == tone:
            return False
        return had_room or before.words[-1].text[-1] in _SENTENCE_ENDS

    def _is_indented(self, block: _TextBlock, before: TextLine, line: TextLine) -> bool:
        """A first line that stands in, as paragraphs without space between them have it."""
        indent = 0.7 * line.size
        left = min((other.left for other in block.lines[1:]), default=block.lines[0].left)
        return line.left > left + indent and before.left < line.left - indent and line.left - self._left > indent

    def _passage(self, block: _TextBlock) -> Passage:
        words = joined(block.lines, hyphenated=self._survey.hyphenated)
        if block.is_entry:
            words = without_leader(words)
        elif block.is_numbered:
            words = words[1:]
        elif block.role is PassageRole.ITEM:
            words = without_marker(words)
        last = block.lines[-1]
        return Passage(
            role=block.role,
            page=self._page,
            box=around(line.box for line in block.lines),
            text=markdown_of(words, bold=not self._survey.bold),
            plain=last.text if block.role is PassageRole.CODE else plain_text(words),
            look=look_of(words),
            lines=len(block.lines),
            stands_out=block.tone is not None,
            fills=last.right >= self._right - 1.5 * last.size,
            is_parted=block.is_entry or (len(block.lines) == 1 and _is_parted(last)),
            marker=block.marker,
            indent=block.lines[0].left - self._left,
        )


def _ends_sentence(line: TextLine) -> bool:
    return line.words[-1].text[-1] in _SENTENCE_ENDS + "”\"’'"


def _are_centred(upper: TextLine, lower: TextLine) -> bool:
    """Whether both are of one look and have one middle, but begin at different places."""
    slack = _SAME_MIDDLE * lower.size
    is_flush = abs(upper.left - lower.left) < slack
    return upper.style == lower.style and not is_flush and abs(upper.box.middle - lower.box.middle) < slack


def _is_parted(line: TextLine) -> bool:
    """A number may stand apart from its title."""
    words = line.words[1:] if line.words[0].text[0].isdigit() else line.words
    return any(right.left - left.right > _PARTED * line.size for left, right in pairwise(words))
