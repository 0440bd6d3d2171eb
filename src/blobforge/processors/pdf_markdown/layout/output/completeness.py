"""Completeness check: compares the letters drawn on a page with those in its passages, and rates the page."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import NOTICED, Point, Rectangle, TextLine
from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, all_of

TEXT_LOST = "text_lost"
UNKNOWN_GLYPHS = "unknown_glyphs"
OVERLAPPING = "overlapping_blocks"
DOUBTFUL_LAYER = "doubtful_text_layer"
SECOND_READER = "second_reader"

_MOST_UNKNOWN = 0.02
_UNREADABLE = 0.1
HIDDEN = 0.5
"""Of the text of a page: with more than this, it is a scan with a text layer."""
_PLAUSIBLE = 0.8
_WORD = re.compile(r"\W*(?:\w*[aeiouyà-öø-ÿœ]\w*|[^\x00-\x7f]+|[A-Z]{1,5}|\d+\w{1,3})(?:['’-]\w+)*\W*", re.IGNORECASE)
_OVERLAP = 0.3
"""Of the smaller box: passages that lie so much over each other may be woven together."""


class Quality(NamedTuple):
    """`confidence` is the share of the drawn letters that are told and known, from 0 to 1.

    `unreadable`: the letters do not make words, so that OCR may read more from the page's picture.
    """

    confidence: float
    warnings: tuple[str, ...]
    unreadable: bool = False
    hidden: bool = False
    """The text lies hidden behind a scan."""


def quality_of(
    lines: Sequence[TextLine],
    passages: Sequence[Passage],
    *,
    unknown: float,
    invisible: float = 0.0,
    is_second_reading: bool = False,
    slanted: Sequence[Point] = (),
) -> Quality:
    """`lines` are those that the page says on its own, without what runs along; `slanted` are letters that were not
    read; `unknown` is the share of its glyphs that stand for no character, `invisible` the share of its text that lies
    hidden behind a scan."""
    lost = _lost(lines, passages, slanted=_outside_pictures(slanted, passages))
    is_doubtful = invisible > HIDDEN and _plausible(lines) < _PLAUSIBLE
    found = {
        TEXT_LOST: lost > NOTICED,
        UNKNOWN_GLYPHS: unknown > _MOST_UNKNOWN,
        DOUBTFUL_LAYER: is_doubtful,
        SECOND_READER: is_second_reading,
        OVERLAPPING: any(_overlap(one.box, other.box) for one, other in combinations(_texts(passages), 2)),
    }
    confidence = round((1 - lost) * (1 - unknown), 3)
    warnings = tuple(name for name, is_so in found.items() if is_so)
    is_unreadable = is_doubtful or unknown > _UNREADABLE
    return Quality(confidence, warnings, unreadable=is_unreadable, hidden=invisible > HIDDEN)


def _plausible(lines: Iterable[TextLine]) -> float:
    """The share of the words that look like words: made of letters, with a vowel among them where it is our script."""
    words = [word for line in lines for word in line.text.split() if any(map(str.isalpha, word))]
    return sum(_WORD.fullmatch(word) is not None for word in words) / len(words) if words else 0.0


def _outside_pictures(slanted: Sequence[Point], passages: Iterable[Passage]) -> int:
    """Within a picture they are seen."""
    pictures = [passage.box for passage in all_of(passages) if passage.role is PassageRole.FIGURE] if slanted else []
    return sum(not any(box.has(point) for box in pictures) for point in slanted)


def _lost(lines: Iterable[TextLine], passages: Iterable[Passage], *, slanted: int) -> float:
    """By letters and not by words, since words are put together where a line had broken them."""
    drawn = Counter(letter for line in lines for letter in line.text.casefold() if letter.isalnum())
    told = Counter(letter for text in _told(passages) for letter in text.casefold() if letter.isalnum())
    total = drawn.total() + slanted
    return ((drawn - told).total() + slanted) / total if total else 0.0


def _told(passages: Iterable[Passage]) -> Iterable[str]:
    for passage in all_of(passages):
        yield passage.marker
        yield passage.plain or passage.text
        for row in passage.rows:
            yield from row


def _texts(passages: Iterable[Passage]) -> list[Passage]:
    """Those that were read at the angle of the page."""
    return [passage for passage in passages if passage.role not in (PassageRole.FIGURE, PassageRole.ASIDE)]


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    return width > 0 and height > 0 and width * height > _OVERLAP * min(one.area, other.area)
