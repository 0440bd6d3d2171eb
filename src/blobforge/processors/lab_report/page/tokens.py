# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""The tokens of a line: numbers, units, dashes and words, parted even where they are printed without a space."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from blobforge.processors.lab_report.notation.units import is_unit
from blobforge.processors.lab_report.page.rows import PrintedRow, cells_of
from blobforge.processors.lab_report.page.words import PositionedWord
from blobforge.processors.lab_report.vocabulary import outcomes, phrases

TokenKind = Literal[
    "number", "unit", "compare", "dash", "date", "time", "titre", "flag", "outcome", "punctuation", "word", "gap"
]

_NUMBER = r"\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d+(?:[.,'’]\d{3})*(?:[.,]\d+)?|[.,]\d+"
_SHAPES: tuple[tuple[TokenKind, re.Pattern[str]], ...] = (
    ("date", re.compile(r"\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d{2})(?![\d.,])|\d{4}[-./]\d{1,2}[-./]\d{1,2}(?!\d)")),
    ("date", re.compile(r"(?:0?[1-9]|1[0-2])[/.](?:19|20)\d\d(?![\d.,])")),
    ("titre", re.compile(r"1\s?[:/]\s?\d{1,6}(?![\d:])")),
    ("time", re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:[AaPp][Mm])?(?!\d)|\d{1,2}[hч]\d{2}(?!\w)")),
    ("word", re.compile(r"\d+(?:[-/]\d+){2,}|0\d+[-/]\d{3,}(?![.,]\d)|0\d{3,}(?![\d.,])")),
    ("word", re.compile(rf"\d+(?:,\d+)?-\(?[^\W\d_]{{2,}}\S*|\d+{phrases.ORDINAL}\b")),
    ("outcome", re.compile(r"[1-4]\+{1,4}(?![\w.,])")),
    ("number", re.compile(_NUMBER)),
    ("compare", re.compile(r"[<>]\s?=|=\s?[<>]|[<>≤≥⩽⩾˂˃]")),
    ("dash", re.compile(r"[-‐‑‒–—−~÷]")),
    ("flag", re.compile(r"[*!↑↓▲▼△▽⬆⬇⇑⇓↗↘►◄●]+|\++")),
    ("punctuation", re.compile(r"[()\[\]{}|:;=,.?/\"'’«»•·©®™§&#@\\]")),
    ("word", re.compile(r"[^\s()\[\]{}:;=<>≤≥|*↑↓▲▼,]+")),
)
_GLUED_FLAG = re.compile(r"(?P<flag>HH|LL|H|L)(?P<number>\d+[.,]\d+)")
_AFTER_NUMBER = re.compile(r"(?:HH|LL|H|L|N|A|C)(?![^\W_])|[↑↓▲▼*!+]")
_TRAILING = re.compile(r"[)\]}.,;:]+$")
_SIGNED = re.compile(r"[-−](?=\d)")
_TAIL = re.compile(r"\d{3}(?:[.,]\d+)?")


class LineToken(NamedTuple):
    """`x0` and `x1` are those of the printed word; `glued` says that no space is before it."""

    text: str
    kind: TokenKind
    x0: float
    x1: float
    cell: int
    glued: bool = False

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


def tokens_of(row: PrintedRow) -> list[LineToken]:
    """From left to right; a `gap` parts the cells."""
    found: list[LineToken] = []
    for place, cell in enumerate(cells_of(row)):
        if place:
            found.append(LineToken("\t", "gap", cell[0].x0, cell[0].x0, place))
        inside = [token for word in cell for token in _of_word(word, place)]
        found += _with_thousands(list(_unsigned(inside)))
    return found


def _of_word(word: PositionedWord, cell: int) -> Iterator[LineToken]:
    start = 0
    for text, kind in tokenize(word.text):
        yield LineToken(text, kind, word.x0, word.x1, cell, glued=start > 0)
        start += len(text)


@lru_cache(maxsize=8192)
def tokenize(text: str) -> tuple[tuple[str, TokenKind], ...]:
    """A word in its tokens. The words of a page are asked for again and again."""
    return tuple(_tokenize(text))


def _tokenize(text: str) -> Iterator[tuple[str, TokenKind]]:
    glued = _GLUED_FLAG.fullmatch(text)
    if glued:
        yield glued["flag"], "flag"
        yield glued["number"], "number"
        return
    place = 0
    while place < len(text):
        token, kind = _next(text, place)
        yield token, kind
        place += len(token)


def _next(text: str, place: int) -> tuple[str, TokenKind]:
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
    return rest[0], "punctuation"


def _judged(rest: str, token: str, kind: TokenKind) -> tuple[str, TokenKind]:
    after = rest[len(token) :]
    is_glued = kind == "number" and after and after[0].isalpha() and not _AFTER_NUMBER.match(after)
    if is_glued and not is_unit(_TRAILING.sub("", after)):
        whole = _SHAPES[-1][1].match(rest)
        return (whole.group() if whole else token), "word"
    if kind == "word":
        token = token.rstrip(".,") if len(token.rstrip(".,")) > 3 else token
        return token or rest[0], _kind_of_word(token)
    return token, kind


def _kind_of_word(text: str) -> TokenKind:
    if outcomes.is_flag(text):
        return "flag"
    if outcomes.is_outcome(text):
        return "outcome"
    return "unit" if is_unit(text) else "word"


def _unsigned(tokens: list[LineToken]) -> Iterator[LineToken]:
    """In 12 -15 the dash joins two numbers."""
    before: LineToken | None = None
    for token in tokens:
        if before is not None and before.kind == "number" and _SIGNED.match(token.text):
            yield token._replace(text=token.text[0], kind="dash")
            yield token._replace(text=token.text[1:], glued=True)
        else:
            yield token
        before = token


def _with_thousands(tokens: list[LineToken]) -> list[LineToken]:
    """150 000 is one number: a head of up to three digits and tails of three, a space apart."""
    joined: list[LineToken] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if last is not None and _continues(last, token):
            joined[-1] = last._replace(text=f"{last.text} {token.text}", x1=token.x1)
        else:
            joined.append(token)
    return joined


def _continues(head: LineToken, tail: LineToken) -> bool:
    if head.kind != "number" or tail.kind != "number" or tail.glued:
        return False
    return bool(re.fullmatch(r"\d{1,3}(?: \d{3})*", head.text) and _TAIL.fullmatch(tail.text)) and head.text != "0"
