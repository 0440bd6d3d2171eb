"""From what a person names to libraries: folders, files, patterns, and repositories by path or address."""

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidValue, SourceMissing
from blobforge.gc_pause import gc_paused
from blobforge.ingest.links import Links
from blobforge.ingest.repositories import Clones, check_address, is_address, is_bare, name_of
from blobforge.ingest.scan import FoundFile, Seen, is_any_file, scan

_WILD = re.compile(r"[*?\[]")


class Library(NamedTuple):
    """`source` is how the manifest calls it, where the paths of its documents are relative to `root`."""

    source: str
    root: Path
    paths: tuple[Path, ...]
    is_whole: bool = True
    """The folder itself was named, and not some of what is in it."""
    is_clone: bool = False
    is_matched: bool = False
    """A pattern found what is in it: nobody has named that one by one."""

    @property
    def roots(self) -> tuple[Path, ...]:
        """What was named, as far as links may lead."""
        return (self.root,) if self.is_matched else self.paths

    def name_of(self, found: FoundFile) -> str:
        """A document's path in the library, as text: a file's name need not be any."""
        name = found.relative if self.is_whole else os.path.relpath(found.stat.path, self.root)
        return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


class Libraries:
    """Those that some arguments name. `skip` is a folder of ours, which is not looked into."""

    def __init__(
        self, arguments: Sequence[str], *, clones: Clones, source: str | None, skip: Path, follow_links: bool = False
    ) -> None:
        self._follow_links = follow_links
        self.links_not_followed: list[str] = []
        """As the last look found them: they lead out of what was named."""
        self._arguments = arguments
        self._clones = clones
        self._source = source
        self._skip = skip

    def open(self) -> list[Library]:
        """Clones what is named by an address. Raises InvalidValue, SourceMissing, SourceUnreadable."""
        opened: dict[Library, list[Path]] = {}
        for argument in self._arguments:
            library = self._library(argument)
            # Files of one folder are one library, however many a shell made of a pattern.
            key = library if library.is_whole else library._replace(paths=())
            opened.setdefault(key, []).extend(library.paths)
        return [
            library._replace(source=self._source or library.source, paths=tuple(dict.fromkeys(paths)))
            for library, paths in opened.items()
        ]

    def files(self, stopped: Callable[[], bool]) -> list[tuple[Library, Seen]]:
        """Every file of theirs, documents and others. Patterns and folders are looked up anew each time."""
        with gc_paused():
            libraries = self.open()
            roots = (root for library in libraries for root in library.roots)
            links = Links(roots, follow_all=self._follow_links)
            self.links_not_followed = links.not_followed
            return [
                (library, seen)
                for library in libraries
                for seen in scan(
                    library.paths,
                    skip=None if library.is_clone else self._skip,
                    stopped=stopped,
                    wanted=is_any_file,
                    links=links,
                    by_pattern=library.is_matched,
                )
            ]

    def check(self) -> None:
        """Before any work. Raises InvalidValue for what is not there, or no address that may be cloned."""
        for argument in self._arguments:
            if os.path.lexists(argument) or (_WILD.search(argument) and not is_address(argument)):
                continue
            if not is_address(argument) and not argument.startswith("-"):
                raise InvalidValue(f"{argument} is not there")
            check_address(argument)

    def check_watchable(self) -> None:
        """Raises InvalidValue also for a repository by its address: nothing tells when it changes."""
        self.check()
        for argument in self._arguments:
            if not os.path.lexists(argument) and is_address(argument):
                raise InvalidValue(f"{shown_address(argument)}: only files and folders of this machine can be followed")

    def _library(self, argument: str) -> Library:
        # A folder keeps the name by which it was called, as resolve() would not.
        path = Path(os.path.abspath(argument))  # noqa: PTH100
        if path.is_dir():
            return self._cloned(str(path)) if is_bare(path) else Library(_label(path), path, (path,))
        if os.path.lexists(path):
            return Library(_label(path.parent), path.parent, (path,), is_whole=False)
        if is_address(argument) or argument.startswith("-"):
            return self._cloned(check_address(argument))
        if _WILD.search(argument):
            return _matching(path)
        raise SourceMissing(f"{argument} is not there")

    def _cloned(self, address: str) -> Library:
        clone = self._clones.brought_up_to_date(address)
        return Library(name_of(address), clone, (clone,), is_clone=True)


def _matching(pattern: Path) -> Library:
    """Relative to the folder before the first wildcard."""
    root = Path(*_before_wildcards(pattern.parts))
    matches = sorted(glob.glob(str(pattern), recursive=True))  # noqa: PTH207 - `**` as a shell has it
    if "**" in pattern.parts:
        # All levels are there already, so that a folder among them adds nothing.
        matches = [match for match in matches if not os.path.isdir(match)]  # noqa: PTH112
    if not matches:
        raise SourceMissing(f"nothing matches {pattern}")
    return Library(_label(root), root, tuple(map(Path, matches)), is_whole=False, is_matched=True)


def _before_wildcards(parts: Sequence[str]) -> Iterator[str]:
    for part in parts:
        if _WILD.search(part):
            return
        yield part


def _label(folder: Path) -> str:
    return folder.name or "/"
