"""Fonts whose codes stand for no character: the file numbers their glyphs as it likes, and has no table for them.

What is told for such a glyph is its number, as if that were a character: a quotation mark, a tab. Between good lines of
another font that looks like a text.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import Raw

_CHARACTER = itemgetter(0)
_SPACES = " \xa0"
_FEWEST = 5
"""Control characters: fewer are a slip of the file."""


def with_private_codes(raws: Sequence[Raw]) -> int:
    """How many glyphs are drawn in such fonts.

    Nobody draws control characters: a font that has more of them than of letters and figures is one.
    """
    if min(map(_CHARACTER, raws), default=" ") >= " ":
        return 0
    fonts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for is_white, run in groupby(raws, key=_is_white):
        told = [(raw[4], raw[0]) for raw in run]
        # Some files tell a space as a tab, a line's end and a space at once.
        if is_white and any(character in _SPACES for _, character in told):
            continue
        for font, character in told:
            fonts[font][character] += 1
    return sum(_private(characters) for characters in fonts.values())


def _is_white(raw: Raw) -> bool:
    return raw[0].isspace()


def _private(characters: Counter[str]) -> int:
    controls = sum(count for character, count in characters.items() if character < " ")
    letters = sum(count for character, count in characters.items() if character.isalnum())
    return characters.total() if controls >= _FEWEST and controls > letters else 0
