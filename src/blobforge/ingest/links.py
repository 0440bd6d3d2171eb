"""Which links a walk follows: those that stay within what was named. Others would bring in files of elsewhere."""

import os
from collections.abc import Iterable
from pathlib import Path


class Links:
    """The rule for walks over `roots`, and what was not followed by it."""

    def __init__(self, roots: Iterable[Path], *, follow_all: bool = False) -> None:
        self._roots = {os.path.realpath(root) for root in roots}
        # With their slashes: /books is not within /book.
        self._folders = tuple(os.path.join(root, "") for root in self._roots)  # noqa: PTH118 - text, as names come
        self._follow_all = follow_all
        self.not_followed: list[str] = []
        """Links to files and folders outside, in the order in which they were met."""

    def may_follow(self, path: str) -> bool:
        """Whether what is at this path lies within the roots, once all links are followed; if not, that is noted."""
        if self._follow_all:
            return True
        target = os.path.realpath(path)
        if target in self._roots or target.startswith(self._folders):
            return True
        self.not_followed.append(path)
        return False
