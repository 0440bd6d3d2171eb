"""What a power cut leaves of a folder: a simulation that knows what was synced, and forgets all else.

A disk may keep more than what was asked for, in any order, so there are two worst cases: names that were not synced
are gone, and files whose bytes were not synced are empty.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from blobforge import durable_files


class PowerCut:
    """Records every sync of this process, by the numbers of files on the disk."""

    def __init__(self) -> None:
        self.syncs = 0
        self._bytes: dict[int, bytes] = {}
        self._names: dict[int, dict[str, int]] = {}

    def note(self, path: Path) -> None:
        """What a sync of this file or folder makes sure of."""
        number = path.stat().st_ino
        if path.is_dir():
            with os.scandir(path) as entries:
                self._names[number] = {entry.name: entry.inode() for entry in entries}
        else:
            self._bytes[number] = path.read_bytes()

    def note_all(self, root: Path) -> None:
        for path in (root, *root.rglob("*")):
            self.note(path)

    def left(self, root: Path) -> dict[str, bytes]:
        """The files below a folder that is on the disk itself, when only synced names are still there."""
        return {name: self._bytes.get(path.stat().st_ino, b"") for name, path in self._named(root, root)}

    def torn(self, root: Path) -> dict[str, bytes]:
        """The same files when all names are there, and only synced bytes."""
        files = [path for path in root.rglob("*") if path.is_file()]
        return {str(path.relative_to(root)): self._bytes.get(path.stat().st_ino, b"") for path in files}

    def _named(self, root: Path, folder: Path) -> Iterator[tuple[str, Path]]:
        for name, number in self._names.get(folder.stat().st_ino, {}).items():
            path = folder / name
            if not path.exists() or path.stat().st_ino != number:
                continue
            if path.is_dir():
                yield from self._named(root, path)
            else:
                yield str(path.relative_to(root)), path


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch, root: Path) -> Iterator[PowerCut]:
    """`root` is on the disk; what happens below it from now on is only where it is synced."""
    cut = PowerCut()
    cut.note_all(root)

    def fsync(handle: int) -> None:
        cut.syncs += 1
        cut.note(Path(f"/proc/self/fd/{handle}").readlink())

    def syncfs(_handle: int) -> None:
        cut.syncs += 1
        cut.note_all(root)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        patched.setattr(durable_files, "_syncfs", lambda: syncfs)
        yield cut
