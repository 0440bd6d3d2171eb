"""http://SERVER and https://SERVER: a queue behind a server, with the store that it has."""

from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.queue_backend import (
    OpenedService,
    QueueBackend,
    QueueIntervals,
    QueueLibrary,
    QueueOptions,
)
from blobforge.ports.store_backend import OpenedShards

if TYPE_CHECKING:
    from blobforge.client.connection import Connection
    from blobforge.client.held_leases import HeldLeases
    from blobforge.client.receipts import KeptReceipts

INTERVALS = QueueIntervals(idle=timedelta(seconds=30), check=timedelta(seconds=30))
"""A worker waits for the news of the server; what it asks besides is for news that got lost."""


def _check(url: str) -> None:
    parts = urlsplit(url)
    if not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidSettings(
            f"{shown_address(url)!r} is no address of a server: write http://HOST:PORT or https://HOST, and nothing of "
            "who you are; that is for BLOBFORGE_TOKEN, or BLOBFORGE_WORKER_ID with BLOBFORGE_WORKER_SECRET"
        )


def _open(url: str, options: QueueOptions) -> OpenedService:
    connection, leases, receipts = _connected(url, options)
    from blobforge.coordination.http.coordinator import HttpCoordinator
    from blobforge.coordination.http.wakeup import LeaseNews, NewsWakeup

    coordinator = HttpCoordinator(connection, leases, receipts)
    wakeup = NewsWakeup(connection, claims_from=lambda: (coordinator.claims_from, coordinator.process))
    return OpenedService(
        coordinator=coordinator,
        close=connection.close,
        wakeup=wakeup,
        lease_news=LeaseNews(wakeup),
        intervals=INTERVALS,
        clock=connection,
        library=_library(connection, leases, receipts, options.project),
    )


def _open_library(url: str, options: QueueOptions) -> QueueLibrary:
    return _library(*_connected(url, options), options.project)


def _open_shards(url: str, options: QueueOptions) -> OpenedShards:
    connection, *_ = _connected(url, options)
    from blobforge.manifests.http import HttpShards

    return OpenedShards(HttpShards(connection), connection)


def _connected(url: str, options: QueueOptions) -> "tuple[Connection, HeldLeases, KeptReceipts]":
    _check(url)
    from blobforge.client.connection import Connection, Credentials
    from blobforge.client.held_leases import HeldLeases
    from blobforge.client.receipts import KeptReceipts

    return Connection(url, Credentials.of(options.server)), HeldLeases(), KeptReceipts()


def _library(connection: "Connection", leases: "HeldLeases", receipts: "KeptReceipts", project: str) -> QueueLibrary:
    from blobforge.blobs.http.store import HttpBlobStore, LogOfJob, ResultUploads

    blobs = HttpBlobStore(connection, leases, project=project, receipts=receipts)
    return QueueLibrary(
        blobs=blobs,
        unpublished=blobs,
        work_in=lambda _: None,
        close=connection.close,
        for_job=lambda job: ResultUploads(connection, leases, project=project, job=job),
        unpublished_for_job=lambda job: ResultUploads(connection, leases, project=project, job=job, publish=False),
        log_for_job=lambda job: LogOfJob(connection, leases, project=project, job=job),
    )


QUEUE = QueueBackend(open=_open, check=_check, library=_open_library, shards=_open_shards, is_server=True)
