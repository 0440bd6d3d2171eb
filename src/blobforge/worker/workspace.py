"""Workspaces: an empty folder for each run, cleaned up after crashes."""

import errno
import itertools
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

from blobforge import untrusted_tree
from blobforge.domain.errors import DiskFull, DiskTooSmall, OutputUnwritable

_numbers = itertools.count(1)
"""One for the whole process: two of these on one folder never give out the same place."""
_known: set[Path] = set()
"""All places that were given out or wait for their use: one for the whole process too, for whoever sweeps."""
_lock = threading.Lock()


class Workspace:
    """Small documents come by the thousand, and making and removing a folder can cost as much as converting one: so a
    folder that was left clean is used again. Threads may share it, and nothing else may lie beside its folders."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._spare: list[Path] = []

    def take(self) -> Path:
        """An empty folder that nobody else has. Raises DiskFull, OutputUnwritable."""
        try:
            return self._spare.pop()
        except IndexError:
            path = self.root / str(next(_numbers))
        with _lock:
            _known.add(path)
        return self._make(path)

    def give_back(self, path: Path, *, is_clean: bool) -> None:
        """`is_clean`: no child died or was killed in it, so that no process can still be writing there."""
        if is_clean and _is_emptied(path):
            self._spare.append(path)
            return
        untrusted_tree.remove(path)
        with _lock:
            _known.discard(path)
            if not is_clean:
                self._sweep()

    def _sweep(self) -> None:
        """A child that misbehaved may have written beside its own folder, and into the spare ones."""
        with suppress(IndexError):
            while True:
                _known.discard(self._spare.pop())
        with suppress(OSError):
            for entry in self.root.iterdir():
                if entry not in _known:
                    untrusted_tree.remove(entry)

    def _make(self, path: Path) -> Path:
        try:
            # A crash may have left one of this name.
            untrusted_tree.remove(path)
            path.mkdir(parents=True)
        except OSError as error:
            with _lock:
                _known.discard(path)
            raise writing_failed(error, path) from error
        return path


def _is_emptied(folder: Path) -> bool:
    """Removes what lies in it; False when that is more than a few files."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                os.unlink(entry.path)  # noqa: PTH108 - once for every document
    except OSError:
        return False
    return True


def is_within(path: Path, folder: Path) -> bool:
    # Right beneath it, as almost always, is plain to see.
    return path.parent == folder or path.resolve().is_relative_to(folder.resolve())


def stamp(path: Path) -> tuple[int, int] | None:
    """Size and time, by which a file counts as unchanged; None when it is gone."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns


def writing_failed(error: OSError, path: Path) -> DiskFull | OutputUnwritable:
    """What an error while writing means to a person."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"{path}: no space left on the disk; make room in {path.parent}")
    return OutputUnwritable(f"{path} cannot be written: {error.strerror or error}")


def require_fitting(what: Path | str, size: int, folder: Path) -> None:
    """Waiting for space is of no use where even the empty disk is too small. Raises DiskTooSmall."""
    whole = shutil.disk_usage(folder).total
    if size > whole:
        raise DiskTooSmall(f"{what} has {size:,} bytes, and the whole disk of {folder} no more than {whole:,}")
