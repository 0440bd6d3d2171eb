"""Letters of PDFium in the order in which they are seen, from left to right, as pdf-oxide has them.

PDFium tells some words of a line from right to left as they are read, and others as they are seen.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import Letter
from blobforge.processors.pdf_markdown.layout.words.bidi import is_right_to_left
from blobforge.processors.pdf_markdown.layout.words.fonts import is_typewriter

_LEVEL = 1
"""Digits of a place, in points, by which letters are in one line."""
_FAR = 0.9
"""Of the size: a letter beyond a space stands farther away."""
_ALEF = frozenset("\u0622\u0623\u0625\u0627\u0671")
_LAM = "\u0644"


def as_seen(letters: Iterable[Letter]) -> list[Letter]:
    seen: list[Letter] = []
    for (_, is_turned), group in groupby(letters, key=_line):
        line = list(group)
        # A space without width stands where PDFium has put it, not where there is one.
        shown = [
            _ligature_as_seen(line, place)
            for place, letter in enumerate(line)
            if letter.advance_width or not letter.char.isspace()
        ]
        seen += shown if is_turned else _wide(sorted(shown, key=lambda letter: letter.origin_x))
    return seen


def _wide(line: Sequence[Letter]) -> list[Letter]:
    """PDFium tells where the ink of a letter ends: in a face of one width the next one says more, if it stands near."""
    wide = list(line)
    for place, (letter, after) in enumerate(pairwise(line)):
        step = after.origin_x - letter.origin_x
        if is_typewriter(letter.font_name) and letter.advance_width < step < _FAR * letter.font_size:
            wide[place] = letter._replace(advance_width=step)
    return wide


def _line(letter: Letter) -> tuple[float, bool]:
    return round(letter.origin_y, _LEVEL), bool(letter.rotation_degrees)


def _ligature_as_seen(line: Sequence[Letter], place: int) -> Letter:
    """The letters of one glyph are told in the order of its word."""
    letter = line[place]
    if len(letter.char) == 1:
        return letter
    text = letter.char.strip() or letter.char
    if is_right_to_left(text) and _is_told_as_read(text, line[max(place - 1, 0) : place + 2]):
        text = text[::-1]
    return letter._replace(char=text)


def _is_told_as_read(text: str, around: Sequence[Letter]) -> bool:
    if _LAM in text and _ALEF & set(text):
        return text[0] == _LAM  # no glyph is alef before lam
    word = [letter.origin_x for letter in around if not letter.char.isspace()]
    return word[0] >= word[-1]
