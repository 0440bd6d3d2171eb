"""Whether pdf-oxide has extracted all text of a page, and nothing else. PDFium is asked only where the page's resources
name a risk, or where the text looks like bytes."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter
from statistics import median_low
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.drawn.actual_text import first_bytes_in, text_of
from blobforge.processors.pdf_markdown.layout.drawn.libraries import Character
from blobforge.processors.pdf_markdown.layout.drawn.pdfium_pages import PdfiumDocument
from blobforge.processors.pdf_markdown.layout.drawn.private_codes import is_language
from blobforge.processors.pdf_markdown.layout.drawn.resources import DocumentResources, HiddenTextRisk
from blobforge.processors.pdf_markdown.layout.drawn.seen_order import as_seen
from blobforge.processors.pdf_markdown.layout.drawn.turns import MUCH_TURNED
from blobforge.processors.pdf_markdown.layout.words.bidi import is_right_to_left
from blobforge.processors.pdf_markdown.layout.words.characters import LOST

_MOST_LOST = 0.02
_IN_A_LIGATURE = 3
_MOST_FORM_LOOKS = 3
_PAGES_A_LOOK = 10
"""Forms that are only forms are looked into on a page out of so many at most: it costs as much as reading the page."""
_NEAR = 1.0
_PLACE = attrgetter("char", "origin_x", "origin_y")
_MUCH = 0.25
"""Of the letters of a page: more than these are no labels of a drawing."""
_LONG = 25
"""Letters: so long are the lines of running text."""
_PROSE = 0.7
_OVER = 0.5
"""Of its width: a letter that begins within so much of the one before it lies over that."""
_MOST_OVER = 4
"""Letters of one word that do so: accents, composed signs and letters that are struck are fewer."""


class PageCharacters(NamedTuple):
    chars: Sequence[Character]
    labels: Sequence[Character] = ()
    """Others, which are labels of a drawing that came from another document."""


class TextCoverage:
    """At the pages of one document, counted from 1."""

    def __init__(self, resources: DocumentResources, document: PdfiumDocument, *, pages: int) -> None:
        self._resources = resources
        self._document = document
        self._form_looks = min(pages // _PAGES_A_LOOK, _MOST_FORM_LOOKS)

    def completed(self, chars: Sequence[Character], number: int) -> PageCharacters:
        """The characters of a page; those of PDFium, where it has clearly more to read, or less that is wrong."""
        drawn = self._from_right(chars, number) or self._drawn(chars, number) or self._parted(chars, number)
        if drawn is not None:
            return PageCharacters(drawn)
        risk = self._resources.risk_of(number)
        if risk is None or (risk is HiddenTextRisk.FORM and self._form_looks <= 0):
            return PageCharacters(chars)
        found, wanted = text_of(chars), self._document.letters(number - 1)
        if lost_of(found, wanted) <= _MOST_LOST:
            # The program that made a document makes all its forms alike.
            self._form_looks -= risk is HiddenTextRisk.FORM
            return PageCharacters(chars)
        # Of letters that are drawings, PDFium tells the codes, where only the names of the glyphs tell more.
        if risk is HiddenTextRisk.DRAWN_LETTERS and is_language(found) and not is_language(wanted):
            return PageCharacters(chars)
        # What much of is turned is read anew in any case.
        is_upright = sum(bool(char.rotation_degrees) for char in chars) < MUCH_TURNED
        if risk is HiddenTextRisk.PLACED and is_upright and are_labels(found, wanted):
            return PageCharacters(
                chars, self._document.extract_chars(number - 1, is_wanted=_OccupiedPlaces(chars).is_free)
            )
        return PageCharacters(self._document.extract_chars(number - 1))

    def _from_right(self, chars: Sequence[Character], number: int) -> Sequence[Character] | None:
        """What PDFium reads on a page with lines from right to left where letters are lost; None elsewhere.

        Browsers tell brackets there, and ligatures, beside what is drawn: pdf-oxide loses them, and what was drawn in
        one go with them stands too far right, numbers within words.
        """
        text = text_of(chars)
        if LOST not in text:
            return None
        with suppress(RuntimeError):
            if not is_right_to_left(self._document.letters(number - 1)):
                return None
            drawn = as_seen(self._document.extract_chars(number - 1))
            read = text_of(drawn)
            if read.count(LOST) < text.count(LOST) and lost_of(read, text.replace(LOST, "")) <= _MOST_LOST:
                return drawn
        return None

    def _drawn(self, chars: Sequence[Character], number: int) -> Sequence[Character] | None:
        """What PDFium reads on a page where letters of pdf-oxide are bytes; None where they are true letters."""
        text = text_of(chars)
        letters = first_bytes_in(text)
        if not letters:
            return None
        with suppress(RuntimeError):
            drawn = self._document.extract_chars(number - 1)
            read = text_of(drawn)
            bytes_told = {letter for letter in letters if read.count(letter) < text.count(letter)}
            wanted = "".join(char for char in text if char not in bytes_told)
            # What is drawn as a capital may be told as a small letter.
            if bytes_told and lost_of(read.lower(), wanted.lower()) <= _MOST_LOST:
                return drawn
        return None

    def _parted(self, chars: Sequence[Character], number: int) -> Sequence[Character] | None:
        """What PDFium reads on a page where text lies over text; None elsewhere. pdf-oxide tells their letters mixed,
        from left to right, and those that are alike once."""
        if not _lie_over_each_other(chars):
            return None
        with suppress(RuntimeError):
            drawn = self._document.extract_chars(number - 1)
            return drawn if lost_of(text_of(drawn), text_of(chars)) <= _MOST_LOST else None
        return None


def _lie_over_each_other(chars: Sequence[Character]) -> bool:
    over, last, end, base = 0, "", 0.0, 0.0
    for char in chars:
        letter, x, y, advance = char.char, char.origin_x, char.origin_y, char.advance_width
        if y != base or letter.isspace() or not advance:
            over = 0
        elif x < end - _OVER * advance and letter != last:
            over += 1
        if over >= _MOST_OVER:
            return True
        last, base, end = letter, y, x + advance
    return False


class _OccupiedPlaces:
    """The places of characters, and a way to ask whether there is one where another reader finds a letter."""

    def __init__(self, chars: Sequence[Character]) -> None:
        self._letters: dict[tuple[str, int], list[float]] = {}
        self._rows: dict[int, list[float]] = {}
        for letter, x, y in map(_PLACE, chars):
            row = round(y)
            self._letters.setdefault((letter, row), []).append(x)
            self._rows.setdefault(row, []).append(x)
        self._far = median_low([char.font_size for char in chars]) if chars else 0.0

    def is_free(self, letter: str, x: float, y: float) -> bool:
        """Readers may differ about widths, so the same letter a little farther on is the same."""
        row = round(y)
        near = (row, row - 1, row + 1)
        for each in near:
            for other in self._letters.get((letter, each), ()):
                if abs(other - x) < self._far:
                    return False
        return not any(abs(other - x) < _NEAR for each in near for other in self._rows.get(each, ()))


def lost_of(found: str, wanted: str) -> float:
    """The share of the letters that were not found, in whatever order.

    Those of ligatures are looked for elsewhere."""
    have, want = _letters(found), _letters(wanted)
    missing = (want - have).total() - _IN_A_LIGATURE * found.count(LOST)
    return missing / want.total() if missing > 0 else 0.0


def are_labels(found: str, wanted: str) -> bool:
    """Whether what is lost are few and short words: labels of a drawing, which say nothing outside of it."""
    lost = lost_of(found, wanted)
    known = "".join(found.split())
    lines = ["".join(line.split()) for line in wanted.splitlines()]
    # By their beginnings, for a raised figure further on may stand elsewhere in the other's order.
    in_prose = sum(len(line) for line in lines if len(line) > _LONG and line[:_LONG] not in known)
    return lost <= _MUCH and in_prose < _PROSE * lost * sum(map(len, lines))


def _letters(text: str) -> Counter[str]:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return Counter(filter(str.isalnum, plain))
