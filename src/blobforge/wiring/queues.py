"""The queue, the store and the catalogue of the settings."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import cast
from urllib.parse import urlsplit

from blobforge import plugins
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.domain.retry import RetryPolicy
from blobforge.plugins import Group
from blobforge.ports.blob_store import BlobStore, OpenStore, S3Access, StoreOptions
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.queue_backend import QueueOptions
from blobforge.ports.wakeup import Wakeup


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCoordinator:
    coordinator: Coordinator
    wakeup: Wakeup
    close: Callable[[], None]


def open_coordinator(
    settings: Settings, *, durable: bool = True, policy: RetryPolicy | None = None
) -> OpenedCoordinator:
    """The queue of the settings' URL. Raises InvalidSettings, StoreUnavailable."""
    from blobforge.coordination.service import CoordinationService

    opened = plugins.load_queue(settings.queue)(settings.queue, QueueOptions(durable=durable))
    service = CoordinationService(
        opened.store,
        clock=SystemClock(),
        lease_for=timedelta(seconds=settings.worker.lease_seconds),
        policy=policy or _policy(settings),
        archive_after=timedelta(days=settings.archive_days) if settings.archive_days else None,
    )
    return OpenedCoordinator(coordinator=service, wakeup=opened.wakeup, close=service.close)


def open_blobs(settings: Settings, *, durable: bool = True) -> BlobStore:
    """The store of the settings' URL. Raises InvalidSettings, StoreUnavailable."""
    open_store = cast("OpenStore", plugins.load(Group.STORES, urlsplit(settings.store).scheme))
    return open_store(settings.store, StoreOptions(durable=durable, s3=S3Access(**settings.s3.model_dump())))


def open_catalog(settings: Settings) -> SqliteCatalog:
    return SqliteCatalog(settings.home / "catalog.db")


def _policy(settings: Settings) -> RetryPolicy:
    retry = settings.retry
    return RetryPolicy(first=timedelta(seconds=retry.first_seconds), longest=timedelta(seconds=retry.longest_seconds))
