"""The syntax of blob keys, for all stores."""

from blobforge.domain.errors import InvalidValue
from blobforge.ports.blob_store import BlobKey


def parts_of(key: BlobKey) -> list[str]:
    """Raises InvalidValue for what is no key, or would point outside the store."""
    parts = key.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\0" in key:
        raise is_no_key(key)
    return parts


def is_no_key(key: BlobKey) -> InvalidValue:
    return InvalidValue(f"{key!r} is no key: write segments separated by '/', without '.' or '..'")
