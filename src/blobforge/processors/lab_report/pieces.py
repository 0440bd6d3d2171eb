# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""The pieces of a line: numbers, units, dashes and words, parted even where they are printed without a space."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from blobforge.processors.lab_report import vocabulary
from blobforge.processors.lab_report.rows import Row, cells_of
from blobforge.processors.lab_report.units import is_unit
from blobforge.processors.lab_report.words import Word

Kind = Literal["number", "unit", "compare", "dash", "date", "time", "titre", "flag", "outcome", "mark", "word", "gap"]

_NUMBER = r"\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d+(?:[.,'’]\d{3})*(?:[.,]\d+)?|[.,]\d+"
_SHAPES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("date", re.compile(r"\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d.,])|\d{4}[-./]\d{1,2}[-./]\d{1,2}(?!\d)")),
    ("date", re.compile(r"(?:0?[1-9]|1[0-2])[/.](?:19|20)\d\d(?![\d.,])")),
    ("titre", re.compile(r"1\s?[:/]\s?\d{1,6}(?![\d:])")),
    ("time", re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:[AaPp][Mm])?(?!\d)|\d{1,2}[hч]\d{2}(?!\w)")),
    ("word", re.compile(r"\d+(?:[-/]\d+){2,}|0\d+[-/]\d{3,}(?![.,]\d)|0\d{3,}(?![\d.,])")),
    ("word", re.compile(r"\d+(?:,\d+)?-\(?[^\W\d_]{2,}\S*|\d+(?:st|nd|rd|th|er|ème|e|а|я|й)\b")),
    ("outcome", re.compile(r"[1-4]\+{1,4}(?![\w.,])")),
    ("number", re.compile(_NUMBER)),
    ("compare", re.compile(r"[<>]\s?=|=\s?[<>]|[<>≤≥⩽⩾˂˃]")),
    ("dash", re.compile(r"[-‐‑‒–—−~÷]")),
    ("flag", re.compile(r"[*!↑↓▲▼△▽⬆⬇⇑⇓↗↘►◄●]+|\++")),
    ("mark", re.compile(r"[()\[\]{}|:;=,.?/\"'’«»•·©®™§&#@\\]")),
    ("word", re.compile(r"[^\s()\[\]{}:;=<>≤≥|*↑↓▲▼,]+")),
)
_GLUED_FLAG = re.compile(r"(?P<flag>HH|LL|H|L)(?P<number>\d+[.,]\d+)")
_AFTER_NUMBER = re.compile(r"(?:HH|LL|H|L|N|A|C)(?![^\W_])|[↑↓▲▼*!+]")
_TRAILING = re.compile(r"[)\]}.,;:]+$")
_SIGNED = re.compile(r"[-−](?=\d)")
_TAIL = re.compile(r"\d{3}(?:[.,]\d+)?")


class Piece(NamedTuple):
    """`x0` and `x1` are those of the printed word; `glued` says that no space is before it."""

    text: str
    kind: Kind
    x0: float
    x1: float
    cell: int
    glued: bool = False

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


def pieces_of(row: Row) -> list[Piece]:
    """From left to right; a `gap` parts the cells."""
    found: list[Piece] = []
    for place, cell in enumerate(cells_of(row)):
        if place:
            found.append(Piece("\t", "gap", cell[0].x0, cell[0].x0, place))
        inside = [piece for word in cell for piece in _of_word(word, place)]
        found += _with_thousands(list(_unsigned(inside)))
    return found


def _of_word(word: Word, cell: int) -> Iterator[Piece]:
    start = 0
    for text, kind in cut(word.text):
        yield Piece(text, kind, word.x0, word.x1, cell, glued=start > 0)
        start += len(text)


@lru_cache(maxsize=8192)
def cut(text: str) -> tuple[tuple[str, Kind], ...]:
    """A word in its pieces. The words of a page are asked for again and again."""
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[tuple[str, Kind]]:
    glued = _GLUED_FLAG.fullmatch(text)
    if glued:
        yield glued["flag"], "flag"
        yield glued["number"], "number"
        return
    place = 0
    while place < len(text):
        piece, kind = _next(text, place)
        yield piece, kind
        place += len(piece)


def _next(text: str, place: int) -> tuple[str, Kind]:
    rest = text[place:]
    core = _TRAILING.sub("", rest)
    if core and core[0] not in "([" and is_unit(core):
        return core, "unit"
    if place == 0 and _SIGNED.match(rest):
        number = re.match(_NUMBER, rest[1:])
        if number:
            return rest[: 1 + number.end()], "number"
    for kind, shape in _SHAPES:
        match = shape.match(rest)
        if match:
            return _judged(rest, match.group(), kind)
    return rest[0], "mark"


def _judged(rest: str, piece: str, kind: Kind) -> tuple[str, Kind]:
    after = rest[len(piece) :]
    is_glued = kind == "number" and after and after[0].isalpha() and not _AFTER_NUMBER.match(after)
    if is_glued and not is_unit(_TRAILING.sub("", after)):
        whole = _SHAPES[-1][1].match(rest)
        return (whole.group() if whole else piece), "word"
    if kind == "word":
        piece = piece.rstrip(".,") if len(piece.rstrip(".,")) > 3 else piece
        return piece or rest[0], _kind_of_word(piece)
    return piece, kind


def _kind_of_word(text: str) -> Kind:
    if vocabulary.is_flag(text):
        return "flag"
    if vocabulary.is_outcome(text):
        return "outcome"
    return "unit" if is_unit(text) else "word"


def _unsigned(pieces: list[Piece]) -> Iterator[Piece]:
    """In 12 -15 the dash joins two numbers."""
    before: Piece | None = None
    for piece in pieces:
        if before is not None and before.kind == "number" and _SIGNED.match(piece.text):
            yield piece._replace(text=piece.text[0], kind="dash")
            yield piece._replace(text=piece.text[1:], glued=True)
        else:
            yield piece
        before = piece


def _with_thousands(pieces: list[Piece]) -> list[Piece]:
    """150 000 is one number: a head of up to three digits and tails of three, a space apart."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last is not None and _continues(last, piece):
            joined[-1] = last._replace(text=f"{last.text} {piece.text}", x1=piece.x1)
        else:
            joined.append(piece)
    return joined


def _continues(head: Piece, tail: Piece) -> bool:
    if head.kind != "number" or tail.kind != "number" or tail.glued:
        return False
    return bool(re.fullmatch(r"\d{1,3}(?: \d{3})*", head.text) and _TAIL.fullmatch(tail.text)) and head.text != "0"
