"""Right-to-left text: a page holds it as it looks, from left to right; here it gets the order in which it is read."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord

_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_PRESENTATION = re.compile(r"[\ufb1d-\ufdff\ufe70-\ufefc]")
_KEPT = re.compile(
    r"[0-9\u0660-\u0669\u06f0-\u06f9](?:[0-9\u0660-\u0669\u06f0-\u06f9.,:/%-]*[0-9\u0660-\u0669\u06f0-\u06f9%])?"
)
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def is_right_to_left(text: str) -> bool:
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def reads_from_right(lines: Iterable[TextLine]) -> bool:
    """Whether most lines do, so that their columns do too."""
    votes = [is_right_to_left(line.text) for line in lines]
    return 2 * sum(votes) > len(votes)


def in_logical_order(words: list[TextWord]) -> list[TextWord]:
    """The words of a line; untouched when none is right-to-left."""
    if all(word.text.isascii() for word in words) or not any(is_right_to_left(word.text) for word in words):
        return words
    gaps = {(id(before), id(after)): after.spaced for before, after in pairwise(words)}
    runs = [(backwards, list(run)) for backwards, run in groupby(words, key=lambda word: is_right_to_left(word.text))]
    if sum(map(_weight, words)) > 0:
        runs.reverse()
        # Numbers that follow each other do so from right to left, each in itself from left to right.
        runs = [(backwards or not any(map(_weight, run)), run) for backwards, run in runs]
    ordered = [word for backwards, run in runs for word in (reversed(run) if backwards else run)]
    return _spaced(ordered, gaps)


def _weight(word: TextWord) -> int:
    """How many letters speak for reading from the right; less than none where they speak against it."""
    letters = sum(map(str.isalpha, word.text))
    return letters if is_right_to_left(word.text) else -letters


def _spaced(words: Sequence[TextWord], gaps: dict[tuple[int, int], bool]) -> list[TextWord]:
    """With the space that stands between each and the one before it, from whichever side."""
    put: list[TextWord] = []
    for place, word in enumerate(words):
        before = words[place - 1] if place else word
        spaced = gaps.get((id(before), id(word)), gaps.get((id(word), id(before)), True))
        put.append(word._replace(text=_read(word.text), spaced=spaced))
    return put


def _read(text: str) -> str:
    """The letters of one word from right to left, its numbers from left to right, its brackets turned."""
    if not is_right_to_left(text):
        return text
    backwards = text.translate(_MIRRORED)[::-1]
    read = _KEPT.sub(lambda found: found[0][::-1], backwards)
    return _PRESENTATION.sub(lambda found: unicodedata.normalize("NFKC", found[0]), read)
