"""Folders to work in: one a run, empty when it gets it, and swept up after a crash."""

import errno
import itertools
import os
import shutil
from pathlib import Path

from blobforge.domain.errors import DiskFull, OutputUnwritable

_numbers = itertools.count(1)
"""One for the whole process: two of these on one folder never give out the same place."""


class Workspace:
    """Small documents come by the thousand, and making and removing a folder can cost as much as converting one: so a
    folder that was left clean is used again. Threads may share it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._spare: list[Path] = []

    def take(self) -> Path:
        """An empty folder that nobody else has. Raises DiskFull, OutputUnwritable."""
        try:
            return self._spare.pop()
        except IndexError:
            return self._make(self._root / str(next(_numbers)))

    def give_back(self, path: Path, *, in_peace: bool) -> None:
        """`in_peace`: no child died in it or was killed, so that nothing can still be writing there."""
        if in_peace and _is_emptied(path):
            self._spare.append(path)
        else:
            shutil.rmtree(path, ignore_errors=True)

    def _make(self, path: Path) -> Path:
        try:
            # A crash may have left one of this name.
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
        except OSError as error:
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


def writing_failed(error: OSError, path: Path) -> DiskFull | OutputUnwritable:
    """What an error while writing means to a person."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"{path}: no space left on the disk")
    return OutputUnwritable(f"{path} cannot be written: {error.strerror or error}")
