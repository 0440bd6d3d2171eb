"""Capitals that are set for show: small capitals, spread letters and drop caps come back as plain words."""

from collections.abc import Sequence
from statistics import median

from blobforge.processors.pdf_markdown.layout.model import Line, Piece, Style, Word

_SMALL_CAPITAL = (0.6, 0.92)
"""Of the initial: between these a capital is a small one; a smaller one is something else."""
_FEWEST_SPREAD = 5
_WORD_GAP = 1.5
"""Of the gap between spread letters: a wider one lies between words."""
_DROP_CAP = 1.9
"""Of the size of the text beside it."""


def lowered(piece: Piece, initial: Style) -> str:
    """The text of a piece of a word whose initial is larger."""
    return piece.text.lower() if _is_small(piece.text, piece.style, initial) else piece.text


def with_normal_case(words: list[Word]) -> list[Word]:
    """The words of one line, without spread letters and small capitals."""
    if len(words) >= _FEWEST_SPREAD and all(len(word.text) == 1 and word.text.isalpha() for word in words):
        words = _drawn_together(words)
    if len(words) > 1:
        words = _without_small_words(words)
    return words


def with_drop_caps(lines: list[Line]) -> list[Line]:
    """A very large initial goes to the word that it begins; it stands left of the first line that it is as high as."""
    initials = [line for line in lines if len(line.words) == 1 and len(line.text) == 1 and line.text.isupper()]
    gone: set[int] = set()
    for initial in initials:
        host = _host(initial, lines)
        if host is None:
            continue
        first = host.words[0]
        if _is_word_alone(initial.text, first.text, lines):
            host.words = [initial.words[0]._replace(style=first.style, right=first.left), *host.words]
        else:
            host.words = [first._replace(text=initial.text + first.text, left=initial.left), *host.words[1:]]
        gone.add(id(initial))
    return [line for line in lines if id(line) not in gone] if gone else lines


def _is_small(text: str, style: Style, initial: Style) -> bool:
    least, most = _SMALL_CAPITAL
    return least * initial.size <= style.size <= most * initial.size and text.isupper()


def _drawn_together(words: Sequence[Word]) -> list[Word]:
    """ "C H A P T E R" is one word; where the gap is wider than between its letters, another begins."""
    gaps = [after.left - before.right for before, after in zip(words, words[1:], strict=False)]
    wide = _WORD_GAP * median(gaps)
    together = [words[0]]
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap > wide:
            together.append(word)
        else:
            together[-1] = together[-1]._replace(text=together[-1].text + word.text, right=word.right)
    return together


def _without_small_words(words: list[Word]) -> list[Word]:
    """Words all in small capitals, like the "of" among words with large initials."""
    largest = max((word.style for word in words), key=lambda style: style.size)
    if all(word.style.size == largest.size for word in words):
        return words
    if not any(word.style.size == largest.size and word.text[1:].islower() for word in words):
        return words
    return [
        word._replace(text=word.text.lower(), style=word.style._replace(size=largest.size))
        if word.style.font == largest.font and _is_small(word.text, word.style, largest)
        else word
        for word in words
    ]


def _host(initial: Line, lines: Sequence[Line]) -> Line | None:
    beside = [
        line
        for line in lines
        if initial.top - 0.2 * line.size < line.base <= initial.base + 0.2 * line.size
        and initial.size >= _DROP_CAP * line.size
        and -0.3 * initial.size < line.left - initial.right < 0.8 * line.size
    ]
    first = min(beside, key=lambda line: line.base, default=None)
    # One line beside a large letter is a label; a drop cap has text beside it as high as itself.
    return first if first is not None and len(beside) > 1 and first.words[0].text[:1].isalpha() else None


def _is_word_alone(initial: str, rest: str, lines: Sequence[Line]) -> bool:
    """ "A" and "I" are words; they stand alone when what follows is a word of this page by itself."""
    if initial not in ("A", "I", "O"):
        return False
    wanted = rest.strip(".,;:").lower()
    return any(word.text.strip(".,;:").lower() == wanted for line in lines for word in line.words[1:])
