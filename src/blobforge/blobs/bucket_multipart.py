"""Uploads in parts to a bucket: those of S3 itself, whose parts go there by URLs that S3 checks."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from blobforge.blobs.bucket import key_of, object_name
from blobforge.domain.errors import NotFound, StoreUnavailable
from blobforge.domain.uploads import FilePart
from blobforge.objectstore import transfers
from blobforge.objectstore.answers import Absent
from blobforge.objectstore.client import ObjectStore
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.multipart import PartUpload
from blobforge.ports.transfers import SignedUrl


class BucketMultipart:
    """Nothing is kept of an upload but what S3 itself lists: any server goes on with it."""

    def __init__(self, objects: ObjectStore, public: ObjectStore) -> None:
        """`public` reaches the same bucket by the address that clients use: a signature covers the host."""
        self._objects = objects
        self._public = public

    def begun(self, key: BlobKey) -> PartUpload:
        if (there := self.found(key)) is not None:
            return there
        transfers.begin(self._objects, object_name(key))
        # Another request may have begun one at the same moment: both go on with the same of the two.
        if (there := self.found(key)) is None:
            raise StoreUnavailable(f"{self._objects.place}: an upload of {key} was begun, and is not listed; try again")
        return there

    def found(self, key: BlobKey) -> PartUpload | None:
        found: PartUpload | None = None
        for upload_id in self._ids(key):
            try:
                came = transfers.parts_in(self._objects, object_name(key), upload_id)
            except Absent:
                continue  # it was finished meanwhile
            if found is None or len(came) > len(found.parts):
                found = PartUpload(key, upload_id, {part.number: part.size for part in came})
        return found

    def signed(self, upload: PartUpload, part: FilePart, *, valid_for: timedelta) -> SignedUrl:
        name = object_name(upload.key)
        url = self._public.presigned_part(name, upload.id, part.number, size=part.size, valid_for=valid_for)
        return SignedUrl(url, "PUT", int(valid_for.total_seconds()), {"Content-Length": str(part.size)})

    def take(self, key: BlobKey, number: int, path: Path) -> None:
        upload = self.begun(key)
        with path.open("rb") as file:
            transfers.send_part(self._objects, object_name(key), upload.id, number, file.read())
        path.unlink()

    def join(self, upload: PartUpload, parts: Sequence[FilePart]) -> None:
        name = object_name(upload.key)
        try:
            came = _newest(transfers.parts_in(self._objects, name, upload.id))
        except Absent as error:
            raise NotFound(f"the upload of {upload.key} is gone: begin another one") from error
        wanted = [came.get((part.number, part.size)) for part in parts]
        there = [part for part in wanted if part is not None]
        if len(there) < len(parts):
            missing = len(parts) - len(there)
            raise NotFound(f"{missing} of {len(parts)} parts of {upload.key} are missing: upload them")
        transfers.complete(self._objects, name, upload.id, there)
        for other in self._ids(upload.key):
            transfers.abandon(self._objects, name, other)

    def abandon(self, upload: PartUpload) -> None:
        transfers.abandon(self._objects, object_name(upload.key), upload.id)

    def abandoned(self, prefix: str, *, before: datetime) -> Iterator[PartUpload]:
        for name, upload_id, began_at in self._objects.uploads(prefix):
            if began_at >= before:
                continue
            try:
                came = transfers.parts_in(self._objects, name, upload_id)
            except Absent:
                continue
            if all(part.modified < before for part in came):
                yield PartUpload(key_of(name), upload_id, {part.number: part.size for part in came})

    def _ids(self, key: BlobKey) -> list[str]:
        """Of the unfinished uploads of this key, the oldest first."""
        name = object_name(key)
        there = [(began_at, upload_id) for found, upload_id, began_at in self._objects.uploads(name) if found == name]
        return [upload_id for _, upload_id in sorted(there)]


def _newest(came: Iterable[transfers.CameIn]) -> dict[tuple[int, int], transfers.CameIn]:
    """By number and size: some stores list a part that was sent again twice."""
    return {(part.number, part.size): part for part in sorted(came, key=lambda part: part.modified)}
