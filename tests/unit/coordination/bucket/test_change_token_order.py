"""The order of change token and marker, staged: a worker that reads at the worst moment still finds the job."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from blobforge.coordination.bucket.reaper_election import NAME, ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.job import Job
from blobforge.ports.job_store import Transition
from blobforge.testing.builders import BOB
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, completing, failing, reap_due, take
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request
from blobforge.thread_pool import ThreadPool

MUCH_LATER = START + timedelta(days=1)
HINT, TODO = "queue/hint", "queue/todo/"


class StagedWire:
    """Lets something happen once, right after a certain request was answered by the bucket."""

    def __init__(self, bucket: SimulatedBucket) -> None:
        self._bucket = bucket
        self._is_cue: Callable[[S3Request], bool] = lambda _: False
        self._happens: Callable[[], object] = lambda: None

    def after(self, is_cue: Callable[[S3Request], bool], happens: Callable[[], object]) -> None:
        self._is_cue, self._happens = is_cue, happens

    def send(self, request: S3Request) -> S3Reply:
        reply = self._bucket.send(request)
        if self._is_cue(request):
            self._is_cue = lambda _: False
            self._happens()
        return reply

    def now(self) -> datetime:
        return self._bucket.now()


@pytest.fixture
def bucket() -> SimulatedBucket:
    return SimulatedBucket()


@pytest.fixture
def wire(bucket: SimulatedBucket) -> StagedWire:
    return StagedWire(bucket)


def on(wire: SimulatedBucket | StagedWire) -> BucketJobStore:
    return BucketJobStore(connected(wire), pool=ThreadPool(1))


def _freed_by_adding(store: BucketJobStore) -> None:
    added(store, "a")


def _freed_by_a_retry(store: BucketJobStore) -> None:
    (held,) = take(store)
    store.apply([Transition(held, completing(held))])
    store.update(held.id, lambda job: lifecycle.retry(job, now=START))


def _freed_by_the_janitor(store: BucketJobStore) -> None:
    (held,) = take(store)
    store.apply([Transition(held, failing(held))])
    reap_due(store, MUCH_LATER)


@pytest.mark.parametrize("free", [_freed_by_adding, _freed_by_a_retry, _freed_by_the_janitor])
def test_a_worker_that_reads_the_change_token_as_soon_as_it_is_written_finds_the_marker(
    bucket: SimulatedBucket, wire: StagedWire, free: Callable[[BucketJobStore], None]
) -> None:
    """The marker is written first: a token that came before it would be used up, and the job wait for a full
    listing."""
    store, worker = on(wire), on(bucket)
    if free is not _freed_by_adding:
        added(store, "a")
    found: list[Job] = []

    def look() -> None:
        found.extend(take(worker, worker_id=BOB))

    wire.after(lambda request: request.operation == "put_object" and request.key == HINT, look)
    free(store)

    assert len(found) == 1


def test_a_job_that_is_added_during_a_listing_is_found_by_the_next_claim(
    bucket: SimulatedBucket, wire: StagedWire
) -> None:
    """The token is read before the listing: read after it, it would hide a job that the listing missed."""
    worker, desk = on(wire), on(bucket)
    wire.after(
        lambda request: request.operation == "list_objects_v2" and request.prefix == TODO, lambda: added(desk, "a")
    )

    assert take(worker) == []
    assert len(take(worker)) == 1


@pytest.mark.parametrize(("ahead", "is_believed"), [(timedelta(minutes=2), True), (timedelta(minutes=3), False)])
def test_a_time_of_the_next_sweep_that_lies_far_ahead_is_not_believed(
    bucket: SimulatedBucket, ahead: timedelta, is_believed: bool
) -> None:
    """A wrong clock wrote it: nobody would ever sweep."""
    next_at = (bucket.now() + ahead).isoformat()
    bucket.objects().put(NAME, json.dumps({"next_at": next_at}).encode())

    assert ReaperElection(bucket.objects()).try_to_win() is not is_believed


def test_of_two_candidates_that_read_at_once_one_is_elected(bucket: SimulatedBucket, wire: StagedWire) -> None:
    """And none of those after it, before its term is over."""
    mine, yours = ReaperElection(connected(wire)), ReaperElection(bucket.objects())
    told: list[bool] = []
    wire.after(
        lambda request: request.operation == "get_object" and request.key == NAME,
        lambda: told.append(yours.try_to_win()),
    )

    told.append(mine.try_to_win())

    assert told == [True, False]
    assert [ReaperElection(bucket.objects()).try_to_win() for _ in range(5)] == [False] * 5
