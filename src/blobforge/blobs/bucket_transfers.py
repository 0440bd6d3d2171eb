"""Transfers of a store in a bucket: URLs that S3 itself checks, and copies that stay inside it."""

from datetime import timedelta

from blobforge.blobs.bucket import object_name
from blobforge.domain.errors import NotFound
from blobforge.objectstore.answers import Absent
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.deletions import taken_away
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.runtime import Runtime
from blobforge.ports.transfers import Method, SignedUrl
from blobforge.runtime import SYSTEM_RUNTIME


class BucketTransfers:
    def __init__(self, objects: ObjectStore, public: ObjectStore, *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        """`public` reaches the same bucket by the address that clients use: a signature covers the host."""
        self._objects = objects
        self._public = public
        self._runtime = runtime

    def signed(
        self, key: BlobKey, *, method: Method, valid_for: timedelta, size: int | None = None
    ) -> SignedUrl | None:
        url = self._public.presigned(object_name(key), method=method, valid_for=valid_for, size=size)
        headers = {"Content-Length": str(size)} if size is not None else {}
        return SignedUrl(url, method, int(valid_for.total_seconds()), headers)

    def copy(self, source: BlobKey, target: BlobKey) -> None:
        name = object_name(target)
        while True:
            try:
                self._objects.copy(object_name(source), name)
            except Absent as error:
                raise NotFound(f"there is no blob {source}") from error
            if not taken_away(self._objects, [name], runtime=self._runtime):
                return
