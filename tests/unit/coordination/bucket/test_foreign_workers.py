"""Whether a worker of another program is at work in a place, by its locks."""

import json
from datetime import datetime, timedelta

import pytest

from blobforge.coordination.bucket.foreign_workers import foreign_workers
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, take
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool

A, B = hash_of("a"), hash_of("b")
KEY = JobKey("default", "pdf", SourceHash(A))


@pytest.fixture
def bucket() -> SimulatedBucket:
    return SimulatedBucket()


def lock(bucket: SimulatedBucket, source_hash: str, *, worker: str = "oldbox", heard: datetime | None) -> None:
    facts = {"worker": worker, "last_heartbeat": None if heard is None else heard.isoformat()}
    bucket.objects().put(f"queue/processing/{source_hash}", json.dumps(facts).encode())


def test_a_worker_that_was_heard_of_within_its_lease_is_at_work(bucket: SimulatedBucket) -> None:
    lock(bucket, A, worker="first", heard=START - timedelta(minutes=14))
    lock(bucket, B, worker="second", heard=START - timedelta(seconds=3))

    found = foreign_workers(bucket.objects(), now=START)

    assert [(worker.name, worker.lock, worker.heard_at) for worker in found] == [
        ("second", f"queue/processing/{B}", START - timedelta(seconds=3)),
        ("first", f"queue/processing/{A}", START - timedelta(minutes=14)),
    ]


def test_a_worker_that_was_not_heard_of_for_its_lease_is_gone(bucket: SimulatedBucket) -> None:
    lock(bucket, A, heard=START - timedelta(minutes=15))

    assert foreign_workers(bucket.objects(), now=START) == []


def test_a_lock_without_a_heartbeat_is_as_old_as_its_object(bucket: SimulatedBucket) -> None:
    lock(bucket, A, heard=None)

    assert len(foreign_workers(bucket.objects(), now=START + timedelta(minutes=14))) == 1
    assert foreign_workers(bucket.objects(), now=START + timedelta(minutes=15)) == []


@pytest.mark.parametrize(
    ("ahead", "counts_from"),
    [
        (timedelta(minutes=10), timedelta(minutes=10)),
        (timedelta(days=1), timedelta(0)),
        (timedelta(days=9000), timedelta(0)),
    ],
)
def test_a_heartbeat_that_lies_far_ahead_was_made_when_its_lock_was_written(
    bucket: SimulatedBucket, ahead: timedelta, counts_from: timedelta
) -> None:
    """A worker whose clock is wrong would else hold its job until that day. One that is a little fast is believed."""
    lock(bucket, A, heard=START + ahead)
    held = BucketJobStore(bucket.objects(), pool=ThreadPool(1)).find([KEY])[KEY]
    (worker,) = foreign_workers(bucket.objects(), now=START)

    assert (worker.heard_at, held.updated_at) == (START + counts_from, START + counts_from)
    assert held.lease_expires_at == START + counts_from + timedelta(minutes=15)


def test_locks_of_our_own_workers_and_names_that_are_no_locks_are_passed_over(bucket: SimulatedBucket) -> None:
    store = BucketJobStore(bucket.objects(), pool=ThreadPool(1))
    added(store, "a")
    take(store)
    bucket.objects().put("queue/processing/notes.txt", b"{}")

    assert foreign_workers(bucket.objects(), now=START) == []
