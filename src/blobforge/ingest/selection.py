"""Which of the documents that were found are wanted: by patterns of their names, and by size."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A pattern without a slash is a name at any depth, one with a slash a path from the folder that was named; either
    may be that of a folder, which stands for all that is in it. `**` stands for any number of folders."""

    include: tuple[str, ...] = ()
    """Empty: everything."""
    exclude: tuple[str, ...] = ()
    max_size: int | None = None
    """In bytes."""

    def takes(self, relative: str, size: int) -> bool:
        if self.max_size is not None and size > self.max_size:
            return False
        if self.include and not _any_matches(self.include, relative):
            return False
        return not _any_matches(self.exclude, relative)


EVERYTHING = Selection()


def _any_matches(patterns: Sequence[str], relative: str) -> bool:
    parts = relative.split("/")
    return any(_matches(pattern.rstrip("/"), parts) for pattern in patterns)


def _matches(pattern: str, parts: Sequence[str]) -> bool:
    if "/" not in pattern:
        return any(fnmatchcase(part, pattern) for part in parts)
    return _leads_to(pattern.lstrip("/").split("/"), parts)


def _leads_to(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the path, or a folder on its way, is what the pattern says."""
    if not pattern:
        return True
    if pattern[0] == "**":
        return any(_leads_to(pattern[1:], parts[skipped:]) for skipped in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], pattern[0]) and _leads_to(pattern[1:], parts[1:])
