"""The parts of a server, over a queue and a folder of the test."""

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.blobs.bucket_multipart import BucketMultipart
from blobforge.blobs.bucket_transfers import BucketTransfers
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.directory_multipart import DirectoryMultipart
from blobforge.blobs.directory_transfers import DirectoryTransfers
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.coordination.service import CoordinationService
from blobforge.objectstore.client import ObjectStore
from blobforge.ports.blob_store import BlobStore
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.multipart import Multipart
from blobforge.ports.transfers import Transfers
from blobforge.ports.wakeup import Wakeup
from blobforge.server.auth.asking import Doorman, OpenDoor
from blobforge.server.crossing import Crossing
from blobforge.server.file_urls import FileUrls, UrlMaker
from blobforge.server.hub import Hub
from blobforge.server.leases import LeasedJobs, LeaseTokens
from blobforge.server.metered_store import Meter, MeteredBlobs, MeteredMultipart, MeteredTransfers
from blobforge.server.metrics import ServerMetrics
from blobforge.server.multipart_in import MultipartIn
from blobforge.server.parts import ServerFiles, ServerParts
from blobforge.server.project_names import ProjectNames
from blobforge.server.results_in import ResultsIn
from blobforge.server.source_receipts import SourceReceipts
from blobforge.server.sources_in import SourcesIn

KEY = b"a key that only tests have"


class Store(NamedTuple):
    blobs: BlobStore
    transfers: Transfers
    multipart: Multipart


def store_in(folder: Path) -> Store:
    blobs = DirectoryBlobStore(folder / "store", durable=False)
    return Store(blobs, DirectoryTransfers(blobs), DirectoryMultipart(blobs))


def bucket_of(objects: ObjectStore) -> Store:
    return Store(BucketBlobStore(objects), BucketTransfers(objects, objects), BucketMultipart(objects, objects))


def metered(store: Store, metrics: ServerMetrics) -> Store:
    """As a server has it that runs."""
    meter = Meter(metrics.stored)
    blobs, transfers = MeteredBlobs(store.blobs, meter), MeteredTransfers(store.transfers, meter)
    return Store(blobs, transfers, MeteredMultipart(store.multipart, meter))


def files_in(
    folder: Path,
    clock: Clock,
    coordinator: Coordinator,
    *,
    public_url: str = "http://localhost",
    store: Store | None = None,
) -> ServerFiles:
    blobs, transfers, parts = store or store_in(folder)
    own_urls = FileUrls(KEY, public_url=public_url, clock=clock)
    urls = UrlMaker(transfers, own_urls)
    multipart = MultipartIn(KEY, blobs, parts, own_urls)
    names = ProjectNames(KEY)
    workspace = folder / "uploads"
    workspace.mkdir(parents=True, exist_ok=True)
    return ServerFiles(
        blobs=blobs,
        urls=urls,
        own_urls=own_urls,
        names=names,
        results=ResultsIn(blobs, transfers, urls, multipart, names, nonce=token_hex),
        sources=SourcesIn(coordinator, blobs, transfers, urls, multipart, nonce=token_hex),
        multipart=multipart,
        receipts=SourceReceipts(KEY, clock=clock),
        workspace=workspace,
    )


def parts_over(
    service: CoordinationService,
    clock: Clock,
    files: ServerFiles,
    *,
    wakeup: Wakeup | None = None,
    doorman: Doorman | None = None,
    crossing: Crossing | None = None,
    close: Callable[[], None] | None = None,
) -> ServerParts:
    return ServerParts(
        coordinator=service,
        wakeup=wakeup or NoWakeup(),
        clock=clock,
        crossing=crossing or Crossing(readers=4, writers=1),
        hub=Hub(),
        leased=LeasedJobs(LeaseTokens(KEY, generation="first")),
        files=files,
        doorman=doorman or OpenDoor(),
        order_for=lambda _: "{}",
        markdown_of=lambda _: b"# Markdown",
        close=close or service.close,
    )
