"""What runs along the pages and stands nowhere else in the document is told once, where it stands first."""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, groupby
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, all_of
from blobforge.processors.pdf_markdown.layout.survey.page_numbers import (
    EdgeText,
    is_number_of_page,
    is_page_number,
    key_text,
    numbering_of,
    text_beside_number,
)
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey


def mark_scanned_heads(passages: Sequence[Passage]) -> None:
    """Scanned pages are read one by one: what runs along them shows only when all are there."""
    edges = [_Edge(side, one) for side, one in _edges(passages) if one.lines == 1]
    numbering = numbering_of((edge.text for edge in edges), pages=len({edge.passage.page for edge in edges}))
    seen = Counter(edge.key(numbering.offset) for edge in edges)
    for edge in edges:
        one = edge.passage
        if is_number_of_page(one.plain, page=one.page, numbering=numbering):
            one.role, one.plain = PassageRole.RUNNING, ""
        elif is_page_number(one.plain) or one.role is PassageRole.RUNNING or seen[edge.key(numbering.offset)] > 1:
            said = text_beside_number(one.plain, page=one.page, numbering=numbering)
            one.role, one.plain = PassageRole.RUNNING, said


class _Edge(NamedTuple):
    side: str
    passage: Passage

    @property
    def text(self) -> EdgeText:
        return EdgeText(self.passage.page, self.side, self.passage.plain)

    def key(self, offset: int | None) -> str:
        said = key_text(self.passage.plain, page=self.passage.page, offset=offset)
        return f"{self.side} {' '.join(_words(said))}"


def _edges(passages: Iterable[Passage]) -> Iterator[tuple[str, Passage]]:
    """What comes first and last on each scanned page."""
    for _, members in groupby(passages, key=lambda passage: passage.page):
        scanned = [passage for passage in members if passage.look is not None and not passage.look.font]
        if scanned:
            first, last = min(scanned, key=lambda one: one.box.top), max(scanned, key=lambda one: one.box.bottom)
            yield "head", first
            if last is not first:
                yield "foot", last


_TOLD_ONCE = (PassageRole.RUNNING, PassageRole.ASIDE)


def without_running_text(passages: Iterable[Passage]) -> list[Passage]:
    """What is told on its page, whatever others say."""
    return [passage for passage in passages if passage.role not in _TOLD_ONCE]


def with_running_text_once(
    document: Sequence[Passage], passages: Iterable[Passage], survey: DocumentSurvey
) -> list[Passage]:
    """The document, and what of its running heads and feet, and of its stamps, it does not say itself."""
    first: dict[tuple[str, ...], Passage] = {}
    for passage in passages:
        if passage.role in _TOLD_ONCE and (said := _words(passage.plain)):
            first.setdefault(said, passage)
    known = _Words(document, of=first)
    kept = [passage for said, passage in first.items() if _is_figures(said) or not known.say(said)]
    return _merged(document, kept, survey)


def _is_figures(words: Iterable[str]) -> bool:
    """A number that stands elsewhere, too, is another one: what it counts is told by its place alone."""
    return all(word.isdecimal() for word in words)


class _Words:
    """The words of a document, one after another. Those that nobody asks `of` are all alike."""

    def __init__(self, document: Iterable[Passage], *, of: Iterable[tuple[str, ...]]) -> None:
        self._numbers = {word: number for number, word in enumerate(sorted(set(chain.from_iterable(of))), start=1)}
        self._said = array("L")
        if self._numbers:
            for text in _texts(document):
                self._said.extend(self._numbers.get(word, 0) for word in _words(text))
        self._places: dict[int, list[int]] = {number: [] for number in self._numbers.values()}
        for place, number in enumerate(self._said):
            if number:
                self._places[number].append(place)

    def say(self, words: Sequence[str]) -> bool:
        wanted = array("L", (self._numbers[word] for word in words))
        rarest = min(wanted, key=lambda number: len(self._places[number]))
        before = wanted.index(rarest)
        begins = (place - before for place in self._places[rarest] if place >= before)
        return any(self._said[begin : begin + len(wanted)] == wanted for begin in begins)


def _texts(document: Iterable[Passage]) -> Iterable[str]:
    for passage in all_of(document):
        yield passage.marker
        yield passage.plain or passage.text
        for row in passage.rows:
            yield from row


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.casefold().translate(_BETWEEN_WORDS).split())


class _BetweenWords(dict[int, int]):
    """A table for `str.translate` that makes a space of what is neither letter nor figure."""

    def __missing__(self, code: int) -> int:
        self[code] = code if chr(code).isalnum() else ord(" ")
        return self[code]


_BETWEEN_WORDS = _BetweenWords()


def _merged(document: Sequence[Passage], kept: Iterable[Passage], survey: DocumentSurvey) -> list[Passage]:
    """Heads above what their page says, feet and stamps below."""
    pages = list(accumulate((passage.page for passage in document), max))
    merged: list[Passage] = []
    done = 0
    for one in kept:
        is_head = one.role is PassageRole.RUNNING and one.box.top < survey.height / 2
        place = bisect_left(pages, one.page) if is_head else bisect_right(pages, one.page)
        merged += [*document[done:place], one]
        done = max(done, place)
    return [*merged, *document[done:]]
