"""s3://BUCKET/PREFIX: a store in a bucket, or a whole library: its queue, with the store and the staging of results."""

from typing import TYPE_CHECKING

from blobforge.objectstore.place import place_of, require_sdk
from blobforge.ports.blob_store import BlobStore, S3Access, StoreOptions
from blobforge.ports.multipart import Multipart
from blobforge.ports.queue_backend import OpenedQueue, QueueBackend, QueueLibrary, QueueOptions
from blobforge.ports.store_backend import OpenedShards, StoreBackend
from blobforge.ports.transfers import Transfers

if TYPE_CHECKING:
    from blobforge.blobs.library_store import BucketStaging
    from blobforge.objectstore.client import ObjectStore

UPLOADS = 16
"""Each holds up to 16 MB of its document in memory."""


def _check(url: str) -> None:
    place_of(url, S3Access())
    require_sdk()


def _objects(url: str, access: S3Access) -> "ObjectStore":
    require_sdk()
    # The SDK takes long to import, and most have no bucket.
    from blobforge.objectstore.client import ObjectStore

    return ObjectStore(place_of(url, access))


def _open_store(url: str, options: StoreOptions) -> BlobStore:
    objects = _objects(url, options.s3)
    from blobforge.blobs.bucket import BucketBlobStore

    return BucketBlobStore(objects)


def _shards(url: str, options: StoreOptions) -> OpenedShards:
    objects = _objects(url, options.s3)
    from blobforge.manifests.bucket import BucketShards

    return OpenedShards(BucketShards(objects), objects)


def _transfers(url: str, options: StoreOptions) -> Transfers:
    objects = _objects(url, options.s3)
    from blobforge.blobs.bucket_transfers import BucketTransfers

    return BucketTransfers(objects, _public(url, options, objects))


def _multipart(url: str, options: StoreOptions) -> Multipart:
    objects = _objects(url, options.s3)
    from blobforge.blobs.bucket_multipart import BucketMultipart

    return BucketMultipart(objects, _public(url, options, objects))


def _public(url: str, options: StoreOptions, objects: "ObjectStore") -> "ObjectStore":
    """The same by the address that clients use."""
    if options.public_endpoint is None:
        return objects
    return _objects(url, options.s3._replace(endpoint_url=options.public_endpoint))


def _open_queue(url: str, options: QueueOptions) -> OpenedQueue:
    objects, staging = _objects(url, options.s3), _staging(url, options)
    from blobforge.coordination.bucket.backend import open_queue

    return open_queue(objects, lease=options.lease, staging=staging, library=_library(staging))


def _open_library(url: str, options: QueueOptions) -> QueueLibrary:
    return _library(_staging(url, options))


def _library(staging: "BucketStaging") -> QueueLibrary:
    from blobforge.blobs.library_store import LibraryBlobStore, UnpublishedBlobStore

    return QueueLibrary(
        blobs=LibraryBlobStore(staging.objects, staging),
        unpublished=UnpublishedBlobStore(staging.objects, staging),
        work_in=staging.work_in,
        close=staging.close,
    )


def _staging(url: str, options: QueueOptions) -> "BucketStaging":
    objects = _objects(url, options.s3)
    from blobforge.blobs.library_store import BucketStaging

    return BucketStaging(objects)


QUEUE = QueueBackend(
    open=_open_queue,
    check=_check,
    library=_open_library,
    why_no_accounts="a queue in a bucket has no accounts, which need SQLite or PostgreSQL",
)
STORE = StoreBackend(
    open=_open_store, check=_check, shards=_shards, transfers=_transfers, multipart=_multipart, uploads=UPLOADS
)
