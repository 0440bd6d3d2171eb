"""A `gc` whose machine is suspended while it deletes: what came to be needed meanwhile stays."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from blobforge.blobs.bucket import BucketBlobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.errors import StoreUnavailable
from blobforge.ports.blob_store import source_key
from blobforge.results.garbage_collection import MOST_TRIES, GarbageCollector
from blobforge.testing.builders import hash_of, new_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request

NAMES = sorted("abc", key=hash_of)
FIRST, SECOND, LAST = (source_key(hash_of(name)) for name in NAMES)
ASLEEP = timedelta(hours=2)


class Suspended:
    """A wire of a machine that falls asleep at one of the requests that look at or delete a source."""

    def __init__(self, bucket: SimulatedBucket, operation: str, key: str, meanwhile: Callable[[], object]) -> None:
        self.now = bucket.now
        self._bucket = bucket
        self._asked = (operation, key)
        self._meanwhile = meanwhile
        self.naps = 1

    def send(self, request: S3Request) -> S3Reply:
        if (request.operation, request.key) != self._asked or self.naps == 0:
            return self._bucket.send(request)
        self.naps -= 1
        reply = self._bucket.send(request) if request.operation == "head_object" else S3Reply(503, "SlowDown")
        self._bucket.advance(ASLEEP)
        self._meanwhile()
        return reply


@pytest.fixture
def bucket(tmp_path: Path) -> SimulatedBucket:
    bucket = SimulatedBucket()
    (tmp_path / "file").write_bytes(b"bytes")
    for key in (FIRST, SECOND, LAST):
        BucketBlobStore(bucket.objects()).put(key, tmp_path / "file")
    bucket.advance(timedelta(days=8))
    return bucket


@pytest.fixture
def coordinator() -> CoordinationService:
    return CoordinationService(MemoryJobStore(), clock=FakeClock())


@pytest.mark.parametrize("operation", ["head_object", "delete_object"], ids=["after its look", "with a DELETE sent"])
def test_what_came_to_be_needed_while_gc_was_asleep_stays_and_the_rest_goes(
    operation: str, bucket: SimulatedBucket, coordinator: CoordinationService
) -> None:
    ours = BucketBlobStore(bucket.objects())

    def count_on_it() -> None:
        coordinator.submit([new_job(NAMES[1])])
        assert ours.keep([SECOND]) == set()

    asleep = BucketBlobStore(connected(Suspended(bucket, operation, SECOND, count_on_it)))
    collector = GarbageCollector(coordinator, asleep)

    deleted = collector.clear(collector.survey(before=bucket.now()))

    assert [item.key for item in deleted] == [FIRST, LAST]
    assert [blob.key for blob in ours.list("sources/")] == [SECOND]


def test_a_gc_that_falls_asleep_again_and_again_says_so(
    bucket: SimulatedBucket, coordinator: CoordinationService
) -> None:
    wire = Suspended(bucket, "head_object", FIRST, lambda: None)
    wire.naps = MOST_TRIES
    collector = GarbageCollector(coordinator, BucketBlobStore(connected(wire)))

    with pytest.raises(StoreUnavailable, match="run 'blobforge gc' again"):
        collector.clear(collector.survey(before=bucket.now()))

    assert bucket.objects().head(FIRST) is not None


def test_progress_between_two_naps_counts(bucket: SimulatedBucket, coordinator: CoordinationService) -> None:
    wire = Suspended(bucket, "head_object", SECOND, lambda: None)
    wire.naps = MOST_TRIES - 1
    collector = GarbageCollector(coordinator, BucketBlobStore(connected(wire)))

    assert len(collector.clear(collector.survey(before=bucket.now()))) == 3
