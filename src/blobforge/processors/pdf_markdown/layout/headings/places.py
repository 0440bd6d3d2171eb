"""Headings that look almost like the body, told by position: alone in a line, space above, running text below."""

import re

from blobforge.processors.pdf_markdown.layout.headings.words import is_section_number
from blobforge.processors.pdf_markdown.layout.model.passages import Look, Passage, PassageRole

_LONGEST = 60
_SPACE = 0.3
"""Of the size: so much more than from line to line is space above a heading."""
_NEAR = 2.0
"""Of the size: the text under a heading is no farther."""
_SAME_MIDDLE = 1.0
_SAME_SIZE = 0.5
_STANDS_IN = 2.0
"""Of the size: so far from both edges is a centred line."""
_LINE_HEIGHT = 1.02
"""Of the size: how high the box of a line is."""
_SMALLEST_EYEBROW = 0.7
_ENDS = ".!?:;”\"')"
_ITALIC = re.compile(r"\*[^*]+\*")


def is_in_italics(passage: Passage) -> bool:
    """All of it, and nothing else."""
    return _ITALIC.fullmatch(passage.text) is not None


def stands_as_title(
    passage: Passage, before: Passage | None, follows: Passage | None, *, size: float, leading: float
) -> bool:
    """Whether a line in italics, centred, numbered or in small bold capitals has the place of a title.

    `size` is the body's, and `leading` a multiple of it."""
    if passage.look is None or follows is None or passage.lines > 1 or len(passage.plain) > _LONGEST:
        return False
    if _is_number_over_title(passage, follows):
        return True
    if not (_is_over_text(passage, follows, size) and _is_after_text(before)):
        return False
    if before is not None and not _has_space_above(passage, before, leading):
        return False
    is_flush = abs(passage.box.left - follows.box.left) < passage.look.size
    is_marked = is_in_italics(passage) or is_eyebrow(passage, passage.look, size)
    is_numbered = passage.role is PassageRole.ITEM and passage.marker[:1].isdigit()
    return (is_flush and (is_marked or is_numbered)) or _is_centred(passage, follows, passage.look.size)


def is_eyebrow(passage: Passage, look: Look, size: float) -> bool:
    """Capitals, bold or in colour, that are smaller than the body."""
    return look.caps and passage.stands_out and _SMALLEST_EYEBROW * size <= look.size < size


def _is_over_text(passage: Passage, text: Passage, size: float) -> bool:
    if text.role is not PassageRole.PARAGRAPH or text.lines < 2 or text.page != passage.page or text.look is None:
        return False
    is_like_body = not text.look.italic and abs(text.look.size - size) < _SAME_SIZE
    gap = text.box.top - passage.box.bottom
    return is_like_body and -1 <= gap < _NEAR * size and text.box.left < passage.box.right


def _is_number_over_title(passage: Passage, title: Passage) -> bool:
    """As laws have it: "Article 5", and right under its middle what it is about, which stands out more."""
    if passage.look is None or title.look is None or not title.stands_out or title.lines > 1:
        return False
    is_below = 0 <= title.box.top - passage.box.bottom < passage.look.size
    is_in_middle = abs(passage.box.middle - title.box.middle) < _SAME_MIDDLE and title.look.size <= passage.look.size
    return is_section_number(passage.plain) and is_below and is_in_middle


def _is_after_text(before: Passage | None) -> bool:
    """Under a title stands who wrote it, and beside a picture what it shows."""
    if before is None or before.role in (
        PassageRole.TABLE,
        PassageRole.QUOTE,
        PassageRole.ITEM,
        PassageRole.CODE,
        PassageRole.NOTE,
    ):
        return True
    return before.role is PassageRole.PARAGRAPH and not before.stands_out and before.plain[-1:] in _ENDS


def _has_space_above(passage: Passage, before: Passage, leading: float) -> bool:
    """At the top of a column or a page there is always some."""
    if before.page != passage.page or before.box.bottom > passage.box.top + 1 or passage.look is None:
        return True
    between_lines = leading - _LINE_HEIGHT
    return passage.box.top - before.box.bottom >= (between_lines + _SPACE) * passage.look.size


def _is_centred(passage: Passage, text: Passage, size: float) -> bool:
    """In the middle of the text below, which is as wide as the column."""
    stands_in = min(passage.box.left - text.box.left, text.box.right - passage.box.right)
    is_in_middle = abs(passage.box.middle - text.box.middle) < _SAME_MIDDLE * size
    return passage.role is PassageRole.PARAGRAPH and is_in_middle and stands_in > _STANDS_IN * size
