"""Sources that clients upload: an address of their own, the check of their bytes, and their place in the store."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from blobforge.domain.errors import NotFound, SourceDamaged
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job, title
from blobforge.domain.lifecycle import lacks_source
from blobforge.domain.uploads import SourceUpload, incoming_of
from blobforge.ports.blob_store import BlobKey, BlobStore, source_key
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.transfers import SignedUrl, Transfers
from blobforge.server.file_urls import UrlMaker
from blobforge.server.multipart_in import MissingParts, MultipartIn

EXPECTED_WITHIN = timedelta(days=1)
"""How long an announced job waits for its source."""
VALID_FOR = timedelta(hours=1)
_CHUNK = 1 << 20


class Arrival(NamedTuple):
    """The job as it is now, and whether its source is there."""

    job: Job
    has_arrived: bool


class SourcesIn:
    """Threads share it."""

    def __init__(
        self,
        coordinator: Coordinator,
        blobs: BlobStore,
        transfers: Transfers,
        urls: UrlMaker,
        multipart: MultipartIn,
        *,
        nonce: Callable[[int], str],
    ) -> None:
        self._coordinator = coordinator
        self._blobs = blobs
        self._transfers = transfers
        self._urls = urls
        self._multipart = multipart
        self._nonce = nonce

    def begin(self, job: Job) -> SignedUrl:
        """An address for the source of a job; it takes as many bytes as were announced, if that was said."""
        key = BlobKey(f"{incoming_of(job.id)}{self._nonce(8)}")
        return self._urls.signed(key, method="PUT", valid_for=VALID_FOR, size=job.source_size)

    def address_for(self, upload: SourceUpload, *, size: int) -> SignedUrl:
        """Of a document that has no job yet."""
        return self._urls.signed(BlobKey(upload.key), method="PUT", valid_for=VALID_FOR, size=size)

    def missing(self, project: str, source_hash: SourceHash, *, size: int) -> tuple[SourceUpload, MissingParts]:
        """Of a document that its project sends in parts. To know what another project sends is no right to go on with
        that. Raises SourceTooLarge."""
        upload = SourceUpload(source_hash, self._multipart.nonce("source", project, source_hash, size))
        return upload, self._multipart.missing(BlobKey(upload.key), size=size)

    def place(self, upload: SourceUpload, *, size: int | None = None) -> int:
        """Looks at what was uploaded, in parts if a `size` is told, brings it to its place, and tells its size.

        Raises NotFound, SourceDamaged.
        """
        key, own = BlobKey(upload.key), BlobKey(upload._replace(nonce=self._nonce(8)).key)
        if size is not None:
            self._multipart.join(key, size=size)
        if self._blobs.stat(key) is None:
            raise NotFound(
                f"nothing was uploaded as {upload.nonce} for {upload.source_hash}: upload it, and say so then"
            )
        try:
            size = self._published(key, own, upload.source_hash)
        finally:
            self._blobs.delete(own)
        # Behind a store that was away, it is still there to be looked at again.
        self._blobs.delete(key)
        if size is None:
            raise SourceDamaged(
                f"what was uploaded has another SHA-256 than {upload.source_hash}; upload the document again"
            )
        return size

    def look(self, job: Job) -> Arrival:
        """Whether the source came, and then to its place. Bytes that are not those of the hash are thrown away.

        Raises SourceDamaged.
        """
        if not lacks_source(job):
            return Arrival(job, has_arrived=True)
        try:
            return self._looked(job)
        except NotFound:
            # Another request looked at the same time, and has cleared away what it brought to its place.
            now = self._coordinator.get(job.id)
            return Arrival(now, has_arrived=not lacks_source(now))

    def _looked(self, job: Job) -> Arrival:
        came = sorted(self._blobs.list(incoming_of(job.id)), key=lambda blob: blob.modified)
        if not came:
            return Arrival(job, has_arrived=False)
        own = BlobKey(f"{incoming_of(job.id)}{self._nonce(8)}")
        size = self._published(came[-1].key, own, job.source_hash)
        if size is None:
            self._clear(job)
            raise SourceDamaged(
                f"{title(job)}: what was uploaded has another SHA-256 than {job.source_hash}; upload the document again"
            )
        self._coordinator.record_many([(job, source_record(job, size))])
        after = self._coordinator.source_arrived(job.id)
        self._clear(job)
        return Arrival(after, has_arrived=True)

    def _published(self, came: BlobKey, own: BlobKey, source_hash: SourceHash) -> int | None:
        """How many bytes went to their place; None where they are not those of the hash.

        They are looked at in a copy of the server's own: whoever has the address of what came could write it again
        between the look and the publication.
        """
        self._transfers.copy(came, own)
        found, size = self._hash(own)
        if found != source_hash:
            return None
        self._transfers.copy(own, source_key(source_hash))
        return size

    def _clear(self, job: Job) -> None:
        for blob in list(self._blobs.list(incoming_of(job.id))):
            self._blobs.delete(blob.key)

    def _hash(self, key: BlobKey) -> tuple[str, int]:
        found, size = hashlib.sha256(), 0
        with self._blobs.open(key) as stream:
            while chunk := stream.read(_CHUNK):
                found.update(chunk)
                size += len(chunk)
        return found.hexdigest(), size


def source_record(job: Job, size: int) -> FileRecord:
    return FileRecord(FileRole.SOURCE, source_key(job.source_hash), size, "application/pdf", job.source_hash)
