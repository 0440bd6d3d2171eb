"""The manifest of a library: it lives where its documents live."""

from blobforge import plugins
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.domain.errors import InvalidSettings
from blobforge.manifests.manifest import ShardedManifest
from blobforge.ports.blob_store import S3Access, StoreOptions
from blobforge.ports.manifest import Manifest
from blobforge.ports.shards import Shards
from blobforge.ports.store_backend import OpenedShards


def open_manifest(settings: Settings) -> Manifest:
    """Raises InvalidSettings, StoreUnavailable."""
    opened = _open(settings)
    return ShardedManifest(opened.shards, clock=opened.clock or SystemClock())


def open_cells(settings: Settings) -> Shards:
    """The small files of the store, each replaced as a whole. Raises InvalidSettings, StoreUnavailable."""
    return _open(settings).shards


def _open(settings: Settings) -> OpenedShards:
    backend = plugins.load_store(settings.store)
    if backend.shards is None:
        scheme = plugins.scheme_of(settings.store)
        raise InvalidSettings(f"a store at {scheme}:// has no manifest; those at file:// and s3:// have one")
    return backend.shards(settings.store, store_options(settings))


def store_options(settings: Settings, *, durable: bool = True) -> StoreOptions:
    return StoreOptions(
        durable=durable,
        s3=s3_access(settings),
        rights=settings.file_rights,
        public_endpoint=settings.s3.public_endpoint,
    )


def s3_access(settings: Settings) -> S3Access:
    return S3Access(**settings.s3.model_dump(exclude={"public_endpoint"}))
