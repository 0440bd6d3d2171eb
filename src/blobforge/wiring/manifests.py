"""The manifest of a library: it lives where its documents live."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blobforge.blobs.directory import folder_of
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.blob_store import S3Access
from blobforge.ports.manifest import Manifest
from blobforge.registry.folder import FolderShards
from blobforge.registry.manifest import ShardedManifest
from blobforge.registry.shards import Shards

if TYPE_CHECKING:
    from blobforge.objectstore.client import ObjectStore


def open_manifest(settings: Settings) -> Manifest:
    """Raises InvalidSettings, StoreUnavailable."""
    if urlsplit(settings.store).scheme == "s3":
        objects = _objects(settings)
        return ShardedManifest(_in_bucket(objects), clock=objects)
    return ShardedManifest(open_cells(settings), clock=SystemClock())


def open_cells(settings: Settings) -> Shards:
    """The small files of the store, each replaced as a whole. Raises InvalidSettings, StoreUnavailable."""
    match urlsplit(settings.store).scheme:
        case "file":
            return FolderShards(folder_of(settings.store), rights=settings.file_rights)
        case "s3":
            return _in_bucket(_objects(settings))
        case other:
            raise InvalidSettings(f"a store at {other}:// has no manifest; those at file:// and s3:// have one")


def _objects(settings: Settings) -> "ObjectStore":
    # The SDK takes long to import, and most have no bucket.
    from blobforge.objectstore.client import ObjectStore
    from blobforge.objectstore.place import place_of

    return ObjectStore(place_of(settings.store, S3Access(**settings.s3.model_dump())))


def _in_bucket(objects: "ObjectStore") -> Shards:
    from blobforge.registry.bucket import BucketShards

    return BucketShards(objects)
