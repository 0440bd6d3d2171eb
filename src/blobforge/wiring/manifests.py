"""The manifest of a library: it lives where its documents live."""

from urllib.parse import urlsplit

from blobforge.blobs.directory import folder_of
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.blob_store import S3Access
from blobforge.ports.manifest import Manifest
from blobforge.registry.folder import FolderCells
from blobforge.registry.manifest import CellManifest


def open_manifest(settings: Settings) -> Manifest:
    """Raises InvalidSettings, StoreUnavailable."""
    match urlsplit(settings.store).scheme:
        case "file":
            return CellManifest(FolderCells(folder_of(settings.store)), clock=SystemClock())
        case "s3":
            return _in_bucket(settings.store, S3Access(**settings.s3.model_dump()))
        case other:
            raise InvalidSettings(f"a store at {other}:// has no manifest; those at file:// and s3:// have one")


def _in_bucket(url: str, access: S3Access) -> Manifest:
    # The SDK takes long to import, and most have no bucket.
    from blobforge.objectstore.client import ObjectStore
    from blobforge.objectstore.place import place_of
    from blobforge.registry.bucket import BucketCells

    objects = ObjectStore(place_of(url, access))
    return CellManifest(BucketCells(objects), clock=objects)
