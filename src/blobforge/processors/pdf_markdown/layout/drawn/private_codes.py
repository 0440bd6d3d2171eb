"""Fonts whose codes stand for no character: the file numbers their glyphs as it likes, and has no table for them.

What is told for such a glyph is its number, as if that were a character: a quotation mark, a tab, another letter.
Between good lines of another font that looks like a text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter

from blobforge.processors.pdf_markdown.layout.drawn.ligatures import Raw
from blobforge.processors.pdf_markdown.layout.model.content import TextLine

_CHARACTER = itemgetter(0)
_SPACES = " \xa0"
_FEWEST = 5
"""Control characters: fewer are a slip of the file."""

_ENOUGH = 40
"""Letters and signs of a font: fewer are a label or a formula."""
_LETTERS = r"[^\W\d_]{1,24}(?:['’-][^\W\d_]{1,24})*"
_FIGURES = r"[-+$€£]?\d[\d.,:/%-]*"
_WORD = re.compile(rf"""[("'\[«“‘„*-]*(?:{_LETTERS}|[^\x00-\x7f]+|{_FIGURES})[.,;:!?)"'\]»”’*-]*""")
_WORDS = 0.6
"""Of a text, by its letters and signs."""
_VOWELS = frozenset("aeiouy")
_FEWEST_VOWELS, _MOST_VOWELS = 0.25, 0.65
"""Of plain letters, in all languages that are written with them."""
_ENOUGH_LETTERS = 100


def in_cipher(lines: Sequence[TextLine], coded_fonts: Callable[[], frozenset[str]]) -> int:
    """How many letters and signs are set in fonts that do not tell what their codes stand for, and that read as no
    language does. These fonts are only asked for where there is such a text."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for line in lines:
        for word in line.words:
            texts[word.style.font] += (" ", word.text) if word.spaced else (word.text,)
    strange = {font: text for font, parts in texts.items() if not is_language(text := "".join(parts))}
    if not strange:
        return 0
    coded = coded_fonts()
    return sum(len("".join(text.split())) for font, text in strange.items() if font in coded)


def is_language(text: str) -> bool:
    """Words and numbers between spaces, and vowels among their letters."""
    words = text.split()
    total = sum(map(len, words))
    if total < _ENOUGH:
        return True
    if sum(len(word) for word in words if _WORD.fullmatch(word)) < _WORDS * total:
        return False
    letters = [letter for letter in text.lower() if "a" <= letter <= "z"]
    vowels = sum(letter in _VOWELS for letter in letters)
    is_short = len(letters) < _ENOUGH_LETTERS
    return is_short or _FEWEST_VOWELS * len(letters) <= vowels <= _MOST_VOWELS * len(letters)


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
