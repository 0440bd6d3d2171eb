"""Files to objects and back. A large file goes in parts; an object appears whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from blobforge.domain.errors import StoreUnavailable
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.trouble import Absent

PART_SIZE = 16 * 1024 * 1024
"""Of which ten thousand make the largest object: 160 GB."""


def upload(store: ObjectStore, name: str, path: Path) -> int:
    """How many bytes were stored. Raises OSError when the file cannot be read."""
    with path.open("rb") as file:
        size = path.stat().st_size
        if size <= PART_SIZE:
            # Read before it is sent, so that a request can be tried again.
            body = file.read()
            store.transfer("put_object", name, Body=body)
            return len(body)
        return _upload_parts(store, name, file)


def _upload_parts(store: ObjectStore, name: str, file: BinaryIO) -> int:
    upload_id = store.transfer("create_multipart_upload", name)["UploadId"]
    parts: list[dict[str, Any]] = []
    size = 0
    try:
        while body := file.read(PART_SIZE):
            number = len(parts) + 1
            answer = store.transfer("upload_part", name, UploadId=upload_id, PartNumber=number, Body=body)
            parts.append({"PartNumber": number, "ETag": answer["ETag"]})
            size += len(body)
        with _finished_by_an_earlier_try(store, name, size):
            store.transfer("complete_multipart_upload", name, UploadId=upload_id, MultipartUpload={"Parts": parts})
    except BaseException:
        with _already_gone():
            store.transfer("abort_multipart_upload", name, UploadId=upload_id)
        raise
    return size


@contextmanager
def _finished_by_an_earlier_try(store: ObjectStore, name: str, size: int) -> Iterator[None]:
    """A completion whose answer was lost is refused the second time: the upload is gone, and the object is there."""
    try:
        yield
    except Absent as error:
        there = store.head(name)
        if there is None or there.size != size:
            raise StoreUnavailable(f"{store.place}{name}: its upload was lost; try again") from error


@contextmanager
def _already_gone() -> Iterator[None]:
    try:
        yield
    except (Absent, StoreUnavailable):
        """What is left of it is cleared by the bucket's own rules for unfinished uploads."""


def download(store: ObjectStore, name: str, target: BinaryIO) -> None:
    """Writes an object's bytes from the beginning of the target. Raises Absent, OSError.

    Where a connection breaks, the rest is asked for, of the very same object.
    """
    head = store.transfer("head_object", name)
    done, size, etag = 0, head["ContentLength"], head["ETag"]
    target.seek(0)
    while done < size:
        last = min(done + PART_SIZE, size) - 1
        piece = store.ranged(name, first=done, last=last, etag=etag)
        if piece is None:
            # Another one took its place: from the beginning again.
            download(store, name, target)
            return
        target.write(piece)
        done += len(piece)
    target.truncate(size)
