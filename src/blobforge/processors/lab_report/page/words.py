"""Words of a page with their places, as a reader sees them: nothing printed twice, nothing askew, no small marks."""

import math
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from blobforge.processors.lab_report.notation.glyphs import UNREADABLE
from blobforge.processors.lab_report.notation.units import is_unit

if TYPE_CHECKING:
    from pdfplumber.page import Page as PlumberPage

_CID = re.compile(r"\(cid:\d+\)")
_LEADER = re.compile(r"[._…·]{3,}|…+")
_DOTS = ".…·_"
_LEADING = 4
_ASKEW = 0.02
_WATERMARK = 2.2
"""So many times the size of the text around it: a headline or a watermark, never part of a row."""
_RAISED = 0.78
_ALIKE = 1.0
_TIGHT = 0.12
_BESIDE = 0.8
_LONGEST_MARK, _LONGEST_FAR = 6, 2
_LIFT = 0.15
_TINY = 0.65
_WORD_GAP = 0.16
_SUPERSCRIPTS = str.maketrans("0123456789-−+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁺")
_RAISED_TO = re.compile(r"(?:10|(?<![^\W\d_])[mcdмд]?[mм])$")


class PositionedWord(NamedTuple):
    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    size: float

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


def text_of(words: Iterable[PositionedWord]) -> str:
    """As it is read: the words with a space between them."""
    return " ".join(word.text for word in words)


def words_of(page: "PlumberPage") -> list[PositionedWord]:
    """All words of a page of pdfplumber, in no order."""
    level = [letter for letter in page.chars if _is_level(letter)]
    dropped = _leaders(level) | _repeats(level)
    upright = page.filter(lambda thing: _is_level(thing) and id(thing) not in dropped)
    found = upright.extract_words(
        x_tolerance_ratio=_WORD_GAP, y_tolerance=2, keep_blank_chars=False, extra_attrs=["size"], expand_ligatures=True
    )
    return [token for word in found for token in _without_leaders(_word(word))]


def _leaders(letters: Sequence[Mapping[str, Any]]) -> set[int]:
    """Dots that are printed one after another: they lead to a value, and may run into it."""
    found: set[int] = set()
    run: list[int] = []
    for letter in letters:
        if letter["text"] in _DOTS:
            run.append(id(letter))
            continue
        if len(run) >= _LEADING:
            found.update(run)
        run = []
    return found.union(run) if len(run) >= _LEADING else found


def _repeats(letters: Sequence[Mapping[str, Any]]) -> set[int]:
    """Letters that are printed over the same letter: bold by hand. The library's own search is quadratic."""
    found: set[int] = set()
    seen: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    for letter in letters:
        text, x0, top = letter["text"], letter["x0"], letter["top"]
        column, line = int(x0 // _ALIKE), int(top // _ALIKE)
        near = (
            place
            for x in (column - 1, column, column + 1)
            for y in (line - 1, line, line + 1)
            for place in seen.get((text, x, y), ())
        )
        if any(abs(x0 - x) <= _ALIKE and abs(top - y) <= _ALIKE for x, y in near):
            found.add(id(letter))
        else:
            seen.setdefault((text, column, line), []).append((x0, top))
    return found


def _is_level(thing: Mapping[str, Any]) -> bool:
    """Only letters, only those that have a place, and only those on level lines: a stamp or a watermark lies askew."""
    if thing["object_type"] != "char" or not (math.isfinite(thing["x0"]) and math.isfinite(thing["top"])):
        return False
    a, b, c, d = thing["matrix"][:4]
    return bool(a > 0 and d > 0 and abs(b) <= _ASKEW * a and abs(c) <= 0.5 * d)


def _word(found: Mapping[str, Any]) -> PositionedWord:
    text = _CID.sub(UNREADABLE, found["text"]).replace("\u00ad", "")
    return PositionedWord(text, found["x0"], found["top"], found["x1"], found["bottom"], found["size"])


def _without_leaders(word: PositionedWord) -> Iterable[PositionedWord]:
    """The dots that lead the eye from a name to its value are no text."""
    share = (word.x1 - word.x0) / max(len(word.text), 1)
    start = 0
    for leader in [*_LEADER.finditer(word.text), None]:
        end = leader.start() if leader else len(word.text)
        if end > start:
            yield word._replace(text=word.text[start:end], x0=word.x0 + share * start, x1=word.x0 + share * end)
        start = leader.end() if leader else end


def body_size(words: Sequence[PositionedWord]) -> float:
    """The size of most letters."""
    return statistics.median(word.size for word in words for _ in word.text) if words else 0.0


def is_oversized(word: PositionedWord, body: float) -> bool:
    """A number may be as large: on a card it is what counts."""
    return word.size > body * _WATERMARK and any(map(str.isalpha, word.text))


def settled(words: Sequence[PositionedWord]) -> list[PositionedWord]:
    """One line's words from left to right: raised marks dropped, powers kept, and what was printed in pieces joined."""
    line: list[PositionedWord] = []
    size = max((word.size for word in words if any(map(str.isalnum, word.text))), default=0.0)
    base = statistics.median(word.bottom for word in words if word.size > size * _RAISED) if size else 0.0
    ordered = sorted(words, key=lambda word: word.x0)
    for word, after in zip_longest(ordered, ordered[1:]):
        last = line[-1] if line else None
        touches = last is not None and word.x0 - last.x1 < _TIGHT * size
        is_beside = last is not None and word.x0 - last.x1 < _BESIDE * size
        if _is_mark(word, last) if last is not None and is_beside else _is_far_mark(word, after, size=size, base=base):
            if last is not None and touches and _is_power(last.text, word.text):
                line[-1] = last._replace(text=last.text + word.text.translate(_SUPERSCRIPTS), x1=word.x1)
            continue
        if last is not None and touches and word.x1 > last.x1:
            line[-1] = last._replace(text=last.text + word.text, x1=word.x1, size=max(last.size, word.size))
        else:
            line.append(word)
    return line


def _is_mark(word: PositionedWord, before: PositionedWord) -> bool:
    """Of a note: short, smaller than the word that it stands beside, and raised above it."""
    is_small = len(word.text) <= _LONGEST_MARK and word.size <= before.size * _RAISED and not is_unit(word.text)
    return is_small and word.bottom < before.bottom - _LIFT * before.size


def _is_far_mark(word: PositionedWord, after: PositionedWord | None, *, size: float, base: float) -> bool:
    """The same at a distance from its word, alone and tiny: small print in a cell of its own is text."""
    is_alone = after is None or after.x0 - word.x1 > _BESIDE * size
    is_tiny = len(word.text) <= _LONGEST_FAR and word.size <= size * _TINY
    return is_alone and is_tiny and word.bottom < base - _LIFT * size


def _is_power(before: str, mark: str) -> bool:
    """10 to the 9th, mm to the 3rd, and what follows such a power (10 to the 9th per litre)."""
    return re.fullmatch(r"[-−+]?\d{1,2}", mark) is not None and _RAISED_TO.search(before) is not None
