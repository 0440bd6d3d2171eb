"""A block of Markdown that is longer than a chunk may be, cut where it hurts least.

A table and a block of code are cut between lines, and each piece is a table or a block of code again. Everything else
is cut at the end of a line, a sentence or a word; within a word only where a word is longer than a whole piece.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_LINE = re.compile(r"\n+")
_SENTENCE = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[\u3002\uff01\uff1f]+")
_SPACE = re.compile(r"\s+")
_DELIMITERS = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
_FENCE = re.compile(r"(`{3,}|~{3,})")


class _Frame(NamedTuple):
    """Lines that each piece of a block needs around its own to be such a block."""

    above: tuple[str, ...]
    inner: tuple[str, ...]
    below: tuple[str, ...]

    def around(self, lines: Sequence[str]) -> str:
        return "\n".join((*self.above, *lines, *self.below))


def pieces(text: str, *, first: int, longest: int) -> Iterator[str]:
    """Pieces of at most `longest` characters; the first has room for `first` only, and is left out when that is 0."""
    frame = _frame_of(text.split("\n"))
    if frame is not None and any(len(frame.around([line])) <= longest for line in frame.inner):
        yield from _framed(frame, first=first, longest=longest)
    else:
        yield from _plain(text, first=first, longest=longest)


def _frame_of(lines: Sequence[str]) -> _Frame | None:
    if len(lines) > 2 and lines[0].lstrip().startswith("|") and _DELIMITERS.fullmatch(lines[1].strip()):
        return _Frame(tuple(lines[:2]), tuple(lines[2:]), ())
    if len(lines) > 2 and (fence := _FENCE.match(lines[0])) and lines[-1].startswith(fence[1]):
        return _Frame((lines[0],), tuple(lines[1:-1]), (lines[-1],))
    if len(lines) > 2 and lines[0] == "<table>" and lines[-1] == "</table>":
        heads = next((place for place, line in enumerate(lines[1:], 1) if "<th" not in line), 1)
        return _Frame(tuple(lines[:heads]), tuple(lines[heads:-1]), (lines[-1],))
    return None


def _framed(frame: _Frame, *, first: int, longest: int) -> Iterator[str]:
    kept: list[str] = []
    room = first
    for line in frame.inner:
        if kept and len(frame.around([*kept, line])) > room:
            yield frame.around(kept)
            kept, room = [], longest
        if not kept and len(frame.around([line])) > room:
            room = longest
        if len(frame.around([line])) > longest:
            # Even alone it is too long: better its words without their frame than no chunk at all.
            yield from _plain(line, first=longest, longest=longest)
        else:
            kept.append(line)
    if kept:
        yield frame.around(kept)


def _plain(text: str, *, first: int, longest: int) -> Iterator[str]:
    room = first
    text = text.strip()
    while len(text) > room:
        end = _break_in(text, room)
        if end == 0 and room < longest:
            room = longest  # nothing of it fits behind what is there: the next piece begins with it
            continue
        if piece := text[: end or room].rstrip():
            yield piece
        text, room = text[end or room :].lstrip(), longest
    if text:
        yield text


def _break_in(text: str, room: int) -> int:
    """Where the text after the best break within so many characters begins; 0 when there is none."""
    for pattern, least in ((_LINE, room // 2), (_SENTENCE, room // 2), (_SPACE, 0)):
        ends = [found.end() for found in pattern.finditer(text, 0, room + 1) if found.start() <= room]
        if ends and ends[-1] > least:
            return ends[-1]
    return 0
