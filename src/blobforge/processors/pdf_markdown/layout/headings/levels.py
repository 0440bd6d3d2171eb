"""Heading levels: one for each look, by size first, then by where a heading stands among the others."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.headings.outline import agreed_levels
from blobforge.processors.pdf_markdown.layout.model.passages import Look, Passage, PassageRole

_DEEPEST = 6
_TALLER = 1.08
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
    box: int | None = None
    """Which box it stands in, by the id of its passage."""
    above: Rank | None = None
    """That of the heading right above it, with nothing between them."""

    @property
    def is_boxed(self) -> bool:
        return self.box is not None


def set_levels(passages: Sequence[Passage], named: Mapping[int, int] | None = None) -> None:
    """`named` are the levels that the outline gives, by the ids of passages."""
    headings = _with_title_in_flow(list(_headings(passages, box=None)))
    levels = _levels_in_flow([each for each in headings if not each.is_boxed])
    levels |= _levels_in_boxes(headings, levels)
    if named:
        levels = agreed_levels((each.rank, levels[each.rank], named.get(id(each.heading))) for each in headings)
    for each in headings:
        each.heading.level = min(levels[each.rank], _DEEPEST)


def _headings(passages: Sequence[Passage], *, box: int | None) -> Iterator[_Placed]:
    above: Rank | None = None
    for passage in passages:
        rank = None
        if passage.role is PassageRole.HEADING and passage.look is not None:
            rank = _rank(passage.look, passage.plain)
            yield _Placed(passage, rank, box, above)
        above = rank
        yield from _headings(passage.children, box=id(passage))


def _with_title_in_flow(headings: list[_Placed]) -> list[_Placed]:
    """The title of a document may stand in a box or on a band; it is above all the same."""
    largest = max((each.rank.size for each in headings if not each.is_boxed), default=None)
    if headings and headings[0].is_boxed and largest is not None and headings[0].rank.size > largest:
        return [headings[0]._replace(box=None), *headings[1:]]
    return headings


def _rank(look: Look, text: str) -> Rank:
    number = _NUMBER.match(text)
    depth = number[1].count(".") + 1 if number else 1
    return Rank(round(look.size * 2) / 2, depth, look.caps, look.bold, look.italic, look.font)


def _levels_in_flow(headings: Sequence[_Placed]) -> dict[Rank, int]:
    """Larger is higher; at one size, what stands right above the other is."""
    leads = Counter((each.above, each.rank) for each in headings if each.above is not None)
    ranks = list(dict.fromkeys(each.rank for each in headings))
    # Not sorted in place: a list that is being sorted seems to be empty.
    order = sorted(
        ranks,
        key=lambda rank: (-_height(rank), rank.depth, -_lead(rank, ranks, leads), not rank.caps, not rank.bold),
    )
    return {rank: level for level, rank in enumerate(order, start=1)}


def _height(rank: Rank) -> float:
    """How large it seems: a line of capitals is taller than one of small letters at the same size."""
    return rank.size * (_TALLER if rank.caps else 1.0)


def _lead(rank: Rank, ranks: Sequence[Rank], leads: Counter[tuple[Rank, Rank]]) -> int:
    """How often it stands right above others of its size, less how often below them."""
    others = [other for other in ranks if other.size == rank.size and other != rank]
    return sum(leads[rank, other] - leads[other, rank] for other in others)


def _levels_in_boxes(headings: Sequence[_Placed], levels: dict[Rank, int]) -> dict[Rank, int]:
    """A heading in a box is one level under the text that the box belongs to, as most of its look are.

    But it is not under headings in the text that are no larger than it, and under a larger one of its own box."""
    depths: dict[Rank, Counter[int]] = defaultdict(Counter)
    above, title, title_level = 0, None, 0
    for each in headings:
        if not each.is_boxed:
            above = levels[each.rank]
            continue
        is_under_title = title is not None and title.box == each.box and title.rank.size > each.rank.size
        level = levels.get(each.rank, title_level + 1 if is_under_title else above + 1)
        if each.rank not in levels:
            depths[each.rank][level] += 1
        if not is_under_title:
            title, title_level = each, level
    return {
        rank: min(max(found, key=lambda level: (found[level], level)), _level_at(rank.size, levels))
        for rank, found in depths.items()
    }


def _level_at(size: float, levels: dict[Rank, int]) -> int:
    return min((level for rank, level in levels.items() if rank.size <= size), default=_DEEPEST)
