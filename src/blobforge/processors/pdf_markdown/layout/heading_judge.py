"""Which passages are headings, judged over the whole document: all that look alike are judged together."""

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.captions import is_caption
from blobforge.processors.pdf_markdown.layout.heading_looks import (
    Body,
    Emphasis,
    body_of,
    body_within,
    emphasis_of,
)
from blobforge.processors.pdf_markdown.layout.model import Colour
from blobforge.processors.pdf_markdown.layout.passages import Look, Passage, Role
from blobforge.processors.pdf_markdown.layout.survey import Survey

_LONGEST = 120
_MOST_LINES = 3
_SMALLEST = 0.92
"""Of the body's size: what is smaller is a note or a label."""
_MARGIN = 0.08
"""Of the page's height: what lies beyond runs along the pages and heads none of them."""
_MUCH_LARGER = 1.15
_TITLE = 1.5
"""Of the body's size: so large is a title, wherever it stands."""
_NO_TITLE = re.compile(r"https?://|www\.|\S@\S|\.{4}|(?: \.){3}|[=∑∫√]")
_SENTENCE = re.compile(r"[a-z]{2,}[.?!]\s+[A-Z]\w*\s+\w")


class LookKey(NamedTuple):
    size: float
    bold: bool
    italic: bool
    caps: bool
    font: str
    colour: Colour


def key_of(look: Look) -> LookKey:
    return LookKey(round(look.size * 2) / 2, look.bold, look.italic, look.caps, look.font, look.colour)


@dataclass(slots=True)
class _Alike:
    """All passages of one look: those that may be headings, and the number of the others."""

    headings: list["_Candidate"] = field(default_factory=list)
    others: int = 0


class _Candidate(NamedTuple):
    passage: Passage
    follows: Passage | None
    emphasis: Emphasis


def mark_headings(passages: Sequence[Passage], survey: Survey, named: Container[int] = ()) -> None:
    """Gives the role of a heading to each passage that is one; `named` are the ids of those in the outline."""
    by_look: dict[LookKey, _Alike] = defaultdict(_Alike)
    body = body_of(survey)
    for passage, follows, around in _in_order(passages, body):
        if passage.look is None or passage.role not in (Role.PARAGRAPH, Role.ITEM):
            continue
        if id(passage) in named:
            _make_heading(passage)
            continue
        alike = by_look[key_of(passage.look)]
        emphasis = emphasis_of(passage.look, around)
        if may_head(passage, emphasis, around, survey):
            alike.headings.append(_Candidate(passage, follows, emphasis))
        else:
            alike.others += 1
    titles = {id(each.passage): each.passage for alike in by_look.values() for each in alike.headings}
    for key, alike in by_look.items():
        for candidate in _judged(key, alike, titles):
            _make_heading(candidate.passage)


def _in_order(passages: Sequence[Passage], body: Body) -> Iterator[tuple[Passage, Passage | None, Body]]:
    """Each passage with the one after it and the body of its surroundings."""
    for place, passage in enumerate(passages):
        yield passage, passages[place + 1] if place + 1 < len(passages) else None, body
        if passage.children:
            yield from _in_order(passage.children, body_within(passage.children, body))


def may_head(passage: Passage, emphasis: Emphasis, body: Body, survey: Survey) -> bool:
    """Whether its words, its look and its place allow that it is a heading."""
    look, text = passage.look, passage.plain
    if look is None or not emphasis or passage.lines > _MOST_LINES or look.size < _SMALLEST * body.size:
        return False
    if not (passage.stands_out or emphasis & (Emphasis.LARGER | Emphasis.CAPITALS)):
        return False
    if passage.role is Role.ITEM and not (passage.marker[:1].isdigit() and emphasis & ~Emphasis.CAPITALS):
        return False
    if look.size < _TITLE * body.size and is_in_margin(passage, survey):
        return False
    if next(filter(str.isalpha, text), "").islower() and not _is_plain_title(emphasis):
        return False
    return reads_as_title(f"{passage.marker} {text}" if passage.role is Role.ITEM else text)


def _is_plain_title(emphasis: Emphasis) -> bool:
    """So clearly set as a title that its first letter does not matter: small capitals may come as small letters."""
    return Emphasis.LARGER | Emphasis.HEAVIER in emphasis


def is_in_margin(passage: Passage, survey: Survey) -> bool:
    """In the margin of a single page: what runs along several pages is known by its repetition."""
    if survey.pages > 1 or not survey.height:
        return False
    margin = _MARGIN * survey.height
    return passage.box.bottom < margin or passage.box.top > survey.height - margin


def reads_as_title(text: str) -> bool:
    if not text or len(text) > _LONGEST or is_caption(text) or _NO_TITLE.search(text):
        return False
    letters = sum(map(str.isalpha, text))
    if letters < 2 or letters < 0.4 * len(text.replace(" ", "")):
        return False
    return text[-1] not in ".,;" and not _SENTENCE.search(text)


def _judged(key: LookKey, alike: _Alike, titles: Mapping[int, Passage]) -> list[_Candidate]:
    """Those of one look that are headings: none where the look is mostly that of something else."""
    found = [each for each in alike.headings if not _is_kicker(each, titles)]
    if not found or alike.others > len(found):
        return []
    if all(each.emphasis & Emphasis.LARGER for each in found):
        return found
    followed = [each for each in found if each.follows is not None]
    if sum(each.follows is not None and each.follows.role is Role.TABLE for each in followed) > len(followed) / 2:
        return []
    if sum(_is_alike(each.follows, key) for each in followed) > len(found) / 2:
        return []
    # A single line at body size before a title, as on the first page of a book: who wrote it, or what it is.
    is_byline = len(followed) == 1 and id(followed[0].follows) in titles
    return [] if is_byline else followed


def _is_kicker(candidate: _Candidate, titles: Mapping[int, Passage]) -> bool:
    """A small line right above a larger title announces it, and heads nothing itself."""
    title = titles.get(id(candidate.follows))
    if title is None or title.look is None or candidate.passage.look is None:
        return False
    return title.look.size >= _MUCH_LARGER * candidate.passage.look.size


def _is_alike(passage: Passage | None, key: LookKey) -> bool:
    return passage is not None and passage.look is not None and key_of(passage.look) == key


def _make_heading(passage: Passage) -> None:
    if passage.role is Role.ITEM:
        passage.plain, passage.text = f"{passage.marker} {passage.plain}", f"{passage.marker} {passage.text}"
        passage.marker = ""
    passage.role = Role.HEADING
