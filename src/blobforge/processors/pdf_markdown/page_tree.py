"""Whether all pages hang where they should: readers go on without those that have fallen off, and say nothing of it."""

from collections.abc import Iterator, Sequence

import pikepdf

_DEEPEST_BRANCH = 64
_OF_PAGES = frozenset(("/Parent", "/Contents"))
"""qpdf says of whatever it finds in the place of a page that it is one, and gives it a size and resources."""
_TWICE = "appears more than once in the pages tree"
"""qpdf puts a copy in the second place."""


def is_page_tree_torn(pdf: pikepdf.Pdf, warnings: Sequence[str]) -> bool:
    """`warnings` are those of qpdf since it opened the file.

    Pages that nothing leads to are no damage by themselves: whoever takes pages out of a file may leave them in it.
    """
    tree = _Tree()
    tree.pages_below(pdf.Root.get("/Pages"), _DEEPEST_BRANCH)
    is_one_twice = any(_TWICE in warning for warning in warnings)
    return tree.is_torn or (is_one_twice and any(page not in tree.seen for page in _all_pages(pdf)))


class _Tree:
    def __init__(self) -> None:
        self.seen: set[tuple[int, int]] = set()
        self.is_torn = False

    def pages_below(self, branch: pikepdf.Object | None, depth: int) -> int:
        if not isinstance(branch, pikepdf.Dictionary) or not depth or branch.objgen in self.seen:
            self.is_torn = True
            return 0
        if branch.is_indirect:
            self.seen.add(branch.objgen)
        kids = branch.get("/Kids")
        if kids is None:
            self.is_torn |= _OF_PAGES.isdisjoint(branch.keys())
            return 1
        count = sum(self.pages_below(kid, depth - 1) for kid in kids) if isinstance(kids, pikepdf.Array) else 0
        self.is_torn |= branch.get("/Count") != count
        return count


def _all_pages(pdf: pikepdf.Pdf) -> Iterator[tuple[int, int]]:
    for each in pdf.objects:
        if isinstance(each, pikepdf.Dictionary) and each.get("/Type") == pikepdf.Name.Page:
            yield each.objgen
