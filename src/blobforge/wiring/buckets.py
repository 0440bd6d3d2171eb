"""The objects of a bucket, for who looks at them without a queue or a store between."""

from typing import TYPE_CHECKING

from blobforge.config.settings import Settings
from blobforge.objectstore.place import place_of, require_sdk
from blobforge.ports.blob_store import S3Access

if TYPE_CHECKING:
    from blobforge.objectstore.answers import Retries
    from blobforge.objectstore.client import ObjectStore


def open_objects(url: str, settings: Settings, *, retries: "Retries | None" = None) -> "ObjectStore":
    """Of an s3:// URL. Raises InvalidSettings."""
    require_sdk()
    from blobforge.objectstore.client import ObjectStore

    return ObjectStore(place_of(url, S3Access(**settings.s3.model_dump())), retries=retries)
