"""The queue in a bucket under the contracts of every queue: on a real S3 server, and on the bucket in memory."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from secrets import token_hex

import pytest
from tests.contract.test_coordinators import service_over
from tests.seaweed import Seaweed

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import place_of
from blobforge.testing.coordinator_contract import CoordinatorContract, OpenCoordinator
from blobforge.testing.job_store_contract import JobStoreContract, OpenStore
from blobforge.testing.simulated_bucket import SimulatedBucket


@pytest.fixture
def open_bucket_store(seaweed: Seaweed) -> Iterator[OpenStore]:
    place = place_of(f"s3://{seaweed.bucket}/{token_hex(6)}", seaweed.access)
    with ExitStack() as opened:
        yield lambda: opened.enter_context(closing(BucketJobStore(ObjectStore(place))))


class TestBucket(JobStoreContract):
    @pytest.fixture
    def open_store(self, open_bucket_store: OpenStore) -> OpenStore:
        return open_bucket_store


class TestBucketInMemory(JobStoreContract):
    @pytest.fixture
    def open_store(self) -> OpenStore:
        bucket = SimulatedBucket()
        return lambda: BucketJobStore(bucket.objects())


class TestServiceOverBucket(CoordinatorContract):
    @pytest.fixture
    def open_coordinator(self, open_bucket_store: OpenStore) -> OpenCoordinator:
        return service_over(open_bucket_store)
