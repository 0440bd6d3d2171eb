"""The order of record and markers, staged: what a crash or a heartbeat at the worst moment leaves of a job."""

from contextlib import suppress
from datetime import timedelta

import pytest

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.errors import InvalidMove, LeaseLost, StoreUnavailable
from blobforge.domain.job import Job, State
from blobforge.domain.priority import Priority
from blobforge.ports.job_store import Transition
from blobforge.testing.builders import BOB
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, cancelling, completing, renewing, take
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request
from blobforge.thread_pool import ThreadPool

RESULTS = "store/out/"
LATER = START + timedelta(minutes=1)


class Killed(BaseException):
    """Not caught anywhere: the process is gone."""


class MortalWire:
    """Its process is killed after so many writes."""

    def __init__(self, bucket: SimulatedBucket, writes: int) -> None:
        self._bucket = bucket
        self._left = writes
        self.now = bucket.now

    def send(self, request: S3Request) -> S3Reply:
        if request.is_write and not self._left:
            raise Killed
        self._left -= request.is_write
        return self._bucket.send(request)


@pytest.mark.parametrize("writes", range(5))
def test_a_waiting_job_stays_claimable_wherever_its_reprioritising_is_cut_off(writes: int) -> None:
    """The new marker is written before the old one is deleted: without any, the job would wait for the reconciler."""
    bucket = SimulatedBucket()
    (job,) = added(BucketJobStore(bucket.objects(), pool=ThreadPool(1)), "a", priority=Priority.NORMAL)
    mortal = BucketJobStore(connected(MortalWire(bucket, writes)), pool=ThreadPool(1))

    with suppress(Killed):
        mortal.update(job.id, lambda job: lifecycle.reprioritize(job, priority=Priority.CRITICAL, now=START))

    (claimed,) = take(BucketJobStore(bucket.objects(), pool=ThreadPool(1)), worker_id=BOB)
    assert claimed.id == job.id


class SilentWire:
    """While it is silent, no result comes through."""

    def __init__(self, bucket: SimulatedBucket) -> None:
        self._bucket = bucket
        self.now = bucket.now
        self.is_silent = True

    def send(self, request: S3Request) -> S3Reply:
        if self.is_silent and request.operation == "put_object" and request.key.startswith(RESULTS):
            return S3Reply(503, "SlowDown")
        return self._bucket.send(request)


def test_a_heartbeat_while_a_result_is_published_does_not_make_its_job_cancellable() -> None:
    """Between two tries of its worker: the cancel would succeed, and the job be completed a moment later."""
    bucket = SimulatedBucket()
    wire = SilentWire(bucket)
    store, desk = (
        BucketJobStore(connected(wire), pool=ThreadPool(1)),
        BucketJobStore(bucket.objects(), pool=ThreadPool(1)),
    )
    added(store, "a")
    (held,) = take(store)

    (silence,) = store.apply([Transition(held, completing(held))]).outcomes
    (renewed,) = store.apply([Transition(held, renewing(held, now=LATER))]).outcomes
    (cancelled,) = desk.apply([Transition(held, cancelling)]).outcomes
    wire.is_silent = False
    (done,) = store.apply([Transition(held, completing(held))]).outcomes

    assert isinstance(silence, StoreUnavailable)
    assert isinstance(renewed, Job)
    assert isinstance(cancelled, InvalidMove)
    assert isinstance(done, Job)
    assert desk.get(held.id).state is State.COMPLETED


def test_what_one_process_began_to_publish_no_other_process_publishes_with_the_same_lease() -> None:
    """The write of the first may still be on its way: whoever published too could not know whose result is there."""
    bucket = SimulatedBucket()
    wire = SilentWire(bucket)
    first, second = (
        BucketJobStore(connected(wire), pool=ThreadPool(1)),
        BucketJobStore(bucket.objects(), pool=ThreadPool(1)),
    )
    added(first, "a")
    (held,) = take(first)

    (silence,) = first.apply([Transition(held, completing(held))]).outcomes
    (refused,) = second.apply([Transition(held, completing(held, result='{"by": "second"}'))]).outcomes
    wire.is_silent = False
    (done,) = first.apply([Transition(held, completing(held))]).outcomes

    assert isinstance(silence, StoreUnavailable)
    assert isinstance(refused, LeaseLost)
    assert isinstance(done, Job)
    assert second.get(held.id).result == "{}"
