"""The store of a server, counted: what it is asked, how that ends, and how long it takes."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO, TypeVar

from blobforge.domain.errors import BlobForgeError, NotFound, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.domain.uploads import FilePart
from blobforge.ports.blob_store import NO_LABELS, BlobKey, BlobStat, BlobStore, DeleteAsSeen, Leftover
from blobforge.ports.multipart import Multipart, PartUpload
from blobforge.ports.transfers import Method, SignedUrl, Transfers

Item = TypeVar("Item")

Heard = Callable[[str, str, float], None]
"""Hears the operation, its outcome and its seconds. There are as many of either as this file names."""


class Meter:
    def __init__(self, heard: Heard, seconds: Callable[[], float] = time.perf_counter) -> None:
        self._heard = heard
        self._seconds = seconds

    @contextmanager
    def asked(self, operation: str) -> Iterator[None]:
        began, outcome = self._seconds(), "error"
        try:
            yield
            outcome = "ok"
        except BlobForgeError as error:
            outcome = _outcome(error)
            raise
        finally:
            self._heard(operation, outcome, self._seconds() - began)

    def each(self, operation: str, items: Iterator[Item]) -> Iterator[Item]:
        """The whole of a listing is one request, without the time that its reader takes."""
        taken, outcome = 0.0, "error"
        try:
            while True:
                began = self._seconds()
                try:
                    item = next(items)
                except StopIteration:
                    outcome = "ok"
                    return
                except BlobForgeError as error:
                    outcome = _outcome(error)
                    raise
                finally:
                    taken += self._seconds() - began
                yield item
        except GeneratorExit:
            outcome = "ok"
            raise
        finally:
            self._heard(operation, outcome, taken)


def _outcome(error: BlobForgeError) -> str:
    if isinstance(error, NotFound):
        return "absent"
    return "unavailable" if isinstance(error, StoreUnavailable) else "refused"


class MeteredBlobs:
    def __init__(self, blobs: BlobStore, meter: Meter) -> None:
        self._blobs = blobs
        self._meter = meter

    def put(
        self,
        key: BlobKey,
        path: Path,
        *,
        labels: Mapping[str, str] = NO_LABELS,
        source_hash: SourceHash | None = None,
    ) -> BlobStat:
        with self._meter.asked("put"):
            return self._blobs.put(key, path, labels=labels, source_hash=source_hash)

    def adopt(self, key: BlobKey, path: Path) -> BlobStat:
        with self._meter.asked("put"):
            return self._blobs.adopt(key, path)

    def open(self, key: BlobKey) -> BinaryIO:
        with self._meter.asked("open"):
            return self._blobs.open(key)

    def local_path(self, key: BlobKey) -> Path | None:
        with self._meter.asked("stat"):
            return self._blobs.local_path(key)

    def fetch(self, key: BlobKey, target: Path) -> None:
        with self._meter.asked("fetch"):
            self._blobs.fetch(key, target)

    def address(self, key: BlobKey) -> str:
        return self._blobs.address(key)

    def stat(self, key: BlobKey) -> BlobStat | None:
        with self._meter.asked("stat"):
            return self._blobs.stat(key)

    def stat_many(self, keys: Collection[BlobKey]) -> dict[BlobKey, BlobStat]:
        with self._meter.asked("stat_many"):
            return self._blobs.stat_many(keys)

    def renew(self, key: BlobKey) -> BlobStat | None:
        with self._meter.asked("renew"):
            return self._blobs.renew(key)

    def keep(self, keys: Collection[BlobKey]) -> set[BlobKey]:
        with self._meter.asked("keep"):
            return self._blobs.keep(keys)

    def clearing(self, keys: Collection[BlobKey]) -> AbstractContextManager[DeleteAsSeen]:
        return self._blobs.clearing(keys)

    def delete(self, key: BlobKey) -> None:
        with self._meter.asked("delete"):
            self._blobs.delete(key)

    def list(self, prefix: str) -> Iterator[BlobStat]:
        return self._meter.each("list", self._blobs.list(prefix))

    def leftovers(self) -> Iterator[Leftover]:
        return self._meter.each("list_leftovers", self._blobs.leftovers())

    def clear(self, leftover: Leftover) -> None:
        with self._meter.asked("delete"):
            self._blobs.clear(leftover)


class MeteredTransfers:
    """To sign asks the store nothing."""

    def __init__(self, transfers: Transfers, meter: Meter) -> None:
        self._transfers = transfers
        self._meter = meter

    def signed(
        self, key: BlobKey, *, method: Method, valid_for: timedelta, size: int | None = None
    ) -> SignedUrl | None:
        return self._transfers.signed(key, method=method, valid_for=valid_for, size=size)

    def copy(self, source: BlobKey, target: BlobKey) -> None:
        with self._meter.asked("copy"):
            self._transfers.copy(source, target)


class MeteredMultipart:
    def __init__(self, multipart: Multipart, meter: Meter) -> None:
        self._multipart = multipart
        self._meter = meter

    def begun(self, key: BlobKey) -> PartUpload:
        with self._meter.asked("begin_parts"):
            return self._multipart.begun(key)

    def found(self, key: BlobKey) -> PartUpload | None:
        with self._meter.asked("find_parts"):
            return self._multipart.found(key)

    def signed(self, upload: PartUpload, part: FilePart, *, valid_for: timedelta) -> SignedUrl | None:
        return self._multipart.signed(upload, part, valid_for=valid_for)

    def take(self, key: BlobKey, number: int, path: Path) -> None:
        with self._meter.asked("put_part"):
            self._multipart.take(key, number, path)

    def join(self, upload: PartUpload, parts: Sequence[FilePart]) -> None:
        with self._meter.asked("join_parts"):
            self._multipart.join(upload, parts)

    def abandon(self, upload: PartUpload) -> None:
        with self._meter.asked("abandon_parts"):
            self._multipart.abandon(upload)

    def abandoned(self, prefix: str, *, before: datetime) -> Iterator[PartUpload]:
        return self._meter.each("list_parts", self._multipart.abandoned(prefix, before=before))
