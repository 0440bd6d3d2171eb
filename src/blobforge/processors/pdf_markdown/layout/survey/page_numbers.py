"""Page numbers: how they are written, and by how much they exceed the place of their page in the document."""

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


class EdgeText(NamedTuple):
    """What a line at the head or the foot of a page says."""

    page: int
    side: str
    text: str


def is_page_number(text: str) -> bool:
    """Whether it has the form of one, and nothing else beside it."""
    return _PURE.fullmatch(text) is not None and _CAPITAL.fullmatch(text) is None


def number_in(text: str) -> int | None:
    """The number of a page that stands for itself."""
    found = _PURE.fullmatch(text)
    return int(found["bare"]) if found and found["bare"] else None


def key_text(text: str, *, page: int, offset: int | None) -> str:
    """What is equal in the lines of two pages that say the same, though each has its own number."""
    if by_part := _BY_PART.fullmatch(text):
        return f"{by_part['part']} {int(by_part['number']) - page:+}"
    return _without_number(text, page=page, offset=offset)


def text_beside_number(text: str, *, page: int, offset: int | None) -> str:
    """What a line says beside the number of its page; a number that is not known to be the page's is a part of it."""
    return "" if _BY_PART.fullmatch(text) else _without_number(text, page=page, offset=offset)


def _without_number(text: str, *, page: int, offset: int | None) -> str:
    told = _TOLD_FIRST.match(text) or _TOLD_LAST.search(text)
    if told:
        return text[: told.start()] + text[told.end() :]
    for found in (_FIRST.match(text), _LAST.search(text)):
        if found and offset is not None and int(found["number"]) == page + offset:
            return text[: found.start()] + text[found.end() :]
    return text


def offset_of(lines: Iterable[EdgeText], *, pages: int) -> int | None:
    """By how much most pages are numbered higher than they are.

    A number tells it in a place of its own, or beside a title of several words; "No. 12" counts something else."""
    known = list(lines)
    for seen in (_alone(known), _beside_text(known)):
        offset, times = max(seen.items(), key=lambda entry: entry[1], default=(0, 0))
        if times >= max(2, _MOST_PAGES * pages):
            return offset
    return None


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
