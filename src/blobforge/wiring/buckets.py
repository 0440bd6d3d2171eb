"""The objects of a bucket, for who looks at them without a queue or a store between."""

from blobforge.config.settings import Settings
from blobforge.objectstore.answers import Retries
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import place_of
from blobforge.ports.blob_store import S3Access


def open_objects(url: str, settings: Settings, *, retries: Retries | None = None) -> ObjectStore:
    """Of an s3:// URL. Raises InvalidSettings."""
    return ObjectStore(place_of(url, S3Access(**settings.s3.model_dump())), retries=retries)
