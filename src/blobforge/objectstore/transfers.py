"""Uploads of files, large ones in parts. An object appears whole or not at all."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from blobforge.domain.errors import SourceChanged, StoreUnavailable
from blobforge.domain.ids import SourceHash
from blobforge.objectstore.answers import Absent
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.metadata import encoded

PART_SIZE = 16 * 1024 * 1024
"""At most ten thousand parts: 160 GB."""


def upload(
    store: ObjectStore,
    name: str,
    path: Path,
    *,
    metadata: Mapping[str, str] | None = None,
    source_hash: SourceHash | None = None,
) -> int:
    """How many bytes were stored; with a `source_hash`, only these. Raises OSError when the file cannot be read, and
    SourceChanged."""
    headers, check = encoded(metadata or {}), HashCheck(path, source_hash)
    with path.open("rb") as file:
        size = path.stat().st_size
        if size <= PART_SIZE:
            # Read into memory first, so that the request can be retried.
            body = file.read()
            check.add(body)
            check.require()
            store.transfer("put_object", name, Body=body, Metadata=headers)
            return len(body)
        return _upload_parts(store, name, file, headers, check)


class HashCheck:
    """Of what is sent."""

    def __init__(self, path: Path, source_hash: SourceHash | None) -> None:
        self._path = path
        self._expected = source_hash
        self._digest = sha256()

    def add(self, body: bytes) -> None:
        if self._expected is not None:
            self._digest.update(body)

    def require(self) -> None:
        """Raises SourceChanged."""
        if self._expected is not None and self._digest.hexdigest() != self._expected:
            raise SourceChanged(f"{self._path} was changed while it was stored; submit it again")


def _upload_parts(store: ObjectStore, name: str, file: BinaryIO, headers: dict[str, str], check: HashCheck) -> int:
    upload_id = store.transfer("create_multipart_upload", name, Metadata=headers)["UploadId"]
    parts: list[dict[str, Any]] = []
    size = 0
    try:
        while body := file.read(PART_SIZE):
            check.add(body)
            number = len(parts) + 1
            answer = store.transfer("upload_part", name, UploadId=upload_id, PartNumber=number, Body=body)
            parts.append({"PartNumber": number, "ETag": answer["ETag"]})
            size += len(body)
        check.require()
        with _finished_by_an_earlier_try(store, name, size):
            store.transfer("complete_multipart_upload", name, UploadId=upload_id, MultipartUpload={"Parts": parts})
    except BaseException:
        with _unreachable_for_now():
            abandon(store, name, upload_id)
        raise
    return size


@contextmanager
def _finished_by_an_earlier_try(store: ObjectStore, name: str, size: int) -> Iterator[None]:
    """A completion whose response was lost fails when it is retried: the upload is gone, and the object exists."""
    try:
        yield
    except Absent as error:
        there = store.head(name)
        if there is None or there.size != size:
            raise StoreUnavailable(f"{store.place}{name}: its upload was lost; try again") from error


@contextmanager
def _unreachable_for_now() -> Iterator[None]:
    try:
        yield
    except StoreUnavailable:
        """It stays among the unfinished uploads, and is cleared later."""


class MultipartUpload(NamedTuple):
    """An unfinished upload: it failed, or is in progress."""

    name: str
    id: str
    size: int
    began_at: datetime


def unfinished(store: ObjectStore) -> Iterator[MultipartUpload]:
    for name, upload_id, began_at in store.uploads():
        try:
            parts = store.transfer("list_parts", name, UploadId=upload_id).get("Parts", [])
        except Absent:
            continue  # it was finished meanwhile
        yield MultipartUpload(name, upload_id, sum(part["Size"] for part in parts), began_at)


class CameIn(NamedTuple):
    """A part of an upload that is not finished."""

    number: int
    size: int
    etag: str
    modified: datetime


def begin(store: ObjectStore, name: str) -> None:
    store.transfer("create_multipart_upload", name)


def parts_in(store: ObjectStore, name: str, upload_id: str) -> list[CameIn]:
    """Raises Absent."""
    facts: dict[str, Any] = {"UploadId": upload_id}
    found: list[CameIn] = []
    while True:
        answer = store.transfer("list_parts", name, **facts)
        found += [
            CameIn(part["PartNumber"], part["Size"], part["ETag"], part["LastModified"])
            for part in answer.get("Parts", [])
        ]
        if not answer.get("IsTruncated"):
            return found
        facts["PartNumberMarker"] = answer["NextPartNumberMarker"]


def send_part(store: ObjectStore, name: str, upload_id: str, number: int, body: bytes) -> None:
    store.transfer("upload_part", name, UploadId=upload_id, PartNumber=number, Body=body)


def complete(store: ObjectStore, name: str, upload_id: str, parts: Sequence[CameIn]) -> None:
    """Raises StoreUnavailable where the upload is gone, and has left no object of this size."""
    told = [{"PartNumber": part.number, "ETag": part.etag} for part in parts]
    with _finished_by_an_earlier_try(store, name, sum(part.size for part in parts)):
        store.transfer("complete_multipart_upload", name, UploadId=upload_id, MultipartUpload={"Parts": told})


def abandon(store: ObjectStore, name: str, upload_id: str) -> None:
    """Deletes the parts of an upload. One that is gone is no error."""
    try:
        store.transfer("abort_multipart_upload", name, UploadId=upload_id)
    except Absent:
        return
