"""The entry point of `s3://BUCKET/PREFIX` queues."""

from datetime import timedelta

from blobforge.coordination.bucket.reaper_election import TERM, ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.objectstore.bucket_format import require_format
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import place_of
from blobforge.ports.queue_backend import OpenedQueue, Pace, QueueOptions

BUCKET_PACE = Pace(
    sweep=timedelta(minutes=5),
    reconcile=timedelta(minutes=45),
    idle=timedelta(seconds=14.5),
    check=timedelta(seconds=8),
)
"""An idle worker makes less than six requests a minute: polls of the change token, heartbeats, its share of the sweeps.
A busy one checks each of its jobs every eight seconds, without a listing, so that it notices a cancellation soon."""


def open_queue(url: str, options: QueueOptions) -> OpenedQueue:
    """Raises InvalidSettings, StoreUnavailable."""
    objects = ObjectStore(place_of(url, options.s3))
    require_format(objects)
    return OpenedQueue(
        store=BucketJobStore(objects, staging=options.staging),
        wakeup=NoWakeup(),
        pace=pace_for(options.lease),
        clock=objects,
        may_reap=ReaperElection(objects, term=min(TERM, _reaction_time(options.lease))).try_to_win,
    )


def pace_for(lease: timedelta) -> Pace:
    """A short lease means that lost workers shall be noticed soon, at the price of more requests."""
    reaction_time = _reaction_time(lease)
    return Pace(
        sweep=min(BUCKET_PACE.sweep, lease / 3),
        reconcile=min(BUCKET_PACE.reconcile, lease * 3),
        idle=min(BUCKET_PACE.idle, reaction_time),
        check=min(BUCKET_PACE.check, reaction_time),
    )


def _reaction_time(lease: timedelta) -> timedelta:
    return lease / 5
