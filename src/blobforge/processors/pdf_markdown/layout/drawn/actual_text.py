"""Text that is told beside what is drawn (ActualText), such as a no-break space beside the space that shows it.

pdf-oxide takes the bytes of that text, in UTF-8, for codes of the font: a no-break space becomes "Â" and whatever the
font has at A0, and what was drawn in one go with it stands too far right. PDFium is not mistaken in it.
"""

import re
from collections.abc import Sequence
from operator import attrgetter

from blobforge.processors.pdf_markdown.layout.drawn.libraries import Character

_FOLLOWING = "[\x80-\xbf" + bytes(range(0x80, 0xA0)).decode("cp1252", "ignore") + "]"
"""The bytes after the first one of a character, as fonts have them."""
_BETWEEN = ".{0,2}"
"""They stand too far right, so that others may come first."""
_BYTES = re.compile(f"[ÂÃ]|[Ä-ß]{_BETWEEN}{_FOLLOWING}|[à-ô](?:{_BETWEEN}{_FOLLOWING}){{2}}", re.DOTALL)
"""Of the most usual ones the first byte says enough: many fonts have something else at the second."""
_OTHER_SCRIPT = re.compile("[\u0400-\u1fff\u2e80-\ud7ff]")
_FIRST = re.compile("[Â-ô]")
"""Beside letters of other scripts each of them may be one: fonts have nothing at many of the bytes that follow."""
_CHARACTER = attrgetter("char")


def text_of(chars: Sequence[Character]) -> str:
    return "".join(map(_CHARACTER, chars))


def first_bytes_in(text: str) -> set[str]:
    """Letters that may be the first bytes of characters, or true letters."""
    if text.isascii():
        return set()
    if _OTHER_SCRIPT.search(text):
        return set(_FIRST.findall(text))
    return {found[0][0] for found in _BYTES.finditer(text)}
