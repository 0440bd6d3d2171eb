"""The queue, the store and the catalogue of the settings."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from blobforge import durable_files, plugins
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.coordination.sql.plugin import path_of
from blobforge.domain.errors import NotFound
from blobforge.domain.file_rights import FileRights
from blobforge.domain.retry import RetryPolicy
from blobforge.plugins import Group
from blobforge.ports.blob_store import BlobStore, OpenStore, S3Access, StoreOptions
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.queue_backend import Pace, QueueOptions
from blobforge.ports.wakeup import Wakeup

if TYPE_CHECKING:
    from blobforge.blobs.library_store import BucketStaging


PRIVATE_QUEUE = "memory://"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCoordinator:
    coordinator: Coordinator
    wakeup: Wakeup
    close: Callable[[], None]
    pace: Pace
    clock: Clock
    blobs: Callable[[], BlobStore]
    """The store that goes with it: a queue in a bucket publishes what its own store was given."""
    unpublished: Callable[[], BlobStore | None]
    """Where results lie that the queue shall not publish, if that is another place."""
    publishes: bool
    """Whether the queue itself is where sources lie and results are published."""
    work_in: Callable[[Path], None]
    """Says in which folder results wait for their publication."""
    is_shared: bool = True
    """Whether others look into it too: they are told of workers and failures."""


def open_coordinator(
    settings: Settings, *, durable: bool = True, policy: RetryPolicy | None = None
) -> OpenedCoordinator:
    """The queue of the settings' URL. Raises InvalidSettings, StoreUnavailable."""
    from blobforge.coordination.service import CoordinationService

    _make_way_home(settings)
    staging = _staging(settings)
    lease = timedelta(seconds=settings.worker.lease_seconds)
    options = QueueOptions(
        durable=durable, s3=_access(settings), staging=staging, lease=lease, rights=settings.file_rights
    )
    opened = plugins.load_queue(settings.queue)(settings.queue, options)
    clock = opened.clock or SystemClock()
    service = CoordinationService(
        opened.store,
        clock=clock,
        lease_for=lease,
        policy=policy or retry_policy(settings),
        archive_after=timedelta(days=settings.archive_days) if settings.archive_days else None,
        sweep_every=opened.pace.sweep,
        reconcile_every=opened.pace.reconcile,
        may_reap=opened.may_reap,
    )

    def close() -> None:
        service.close()
        if staging is not None:
            staging.close()

    return OpenedCoordinator(
        coordinator=service,
        wakeup=opened.wakeup,
        close=close,
        pace=opened.pace,
        clock=clock,
        blobs=lambda: _open_blobs(settings, staging, durable=durable),
        unpublished=lambda: _unpublished_in(staging) if staging is not None else None,
        publishes=staging is not None,
        work_in=staging.work_in if staging is not None else lambda _: None,
    )


def open_known_coordinator(settings: Settings) -> OpenedCoordinator:
    """The queue of the settings, for who has nothing to put into it: a file that is not there was perhaps mistyped, and
    is not made, unless it is that of the home. Raises NotFound, InvalidSettings, StoreUnavailable."""
    if urlsplit(settings.queue).scheme == "sqlite":
        path = path_of(settings.queue)
        if not path.is_relative_to(settings.home) and _is_absent(path):
            raise NotFound(
                f"there is no queue at {path} yet: check the path in BLOBFORGE_QUEUE, or begin a new queue there with "
                "'blobforge submit PATH'"
            )
    return open_coordinator(settings)


def _is_absent(path: Path) -> bool:
    try:
        path.stat()
    except FileNotFoundError:
        return True
    except OSError:  # told by who opens it
        return False
    return False


def open_private_coordinator(settings: Settings, *, policy: RetryPolicy) -> OpenedCoordinator:
    """A queue of this process alone, with the store of the settings: what is done on it is kept by its recipe and
    published to nobody. Raises InvalidSettings, StoreUnavailable."""
    from blobforge.coordination.service import CoordinationService

    opened = plugins.load_queue(PRIVATE_QUEUE)(PRIVATE_QUEUE, QueueOptions())
    clock = SystemClock()
    service = CoordinationService(
        opened.store, clock=clock, lease_for=timedelta(seconds=settings.worker.lease_seconds), policy=policy
    )
    return OpenedCoordinator(
        coordinator=service,
        wakeup=opened.wakeup,
        close=service.close,
        pace=opened.pace,
        clock=clock,
        blobs=lambda: _open_unpublished(settings),
        unpublished=lambda: None,
        publishes=False,
        work_in=lambda _: None,
        is_shared=False,
    )


def _open_unpublished(settings: Settings) -> BlobStore:
    staging = _staging(settings)
    return open_blobs(settings, durable=False) if staging is None else _unpublished_in(staging)


def _unpublished_in(staging: "BucketStaging") -> BlobStore:
    from blobforge.blobs.library_store import UnpublishedBlobStore

    return UnpublishedBlobStore(staging.objects, staging)


def open_blobs(settings: Settings, *, durable: bool = True) -> BlobStore:
    """The store of the settings' URL. Raises InvalidSettings, StoreUnavailable."""
    return _open_blobs(settings, _staging(settings), durable=durable)


def _open_blobs(settings: Settings, staging: "BucketStaging | None", *, durable: bool) -> BlobStore:
    if staging is not None:
        from blobforge.blobs.library_store import LibraryBlobStore

        return LibraryBlobStore(staging.objects, staging)
    open_store = cast("OpenStore", plugins.load(Group.STORES, urlsplit(settings.store).scheme))
    return open_store(settings.store, StoreOptions(durable=durable, s3=_access(settings), rights=settings.file_rights))


def _staging(settings: Settings) -> "BucketStaging | None":
    """Only a queue in a bucket publishes by itself. The SDK takes long to import, and most have no bucket."""
    if urlsplit(settings.queue).scheme != "s3":
        return None
    from blobforge.blobs.library_store import BucketStaging
    from blobforge.objectstore.client import ObjectStore
    from blobforge.objectstore.place import place_of

    return BucketStaging(ObjectStore(place_of(settings.queue, _access(settings))))


def _access(settings: Settings) -> S3Access:
    return S3Access(**settings.s3.model_dump())


def _make_way_home(settings: Settings) -> None:
    """The home is ours and private; folders above it are not, such as an output folder that it lies in."""
    with suppress(OSError):  # told by whoever cannot put anything there
        durable_files.make_folders(settings.home.parent, rights=FileRights.UMASK, durable=False)


def open_catalog(settings: Settings) -> SqliteCatalog:
    _make_way_home(settings)
    return SqliteCatalog(settings.home / "catalog.db", rights=settings.file_rights)


def retry_policy(settings: Settings) -> RetryPolicy:
    retry = settings.retry
    return RetryPolicy(first=timedelta(seconds=retry.first_seconds), longest=timedelta(seconds=retry.longest_seconds))
