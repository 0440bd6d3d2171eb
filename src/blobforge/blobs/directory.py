"""Blobs as files in a folder. A blob appears whole, by a rename, or not at all."""

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from blobforge.domain.errors import (
    BlobForgeError,
    DiskFull,
    InvalidSettings,
    InvalidValue,
    NotFound,
    SourceMissing,
    StoreUnavailable,
)
from blobforge.ports.blob_store import BlobKey, BlobStat

_INCOMING = ".incoming"


def open_store(url: str) -> "DirectoryBlobStore":
    """The store of a file:// URL. Raises InvalidSettings, StoreUnavailable."""
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost") or not parts.path.startswith("/") or parts.path == "/":
        raise InvalidSettings(f"{url!r} names no folder: write file:///path/to/folder")
    return DirectoryBlobStore(Path(unquote(parts.path)))


class DirectoryBlobStore:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._incoming = root / _INCOMING
        try:
            self._incoming.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"the store's folder {root} cannot be made: {error.strerror}") from error

    def put(self, key: BlobKey, path: Path) -> BlobStat:
        target = self._path(key)
        arriving = self._incoming / uuid.uuid4().hex
        try:
            shutil.copyfile(path, arriving)
            return self._place(key, arriving, target)
        except OSError as error:
            raise _translated(error, key, path) from error
        finally:
            arriving.unlink(missing_ok=True)

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        target = self._path(key)
        try:
            return self._place(key, path, target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise _translated(error, key, path) from error
        # The file is on another disk: a rename cannot cross, a copy can.
        stat = self.put(key, path)
        path.unlink(missing_ok=True)
        return stat

    def open(self, key: BlobKey) -> BinaryIO:
        try:
            return self._path(key).open("rb")
        except OSError as error:
            raise _translated(error, key) from error

    def local_path(self, key: BlobKey) -> Path | None:
        path = self._path(key)
        return path if path.is_file() else None

    def fetch(self, key: BlobKey, target: Path) -> None:
        path = self._path(key)
        if not path.is_file():
            raise NotFound(f"there is no blob {key}")
        try:
            shutil.copyfile(path, target)
        except OSError as error:
            raise _translated(error, key, target) from error

    def stat(self, key: BlobKey) -> BlobStat | None:
        try:
            return BlobStat(key, self._path(key).stat().st_size)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _translated(error, key) from error

    def delete(self, key: BlobKey) -> None:
        try:
            self._path(key).unlink(missing_ok=True)
        except OSError as error:
            raise _translated(error, key) from error

    def list(self, prefix: str) -> Iterator[BlobStat]:
        for folder, names, files in os.walk(self._root):
            if _INCOMING in names:
                names.remove(_INCOMING)
            names.sort()
            for name in sorted(files):
                path = Path(folder, name)
                key = path.relative_to(self._root).as_posix()
                if key.startswith(prefix):
                    yield BlobStat(BlobKey(key), path.stat().st_size)

    def _place(self, key: BlobKey, arriving: Path, target: Path) -> BlobStat:
        size = arriving.stat().st_size
        try:
            arriving.replace(target)
        except FileNotFoundError:
            target.parent.mkdir(parents=True, exist_ok=True)
            arriving.replace(target)
        return BlobStat(key, size)

    def _path(self, key: BlobKey) -> Path:
        parts = key.split("/")
        if not all(parts) or {".", "..", _INCOMING} & set(parts) or "\0" in key:
            raise InvalidValue(f"{key!r} is no key: write segments separated by '/', without '.' or '..'")
        return self._root.joinpath(*parts)


def _translated(error: OSError, key: BlobKey, path: Path | None = None) -> BlobForgeError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"no space left to store {key}")
    if isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError):
        return SourceMissing(f"{path} is not there to be stored") if path else NotFound(f"there is no blob {key}")
    return StoreUnavailable(f"the blob {key} cannot be reached: {error.strerror or error}")
