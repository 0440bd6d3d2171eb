"""Finds documents below paths: by name, or by their first bytes. Nothing that goes wrong stops the walk."""

import os
import stat as modes
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from blobforge.domain.errors import BlobForgeError, SourceUnreadable
from blobforge.ports.hash_cache import FileStat

PDF_MAGIC = b"%PDF-"
MAGIC_WITHIN = 1024
_SUFFIX = ".pdf"


class Found(NamedTuple):
    """A document. `relative` is its path below the folder that was named, or its bare name."""

    stat: FileStat
    relative: str


class Unreadable(NamedTuple):
    """Something that could not be looked at."""

    path: str
    error: BlobForgeError


Seen = Found | Unreadable


def scan(
    paths: Sequence[Path],
    *,
    skip: Path | None = None,
    sniff: Callable[[str], bool] | None = None,
) -> Iterator[Seen]:
    """Documents below the paths, in the order of names; `skip` is a folder that is not entered.

    A file that is named itself is a document whatever it holds. In a folder, names that begin with a dot are passed
    over, links to files are followed, and links to folders once.
    """
    walker = _Walker(skip, sniff or has_pdf_magic)
    for path in paths:
        absolute = os.path.abspath(path)  # noqa: PTH100 - keeps a link's own name, which resolve() would not
        yield from walker.named(absolute)


def has_pdf_magic(path: str) -> bool:
    """Raises OSError."""
    with open(path, "rb") as file:  # noqa: PTH123 - on a hot path
        return PDF_MAGIC in file.read(MAGIC_WITHIN)


class _Walker:
    def __init__(self, skip: Path | None, sniff: Callable[[str], bool]) -> None:
        self._entered: set[tuple[int, int]] = set()
        self._sniff = sniff
        if skip is not None and skip.is_dir():
            facts = skip.stat()
            self._entered.add((facts.st_dev, facts.st_ino))

    def named(self, path: str) -> Iterator[Seen]:
        try:
            facts = Path(path).stat()
        except OSError as error:
            yield _unreadable(path, error)
            return
        if modes.S_ISDIR(facts.st_mode):
            yield from self._folder(path, "", facts)
        else:
            yield Found(FileStat(path, facts.st_size, facts.st_mtime_ns), PurePath(path).name)

    def _folder(self, path: str, relative: str, facts: os.stat_result) -> Iterator[Seen]:
        identity = (facts.st_dev, facts.st_ino)
        if identity in self._entered:
            return
        self._entered.add(identity)
        try:
            with os.scandir(path) as entries:
                listed = sorted((entry for entry in entries if entry.name[0] != "."), key=lambda entry: entry.name)
        except OSError as error:
            yield _unreadable(path, error)
            return
        for entry in listed:
            try:
                facts = entry.stat()
            except OSError as error:
                if entry.name.lower().endswith(_SUFFIX):
                    yield _unreadable(entry.path, error)
                continue
            inner = f"{relative}/{entry.name}" if relative else entry.name
            if modes.S_ISDIR(facts.st_mode):
                yield from self._folder(entry.path, inner, facts)
            elif modes.S_ISREG(facts.st_mode):
                yield from self._file(entry, inner, facts)

    def _file(self, entry: "os.DirEntry[str]", relative: str, facts: os.stat_result) -> Iterator[Seen]:
        if entry.name.lower().endswith(_SUFFIX) or self._looks_like_pdf(entry.path):
            yield Found(FileStat(entry.path, facts.st_size, facts.st_mtime_ns), relative)

    def _looks_like_pdf(self, path: str) -> bool:
        try:
            return self._sniff(path)
        except OSError:
            # Not named as a PDF and not readable: nothing says that it is a document.
            return False


def _unreadable(path: str, error: OSError) -> Unreadable:
    return Unreadable(path, SourceUnreadable(f"{path} cannot be read: {error.strerror or error}"))
