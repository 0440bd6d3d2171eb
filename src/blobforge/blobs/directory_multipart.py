"""Uploads in parts to a folder: each part is a file among those that are on their way, until all are joined."""

import errno
import os
import shutil
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote, unquote

from blobforge import durable_files
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.errors import NotFound
from blobforge.domain.uploads import FilePart
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.multipart import PartUpload

_PART = "part~"
_CHUNK = 1 << 20


class DirectoryMultipart:
    """An upload is begun by its first part. `gc` clears parts away like all that is old and still on its way."""

    def __init__(self, store: DirectoryBlobStore) -> None:
        self._store = store

    def begun(self, key: BlobKey) -> PartUpload:
        return self.found(key) or PartUpload(key, "", {})

    def found(self, key: BlobKey) -> PartUpload | None:
        files = self._files_of(key)
        return PartUpload(key, "", _sizes(files)) if files else None

    def signed(self, upload: PartUpload, part: FilePart, *, valid_for: timedelta) -> None:
        """A folder has nobody who could check a signature but the server before it."""

    def take(self, key: BlobKey, number: int, path: Path) -> None:
        self._store.require_folder()
        # A part is one file, and never written again in place: who is slow to send it a second time changes nothing
        # that was joined.
        try:
            _move(path, self._store.incoming / f"{_beginning(key)}{number:05}")
        except OSError as error:
            raise self._store.unavailable(error, key) from error

    def join(self, upload: PartUpload, parts: Sequence[FilePart]) -> None:
        joined = self._store.incoming / uuid.uuid4().hex
        try:
            with joined.open("wb") as file:
                for part in parts:
                    self._append(upload.key, part, file)
            self._store.adopt(upload.key, joined)
        except OSError as error:
            raise self._store.unavailable(error, upload.key) from error
        finally:
            joined.unlink(missing_ok=True)
        self.abandon(upload)

    def abandon(self, upload: PartUpload) -> None:
        try:
            for file in self._files_of(upload.key):
                file.unlink(missing_ok=True)
        except OSError as error:
            raise self._store.unavailable(error, upload.key) from error

    def abandoned(self, prefix: str, *, before: datetime) -> Iterator[PartUpload]:
        by_key: dict[BlobKey, list[Path]] = defaultdict(list)
        for file in self._files():
            if (key := _key_of(file)).startswith(prefix):
                by_key[key].append(file)
        for key, files in by_key.items():
            if all(_is_older(file, before) for file in files):
                yield PartUpload(key, "", _sizes(files))

    def _append(self, key: BlobKey, part: FilePart, target: BinaryIO) -> None:
        """Raises NotFound, OSError."""
        try:
            with durable_files.open_regular(self._store.incoming / f"{_beginning(key)}{part.number:05}") as source:
                if os.fstat(source.fileno()).st_size != part.size:
                    raise NotFound(f"part {part.number} of {key} has another size than it should have: upload it again")
                shutil.copyfileobj(source, target, _CHUNK)
        except FileNotFoundError as error:
            raise NotFound(f"part {part.number} of {key} is missing: upload it") from error

    def _files_of(self, key: BlobKey) -> list[Path]:
        beginning = _beginning(key)
        return [file for file in self._files() if file.name.startswith(beginning)]

    def _files(self) -> list[Path]:
        try:
            return [file for file in self._store.incoming.iterdir() if file.name.startswith(_PART)]
        except FileNotFoundError:
            return []  # nothing was ever put there
        except OSError as error:
            raise self._store.unavailable(error, BlobKey(_PART)) from error


def _beginning(key: BlobKey) -> str:
    """What the names of the parts of an upload begin with."""
    return f"{_PART}{quote(key, safe='')}~"


def _key_of(file: Path) -> BlobKey:
    return BlobKey(unquote(file.name.removeprefix(_PART).rpartition("~")[0]))


def _sizes(files: Iterable[Path]) -> dict[int, int]:
    found = {}
    for file in files:
        number = file.name.rpartition("~")[2]
        # It may have been joined meanwhile.
        with suppress(FileNotFoundError):
            if number.isdecimal():
                found[int(number)] = file.stat().st_size
    return found


def _is_older(file: Path, moment: datetime) -> bool:
    try:
        return datetime.fromtimestamp(file.stat().st_mtime, UTC) < moment
    except FileNotFoundError:
        return False  # somebody is at work there


def _move(path: Path, place: Path) -> None:
    """Also from another disk, and even then it appears whole. Raises OSError."""
    try:
        path.replace(place)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        arriving = place.with_name(uuid.uuid4().hex)
        try:
            shutil.copyfile(path, arriving)
            arriving.replace(place)
        finally:
            arriving.unlink(missing_ok=True)
        path.unlink()
