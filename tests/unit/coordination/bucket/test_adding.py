"""What adding many jobs costs: one listing of a short queue, and not three requests per job."""

import pytest

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain.job import Job
from blobforge.objectstore.client import ObjectStore
from blobforge.testing.builders import a_job, hash_of
from blobforge.testing.simulated_bucket import SimulatedBucket

LOOKS = ("list_objects_v2", "head_object", "get_object")


@pytest.fixture
def objects() -> ObjectStore:
    return SimulatedBucket().objects()


@pytest.fixture
def store(objects: ObjectStore) -> BucketJobStore:
    return BucketJobStore(objects)


def jobs(first: int, count: int) -> list[Job]:
    return [a_job(source_hash=hash_of(str(number))) for number in range(first, first + count)]


def looks(objects: ObjectStore) -> int:
    return sum(objects.requests[kind] for kind in LOOKS)


def test_many_jobs_are_added_to_a_short_queue_after_one_listing(store: BucketJobStore, objects: ObjectStore) -> None:
    store.states([job.key for job in jobs(0, 100)])
    before = looks(objects)

    added = store.insert(jobs(0, 100))

    assert all(entry.created for entry in added)
    assert looks(objects) - before < 20


def test_jobs_that_exist_are_found_by_that_listing(store: BucketJobStore) -> None:
    old = store.insert(jobs(0, 10))
    store.states([job.key for job in jobs(0, 100)])

    added = store.insert(jobs(0, 100))

    assert [entry.created for entry in added] == [False] * 10 + [True] * 90
    assert [entry.job for entry in added[:10]] == [entry.job for entry in old]


def test_a_few_jobs_are_asked_for_one_by_one(store: BucketJobStore, objects: ObjectStore) -> None:
    store.states([job.key for job in jobs(0, 100)])
    before = objects.requests["list_objects_v2"]

    store.insert(jobs(0, 2))

    assert objects.requests["list_objects_v2"] - before <= 4


def test_a_queue_that_was_never_listed_counts_as_long(store: BucketJobStore, objects: ObjectStore) -> None:
    store.insert(jobs(0, 30))

    assert looks(objects) >= 60
