"""Capitals that are set for show: small capitals, spread letters and drop caps come back as plain words."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median_low
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextLine, TextRun, TextWord

_SMALL_CAPITAL = (0.6, 0.92)
"""Of the initial: between these a capital is a small one; a smaller one is something else."""
_FEWEST_SPREAD = 3
_FEWEST_SPACED = 5
_PAIR = 2
_MOSTLY_LETTERS = 0.7
"""Of spread letters: others are a number and its sign, as in "C H A P T E R  1 2"; a row of a table has more."""
_WORD_GAP = 1.5
"""Of the gap between spread letters: a wider one lies between words."""
_FARTHEST = 5.0
"""Of that gap: no word is farther away; other columns are."""
DROP_CAP = 1.9
"""Of the size of the text beside it."""
_TOUCHING = 0.3
"""Of the size: so near to a raised initial is the rest of its word."""


class SmallCapitals(NamedTuple):
    """What shows that a line has them: a word in this font with capitals of both sizes."""

    font: str
    large: Style
    size: float


def small_capitals_in(pieces: Sequence[TextRun]) -> SmallCapitals | None:
    """For the pieces of one word. What letters the file names is no help: it may have "TraiTs" or "TRAITS"."""
    largest = max((piece.style for piece in pieces), key=lambda style: style.size)
    least, most = _SMALL_CAPITAL
    for piece in pieces:
        is_smaller = least * largest.size <= piece.style.size <= most * largest.size
        if is_smaller and piece.style.font == largest.font and piece.text[0].isalpha():
            return SmallCapitals(largest.font, largest, piece.style.size)
    return None


def in_normal_case(pieces: Sequence[TextRun]) -> str:
    """The text of a word in small capitals."""
    large = max(piece.style.size for piece in pieces)
    return "".join(piece.text.upper() if piece.style.size == large else piece.text.lower() for piece in pieces)


def with_normal_case(words: list[TextWord], capitals: SmallCapitals | None) -> list[TextWord]:
    """The words of one line, those all in small capitals too, like the "of" among words with large initials."""
    if capitals is None:
        return words
    return [
        word._replace(text=word.text.lower(), style=capitals.large)
        if word.style.font == capitals.font and word.style.size == capitals.size
        else word
        for word in words
    ]


def spread_words(row: Sequence[TextRun]) -> list[TextWord]:
    """The words of a row of spread letters, such as "C H A P T E R  O N E"; nothing when it is none."""
    if len(row) < _FEWEST_SPREAD or any(len(piece.text) > _PAIR for piece in row) or not _are_single(row):
        return []
    if not row[0].text.isalpha() or sum(piece.text.isalpha() for piece in row) < _MOSTLY_LETTERS * len(row):
        return []
    # Single letters with spaces between them may be just that.
    if len(row) < _FEWEST_SPACED and any(piece.before for piece in row[1:]):
        return []
    gaps = [after.left - before.right for before, after in pairwise(row)]
    usual = median_low(gaps)
    if row[0].style != row[-1].style or max(gaps) > _FARTHEST * usual or min(gaps) <= 0:
        return []
    words = [TextWord(row[0].text, row[0].left, row[0].right, row[0].style)]
    for gap, piece in zip(gaps, row[1:], strict=True):
        if gap > _WORD_GAP * usual:
            words.append(TextWord(piece.text, piece.left, piece.right, piece.style))
        else:
            words[-1] = words[-1]._replace(text=words[-1].text + piece.text, right=piece.right)
    return words


def _are_single(row: Sequence[TextRun]) -> bool:
    """Two capitals may be drawn as one piece where the font sets them closer, such as AV or OW."""
    pairs = [piece.text for piece in row if len(piece.text) > 1]
    return not pairs or (len(row) > _FEWEST_SPACED * len(pairs) and all(map(_is_pair, pairs)))


def _is_pair(text: str) -> bool:
    return len(text) == _PAIR and text.isupper()


def is_initial(text: str) -> bool:
    return len(text) == 1 and text.isupper()


def with_drop_caps(lines: list[TextLine]) -> list[TextLine]:
    """A very large initial goes to the word that it begins; it stands left of the first line that it is as high as."""
    initials = [line for line in lines if len(line.words) == 1 and is_initial(line.text)]
    gone: set[int] = set()
    for initial in initials:
        host = _host(initial, lines)
        if host is None:
            continue
        first = host.words[0]
        if _is_word_alone(initial.text, first.text, lines):
            host.words = [initial.words[0]._replace(style=first.style, right=first.left), *host.words]
        else:
            rest = first.text.lower() if first.text.isupper() else first.text
            host.words = [first._replace(text=initial.text + rest, left=initial.left), *host.words[1:]]
        gone.add(id(initial))
    return [line for line in lines if id(line) not in gone] if gone else lines


def _host(initial: TextLine, lines: Sequence[TextLine]) -> TextLine | None:
    beside = [
        line
        for line in lines
        if initial.top - 0.2 * line.size < line.base <= initial.base + 0.2 * line.size
        and initial.size >= DROP_CAP * line.size
        and -0.3 * initial.size < line.left - initial.right < 0.8 * line.size
    ]
    first = min(beside, key=lambda line: line.base, default=None)
    if first is None or not first.words[0].text[:1].isalpha():
        return None
    # One line beside a large letter is a label; a drop cap has text beside it as high as itself, or stands up from
    # the first line and touches it.
    is_raised = abs(first.base - initial.base) < 1 and first.left - initial.right < _TOUCHING * first.size
    return first if len(beside) > 1 or is_raised else None


def _is_word_alone(initial: str, rest: str, lines: Sequence[TextLine]) -> bool:
    """ "A" and "I" are words; they stand alone when what follows is a word of this page by itself."""
    if initial not in ("A", "I", "O"):
        return False
    wanted = rest.strip(".,;:").lower()
    return any(word.text.strip(".,;:").lower() == wanted for line in lines for word in line.words[1:])
