"""Bold, italic and monospaced faces, by the names of fonts and the widths of their letters."""

import re
from collections.abc import Sequence
from functools import lru_cache

from blobforge.processors.pdf_markdown.layout.model.content import Style, TextRun

_BOLD = re.compile(r"bold|black|heavy|semib|demi(?!n)|\bmed|\b(?:cm|sf|ec|lm)(?:ss)?bx?(?:ti|sl)?\d", re.IGNORECASE)
_BOLD_SHORT = re.compile(r"[-,](?:[A-Z][a-z]+)*(?:Bd|Blk|Hv)(?![a-z])")
_PLAIN = re.compile(r"regular|[-,](?:regu|roman?|book|light|normal)(?![a-z])", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obliq|slant|kursiv|\b(?:cm|sf|ec)(?:b|bx)?(?:ti|sl)\d|\bcmssi\d", re.IGNORECASE)
_ITALIC_SHORT = re.compile(r"[-,](?:[A-Z][a-z]*)*It(?![a-z])")
_TYPEWRITER = re.compile(
    r"mono(?!type)|courier|typewriter|consol|menlo|monaco|inconsolata|(?:source|fira|cascadia)code|lettergothic"
    r"|nimbusmon|\b(?:cm|sf|ec|tx)[a-z]*tt\d|lm[a-z]*mono|lmtt|andale|ocr-?[ab]\b|fixedsys|terminal",
    re.IGNORECASE,
)
_NARROW, _WIDE = set("ijlI.,:;'!|"), set("mwMW@%")
_ENOUGH_LETTERS, _ENOUGH_WORDS = 20, 4
_EQUAL = 0.005
"""Of the size: so much may the widths of letters differ that are all as wide."""
_REMEMBERED = 256
"""Names: they are asked for word by word."""


@lru_cache(maxsize=_REMEMBERED)
def is_bold(name: str, *, is_said: bool) -> bool:
    """`is_said`: the file says so, which some do of every font."""
    is_named = _BOLD.search(name) is not None or _BOLD_SHORT.search(name) is not None
    return is_named or (is_said and _PLAIN.search(name) is None)


@lru_cache(maxsize=_REMEMBERED)
def is_italic(name: str) -> bool:
    return _ITALIC.search(name) is not None or _ITALIC_SHORT.search(name) is not None


@lru_cache(maxsize=_REMEMBERED)
def is_typewriter(name: str) -> bool:
    return _TYPEWRITER.search(name) is not None


def is_monospaced(style: Style) -> bool:
    return style.mono or is_typewriter(style.font)


def with_typewriters(pieces: list[TextRun]) -> list[TextRun]:
    """The same pieces, those whose narrow letters are as wide as the wide ones in a typewriter's style."""
    found = {id(style): style._replace(mono=True) for style in _fixed_in_width(pieces)}
    if not found:
        return pieces
    return [piece._replace(style=found.get(id(piece.style), piece.style)) for piece in pieces]


def _fixed_in_width(pieces: Sequence[TextRun]) -> list[Style]:
    """By a look at every piece: but most fonts show soon that their letters differ."""
    samples: dict[int, list[TextRun]] = {}
    for piece in pieces:
        sample = samples.setdefault(id(piece.style), [piece])
        if sample and len(piece.text) > 1:
            if piece.style.mono or abs(_width(piece) - _width(sample[0])) > _EQUAL * piece.style.size:
                sample.clear()
            else:
                sample.append(piece)
    return [sample[0].style for sample in samples.values() if _is_telling(sample)]


def _width(piece: TextRun) -> float:
    return (piece.right - piece.left) / len(piece.text)


def _is_telling(pieces: Sequence[TextRun]) -> bool:
    """Whether there are enough words with narrow and wide letters."""
    letters = {letter for piece in pieces for letter in piece.text}
    is_mixed = not letters.isdisjoint(_NARROW) and not letters.isdisjoint(_WIDE)
    words = {piece.text for piece in pieces}
    return is_mixed and len(words) >= _ENOUGH_WORDS and sum(map(len, words)) >= _ENOUGH_LETTERS
