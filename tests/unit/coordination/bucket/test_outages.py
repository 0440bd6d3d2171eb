"""A bucket that stops answering in the middle of a step: outcomes are returned, and the rest can be repeated."""

from datetime import datetime, timedelta

import pytest
from botocore.exceptions import EndpointConnectionError, ReadTimeoutError

from blobforge.coordination.bucket.backend import intervals_for
from blobforge.coordination.bucket.reaper_election import ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.job import Job, State
from blobforge.objectstore.answers import Retries
from blobforge.ports.job_store import Transition
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.steps import PDFS
from blobforge.testing.job_store.steps import added, claiming, completing, failing, renewing, take
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request
from blobforge.thread_pool import ThreadPool

NO_RETRIES = Retries(seconds=0, sleep=lambda _: None)


class CutWire:
    """Requests for names like `away` do not arrive; those for names like `unanswered` do, and then all is silent."""

    def __init__(self, bucket: SimulatedBucket) -> None:
        self._bucket = bucket
        self.away = ""
        self.unanswered = ""

    def send(self, request: S3Request) -> S3Reply:
        if self.away and self.away in str(request):
            raise EndpointConnectionError(endpoint_url="http://bucket")
        reply = self._bucket.send(request)
        if self.unanswered and self.unanswered in str(request):
            self.away = "t"  # in the name of every operation
            raise ReadTimeoutError(endpoint_url="http://bucket")
        return reply

    def now(self) -> datetime:
        return self._bucket.now()

    def reconcile(self) -> None:
        self.away = self.unanswered = ""


class DoublingWire:
    """A proxy that sends every write of a job record twice, and returns the second response."""

    def __init__(self, bucket: SimulatedBucket) -> None:
        self._bucket = bucket
        self.now = bucket.now

    def send(self, request: S3Request) -> S3Reply:
        if request.operation == "put_object" and request.key.startswith("queue/processing/"):
            self._bucket.send(request)
        return self._bucket.send(request)


@pytest.fixture
def wire() -> CutWire:
    return CutWire(SimulatedBucket())


@pytest.fixture
def store(wire: CutWire) -> BucketJobStore:
    return BucketJobStore(connected(wire, retries=NO_RETRIES), pool=ThreadPool(1))


def outcome_of(store: BucketJobStore, transition: Transition) -> object:
    (outcome,) = store.apply([transition]).outcomes
    return outcome


@pytest.mark.parametrize("room", ["queue/processing", "store/out", "delete"])
def test_an_ending_that_failed_in_an_outage_can_be_repeated(store: BucketJobStore, wire: CutWire, room: str) -> None:
    added(store, "a")
    (held,) = take(store)
    wire.away = room

    assert isinstance(outcome_of(store, Transition(held, completing(held))), StoreUnavailable)
    wire.reconcile()
    done = outcome_of(store, Transition(held, completing(held)))

    assert isinstance(done, Job)
    assert store.get(held.id).state is State.COMPLETED
    assert store.reconcile(dry_run=True) == []


def test_a_result_whose_publication_was_not_answered_is_ours_all_the_same(store: BucketJobStore, wire: CutWire) -> None:
    added(store, "a")
    (held,) = take(store)
    wire.unanswered = "put store/out"

    assert isinstance(outcome_of(store, Transition(held, completing(held))), StoreUnavailable)
    wire.reconcile()

    assert isinstance(outcome_of(store, Transition(held, completing(held))), Job)
    assert store.get(held.id).state is State.COMPLETED
    assert store.reconcile(dry_run=True) == []


def test_outcomes_are_returned_even_when_nothing_can_be_claimed_after_them(
    store: BucketJobStore, wire: CutWire
) -> None:
    added(store, *"ab")
    (held,) = take(store)
    wire.away = f"put queue/processing/{hash_of('b')}"

    ended, claimed = store.apply([Transition(held, completing(held))], take=claiming(), queue=PDFS, limit=1)

    assert [job.state for job in ended if isinstance(job, Job)] == [State.COMPLETED]
    assert claimed == []
    with pytest.raises(StoreUnavailable):
        take(store)
    wire.reconcile()
    assert [job.source_hash for job in take(store)] == [hash_of("b")]


def test_a_job_that_could_not_be_ended_keeps_its_place_at_its_worker(store: BucketJobStore, wire: CutWire) -> None:
    added(store, *"abcd")
    held = take(store, limit=2)
    wire.away = f"store/out/{held[0].source_hash}"
    ended = [Transition(job, completing(job)) for job in held]

    outcomes, claimed = store.apply(ended, take=claiming(), queue=PDFS, limit=2)

    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable, Job]
    assert len(claimed) == 1


def test_a_failure_that_could_not_be_written_in_an_outage_can_be_repeated(store: BucketJobStore, wire: CutWire) -> None:
    added(store, "a")
    (held,) = take(store)
    wire.away = "put queue/processing"

    assert isinstance(outcome_of(store, Transition(held, failing(held))), StoreUnavailable)
    wire.reconcile()

    assert isinstance(outcome_of(store, Transition(held, failing(held))), Job)
    assert store.get(held.id).state is State.FAILED


def test_a_write_that_is_sent_twice_is_no_lost_race() -> None:
    """The second response refuses what the first request wrote. Who believes it leaves a job that he holds himself to
    its lease, or takes himself for robbed of it."""
    store = BucketJobStore(connected(DoublingWire(SimulatedBucket())), pool=ThreadPool(1))
    added(store, "a")

    (held,) = take(store)
    renewed = outcome_of(store, Transition(held, renewing(held)))
    failed = outcome_of(store, Transition(held, failing(held)))

    assert [job.state for job in (renewed, failed) if isinstance(job, Job)] == [State.RUNNING, State.FAILED]
    assert store.get(held.id).attempts == 1


def test_a_lease_is_not_lost_because_the_bucket_is_silent(store: BucketJobStore, wire: CutWire) -> None:
    clock = FakeClock()
    service = CoordinationService(store, clock=clock)
    service.submit([new_job("a")])
    (held,) = service.claim(PDFS, worker_id=ALICE)
    wire.away = "put queue/processing"
    clock.advance(seconds=60)

    with pytest.raises(StoreUnavailable):
        service.renew([held])
    wire.reconcile()

    assert isinstance(service.end([Completed(held, "{}")])[0], Job)


def test_a_short_lease_makes_a_lively_queue() -> None:
    intervals = intervals_for(timedelta(seconds=5))

    assert max(intervals.idle, intervals.check) == timedelta(seconds=1)
    assert intervals.sweep < timedelta(seconds=2)


def test_the_next_reaper_is_elected_after_the_term() -> None:
    bucket = SimulatedBucket()
    mine, yours = (ReaperElection(bucket.objects(), term=timedelta(seconds=4), roll=lambda: 0.0) for _ in range(2))

    turns = [mine.try_to_win(), yours.try_to_win()]
    bucket.advance(timedelta(seconds=4))

    assert [*turns, yours.try_to_win(), mine.try_to_win()] == [True, False, True, False]
