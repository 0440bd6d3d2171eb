"""Opens a queue named by a memory:// URL; the jobs end with the process."""

from blobforge.coordination.memory.accounts import MemoryAccounts
from blobforge.coordination.memory.audit import MemoryAudit
from blobforge.coordination.memory.idempotency import MemoryIdempotencyKeys
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions


def open_queue(url: str, options: QueueOptions) -> OpenedQueue:  # noqa: ARG001 - the form of an entry point
    audit = MemoryAudit()
    return OpenedQueue(
        store=MemoryJobStore(),
        wakeup=NoWakeup(),
        accounts=MemoryAccounts(audit),
        audit=audit,
        idempotency_keys=MemoryIdempotencyKeys(),
    )
