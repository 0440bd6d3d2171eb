"""Whether all pages hang where they should: readers go on without those that have fallen off, and say nothing of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pikepdf

_DEEPEST_BRANCH = 64
_OF_BRANCHES = frozenset(("/Kids", "/Count"))
_NUMBER = tuple[int, int]


class PageTree(NamedTuple):
    """`is_torn`: it may have lost a page. `lacks_content`: what a page draws is not in the file, or is no content.
    `warnings` are those of qpdf on the way."""

    is_torn: bool
    lacks_content: bool
    warnings: tuple[str, ...]


def look_at_page_tree(path: Path, *, password: str = "") -> PageTree:
    """As it stands in the file: qpdf takes what is no page out of the tree, and counts anew, when it gives its pages
    what they inherit. Raises what pikepdf does.

    Pages that nothing leads to are no damage by themselves: whoever takes pages out of a file may leave them in it.
    """
    with pikepdf.open(path, password=password, inherit_page_attributes=False) as pdf:
        tree = _Tree()
        tree.pages_below(pdf.Root.get("/Pages"), _DEEPEST_BRANCH)
        is_one_lost = tree.is_one_twice and any(page not in tree.seen for page in _all_pages(pdf))
        return PageTree(tree.is_torn or is_one_lost, tree.lacks_content, tuple(map(str, pdf.get_warnings())))


class _Tree:
    def __init__(self) -> None:
        self.seen: set[_NUMBER] = set()
        self.is_torn = self.is_one_twice = self.lacks_content = False

    def pages_below(self, branch: pikepdf.Object | None, depth: int) -> int:
        if not isinstance(branch, pikepdf.Dictionary) or not depth:
            self.is_torn = True
            return 0
        kids = branch.get("/Kids")
        if branch.is_indirect and branch.objgen in self.seen:
            self.is_one_twice |= kids is None
            self.is_torn |= kids is not None
            return int(kids is None)
        if branch.is_indirect:
            self.seen.add(branch.objgen)
        if kids is None:
            self._look_at_page(branch)
            return 1
        count = sum(self.pages_below(kid, depth - 1) for kid in kids) if isinstance(kids, pikepdf.Array) else 0
        self.is_torn |= branch.get("/Count") != count
        return count

    def _look_at_page(self, page: pikepdf.Object) -> None:
        """Other things have a parent, too, such as bookmarks and fields; and the contents of a note are its text."""
        streams = [part for part in _contents(page) if isinstance(part, pikepdf.Stream)]
        self.is_torn |= not streams and not _is_branch(page.get("/Parent"))
        self.lacks_content |= len(streams) < sum(1 for _ in _contents(page))


def _contents(page: pikepdf.Object) -> Iterator[pikepdf.Object | None]:
    # A key whose value is nowhere in the file is not there for `get`.
    for name, contents in page.items():
        if name == "/Contents":
            yield from contents if isinstance(contents, pikepdf.Array) else (contents,)


def _is_branch(thing: pikepdf.Object | None) -> bool:
    return isinstance(thing, pikepdf.Dictionary) and thing.keys() >= _OF_BRANCHES


def _all_pages(pdf: pikepdf.Pdf) -> Iterator[_NUMBER]:
    for each in pdf.objects:
        if isinstance(each, pikepdf.Dictionary) and each.get("/Type") == pikepdf.Name.Page:
            yield each.objgen
