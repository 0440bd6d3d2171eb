"""Bytes that clients without keys send to a store and fetch from it, by signed URLs; and copies within the store."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal, NamedTuple, Protocol

from blobforge.ports.blob_store import BlobKey

Method = Literal["GET", "PUT"]


class SignedUrl(NamedTuple):
    """What its holder may do, and nothing else: this method on this key, for a limited time. A request must have the
    headers."""

    url: str
    method: Method
    expires_in: int
    headers: Mapping[str, str]


class Transfers(Protocol):
    """Each method raises StoreUnavailable."""

    def signed(
        self, key: BlobKey, *, method: Method, valid_for: timedelta, size: int | None = None
    ) -> SignedUrl | None:
        """`size` is how many bytes may be written. None where the store signs nothing: its owner has to."""
        ...

    def copy(self, source: BlobKey, target: BlobKey) -> None:
        """Within the store, atomically, replacing what was there. Raises NotFound."""
        ...
