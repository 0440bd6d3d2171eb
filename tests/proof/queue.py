"""The real queue in a bucket, as each actor has it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from tests.proof.stepper import ActorContext

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain import lifecycle
from blobforge.domain.ids import DEFAULT_PROJECT, WorkerId
from blobforge.domain.job import Job
from blobforge.ports.job_store import Inconsistency, Queue
from blobforge.thread_pool import ThreadPool

QUEUE = Queue(DEFAULT_PROJECT, ("pdf",))
LEASE = timedelta(minutes=15)
SWEEP_LIMIT = 100


class ActorQueue(NamedTuple):
    """What a process has of the queue."""

    store: BucketJobStore
    service: CoordinationService
    store_time: Callable[[], datetime]

    def claim(self, worker_id: WorkerId, *, limit: int = 1) -> list[Job]:
        """As the service does it between two sweeps, which are an actor of their own."""
        now = self.store_time()
        change = partial(lifecycle.claim, worker_id=worker_id, now=now, until=now + LEASE)
        return self.store.apply([], take=change, queue=QUEUE, limit=limit).taken

    def sweep(self) -> list[Job]:
        """The reaper."""
        now = self.store_time()
        return self.store.update_due(lambda job: lifecycle.reap(job, now=now), now=now, limit=SWEEP_LIMIT)

    def reconcile(self) -> list[Inconsistency]:
        """The reconciler."""
        return self.store.reconcile(dry_run=False)


def queue_of(context: ActorContext) -> ActorQueue:
    """With one thread, so that its requests have one order."""
    store = BucketJobStore(context.objects, pool=ThreadPool(1))
    service = CoordinationService(store, clock=context.objects, lease_for=LEASE, roll=lambda: 0.5, archive_after=None)
    return ActorQueue(store, service, context.objects.now)
