"""The levels of headings: one for each look, by size first, and where a heading stands among the others."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.heading_outline import agreed_levels
from blobforge.processors.pdf_markdown.layout.passages import Look, Passage, Role

_DEEPEST = 6
_NUMBER = re.compile(r"(?:[A-Z]\.)?(\d{1,3}(?:\.\d{1,3})+)\.?\s")


class Rank(NamedTuple):
    """What makes a heading higher than another; the colour does not. `depth` is that of its number, "1.2" is 2."""

    size: float
    depth: int
    caps: bool
    bold: bool
    italic: bool
    font: str


class _Placed(NamedTuple):
    heading: Passage
    rank: Rank
    is_boxed: bool


def set_levels(passages: Sequence[Passage], named: Mapping[int, int] | None = None) -> None:
    """`named` are the levels that the outline gives, by the ids of passages."""
    headings = _with_title_in_flow(list(_headings(passages, is_boxed=False)))
    levels = _levels_in_flow([each for each in headings if not each.is_boxed])
    levels |= _levels_in_boxes(headings, levels)
    if named:
        levels = agreed_levels((each.rank, levels[each.rank], named.get(id(each.heading))) for each in headings)
    for each in headings:
        each.heading.level = min(levels[each.rank], _DEEPEST)


def _headings(passages: Sequence[Passage], *, is_boxed: bool) -> Iterator[_Placed]:
    for passage in passages:
        if passage.role is Role.HEADING and passage.look is not None:
            yield _Placed(passage, _rank(passage.look, passage.plain), is_boxed)
        yield from _headings(passage.children, is_boxed=True)


def _with_title_in_flow(headings: list[_Placed]) -> list[_Placed]:
    """The title of a document may stand in a box or on a band; it is above all the same."""
    largest = max((each.rank.size for each in headings if not each.is_boxed), default=None)
    if headings and headings[0].is_boxed and largest is not None and headings[0].rank.size > largest:
        return [headings[0]._replace(is_boxed=False), *headings[1:]]
    return headings


def _rank(look: Look, text: str) -> Rank:
    number = _NUMBER.match(text)
    depth = number[1].count(".") + 1 if number else 1
    return Rank(round(look.size * 2) / 2, depth, look.caps, look.bold, look.italic, look.font)


def _levels_in_flow(headings: Sequence[_Placed]) -> dict[Rank, int]:
    """Larger is higher; at one size, what leads into the other is."""
    leads = Counter((upper.rank, lower.rank) for upper, lower in pairwise(headings))
    ranks = list(dict.fromkeys(each.rank for each in headings))
    ranks.sort(key=lambda rank: (-rank.size, rank.depth, -_lead(rank, ranks, leads), not rank.caps, not rank.bold))
    return {rank: level for level, rank in enumerate(ranks, start=1)}


def _lead(rank: Rank, ranks: Sequence[Rank], leads: Counter[tuple[Rank, Rank]]) -> int:
    """How often it stands before others of its size, less how often after them."""
    others = [other for other in ranks if other.size == rank.size and other != rank]
    return sum(leads[rank, other] - leads[other, rank] for other in others)


def _levels_in_boxes(headings: Sequence[_Placed], levels: dict[Rank, int]) -> dict[Rank, int]:
    """A heading in a box is one level under the text that the box belongs to, as most of its look are.

    But it is not under headings in the text that are no larger than it."""
    depths: dict[Rank, Counter[int]] = defaultdict(Counter)
    above = 0
    for each in headings:
        if not each.is_boxed:
            above = levels[each.rank]
        elif each.rank not in levels:
            depths[each.rank][above + 1] += 1
    return {
        rank: min(max(found, key=lambda level: (found[level], level)), _level_at(rank.size, levels))
        for rank, found in depths.items()
    }


def _level_at(size: float, levels: dict[Rank, int]) -> int:
    return min((level for rank, level in levels.items() if rank.size <= size), default=_DEEPEST)
