"""The real queue in a bucket, as each actor has it: with one thread, so that its requests have one order."""

from datetime import timedelta

from tests.proof.replay import Seat

from blobforge.coordination.bucket.crew import Crew
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain import lifecycle
from blobforge.domain.ids import DEFAULT_PROJECT
from blobforge.domain.job import Job
from blobforge.ports.job_store import Queue

QUEUE = Queue(DEFAULT_PROJECT, ("pdf",))
LEASE = timedelta(minutes=15)
SWEEP_LIMIT = 100


def store_of(seat: Seat) -> BucketJobStore:
    return BucketJobStore(seat.objects, crew=Crew(1))


def queue_of(seat: Seat) -> CoordinationService:
    return CoordinationService(
        store_of(seat), clock=seat.objects, lease_for=LEASE, roll=lambda: 0.5, archive_after=None
    )


def swept(seat: Seat) -> list[Job]:
    """What a janitor does: it wakes what is due, and mends what crashes left behind."""
    store = store_of(seat)
    store.mend(dry_run=False)
    now = seat.objects.now()
    return store.update_due(lambda job: lifecycle.wake(job, now=now), now=now, limit=SWEEP_LIMIT)
