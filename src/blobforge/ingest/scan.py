"""Finds files below paths: documents by name or first bytes, or all. Nothing that goes wrong stops the walk."""

import os
import stat as modes
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path, PurePath
from typing import NamedTuple

from blobforge.domain.errors import BlobForgeError, SourceUnreadable
from blobforge.ingest.links import Links
from blobforge.ports.hash_cache import FileStat

PDF_MAGIC = b"%PDF-"
MAGIC_WITHIN = 1024
_SUFFIX = ".pdf"


class FoundFile(NamedTuple):
    """A file. `relative` is its path below the folder that was named, or its bare name."""

    stat: FileStat
    relative: str


class Unreadable(NamedTuple):
    """Something that could not be looked at."""

    path: str
    error: BlobForgeError


Seen = FoundFile | Unreadable
EntryFilter = Callable[["os.DirEntry[str]"], bool]


def is_document(entry: "os.DirEntry[str]") -> bool:
    """By its name, or else by its first bytes."""
    return is_named_as_pdf(entry.name) or _looks_like_pdf(entry.path)


class DocumentFilter:
    """Documents, and how many other files there were."""

    def __init__(self) -> None:
        self.passed_over = 0

    def __call__(self, entry: "os.DirEntry[str]") -> bool:
        if is_document(entry):
            return True
        self.passed_over += 1
        return False


def is_any_file(_entry: "os.DirEntry[str]") -> bool:
    """For callers with other or cheaper means to recognise documents."""
    return True


def scan(
    paths: Sequence[Path],
    *,
    skip: Path | None = None,
    stopped: Callable[[], bool] = lambda: False,
    wanted: EntryFilter = is_document,
    links: Links | None = None,
    by_pattern: bool = False,
) -> Iterator[Seen]:
    """The wanted files below the paths; `skip` is a folder that is not entered unless it is named.

    A file that is named itself is wanted whatever it holds. In a folder, names that begin with a dot are passed
    over. Links that lead to something within the paths are followed, those to folders once: after all else, so that
    what is found both by its own name and by a link has its own name. `links` hears of the others, and
    may have another rule. With `by_pattern` nobody has named the paths one by one, so that the rule is for them too.
    """
    named = [os.path.abspath(path) for path in paths]  # noqa: PTH100 - keeps a link's own name, as resolve() would not
    links = links or Links(paths)
    walker = _Walker(skip, stopped, wanted, links)
    for path in named:
        if not by_pattern or links.may_follow(path):
            yield from walker.named(path)
    yield from walker.linked()


def is_named_as_pdf(path: str) -> bool:
    return path.lower().endswith(_SUFFIX)


def has_pdf_magic(path: str) -> bool:
    """Raises OSError."""
    with open(path, "rb") as file:  # noqa: PTH123 - on a hot path
        return PDF_MAGIC in file.read(MAGIC_WITHIN)


class _Folder(NamedTuple):
    """`relative` is what stands before the names in it, empty or with a slash at its end."""

    path: str
    relative: str
    identity: tuple[int, int]


class _Opened(NamedTuple):
    """A folder on the way, and what of it is still to be looked at."""

    relative: str
    entries: Iterator["os.DirEntry[str]"]


class _Walker:
    def __init__(self, skip: Path | None, stopped: Callable[[], bool], wanted: EntryFilter, rule: Links) -> None:
        self._stopped = stopped
        self._wanted = wanted
        self._rule = rule
        self._entered: set[tuple[int, int]] = set()
        self._skipped = _identity(skip.stat()) if skip is not None and skip.is_dir() else None
        self._links: deque[_Folder] = deque()
        # A list instead of calls within calls: folders may be nested deeper than calls may.
        self._way: list[_Opened] = []

    def named(self, path: str) -> Iterator[Seen]:
        try:
            facts = Path(path).stat()
        except OSError as error:
            yield _unreadable(path, error)
            return
        if modes.S_ISDIR(facts.st_mode):
            yield from self._walk(_Folder(path, "", _identity(facts)))
        elif modes.S_ISREG(facts.st_mode):
            yield _found(path, facts, PurePath(path).name)
        else:
            yield _odd(path)

    def linked(self) -> Iterator[Seen]:
        while self._links:
            folder = self._links.popleft()
            if folder.identity != self._skipped:
                yield from self._walk(folder)

    def _walk(self, folder: _Folder) -> Iterator[Seen]:
        if (problem := self._enter(folder)) is not None:
            yield problem
        while self._way and not self._stopped():
            relative, entries = here = self._way[-1]
            for entry in entries:
                if (seen := self._entry(entry, relative + entry.name)) is not None:
                    yield seen
                if self._way[-1] is not here or self._stopped():
                    break
            else:
                self._way.pop()

    def _entry(self, entry: "os.DirEntry[str]", relative: str) -> Seen | None:
        try:
            facts = entry.stat()
        except OSError as error:
            return _unreadable(entry.path, error) if _is_worth_a_word(entry) else None
        is_file, is_folder = modes.S_ISREG(facts.st_mode), modes.S_ISDIR(facts.st_mode)
        if (is_file or is_folder) and entry.is_symlink() and not self._rule.may_follow(entry.path):
            return None
        if is_file:
            return _found(entry.path, facts, relative) if self._wanted(entry) else None
        if is_folder:
            return self._folder(entry, _Folder(entry.path, f"{relative}/", _identity(facts)))
        return _odd(entry.path) if is_named_as_pdf(entry.name) else None

    def _folder(self, entry: "os.DirEntry[str]", folder: _Folder) -> Unreadable | None:
        if entry.is_symlink():
            self._links.append(folder)
            return None
        return None if folder.identity == self._skipped else self._enter(folder)

    def _enter(self, folder: _Folder) -> Unreadable | None:
        if folder.identity in self._entered:
            return None
        self._entered.add(folder.identity)
        try:
            with os.scandir(folder.path) as entries:
                listed = [entry for entry in entries if entry.name[0] != "."]
        except OSError as error:
            return _unreadable(folder.path, error)
        listed.sort(key=attrgetter("name"))
        self._way.append(_Opened(folder.relative, iter(listed)))
        return None


def _found(path: str, facts: os.stat_result, relative: str) -> FoundFile:
    # In the order of the fields: by their names it takes twice as long, and a library has many files.
    stat: FileStat = tuple.__new__(FileStat, (path, facts.st_size, facts.st_mtime_ns))
    return tuple.__new__(FoundFile, (stat, relative))


def _identity(facts: os.stat_result) -> tuple[int, int]:
    return facts.st_dev, facts.st_ino


def _is_worth_a_word(entry: "os.DirEntry[str]") -> bool:
    """Unreadable entries are reported only where they would be a document, or may contain some."""
    if is_named_as_pdf(entry.name):
        return True
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        # A file system that does not tell folders from files in its lists.
        return False


def _looks_like_pdf(path: str) -> bool:
    try:
        return has_pdf_magic(path)
    except OSError:
        # Not named as a PDF and not readable: nothing says that it is a document.
        return False


def _unreadable(path: str, error: OSError) -> Unreadable:
    return Unreadable(path, SourceUnreadable(f"{path} cannot be read: {error.strerror or error}"))


def _odd(path: str) -> Unreadable:
    """A pipe or a device: to read it could take for ever."""
    return Unreadable(path, SourceUnreadable(f"{path} is neither a file nor a folder"))
