"""Files that come in parts: which are missing, addresses for those, and one blob of them all."""

import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.errors import NotFound, SourceTooLarge
from blobforge.domain.uploads import PLACES, FilePart, parts_of
from blobforge.ports.blob_store import BlobKey, BlobStore
from blobforge.ports.multipart import Multipart
from blobforge.ports.transfers import SignedUrl
from blobforge.server.file_urls import FileUrls

VALID_FOR = timedelta(hours=1)
AT_ONCE = 32
"""Addresses in one answer: half a gigabyte."""
LARGEST = 5 * 1024**3
"""What a bucket copies in one request, by which an upload gets its place."""


class SignedPart(NamedTuple):
    part: FilePart
    url: SignedUrl


class MissingParts(NamedTuple):
    """`signed` are the next ones of them."""

    total: int
    missing: int
    signed: Sequence[SignedPart]


class MultipartIn:
    """Threads share it. Nothing is kept but in the store: any server goes on with what another one has begun."""

    def __init__(self, key: bytes, blobs: BlobStore, multipart: Multipart, own_urls: FileUrls) -> None:
        self._key = key
        self._blobs = blobs
        self._multipart = multipart
        self._own_urls = own_urls

    def nonce(self, *of: object) -> str:
        """Always the same for this, and nobody else can say it: who asks again goes on with the same upload."""
        said = "\n".join(["upload in parts", *map(str, of)]).encode("utf-8", "surrogatepass")
        return hmac.new(self._key, said, hashlib.sha256).hexdigest()[:16]

    def missing(self, key: BlobKey, *, size: int) -> MissingParts:
        """Raises SourceTooLarge."""
        if size > LARGEST:
            raise SourceTooLarge(f"{size} bytes are more than the {LARGEST} that a file may have")
        parts = parts_of(size)
        if self._blobs.stat(key) is not None:
            return MissingParts(len(parts), 0, [])
        upload = self._multipart.begun(key)
        missing = [part for part in parts if upload.parts.get(part.number) != part.size]
        signed = [
            SignedPart(part, self._multipart.signed(upload, part, valid_for=VALID_FOR) or self._own(key, part))
            for part in missing[:AT_ONCE]
        ]
        return MissingParts(len(parts), len(missing), signed)

    def take(self, key: BlobKey, number: int, path: Path) -> None:
        """What came to an address of our own."""
        self._multipart.take(key, number, path)

    def join(self, key: BlobKey, *, size: int) -> None:
        """If that was not done before. Raises NotFound where parts are missing."""
        if self._blobs.stat(key) is not None:
            return
        upload = self._multipart.found(key)
        if upload is None:
            raise NotFound(f"no part of {key} has come: upload them")
        try:
            self._multipart.join(upload, parts_of(size))
        except NotFound:
            # Told twice, the other one was quicker.
            if self._blobs.stat(key) is None:
                raise

    def clear_abandoned(self, *, before: datetime) -> int:
        """How many uploads there were of which no part has come since then. Those of others in the same bucket, such as
        of a worker that has its keys, are left to `gc`."""
        cleared = 0
        for place in PLACES:
            for upload in list(self._multipart.abandoned(place, before=before)):
                self._multipart.abandon(upload)
                cleared += 1
        return cleared

    def _own(self, key: BlobKey, part: FilePart) -> SignedUrl:
        return self._own_urls.signed(key, method="PUT", valid_for=VALID_FOR, size=part.size, part=part.number)
