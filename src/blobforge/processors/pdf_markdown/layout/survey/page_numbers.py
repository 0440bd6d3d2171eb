"""Page numbers: how they are written, and by how much they exceed the place of their page in the document.

A number that counts with the pages may count invoices as well. It is that of the page where a document of so many
pages may have it, or where it stands as only page numbers do: at the outer side of left and right pages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_WORD = r"(?:p\s?a\s?g\s?e|pg|p\.|seite|página|pàgina|pagina|pág|pag|strana|strona|sida|sivu|oldal|страница|стр|sayfa)"
_OF = r"(?:/|of|von|de|sur|di|do|van|av|af|z|из)"
_DIGITS = r"\d{1,4}"
_ROMAN = r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_CAPITAL = re.compile(r"\W*[A-Z]\W*")
"""Alone it heads a part of an index."""
_AROUND = r"[-–—~•·|\s()\[\]]*"
_TOLD = rf"(?:{_WORD}\W{{0,3}}(?:{_DIGITS}|{_ROMAN})\b(?:\s*{_OF}\s*{_DIGITS})?|{_DIGITS}\s*\|\s*{_WORD})"
"""A number of which the words around it say that it is a page's."""
_PURE = re.compile(
    rf"{_AROUND}(?:{_TOLD}|(?P<bare>{_DIGITS})(?:\s*{_OF}\s*{_DIGITS})?|{_ROMAN}){_AROUND}", re.IGNORECASE
)
_BY_PART = re.compile(rf"{_AROUND}(?P<part>[A-Z]{{1,3}}|\d{{1,2}})\s?[-–]\s?(?P<number>{_DIGITS}){_AROUND}")
"""Numbered anew in each part, as "A-10"."""
_TOLD_FIRST = re.compile(rf"{_AROUND}{_TOLD}(?=\W|$)", re.IGNORECASE)
_TOLD_LAST = re.compile(rf"(?<!\w){_TOLD}{_AROUND}$", re.IGNORECASE)
_FIRST = re.compile(rf"{_AROUND}(?P<number>{_DIGITS})(?=[\s|•·–—])")
_LAST = re.compile(rf"(?<=[\s|•·–—])(?P<number>{_DIGITS}){_AROUND}$")
_LABEL = re.compile(r"\b(?:no|nr|nº|n°|№|number|nummer|numéro|número|numero|id)\W*$|#\s*$", re.IGNORECASE)
"""What counts something else than pages."""
_BAR = re.compile(r"(?:(?<=\s)|^\s)[-–—|•·](?=\s|$)")
_FEWEST_WORDS = 2
_NO_CHANCE = 3
_MOST_PAGES = 0.5
_LEFT_OUT = 6
"""So many pages may be missing before the first: a cover, a title, a table of contents."""


class EdgeText(NamedTuple):
    """What a line at the head or the foot of a page says, and whether it stands at either end of its row."""

    page: int
    side: str
    text: str
    is_left: bool = False
    is_right: bool = False


class Numbering(NamedTuple):
    """How the pages of a document are numbered.

    `offset` is what a number that counts with most pages exceeds their own by; `is_mirrored`: it stands left on one
    page and right on the next."""

    offset: int | None = None
    is_mirrored: bool = False

    @property
    def offset_of_pages(self) -> int | None:
        """None where the numbers may count something else."""
        if self.offset is None or (self.offset > _LEFT_OUT and not self.is_mirrored):
            return None
        return self.offset

    def may_be_of(self, page: int, number: int) -> bool:
        """Whether that page may have this number. Where none counts with the pages, each part may have its own ones,
        and these are never higher than the page's place."""
        known = self.offset_of_pages
        return number == page + known if known is not None else number <= page + _LEFT_OUT


UNNUMBERED = Numbering()


def is_page_number(text: str) -> bool:
    """Whether it has the form of one, and nothing else beside it."""
    return _PURE.fullmatch(text) is not None and _CAPITAL.fullmatch(text) is None


def number_in(text: str) -> int | None:
    """The number of a page that stands for itself."""
    found = _PURE.fullmatch(text)
    return int(found["bare"]) if found and found["bare"] else None


def is_number_of_page(text: str, *, page: int, numbering: Numbering) -> bool:
    """Whether it says the number of its page, and nothing else."""
    found = _PURE.fullmatch(text)
    if found is None or not is_page_number(text):
        return False
    return found["bare"] is None or numbering.may_be_of(page, int(found["bare"]))


def key_text(text: str, *, page: int, offset: int | None) -> str:
    """What is equal in the lines of two pages that say the same, though each has its own number."""
    if by_part := _BY_PART.fullmatch(text):
        return f"{by_part['part']} {int(by_part['number']) - page:+}"
    return _without_number(text, page=page, offset=offset)


def text_beside_number(text: str, *, page: int, numbering: Numbering) -> str:
    """What a line says beside the number of its page; a number that is not known to be the page's is a part of it."""
    if (by_part := _BY_PART.fullmatch(text)) and int(by_part["number"]) <= page + _LEFT_OUT:
        return ""
    return _without_number(text, page=page, offset=numbering.offset_of_pages)


def _without_number(text: str, *, page: int, offset: int | None) -> str:
    told = _TOLD_FIRST.match(text) or _TOLD_LAST.search(text)
    if told:
        return text[: told.start()] + text[told.end() :]
    for found in (_FIRST.match(text), _LAST.search(text)):
        if found and offset is not None and int(found["number"]) == page + offset:
            return text[: found.start()] + text[found.end() :]
    return text


def numbering_of(lines: Iterable[EdgeText], *, pages: int) -> Numbering:
    """How most pages are numbered.

    A number tells it in a place of its own, or beside a title of several words; "No. 12" counts something else."""
    known = list(lines)
    for seen in (_alone(known), _beside_text(known)):
        offset, times = max(seen.items(), key=lambda entry: entry[1], default=(0, 0))
        if times >= max(2, _MOST_PAGES * pages):
            return Numbering(offset, _is_mirrored(known, offset))
    return UNNUMBERED


def _is_mirrored(lines: Iterable[EdgeText], offset: int) -> bool:
    """Whether the number of each page stands at its outer side."""
    sides: dict[bool, set[bool]] = {False: set(), True: set()}
    for line in lines:
        for is_left in _ends_with_number(line, line.page + offset):
            sides[line.page % 2 == 1].add(is_left)
    return len(sides[False]) == len(sides[True]) == 1 and sides[False] != sides[True]


def _ends_with_number(line: EdgeText, number: int) -> Iterator[bool]:
    """Whether it is the left end or the right one, if a row has the number at one of its ends."""
    if number_in(line.text) == number:
        if line.is_left != line.is_right:
            yield line.is_left
        return
    for place in _places_beside_text(line):
        if place.offset == number - line.page and (line.is_left if place.is_first else line.is_right):
            yield place.is_first


def _alone(lines: Iterable[EdgeText]) -> Counter[int]:
    """A number at the head and the next at the foot may be two rows of a table."""
    places = {
        (number - line.page, line.side, line.page) for line in lines if (number := number_in(line.text)) is not None
    }
    seen: Counter[int] = Counter()
    for (offset, _), times in Counter((offset, side) for offset, side, _ in places).items():
        seen[offset] += times if times > 1 else 0
    return seen


def _beside_text(lines: Iterable[EdgeText]) -> Counter[int]:
    """Those that change sides, that a bar parts from the text, or that stand beside one title on so many pages that
    it is no chance."""
    places = {place for line in lines for place in _places_beside_text(line)}
    sides: dict[int, set[bool]] = {}
    for place in places:
        sides.setdefault(place.offset, set()).add(place.is_first)
    often = Counter((place.offset, place.title) for place in places if place.title)
    told = {
        (place.offset, place.page)
        for place in places
        if place.is_parted or len(sides[place.offset]) > 1 or often[place.offset, place.title] >= _NO_CHANCE
    }
    return Counter(offset for offset, _ in told)


class _Place(NamedTuple):
    """`title` is empty where the number may count something else than pages."""

    offset: int
    page: int
    is_first: bool
    is_parted: bool
    title: str


def _places_beside_text(line: EdgeText) -> Iterator[_Place]:
    for found in (_FIRST.match(line.text), _LAST.search(line.text)):
        if found is None:
            continue
        above, below = line.text[: found.start("number")], line.text[found.end("number") :]
        words = [word for word in f"{above} {below}".split() if any(map(str.isalpha, word))]
        is_title = len(words) >= _FEWEST_WORDS and not _LABEL.search(above)
        title = " ".join(words).casefold() if is_title else ""
        is_parted = _BAR.search(above) is not None or _BAR.match(below) is not None
        if words:
            yield _Place(int(found["number"]) - line.page, line.page, not above.strip(), is_parted, title)
