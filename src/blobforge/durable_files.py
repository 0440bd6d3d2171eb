"""Files that are kept: they survive a power cut, and are not for everyone to read. The one place that syncs.

A file's bytes and its name are two things to a disk: the bytes are synced with the file, the name with its folder.
Whoever publishes a file syncs it, renames it, syncs the folder, and only then records that it is there.
"""

import errno
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

from blobforge.domain.file_rights import FileRights

MANY = 32
"""From so many files on, one call for the whole file system is quicker than one for each of them."""

_NO_SUCH_THING = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EROFS)
"""A file system that cannot sync folders, or a folder of somebody else, of whose names none is ours."""


class NoRegularFile(OSError):
    """A pipe or a device in the place of a file."""


def open_regular(path: Path) -> BinaryIO:
    """For reading, without ever waiting for who would write into a pipe. Raises OSError, NoRegularFile."""
    # Links in the folder are its owner's, and are followed as by a plain open.
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        mode = os.fstat(handle).st_mode
        if S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not S_ISREG(mode):
            raise NoRegularFile(errno.EINVAL, "it is a pipe or a device", str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def sync_file(path: Path | str) -> None:
    """Waits until its bytes are on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path | str) -> None:
    """Waits until the names in it are on the disk. Raises OSError."""
    try:
        sync_file(path)
    except OSError as error:
        if error.errno not in _NO_SUCH_THING:
            raise


def make_folders(folder: Path, *, rights: FileRights = FileRights.PRIVATE, durable: bool = True) -> None:
    """With all above it that are missing; if `durable`, each is on the disk before something is put into it.

    Those that are there keep their rights. Raises OSError.
    """
    missing: list[Path] = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    for path in reversed(missing):
        path.mkdir(mode=0o777 if rights.of_folders is None else rights.of_folders, exist_ok=True)
        _give(path, rights.of_folders)
        if durable:
            sync_folder(path.parent)


def why_not_made(error: OSError, path: Path) -> str:
    """What it means that a file or a folder could not be made: in a folder that this user may not enter it may well be
    there."""
    if isinstance(error, PermissionError):
        # From the top: below the first that may not be entered nothing can be seen.
        for folder in reversed(path.parents):
            if not os.access(folder, os.X_OK) and os.path.lexists(folder):
                return f"cannot be opened: this user may not enter {folder}"
    return f"cannot be made: {error.strerror}"


def give_rights(path: Path, rights: FileRights) -> None:
    """To a file of ours."""
    _give(path, rights.of_files)


def make_file(path: Path, rights: FileRights) -> None:
    """Empty, where there is none: for programs that make files with rights of their own. Raises OSError."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666 & (rights.of_files or 0o666)))
        give_rights(path, rights)


def _give(path: Path, mode: int | None) -> None:
    # A file system without rights refuses to set any; and what is another's is theirs to open up or close.
    with suppress(PermissionError):
        if mode is not None:
            path.chmod(mode)


def sync_all(paths: Iterable[str]) -> None:
    """Files with their folders and all above those. What is gone by now is passed over. Raises OSError."""
    files = list(paths)
    folders = dict.fromkeys(os.path.dirname(path) for path in files)  # noqa: PTH120 - thousands of them
    if len(files) >= MANY and _sync_file_systems(folders):
        return
    for path in files:
        _if_there(sync_file, path)
    chains = ((Path(folder), *Path(folder).parents) for folder in folders)
    for above in dict.fromkeys(path for chain in chains for path in chain):
        _if_there(sync_folder, str(above))


def _if_there(sync: Callable[[str], None], path: str) -> None:
    try:
        sync(path)
    except FileNotFoundError:
        return


def _sync_file_systems(folders: Iterable[str]) -> bool:
    """Whether this system can do it."""
    syncfs = _syncfs()
    if syncfs is None:
        return False
    seen: set[int] = set()
    for folder in folders:
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            device = os.fstat(handle).st_dev
            if device not in seen:
                seen.add(device)
                syncfs(handle)
        finally:
            os.close(handle)
    return True


@cache
def _syncfs() -> Callable[[int], None] | None:
    """Linux has it, and Python has no name for it."""
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if call is None:
        return None

    def syncfs(handle: int) -> None:
        if call(handle) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    return syncfs
