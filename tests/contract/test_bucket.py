"""The queue in a bucket under the contracts of every queue, on the bucket in memory; what races and transitions ask of
a store also on a real S3 server, and everything else there in the extended tests."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from secrets import token_hex

import pytest
from tests.contract.test_coordinators import service_over
from tests.seaweed import Seaweed

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import place_of
from blobforge.ports.job_store import JobStore
from blobforge.testing.coordinator_contract import CoordinatorContract, OpenCoordinator
from blobforge.testing.job_store.racing import RacingContract
from blobforge.testing.job_store.transitions import TakingContract, TransitionContract
from blobforge.testing.job_store_contract import JobStoreContract, OpenStore
from blobforge.testing.simulated_bucket import SimulatedBucket


@pytest.fixture
def open_bucket_store(seaweed: Seaweed) -> Iterator[OpenStore]:
    place = place_of(f"s3://{seaweed.bucket}/{token_hex(6)}", seaweed.access)
    with ExitStack() as opened:
        yield lambda: opened.enter_context(closing(BucketJobStore(ObjectStore(place))))


class TestBucket(RacingContract, TransitionContract, TakingContract):
    @pytest.fixture
    def open_store(self, open_bucket_store: OpenStore) -> OpenStore:
        return open_bucket_store

    @pytest.fixture
    def store(self, open_store: OpenStore) -> JobStore:
        return open_store()

    @pytest.mark.extended
    def test_a_thousand_transitions_are_one_step(self, store: JobStore) -> None:
        """Thousands of requests, which show nothing that fewer do not."""
        super().test_a_thousand_transitions_are_one_step(store)

    @pytest.mark.parametrize("others", [1, 4, 12, pytest.param(600, marks=pytest.mark.extended)])
    def test_a_lost_lease_and_a_stale_copy_do_not_affect_the_rest_of_a_batch(
        self, store: JobStore, others: int
    ) -> None:
        super().test_a_lost_lease_and_a_stale_copy_do_not_affect_the_rest_of_a_batch(store, others)


@pytest.mark.extended
class TestWholeBucket(JobStoreContract):
    can_pause = False

    @pytest.fixture
    def open_store(self, open_bucket_store: OpenStore) -> OpenStore:
        return open_bucket_store


class TestBucketInMemory(JobStoreContract):
    can_pause = False

    @pytest.fixture
    def open_store(self) -> OpenStore:
        bucket = SimulatedBucket()
        return lambda: BucketJobStore(bucket.objects())


class TestServiceOverBucketInMemory(CoordinatorContract):
    can_pause = False

    @pytest.fixture
    def open_coordinator(self) -> OpenCoordinator:
        bucket = SimulatedBucket()
        return service_over(lambda: BucketJobStore(bucket.objects()))


@pytest.mark.extended
class TestServiceOverBucket(CoordinatorContract):
    can_pause = False

    @pytest.fixture
    def open_coordinator(self, open_bucket_store: OpenStore) -> OpenCoordinator:
        return service_over(open_bucket_store)
