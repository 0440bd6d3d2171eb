"""Blobs that come in parts: what was interrupted goes on with the parts that are missing."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple, Protocol

from blobforge.domain.uploads import FilePart
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.transfers import SignedUrl


class PartUpload(NamedTuple):
    """An upload in parts that is not finished. `id` is what the store calls it; `parts` are those that came, by their
    numbers, with their sizes."""

    key: BlobKey
    id: str
    parts: Mapping[int, int]


class Multipart(Protocol):
    """The key has no blob until all parts are joined. Each method raises StoreUnavailable."""

    def begun(self, key: BlobKey) -> PartUpload:
        """The unfinished upload of this key; a new one where there is none."""
        ...

    def found(self, key: BlobKey) -> PartUpload | None:
        """The same without beginning one."""
        ...

    def signed(self, upload: PartUpload, part: FilePart, *, valid_for: timedelta) -> SignedUrl | None:
        """Allows to write this part of this upload, in exactly its size. None where the store signs nothing: its owner
        has to, and brings what came by `take`."""
        ...

    def take(self, key: BlobKey, number: int, path: Path) -> None:
        """One part of the upload, by a file that is gone afterwards; replaces what came before. Raises DiskFull."""
        ...

    def join(self, upload: PartUpload, parts: Sequence[FilePart]) -> None:
        """Makes the blob of exactly these parts, and ends the upload. Raises NotFound where one is missing or has
        another size, DiskFull."""
        ...

    def abandon(self, upload: PartUpload) -> None:
        """Deletes its parts. One that is gone is no error."""
        ...

    def abandoned(self, prefix: str, *, before: datetime) -> Iterator[PartUpload]:
        """Those of keys with this prefix that began before then, and of which no part has come since."""
        ...
