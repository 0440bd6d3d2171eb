"""Folders in which somebody hostile could write: looked through and removed without following links, however deep they
are and whatever rights they have."""

import errno
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from stat import S_IRWXU, S_ISDIR

from blobforge.domain.errors import OutputLimit

MOST_DEPTH = 64
"""Of folders in folders. A look holds one descriptor for each, and no processor needs so many."""
_MOST_ROUNDS = 1_000_000
"""Somebody who is still at work there must not keep us for ever."""
_BLOCK = 512
_LEAST_FILE = 4096
"""What a file takes at least, empty ones too: a disk can run out of names as well as of space."""
_OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntry:
    """An entry of a folder. `place` is its path below the tree, `folder` a descriptor of the folder that it is in."""

    place: Path
    folder: int
    entry: "os.DirEntry[str]"


@dataclass(slots=True)
class _Opened:
    place: Path
    descriptor: int
    pending: list[str]


def entries_below(root: Path) -> Iterator[FoundEntry]:
    """A folder before what is in it. Folders that do not let their owner in are given the rights; what goes away
    meanwhile is left out. Raises OutputLimit for folders that lie too deep or cannot be read all the same."""
    top = _opened_or_gone(str(root), None, root)
    opened = [] if top is None else [_Opened(Path(), top, [])]
    try:
        if opened:
            yield from _listed(opened[-1])
        while opened:
            folder = opened[-1]
            if not folder.pending:
                os.close(opened.pop().descriptor)
                continue
            name = folder.pending.pop()
            if len(opened) > MOST_DEPTH:
                raise OutputLimit(f"folders lie more than {MOST_DEPTH} deep in a workspace of a child")
            descriptor = _opened_or_gone(name, folder.descriptor, root / folder.place / name)
            if descriptor is not None:
                opened.append(_Opened(folder.place / name, descriptor, []))
                yield from _listed(opened[-1])
    finally:
        for folder in opened:
            os.close(folder.descriptor)


def folder_sizes(folder: Path) -> dict[str, int]:
    """The bytes on the disk below each entry of a folder. Raises OutputLimit where that cannot be told."""
    sizes: dict[str, int] = {}
    for found in entries_below(folder):
        name = found.place.parts[0]
        sizes[name] = sizes.get(name, 0) + _size(found.entry)
    return sizes


def remove(entry: Path) -> None:
    """A file, a link or a folder with all that is in it; what cannot be removed stays."""
    with suppress(OSError):
        parent = os.open(entry.parent, _FOLDER & ~os.O_NOFOLLOW)
        try:
            _remove_from(parent, entry.name)
        finally:
            os.close(parent)


def _listed(folder: _Opened) -> Iterator[FoundEntry]:
    with os.scandir(folder.descriptor) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folder.pending.append(entry.name)
            yield FoundEntry(place=folder.place / entry.name, folder=folder.descriptor, entry=entry)


def _size(entry: "os.DirEntry[str]") -> int:
    if entry.is_dir(follow_symlinks=False):
        return _LEAST_FILE
    try:
        return max(entry.stat(follow_symlinks=False).st_blocks * _BLOCK, _LEAST_FILE)
    except OSError:
        return 0


def _opened_or_gone(name: str, parent: int | None, path: Path) -> int | None:
    """None for what is gone, or no folder any more."""
    try:
        return _opened(name, parent)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        # A link in the place of a folder; or it is our own fault that it cannot be opened now.
        if error.errno in (errno.ELOOP, *_OUT_OF_DESCRIPTORS):
            return None
        raise OutputLimit(f"what a child wrote cannot be counted: {str(path)[-200:]}: {error.strerror}") from error


def _opened(name: str, parent: int | None) -> int:
    """With all rights for its owner, which are what it takes to list it and to reach what is in it. Raises OSError."""
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        _give_rights(name, parent)
        descriptor = os.open(name, _FOLDER, dir_fd=parent)
    with suppress(OSError):
        mode = os.fstat(descriptor).st_mode
        if mode & S_IRWXU != S_IRWXU:
            os.fchmod(descriptor, mode & 0o7777 | S_IRWXU)
    return descriptor


def _give_rights(name: str, parent: int | None) -> None:
    """To what cannot be opened for reading. Not by its name, which may be that of a link an instant later."""
    if not hasattr(os, "O_PATH"):
        os.chmod(name, S_IRWXU, dir_fd=parent, follow_symlinks=False)
        return
    place = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{place}", S_IRWXU)  # noqa: PTH101 - a descriptor's path, which Path would not shorten
    finally:
        os.close(place)


def _remove_from(parent: int, name: str) -> None:
    """Level by level: what is in the folders of the top one is moved up to it, so that no path is ever long."""
    if not S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=parent)
        return
    top = _opened(name, parent)
    try:
        spare = (f".{number}" for number in count(1))
        for _ in range(_MOST_ROUNDS):
            if not sum(_dissolved(top, folder, spare) for folder in _emptied_of_files(top)):
                break
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=parent)


def _emptied_of_files(folder: int) -> list[str]:
    """The names of the folders that are left in it."""
    left: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                left.append(entry.name)
            else:
                with suppress(OSError):
                    os.unlink(entry.name, dir_fd=folder)
    return left


def _dissolved(top: int, name: str, spare: Iterator[str]) -> int:
    """How many folders came out of it or went away with it: those in it are moved to the top one."""
    done = 0
    with suppress(OSError):
        folder = _opened(name, top)
        try:
            for inner in _emptied_of_files(folder):
                with suppress(OSError):
                    _move_up(top, folder, inner, spare)
                    done += 1
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=top)
        done += 1
    return done


def _move_up(top: int, folder: int, name: str, spare: Iterator[str]) -> None:
    # A folder that is moved has to be writable.
    os.close(_opened(name, folder))
    while True:
        try:
            os.rename(name, next(spare), src_dir_fd=folder, dst_dir_fd=top)
        except OSError as error:
            # A folder takes the place of an empty one; of anything else it does not.
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise
        else:
            return
