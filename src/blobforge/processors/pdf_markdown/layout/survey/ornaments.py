"""Ornaments: what is drawn in the same place on many pages, such as a logo in the head or flourishes in the corners."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from blobforge.processors.pdf_markdown.layout.model.content import PageContent, Rectangle

_FEWEST_PAGES = 3
_MANY = 0.25
"""Of the pages: left and right pages, and those of each part, may have ornaments of their own."""
_MARGIN = 0.15
"""Of the page: images in the middle of it may follow each other in one place; those at its edges are all the same."""
_IMAGE = 0


class Ornament(NamedTuple):
    """Edges in whole points, and the strokes that it took to draw it; none for an image."""

    left: int
    top: int
    right: int
    bottom: int
    steps: int


def ornaments_of(pages: Sequence[PageContent]) -> frozenset[Ornament]:
    if len(pages) < _FEWEST_PAGES:
        return frozenset()
    seen: Counter[Ornament] = Counter()
    for page in pages:
        seen.update({ornament for ornament, _ in _candidates(page)})
    fewest = max(_FEWEST_PAGES, _MANY * len(pages))
    return frozenset(ornament for ornament, count in seen.items() if count >= fewest)


def without_ornaments(page: PageContent, ornaments: frozenset[Ornament]) -> PageContent:
    if not ornaments:
        return page
    gone = {place for ornament, place in _candidates(page) if ornament in ornaments}
    if not gone:
        return page
    return page._replace(
        images=[box for number, box in enumerate(page.images) if (_IMAGE, number) not in gone],
        marks=[mark for number, mark in enumerate(page.marks) if (mark.steps, number) not in gone],
    )


def _candidates(page: PageContent) -> Iterator[tuple[Ornament, tuple[int, int]]]:
    """Each with a name of its own on the page."""
    for number, box in enumerate(page.images):
        if _is_in_margin(box, page):
            yield _ornament(box, _IMAGE), (_IMAGE, number)
    for number, mark in enumerate(page.marks):
        yield _ornament(mark.box, mark.steps), (mark.steps, number)


def _ornament(box: Rectangle, steps: int) -> Ornament:
    return Ornament(round(box.left), round(box.top), round(box.right), round(box.bottom), steps)


def _is_in_margin(box: Rectangle, page: PageContent) -> bool:
    across, down = _MARGIN * page.width, _MARGIN * page.height
    is_beside = box.right < across or box.left > page.width - across
    return is_beside or box.bottom < down or box.top > page.height - down
