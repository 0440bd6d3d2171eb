"""Opens a queue in a bucket, with its long intervals."""

from datetime import timedelta

from blobforge.coordination.bucket.reaper_election import TERM, ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.objectstore.bucket_format import require_format
from blobforge.objectstore.client import ObjectStore
from blobforge.ports.queue_backend import OpenedQueue, QueueIntervals, QueueLibrary
from blobforge.ports.result_staging import ResultStaging

BUCKET_INTERVALS = QueueIntervals(
    sweep=timedelta(minutes=5),
    reconcile=timedelta(minutes=45),
    idle=timedelta(seconds=14.5),
    check=timedelta(seconds=8),
)
"""An idle worker makes less than six requests a minute: polls of the change token, heartbeats, its share of the sweeps.
A busy one checks each of its jobs every eight seconds, without a listing, so that it notices a cancellation soon."""


def open_queue(objects: ObjectStore, *, lease: timedelta, staging: ResultStaging, library: QueueLibrary) -> OpenedQueue:
    """`library` publishes what is in `staging`. Raises InvalidSettings, StoreUnavailable."""
    require_format(objects)
    return OpenedQueue(
        store=BucketJobStore(objects, staging=staging),
        wakeup=NoWakeup(),
        intervals=intervals_for(lease),
        clock=objects,
        may_reap=ReaperElection(objects, term=min(TERM, _reaction_time(lease))).try_to_win,
        library=library,
    )


def intervals_for(lease: timedelta) -> QueueIntervals:
    """A short lease means that lost workers shall be noticed soon, at the price of more requests."""
    reaction_time = _reaction_time(lease)
    return QueueIntervals(
        sweep=min(BUCKET_INTERVALS.sweep, lease / 3),
        reconcile=min(BUCKET_INTERVALS.reconcile, lease * 3),
        idle=min(BUCKET_INTERVALS.idle, reaction_time),
        check=min(BUCKET_INTERVALS.check, reaction_time),
    )


def _reaction_time(lease: timedelta) -> timedelta:
    return lease / 5
