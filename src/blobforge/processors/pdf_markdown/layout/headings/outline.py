"""Uses the bookmarks of a PDF for headings and their levels, where they agree with the pages."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole, all_of
from blobforge.processors.pdf_markdown.layout.survey.bookmarks import Bookmark, key_of

_AGREES = 0.6
"""Of the entries: so many must be found on their pages, or the outline is of something else."""

Rank = TypeVar("Rank")


def in_outline(passages: Sequence[Passage], outline: Sequence[Bookmark]) -> dict[int, int]:
    """The levels of passages that the outline names, by their ids; empty when it does not agree."""
    if not outline:
        return {}
    pages = {passage.page for passage in passages}
    named = {(entry.page, entry.title): entry.level for entry in outline if entry.page in pages}
    found: dict[tuple[int, str], Passage] = {}
    for passage in all_of(list(passages)):
        if _may_be_named(passage):
            key = (passage.page, key_of(f"{passage.marker}{passage.plain}"))
            # A table under a heading may have a caption of the same words.
            if key in named and (key not in found or _size(passage) > _size(found[key])):
                found[key] = passage
    if len(found) < _AGREES * len(named):
        return {}
    return {id(passage): named[key] for key, passage in found.items()}


def _size(passage: Passage) -> float:
    return passage.look.size if passage.look is not None else 0.0


def _may_be_named(passage: Passage) -> bool:
    return passage.role in (PassageRole.PARAGRAPH, PassageRole.ITEM, PassageRole.HEADING)


def agreed_levels(headings: Iterable[tuple[Rank, int, int | None]]) -> dict[Rank, int]:
    """The level of each rank, given the level by its look and the level in the outline of each heading.

    A rank that the outline does not name is as far under the one above it as its look says. An outline that sets
    small headings beside or above larger ones is of a part of a document, and tells no levels."""
    named: dict[Rank, Counter[int]] = defaultdict(Counter)
    looks: dict[Rank, int] = {}
    for rank, by_look, by_outline in headings:
        looks[rank] = by_look
        if by_outline is not None:
            named[rank][by_outline] += 1
    levels: dict[Rank, int] = {}
    above = (0, 0)
    for rank in sorted(looks, key=lambda rank: looks[rank]):
        by_look = looks[rank]
        level = named[rank].most_common(1)[0][0] if named[rank] else above[1] + by_look - above[0]
        if level < above[1] or (level == above[1] and by_look > above[0]):
            return looks
        levels[rank] = level
        above = (by_look, level)
    return levels
