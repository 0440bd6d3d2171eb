"""Blobs as objects in a bucket."""

import errno
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from blobforge.blobs.keys import parts_of
from blobforge.domain.errors import (
    BlobForgeError,
    DiskFull,
    NotFound,
    OutputUnwritable,
    SourceMissing,
    SourceUnreadable,
)
from blobforge.domain.ids import SourceHash
from blobforge.objectstore import transfers
from blobforge.objectstore.answers import Absent
from blobforge.objectstore.client import LARGEST_PUT, ObjectFacts, ObjectStore
from blobforge.objectstore.deletions import Deletion, SeenObject, taken_away, version_of, wait_for_deletions
from blobforge.ports.blob_store import NO_LABELS, BlobKey, BlobStat, DeleteAsSeen, Leftover
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

MOST_SINGLE_STATS = 20
"""Up to so many blobs are requested one by one; more are found in a listing, which has a thousand per page."""

IN_MEMORY = 8 * 1024 * 1024
"""A blob that is opened is kept in memory up to this size, and in a temporary file beyond it."""


class BucketBlobStore:
    def __init__(self, objects: ObjectStore, *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        self._objects = objects
        self._runtime = runtime

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        name = object_name(key)
        while True:
            try:
                size = transfers.upload(self._objects, name, path, metadata=labels, source_hash=source_hash)
            except OSError as error:
                raise _unreadable(error, path) from error
            if not self._taken_away([name]):
                return BlobStat(key, size, self._objects.now())

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        stat = self.put(key, path)
        path.unlink(missing_ok=True)
        return stat

    def open(self, key: BlobKey) -> BinaryIO:
        name = object_name(key)
        # Downloaded completely first: an open blob stays whole, whatever becomes of the object.
        spool = cast("BinaryIO", SpooledTemporaryFile(IN_MEMORY))  # noqa: SIM115 - the caller closes it
        try:
            self._download(name, spool)
        except BaseException:
            spool.close()
            raise
        spool.seek(0)
        return spool

    def local_path(self, key: BlobKey) -> Path | None:
        object_name(key)
        return None

    def fetch(self, key: BlobKey, target: Path) -> None:
        name = object_name(key)
        was_there = target.exists()
        try:
            # Opened without truncation: the file stays as it is where there is no such blob.
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
                self._download(name, file)
        except OSError as error:
            raise unwritable(error, target) from error
        except NotFound:
            if not was_there:
                target.unlink(missing_ok=True)
            raise

    def address(self, key: BlobKey) -> str:
        return f"{self._objects.place}{object_name(key)}"

    def stat(self, key: BlobKey) -> BlobStat | None:
        facts = self._objects.head(object_name(key))
        return _stat(key, facts) if facts is not None else None

    def stat_many(self, keys: Collection[BlobKey]) -> dict[BlobKey, BlobStat]:
        names = {key: object_name(key) for key in keys}
        if len(names) <= MOST_SINGLE_STATS:
            return {key: found for key in names if (found := self.stat(key)) is not None}
        common = os.path.commonprefix(list(names))  # noqa: RUF071 - of keys, by their letters, as listings go
        return {blob.key: blob for blob in self.list(common) if blob.key in names}

    def renew(self, key: BlobKey) -> BlobStat | None:
        """By a copy onto itself, inside the store, which takes objects of up to 5 GB."""
        name = object_name(key)
        facts = self._objects.head(name)
        if facts is None or facts.size > LARGEST_PUT:
            return None
        try:
            self._objects.renew(name, metadata=facts.metadata)
        except Absent:
            return None
        wait_for_deletions(self._objects, [name], runtime=self._runtime)
        return self.stat(key)

    def keep(self, keys: Collection[BlobKey]) -> set[BlobKey]:
        names = {object_name(key): key for key in keys}
        return {names[name] for name in self._taken_away(names)}

    @contextmanager
    def clearing(self, keys: Collection[BlobKey]) -> Iterator[DeleteAsSeen]:
        with Deletion(self._objects, [object_name(key) for key in keys], runtime=self._runtime) as deletion:
            yield lambda seen: deletion.delete(SeenObject(object_name(seen.key), seen.version))

    def delete(self, key: BlobKey) -> None:
        self._objects.delete(object_name(key))

    def list(self, prefix: str) -> Iterator[BlobStat]:
        for facts in self._objects.all(_escaped(prefix)):
            # Some tools create empty objects as folders.
            if not facts.name.endswith("/"):
                yield _stat(key_of(facts.name), facts)

    def leftovers(self) -> Iterator[Leftover]:
        for upload in transfers.unfinished(self._objects):
            yield Leftover(f"{upload.id} {upload.name}", upload.size, upload.began_at)

    def clear(self, leftover: Leftover) -> None:
        upload_id, _, name = leftover.name.partition(" ")
        transfers.abandon(self._objects, name, upload_id)

    def _taken_away(self, names: Collection[str]) -> set[str]:
        return taken_away(self._objects, names, runtime=self._runtime)

    def _download(self, name: str, target: BinaryIO) -> None:
        try:
            self._objects.fetch(name, target)
        except Absent as error:
            raise NotFound(f"there is no blob {key_of(name)}") from error


def object_name(key: BlobKey) -> str:
    """Raises InvalidValue."""
    parts_of(key)
    return _escaped(key)


def _stat(key: BlobKey, facts: ObjectFacts) -> BlobStat:
    return BlobStat(key, facts.size, facts.modified, version_of(facts))


def _escaped(text: str) -> str:
    # Some stores treat a backslash as a slash.
    return text.replace("%", "%25").replace("\\", "%5C")


def key_of(name: str) -> BlobKey:
    """The blob that an object is."""
    return BlobKey(name.replace("%5C", "\\").replace("%25", "%"))


def _unreadable(error: OSError, path: Path) -> BlobForgeError:
    if isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError):
        return SourceMissing(f"there is no file {path}")
    return SourceUnreadable(f"{path} cannot be read: {error.strerror}")


def unwritable(error: OSError, path: Path) -> BlobForgeError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"{path}: no space left on the disk; make room in {path.parent}")
    return OutputUnwritable(f"{path} cannot be written: {error.strerror}")
