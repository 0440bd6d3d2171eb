"""What an entry point of the group `blobforge.queues` names for its URL scheme."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from blobforge.domain.file_rights import FileRights
from blobforge.domain.ids import DEFAULT_PROJECT
from blobforge.domain.job import Job
from blobforge.domain.retry import RetryPolicy
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.ports.blob_store import BlobStore, S3Access
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.idempotency import IdempotencyKeys
from blobforge.ports.job_store import JobStore
from blobforge.ports.store_backend import OpenedShards
from blobforge.ports.wakeup import Wakeup


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAccess:
    """Who we are to a server: a person's program with a token, or a worker with its secret."""

    token: str | None = field(default=None, repr=False)
    worker: str | None = None
    secret: str | None = field(default=None, repr=False)


_AS_THE_SDK_SAYS = S3Access()
_PATIENTLY = RetryPolicy()
_NOBODY = ServerAccess()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOptions:
    """`durable`: a submitted job survives a power cut; without it, the last second of work may be done again."""

    durable: bool = True
    s3: S3Access = _AS_THE_SDK_SAYS
    rights: FileRights = FileRights.PRIVATE
    """Of a queue in a file: who may read it."""
    lease: timedelta = timedelta(minutes=15)
    """How long a lease is valid: the intervals of a queue must be short enough for it."""
    retry: RetryPolicy = _PATIENTLY
    """For a queue with a Coordinator of its own: after how long a failed job is tried again."""
    server: ServerAccess = _NOBODY
    project: str = DEFAULT_PROJECT
    """The project whose documents and results are meant, where a store asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueIntervals:
    """How often a queue is polled: seldom where every poll is a request over the network."""

    sweep: timedelta = timedelta(seconds=1)
    """Between two runs of the reaper."""
    reconcile: timedelta = timedelta(minutes=10)
    """Between two runs of the reconciler."""
    idle: timedelta = timedelta(seconds=4)
    """The longest polling interval of an idle worker."""
    check: timedelta = timedelta(seconds=2)
    """Between two checks of a worker whether it still holds its leases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLibrary:
    """The store of a queue that is itself where sources lie and results are published, with the staging of results."""

    blobs: BlobStore
    """A result that is given to it waits until its job is completed, and is then published by the queue."""
    unpublished: BlobStore
    """The same place, for results that the queue shall not publish."""
    work_in: Callable[[Path], None]
    """Says in which folder results wait for their publication."""
    close: Callable[[], None]
    for_job: Callable[[Job], BlobStore] | None = None
    """The store for the result of one job that is held, where that is by a right of its own."""
    unpublished_for_job: Callable[[Job], BlobStore] | None = None
    log_for_job: Callable[[Job], BlobStore] | None = None
    """The store for the error log of a job that was held until now."""


class QueueDepth(NamedTuple):
    """How many jobs of a type and a priority are ready, and since when there is the oldest of them."""

    type: str
    priority: int
    jobs: int
    oldest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedQueue:
    """Jobs in a store, to which BlobForge's own Coordinator applies the rules."""

    store: JobStore
    wakeup: Wakeup
    intervals: QueueIntervals = QueueIntervals()
    clock: Clock | None = None
    """The queue's own clock, where those of workers need not agree."""
    may_reap: Callable[[], bool] = lambda: True
    """The reaper election: whether this process, of all workers, sweeps now."""
    library: QueueLibrary | None = None
    """Without one, documents and results are in the store of the settings."""
    accounts: Accounts | None = None
    """Who may ask a server of this queue; closed with the store."""
    audit: Audit | None = None
    """The trail of what they did, in the same place as the accounts."""
    idempotency_keys: IdempotencyKeys | None = None
    """What was answered to requests that have a key, in the same place."""
    depths: Callable[[], Sequence[QueueDepth]] | None = None
    """What is ready, in all projects, for those who watch the queue; cheap enough for every ten seconds."""
    together: Callable[[], AbstractContextManager[None]] | None = None
    """Where one thread alone writes: what it does with jobs in here shares one commit, and so one wait for the disk. A
    step that fails is undone alone. Raises StoreUnavailable at its end: then none of them counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedService:
    """A queue that applies the rules itself, such as one behind a server."""

    coordinator: Coordinator
    close: Callable[[], None]
    wakeup: Wakeup
    intervals: QueueIntervals = QueueIntervals()
    clock: Clock | None = None
    library: QueueLibrary | None = None
    lease_news: Wakeup | None = None
    """Says when a lease of this process may be lost, so that nobody has to look often."""


OpenQueue = Callable[[str, QueueOptions], OpenedQueue | OpenedService]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueBackend:
    """Cheap to import: what it needs is loaded when it opens something."""

    open: OpenQueue
    """Raises InvalidSettings, StoreUnavailable."""
    check: Callable[[str], object] = lambda _: None
    """Whether such an address can be used here; opens nothing. Raises InvalidSettings."""
    library: Callable[[str, QueueOptions], QueueLibrary] | None = None
    """The store of such a queue without the queue, for who only reads documents and results."""
    is_server: bool = False
    """Whether such an address is that of a server, which keeps the store, the manifest and the accounts itself."""
    shards: Callable[[str, QueueOptions], OpenedShards] | None = None
    """The manifest that goes with it, where that is not in the store of the settings."""
    files: Callable[[str], Sequence[Path]] = lambda _: ()
    """Those of this machine that it is kept in: children must not see them, and what does not open there is not waited
    for. Raises InvalidSettings."""
    why_no_accounts: str | None = "this queue has no accounts, which need SQLite or PostgreSQL"
    """Told to who asks for them, before anything is opened; None where what it opens brings `accounts` and `audit`."""
