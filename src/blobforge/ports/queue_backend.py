"""What an entry point of the group `blobforge.queues` gives for its URL scheme."""

from collections.abc import Callable
from dataclasses import dataclass

from blobforge.ports.job_store import JobStore
from blobforge.ports.wakeup import Wakeup


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOptions:
    """`durable`: a submitted job survives a power cut; without it, the last second of work may be done again."""

    durable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedQueue:
    store: JobStore
    wakeup: Wakeup


OpenQueue = Callable[[str, QueueOptions], OpenedQueue]
