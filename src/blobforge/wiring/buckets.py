"""The objects of a bucket, for who looks at them without a queue or a store between."""

from collections.abc import Sequence

from blobforge.config.settings import Settings
from blobforge.coordination.bucket import foreign_notices, inventory
from blobforge.coordination.bucket.foreign_workers import ForeignWorker, foreign_workers
from blobforge.objectstore.answers import Patience
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import place_of
from blobforge.ports.blob_store import S3Access

NOTICES_OF_OTHERS = foreign_notices.__name__
"""The logger that tells of other programs in a queue."""


def open_objects(url: str, settings: Settings, *, patience: Patience | None = None) -> ObjectStore:
    """Of an s3:// URL. Raises InvalidSettings."""
    return ObjectStore(place_of(url, S3Access(**settings.s3.model_dump())), patience=patience)


def strangers(store: ObjectStore) -> Sequence[str]:
    """The objects of a place that are not of BlobForge, by the judge of `gc`."""
    return inventory.strangers(store)


def workers_of_others(store: ObjectStore) -> Sequence[ForeignWorker]:
    """Those of another program that were heard of within their lease, the latest first."""
    return foreign_workers(store, now=store.now())
