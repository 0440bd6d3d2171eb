"""The objects of a bucket, for who looks at them without a queue or a store between."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from blobforge.config.settings import Settings
from blobforge.coordination.bucket import foreign_notices
from blobforge.objectstore.place import place_of, require_sdk
from blobforge.wiring.manifests import s3_access

if TYPE_CHECKING:
    from blobforge.coordination.bucket.foreign_workers import ForeignWorker
    from blobforge.objectstore.answers import Retries
    from blobforge.objectstore.client import ObjectStore

FOREIGN_NOTICES = foreign_notices.__name__
"""The logger that warns of other programs in a queue."""


def open_objects(url: str, settings: Settings, *, retries: "Retries | None" = None) -> "ObjectStore":
    """Of an s3:// URL. Raises InvalidSettings."""
    require_sdk()
    from blobforge.objectstore.client import ObjectStore

    return ObjectStore(place_of(url, s3_access(settings)), retries=retries)


def foreign_objects(store: "ObjectStore") -> Sequence[str]:
    """Their names, by the rule of `gc`."""
    from blobforge.coordination.bucket import inventory

    return inventory.foreign_objects(store)


def foreign_workers(store: "ObjectStore") -> "Sequence[ForeignWorker]":
    """Workers of another program that were heard of within their lease, the latest first."""
    from blobforge.coordination.bucket import foreign_workers as of_bucket

    return of_bucket.foreign_workers(store, now=store.now())
