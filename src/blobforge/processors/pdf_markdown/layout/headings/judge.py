"""Decides which passages are headings. All passages of one look in the document are judged together."""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.headings.places import is_eyebrow, is_in_italics, stands_as_title
from blobforge.processors.pdf_markdown.layout.headings.words import (
    has_decimal_number,
    has_initials,
    has_ordinal,
    is_section_title,
    reads_as_title,
)
from blobforge.processors.pdf_markdown.layout.model.content import Colour
from blobforge.processors.pdf_markdown.layout.model.passages import Look, Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey
from blobforge.processors.pdf_markdown.layout.text.emphasis import (
    Body,
    Emphasis,
    body_of,
    body_within,
    emphasis_of,
)
from blobforge.processors.pdf_markdown.layout.text.list_contents import is_contents_entry, page_of
from blobforge.processors.pdf_markdown.layout.text.list_entries import CHECK_BOXES

_MOST_LINES = 3
_SMALLEST = 0.92
"""Of the body's size: what is smaller is a note or a label."""
_MARGIN = 0.08
"""Of the page's height: what lies beyond runs along the pages and heads none of them."""
_MUCH_LARGER = 1.15
_TITLE = 1.5
"""Of the body's size: so large is a title, wherever it stands."""
_ENDS = ".!?:;"
_CLOSE = 0.9
"""Of the size: so close under a title stands what belongs to it."""
_FEWEST_A_LINE = 18
"""Letters: so many at least has a line of running text, on average."""
_ALMOST_ALL = 0.75
_FEWEST_LETTERS = 3
"""Of an index: fewer letters that head something are labels."""

_MARKED = Emphasis.HEAVIER | Emphasis.COLOURED | Emphasis.CAPITALS | Emphasis.NUMBERED
_SET_APART = Emphasis.LARGER | Emphasis.HEAVIER | Emphasis.COLOURED | Emphasis.PLACED
_BY_ITSELF = Emphasis.LARGER | Emphasis.CAPITALS | Emphasis.NUMBERED | Emphasis.PLACED
"""What makes a heading though single words may look otherwise."""
_LIKE_BODY = Emphasis.NUMBERED | Emphasis.PLACED
"""What may be told without a look."""


class LookKey(NamedTuple):
    """What is the same for all passages that are judged together."""

    size: float
    bold: bool
    italic: bool
    caps: bool
    font: str
    colour: Colour
    told_by: Emphasis = Emphasis.NONE
    """It looks like the body, but has the number or the place of a heading."""


def key_of(look: Look, emphasis: Emphasis = Emphasis.NONE) -> LookKey:
    size = round(look.size * 2) / 2
    told_by = Emphasis.NONE if emphasis & ~_LIKE_BODY or look.italic else emphasis
    return LookKey(size, look.bold, look.italic, look.caps, look.font, look.colour, told_by)


@dataclass(slots=True)
class _Alike:
    """All passages of one look: those that may be headings, and the number of the others."""

    candidates: list["_HeadingCandidate"] = field(default_factory=list)
    others: int = 0


class _HeadingCandidate(NamedTuple):
    """What may be a heading by itself, with what its look is judged by."""

    passage: Passage
    title: Passage | None
    """A larger one above it, without running text between them."""
    before: Passage | None
    follows: Passage | None
    emphasis: Emphasis
    is_boxed: bool = False


def mark_headings(passages: Sequence[Passage], survey: DocumentSurvey, named: Container[int] = ()) -> None:
    """Gives the role of a heading to each passage that is one; `named` are the ids of those in the outline."""
    by_look: dict[LookKey, _Alike] = defaultdict(_Alike)
    title: Passage | None = None
    for before, passage, follows, body, is_boxed in _in_order(passages, body_of(survey)):
        if passage.look is None or passage.role not in (PassageRole.PARAGRAPH, PassageRole.ITEM):
            continue
        if id(passage) in named:
            _make_heading(passage)
            continue
        emphasis = _emphasis(passage, passage.look, body)
        # Smaller than the text of its box it says what kind of box that is, such as a tip.
        is_label = is_boxed and passage.look.size < body.size
        if not is_label and stands_as_title(passage, before, follows, size=body.size, leading=survey.leading):
            emphasis |= Emphasis.PLACED
        alike = by_look[_key(passage, passage.look, emphasis)]
        if may_head(passage, emphasis, body, survey):
            alike.candidates.append(_HeadingCandidate(passage, title, before, follows, emphasis, is_boxed))
            title = _larger(title, passage)
        else:
            alike.others += 1
            title = title if emphasis & Emphasis.LARGER else None
    titles = {id(each.passage): each.passage for alike in by_look.values() for each in alike.candidates}
    for key, alike in by_look.items():
        for candidate in _judged(key, alike, titles, survey.size):
            _make_heading(candidate.passage)


def _key(passage: Passage, look: Look, emphasis: Emphasis) -> LookKey:
    """The items of a numbered list are judged with those of them that have the place of a heading."""
    is_numbered_item = passage.role is PassageRole.ITEM and has_number(passage)
    return key_of(look, emphasis | Emphasis.PLACED if is_numbered_item else emphasis)


def _in_order(
    passages: Sequence[Passage], body: Body, *, is_boxed: bool = False
) -> Iterator[tuple[Passage | None, Passage, Passage | None, Body, bool]]:
    """Each passage between its neighbours, with the body of its surroundings and whether these are a box."""
    for place, passage in enumerate(passages):
        before = passages[place - 1] if place else None
        after = passages[place + 1] if place + 1 < len(passages) else None
        yield before, passage, after, body, is_boxed
        if passage.children:
            yield from _in_order(passage.children, body_within(passage.children, body), is_boxed=True)


def may_head(passage: Passage, emphasis: Emphasis, body: Body, survey: DocumentSurvey) -> bool:
    """Whether its look, its place and its words allow that it is a heading."""
    if passage.look is None or passage.is_parted or passage.lines > _MOST_LINES:
        return False
    if not _is_set_apart(passage, passage.look, emphasis, body):
        return False
    if passage.look.size < _TITLE * body.size and is_in_margin(passage, survey):
        return False
    if next(filter(str.isalpha, passage.plain), "").islower() and not _is_plain_title(emphasis):
        return False
    text = f"{passage.marker} {passage.plain}".strip()
    if passage.look.size >= _TITLE * body.size:
        # A title may ask before it tells.
        text = text.replace("? ", " ")
    is_large = passage.look.size >= _MUCH_LARGER * body.size
    if (is_large and has_initials(text)) or is_section_title(text):
        text = text.removesuffix(".")
    return reads_as_title(text)


def _is_set_apart(passage: Passage, look: Look, emphasis: Emphasis, body: Body) -> bool:
    if look.size < _SMALLEST * body.size:
        return bool(emphasis & Emphasis.PLACED) and is_eyebrow(passage, look, body.size)
    if passage.role is PassageRole.ITEM:
        return passage.marker[:1].isdigit() and bool(emphasis & _SET_APART)
    return bool(emphasis and (passage.stands_out or emphasis & _BY_ITSELF))


def _emphasis(passage: Passage, look: Look, body: Body) -> Emphasis:
    return emphasis_of(look, body) | (Emphasis.NUMBERED if has_number(passage) else Emphasis.NONE)


def has_number(passage: Passage) -> bool:
    """That of an item, a number with several parts, or in italics a letter or a Roman number."""
    if passage.marker[:1].isdigit() or has_decimal_number(passage.plain):
        return True
    return is_in_italics(passage) and has_ordinal(passage.plain)


def _is_plain_title(emphasis: Emphasis) -> bool:
    """So clearly set as a title that its first letter does not matter: small capitals may come as small letters."""
    return Emphasis.LARGER | Emphasis.HEAVIER in emphasis


def is_in_margin(passage: Passage, survey: DocumentSurvey) -> bool:
    """In the margin of a single page: what runs along several pages is known by its repetition."""
    if survey.pages > 1 or not survey.height:
        return False
    margin = _MARGIN * survey.height
    return passage.box.bottom < margin or passage.box.top > survey.height - margin


def _judged(key: LookKey, alike: _Alike, titles: Mapping[int, Passage], size: float) -> list[_HeadingCandidate]:
    """Those of one look that are headings: none where the look is mostly that of something else.

    `size` is the body's."""
    found = [each for each in _without_lone_letters(alike.candidates) if not _is_kicker(each, titles)]
    found = _outside_contents(found)
    if not found or alike.others > len(found):
        return []
    if _are_bylines(key, found, titles):
        return []
    if all(each.emphasis & Emphasis.LARGER for each in found):
        # Labels of tables may be a little larger than the text.
        is_much_larger = key.size >= _MUCH_LARGER * size
        return found if is_much_larger or not all(map(_is_above_table, found)) else []
    # What labels tables in the text may head boxes.
    found = [each for is_boxed in (False, True) for each in _without_labels(found, is_boxed=is_boxed)]
    followed = [each for each in found if each.follows is not None]
    if sum(_is_alike(each, key) for each in followed) > len(found) / 2:
        return []
    if all(each.emphasis == Emphasis.HEAVIER for each in followed):
        # Bold lines that mostly stand over a few words are labels, dates and names.
        heading = sum(_heads_something(each, titles) for each in followed)
        return followed if heading >= len(followed) / 2 else []
    return followed


def _outside_contents(found: list[_HeadingCandidate]) -> list[_HeadingCandidate]:
    """None where most are parts that the contents name: there the first of them has no entry above it."""
    outside = [each for each in found if not _is_within_contents(each)]
    return outside if 2 * len(outside) >= len(found) else []


def _is_within_contents(candidate: _HeadingCandidate) -> bool:
    """Whether the pages go on from the entry above it to the one below: a part that the contents name."""
    before, follows = candidate.before, candidate.follows
    if before is None or follows is None or not (is_contents_entry(before) and is_contents_entry(follows)):
        return False
    return (page_of(before.plain) or 0) <= (page_of(follows.plain) or 0)


def _heads_something(candidate: _HeadingCandidate, titles: Mapping[int, Passage]) -> bool:
    """Whether running text, a list or another heading follows; but boxes to tick are what a label asks for."""
    follows = candidate.follows
    if follows is not None and follows.role is PassageRole.ITEM and follows.plain[:1] in CHECK_BOXES:
        return False
    if follows is None or follows.role is not PassageRole.PARAGRAPH or id(follows) in titles:
        return follows is not None
    is_of_index = len(candidate.passage.plain) == 1
    # The lines of an address are short, even in a wide column.
    is_running = follows.lines > 1 and len(follows.plain) >= _FEWEST_A_LINE * follows.lines
    return is_of_index or is_running or follows.plain[-1:] in _ENDS


def _without_lone_letters(found: Sequence[_HeadingCandidate]) -> list[_HeadingCandidate]:
    """Single letters head the parts of an index, where they follow the alphabet."""
    letters = [each.passage.plain for each in found if len(each.passage.plain) == 1]
    if len(letters) >= _FEWEST_LETTERS and letters == sorted(set(letters)):
        return list(found)
    return [each for each in found if len(each.passage.plain) > 1]


def _without_labels(found: Sequence[_HeadingCandidate], *, is_boxed: bool) -> list[_HeadingCandidate]:
    """Those in boxes, or those elsewhere: none where most stand above tables."""
    found = [each for each in found if each.is_boxed == is_boxed]
    above_tables = list(filter(_is_above_table, found))
    # Capitals are seldom those of captions.
    most = _ALMOST_ALL if all(each.emphasis & Emphasis.CAPITALS for each in found) else 0.5
    if len(above_tables) > most * len(found):
        return []
    if all(each.emphasis == Emphasis.HEAVIER for each in found):
        # Captions are set so as well: right above a table such a line is one, though others like it are headings.
        return [each for each in found if each not in above_tables]
    return found


def _is_above_table(candidate: _HeadingCandidate) -> bool:
    return candidate.follows is not None and candidate.follows.role is PassageRole.TABLE


def _is_kicker(candidate: _HeadingCandidate, titles: Mapping[int, Passage]) -> bool:
    """A small line right above a larger title announces it, and heads nothing itself."""
    title = titles.get(id(candidate.follows))
    if title is None or title.look is None or candidate.passage.look is None:
        return False
    return title.look.size >= _MUCH_LARGER * candidate.passage.look.size


def _are_bylines(key: LookKey, found: Sequence[_HeadingCandidate], titles: Mapping[int, Passage]) -> bool:
    """Lines under a title, and their look nowhere else: who wrote it, when, or what it is."""
    if not all(each.emphasis & Emphasis.LARGER for each in found):
        return len(found) == 1 and found[0].title is not None and id(found[0].follows) in titles
    if len(found) == 1 and _is_subtitle(found[0], titles):
        return True
    if any(each.emphasis & _MARKED for each in found) or len({each.passage.page for each in found}) > 1:
        return False
    if len({id(each.title) for each in found}) > 1:
        # The second lines of several titles are headings themselves.
        return False
    if any(map(_is_after_subtitle, found)):
        return False
    title = found[0].title
    return title is not None and title.look is not None and title.look.size >= _MUCH_LARGER * key.size


def _is_after_subtitle(candidate: _HeadingCandidate) -> bool:
    """Whether a smaller line parts it from the title, and running text follows: lines under a title grow smaller."""
    own, before, follows = candidate.passage, candidate.before, candidate.follows
    if before is None or before is candidate.title or follows is None or follows.role is not PassageRole.PARAGRAPH:
        return False
    if own.look is None or before.look is None or before.page != own.page:
        return False
    is_subtitle = before.look.size * _MUCH_LARGER <= own.look.size
    return is_subtitle and follows.lines > 1


def _is_subtitle(candidate: _HeadingCandidate, titles: Mapping[int, Passage]) -> bool:
    """A lighter line under a title: close to it, or over a heading that is not smaller and so none of its own."""
    own, title, heading = candidate.passage.look, candidate.title, titles.get(id(candidate.follows))
    if own is None or title is None or title.look is None or not title.look.bold or own.bold:
        return False
    if heading is not None and heading.look is not None and heading.look.size >= own.size:
        return title.look.size >= _MUCH_LARGER * own.size
    gap = candidate.passage.box.top - title.box.bottom
    return title.look.size >= _TITLE * own.size and 0 <= gap < _CLOSE * own.size


def _larger(title: Passage | None, passage: Passage) -> Passage:
    if title is None or title.look is None or passage.look is None or title.page != passage.page:
        return passage
    return passage if passage.look.size > title.look.size else title


def _is_alike(candidate: _HeadingCandidate, key: LookKey) -> bool:
    """Whether what follows looks the same, so that it heads nothing."""
    follows = candidate.follows
    if follows is None or follows.look is None:
        return False
    emphasis = Emphasis.NUMBERED if key.told_by and has_number(follows) else Emphasis.NONE
    return key_of(follows.look, emphasis) == key


def _make_heading(passage: Passage) -> None:
    if passage.role is PassageRole.ITEM:
        passage.plain, passage.text = f"{passage.marker} {passage.plain}", f"{passage.marker} {passage.text}"
        passage.marker = ""
    passage.role = PassageRole.HEADING
