"""What an entry point of the group `blobforge.queues` returns for its URL scheme."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from blobforge.domain.file_rights import FileRights
from blobforge.ports.blob_store import S3Access
from blobforge.ports.clock import Clock
from blobforge.ports.job_store import JobStore
from blobforge.ports.result_staging import ResultStaging
from blobforge.ports.wakeup import Wakeup

_AS_THE_SDK_SAYS = S3Access()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOptions:
    """`durable`: a submitted job survives a power cut; without it, the last second of work may be done again."""

    durable: bool = True
    s3: S3Access = _AS_THE_SDK_SAYS
    staging: ResultStaging | None = None
    """For a queue that publishes results itself."""
    rights: FileRights = FileRights.PRIVATE
    """Of a queue in a file: who may read it."""
    lease: timedelta = timedelta(minutes=15)
    """How long a lease is valid: the pace of a queue must be quick enough for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
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
class OpenedQueue:
    store: JobStore
    wakeup: Wakeup
    pace: Pace = Pace()
    clock: Clock | None = None
    """The queue's own clock, where those of workers need not agree."""
    may_reap: Callable[[], bool] = lambda: True
    """The reaper election: whether this process, of all workers, sweeps now."""


OpenQueue = Callable[[str, QueueOptions], OpenedQueue]
