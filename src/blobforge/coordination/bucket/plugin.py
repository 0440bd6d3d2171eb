"""Opens a queue in a bucket, at its unhurried pace."""

from datetime import timedelta

from blobforge.coordination.bucket.reaper_election import EVERY, ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.objectstore.bucket_format import require_format
from blobforge.objectstore.client import ObjectStore
from blobforge.ports.queue_backend import OpenedQueue, Pace, QueueLibrary
from blobforge.ports.result_staging import ResultStaging

UNHURRIED = Pace(
    sweep=timedelta(minutes=5),
    reconcile=timedelta(minutes=45),
    idle=timedelta(seconds=14.5),
    check=timedelta(seconds=8),
)
"""An idle worker makes less than six requests a minute: looks at the hint, a sign of life, and the janitor's share.
A busy one looks at each of its jobs every eight seconds, without a listing: who cancels one does not wait long."""


def open_queue(objects: ObjectStore, *, lease: timedelta, staging: ResultStaging, library: QueueLibrary) -> OpenedQueue:
    """`library` publishes what is in `staging`. Raises InvalidSettings, StoreUnavailable."""
    require_format(objects)
    return OpenedQueue(
        store=BucketJobStore(objects, staging=staging),
        wakeup=NoWakeup(),
        pace=pace_for(lease),
        clock=objects,
        may_reap=ReaperElection(objects, every=min(EVERY, _often(lease))).take,
        library=library,
    )


def pace_for(lease: timedelta) -> Pace:
    """Who asked for a short lease wants lost workers noticed soon, and pays for it in requests."""
    often = _often(lease)
    return Pace(
        sweep=min(UNHURRIED.sweep, lease / 3),
        reconcile=min(UNHURRIED.reconcile, lease * 3),
        idle=min(UNHURRIED.idle, often),
        check=min(UNHURRIED.check, often),
    )


def _often(lease: timedelta) -> timedelta:
    return lease / 5
