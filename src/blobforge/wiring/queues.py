"""The queue, the store and the catalogue of the settings."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from blobforge import durable_files, plugins
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.domain.errors import NotFound
from blobforge.domain.file_rights import FileRights
from blobforge.domain.job import Job
from blobforge.domain.retry import RetryPolicy
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.ports.blob_store import BlobStore
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.idempotency import IdempotencyKeys
from blobforge.ports.queue_backend import (
    OpenedQueue,
    OpenedService,
    QueueDepth,
    QueueIntervals,
    QueueLibrary,
    QueueOptions,
)
from blobforge.ports.wakeup import Wakeup
from blobforge.wiring.manifests import s3_access, server_access, store_options


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCoordinator:
    """A queue with what belongs to it, whichever adapter it is."""

    coordinator: Coordinator
    wakeup: Wakeup
    close: Callable[[], None]
    intervals: QueueIntervals
    clock: Clock
    blobs: Callable[[], BlobStore]
    """The store that goes with it: a queue in a bucket publishes what its own store was given."""
    unpublished: Callable[[], BlobStore | None]
    """Where results lie that the queue shall not publish, if that is another place."""
    publishes: bool
    """Whether the queue itself is where sources lie and results are published."""
    work_in: Callable[[Path], None]
    """Says in which folder results wait for their publication."""
    for_job: Callable[[Job], BlobStore] | None = None
    unpublished_for_job: Callable[[Job], BlobStore] | None = None
    """The stores for the result of one job, where it may be stored by the right of its lease alone."""
    log_for_job: Callable[[Job], BlobStore] | None = None
    """The same for its error log."""
    is_behind_server: bool = False
    """Whether a server keeps it: then its jobs come from elsewhere and name no file of this machine, and its list of
    workers is for the server to tidy."""
    lease_news: Wakeup | None = None
    """Says when a lease of this process may be lost."""
    is_shared: bool = True
    """Whether others look into it too: they are told of workers and failures."""
    accounts: Accounts | None = None
    """Who may ask, where the queue keeps that; closed with it."""
    audit: Audit | None = None
    idempotency_keys: IdempotencyKeys | None = None
    depths: Callable[[], Sequence[QueueDepth]] | None = None
    together: Callable[[], AbstractContextManager[None]] | None = None
    """Where one thread alone writes: what it does with jobs in here shares one commit."""


def open_coordinator(
    settings: Settings, *, durable: bool = True, policy: RetryPolicy | None = None
) -> OpenedCoordinator:
    """The queue of the settings' URL. Raises InvalidSettings, StoreUnavailable."""
    _make_way_home(settings)
    options = _queue_options(settings, durable=durable, policy=policy or retry_policy(settings))
    opened = plugins.load_queue(settings.queue).open(settings.queue, options)
    coordinator, close_queue = _coordinator_of(opened, settings, options)
    library = opened.library

    def close() -> None:
        close_queue()
        if library is not None:
            library.close()

    return OpenedCoordinator(
        coordinator=coordinator,
        wakeup=opened.wakeup,
        close=close,
        intervals=opened.intervals,
        clock=opened.clock or SystemClock(),
        blobs=lambda: _open_store(settings, durable=durable) if library is None else library.blobs,
        unpublished=lambda: None if library is None else library.unpublished,
        publishes=library is not None,
        work_in=(lambda _: None) if library is None else library.work_in,
        for_job=None if library is None else library.for_job,
        unpublished_for_job=None if library is None else library.unpublished_for_job,
        log_for_job=None if library is None else library.log_for_job,
        lease_news=opened.lease_news if isinstance(opened, OpenedService) else None,
        is_behind_server=isinstance(opened, OpenedService),
        accounts=opened.accounts if isinstance(opened, OpenedQueue) else None,
        audit=opened.audit if isinstance(opened, OpenedQueue) else None,
        idempotency_keys=opened.idempotency_keys if isinstance(opened, OpenedQueue) else None,
        depths=opened.depths if isinstance(opened, OpenedQueue) else None,
        together=opened.together if isinstance(opened, OpenedQueue) else None,
    )


def _coordinator_of(
    opened: OpenedQueue | OpenedService, settings: Settings, options: QueueOptions
) -> tuple[Coordinator, Callable[[], None]]:
    """With what closes it."""
    if isinstance(opened, OpenedService):
        return opened.coordinator, opened.close
    from blobforge.coordination.service import CoordinationService

    service = CoordinationService(
        opened.store,
        clock=opened.clock or SystemClock(),
        lease_for=options.lease,
        policy=options.retry,
        archive_after=timedelta(days=settings.archive_days) if settings.archive_days else None,
        sweep_every=opened.intervals.sweep,
        reconcile_every=opened.intervals.reconcile,
        may_reap=opened.may_reap,
    )
    return service, service.close


def open_known_coordinator(settings: Settings) -> OpenedCoordinator:
    """The queue of the settings, for who has nothing to put into it: a file that is not there was perhaps mistyped, and
    is not made, unless it is that of the home. Raises NotFound, InvalidSettings, StoreUnavailable."""
    if (path := missing_queue_file(settings)) is not None:
        raise NotFound(
            f"there is no queue at {path} yet: check the path in BLOBFORGE_QUEUE, or begin a new queue there with "
            "'blobforge submit PATH'"
        )
    return open_coordinator(settings)


def missing_queue_file(settings: Settings) -> Path | None:
    """Where the queue of the settings would be made as a new file; None where it is there, is no file, or is that of
    the home, which nobody mistypes."""
    files = plugins.load_queue(settings.queue).files(settings.queue)
    if files and not files[0].is_relative_to(settings.home) and _is_absent(files[0]):
        return files[0]
    return None


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
    from blobforge.coordination.memory.store import MemoryJobStore
    from blobforge.coordination.service import CoordinationService

    clock = SystemClock()
    lease = timedelta(seconds=settings.worker.lease_seconds)
    service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=lease, policy=policy)
    return OpenedCoordinator(
        coordinator=service,
        wakeup=NoWakeup(),
        close=service.close,
        intervals=QueueIntervals(),
        clock=clock,
        blobs=lambda: _open_unpublished(settings),
        unpublished=lambda: None,
        publishes=False,
        work_in=lambda _: None,
        is_shared=False,
    )


def _open_unpublished(settings: Settings) -> BlobStore:
    library = _library(settings)
    return _open_store(settings, durable=False) if library is None else library.unpublished


def open_blobs(settings: Settings, *, durable: bool = True) -> BlobStore:
    """Where documents and results are: with the queue, or in the store of the settings' URL.

    Raises InvalidSettings, StoreUnavailable.
    """
    library = _library(settings)
    return _open_store(settings, durable=durable) if library is None else library.blobs


def _library(settings: Settings) -> QueueLibrary | None:
    """What the queue brings besides jobs, without the queue itself."""
    open_library = plugins.load_queue(settings.queue).library
    return None if open_library is None else open_library(settings.queue, _queue_options(settings))


def _open_store(settings: Settings, *, durable: bool) -> BlobStore:
    return plugins.load_store(settings.store).open(settings.store, store_options(settings, durable=durable))


def _queue_options(settings: Settings, *, durable: bool = True, policy: RetryPolicy | None = None) -> QueueOptions:
    return QueueOptions(
        durable=durable,
        s3=s3_access(settings),
        rights=settings.file_rights,
        lease=timedelta(seconds=settings.worker.lease_seconds),
        retry=policy or retry_policy(settings),
        server=server_access(settings),
        project=settings.project,
    )


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
