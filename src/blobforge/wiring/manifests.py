"""The manifest of a library: it lives where its documents live."""

from blobforge import plugins
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.domain.errors import Forbidden, InvalidSettings, NotFound
from blobforge.manifests.manifest import ShardedManifest
from blobforge.ports.blob_store import S3Access, StoreOptions
from blobforge.ports.manifest import Manifest
from blobforge.ports.queue_backend import QueueOptions, ServerAccess
from blobforge.ports.shards import Shards
from blobforge.ports.store_backend import OpenedShards


def open_manifest(settings: Settings) -> Manifest:
    """Raises InvalidSettings, StoreUnavailable."""
    opened = _behind_server(settings) or _open(settings)
    return ShardedManifest(opened.shards, clock=opened.clock or SystemClock())


def place_of_manifest(settings: Settings) -> str:
    """The address of the server that keeps it, or of the store."""
    return settings.store if plugins.load_queue(settings.queue).shards is None else settings.queue


def shows_manifest(settings: Settings) -> bool:
    """A server shows it to nobody who sees one project alone: it has the names of the documents of all."""
    opened = _behind_server(settings)
    if opened is None:
        return True
    try:
        opened.shards.facts()
    except (Forbidden, NotFound):
        return False
    return True


def open_shards(settings: Settings) -> Shards:
    """The small files of the store, each replaced as a whole. Raises InvalidSettings, StoreUnavailable."""
    return _open(settings).shards


def _behind_server(settings: Settings) -> OpenedShards | None:
    opens = plugins.load_queue(settings.queue).shards
    return None if opens is None else opens(settings.queue, QueueOptions(server=server_access(settings)))


def server_access(settings: Settings) -> ServerAccess:
    return ServerAccess(token=settings.token, worker=settings.worker.id, secret=settings.worker.secret)


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
