"""The names and the JSON of document 000, as other programs read them from the bucket."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from blobforge.coordination.bucket.names import TIERS
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.job import Failure, State
from blobforge.domain.priority import Priority
from blobforge.ports.job_store import JobFilter, Transition
from blobforge.testing.builders import ALICE, BOB, LEASE, a_job, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import (
    PDFS,
    added,
    cancelling,
    claiming,
    completing,
    failing,
    reap_due,
    releasing,
    renewing,
    take,
)
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request

DOCUMENT = hash_of("a")


class Recorder:
    """A wire to the bucket that remembers what was written, in its order."""

    def __init__(self, bucket: SimulatedBucket) -> None:
        self._bucket = bucket
        self.writes: list[S3Request] = []

    def send(self, request: S3Request) -> S3Reply:
        if request.is_write:
            self.writes.append(request)
        return self._bucket.send(request)

    def now(self) -> datetime:
        return self._bucket.now()


@pytest.fixture
def bucket() -> SimulatedBucket:
    return SimulatedBucket()


@pytest.fixture
def store(bucket: SimulatedBucket) -> BucketJobStore:
    return BucketJobStore(bucket.objects())


def there(bucket: SimulatedBucket, prefix: str) -> list[str]:
    return [facts.name for facts in bucket.objects().all(prefix)]


def failed_once(store: BucketJobStore) -> None:
    """A job that ALICE failed, and that waits again."""
    added(store, "a")
    (held,) = take(store, worker_id=ALICE)
    store.apply([Transition(held, failing(held, now=START))])
    reap_due(store, START + LEASE * 10)


def facts_in(bucket: SimulatedBucket, name: str) -> dict[str, Any]:
    stored = bucket.objects().get(name)
    assert stored is not None
    facts = json.loads(stored.body)
    assert isinstance(facts, dict)
    return facts


def test_a_waiting_job_is_a_marker_in_its_tier(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R0-1, R0-5, R0-14."""
    added(store, "a", priority=2)

    assert there(bucket, "queue/") == ["queue/hint", f"queue/todo/2_high/{DOCUMENT}"]
    marker = facts_in(bucket, f"queue/todo/2_high/{DOCUMENT}")
    assert marker["retries"] == 0
    assert marker["queued_at"] == START.isoformat()


def test_the_tiers_are_these_five(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R0-6."""
    for priority in Priority:
        added(store, f"of priority {priority}", priority=priority)

    tiers = [name.split("/")[2] for name in there(bucket, "queue/todo/")]
    assert tiers == list(TIERS) == ["1_critical", "2_high", "3_normal", "4_low", "5_background"]


def test_a_claimed_job_has_the_name_and_the_tags_of_its_source(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R0-48: by the record of the job, which is fetched anyway."""
    store.insert([a_job("a", source_path="/docs/Übersicht.pdf", source_size=1234, tags='["rules", "5e"]')])

    (held,) = take(BucketJobStore(bucket.objects()))

    assert (held.source_path, held.source_size) == ("/docs/Übersicht.pdf", 1234)
    assert held.tags == '["rules", "5e"]'


def test_a_running_job_has_a_lock_and_keeps_its_marker(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R0-7, R0-15, R0-45."""
    added(store, "a")
    (held,) = take(store)
    store.apply([Transition(held, renewing(held, now=START + LEASE / 2))])

    lock = facts_in(bucket, f"queue/processing/{DOCUMENT}")

    assert (lock["worker"], lock["priority"], lock["retries"], lock["state"]) == (ALICE, "3_normal", 0, "held")
    assert lock["started"] == START.isoformat()
    assert lock["last_heartbeat"] == (START + LEASE / 2).isoformat()
    assert there(bucket, "queue/todo/") == [f"queue/todo/3_normal/{DOCUMENT}"]


def test_the_lock_is_whose_it_was_created_by(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R0-44, R2-3, R2-11: two that saw the same marker, and neither checked for a lock before it wrote one."""
    other = BucketJobStore(bucket.objects())
    added(store, "a")
    for either in (store, other):
        either.claims.check_take(claiming(), PDFS, 1)

    mine, theirs = take(store), take(other, worker_id=BOB)

    assert [job.worker_id for job in mine] == [ALICE]
    assert theirs == []
    assert facts_in(bucket, f"queue/processing/{DOCUMENT}")["worker"] == ALICE


def test_a_worker_that_loses_a_race_claims_the_next_job(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R0-44: the lock of the first is refused to it, and it goes on."""
    other = BucketJobStore(bucket.objects())
    added(store, *"ab")
    for either in (store, other):
        either.claims.check_take(claiming(), PDFS, 1)

    (mine,), (theirs,) = take(store), take(other, worker_id=BOB)

    assert other.claims.outcomes["conflict"] == 1
    assert (mine.worker_id, theirs.worker_id) == (ALICE, BOB)
    assert {mine.source_hash, theirs.source_hash} == {hash_of("a"), hash_of("b")}


def test_the_marker_of_a_failed_job_has_its_error(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R0-8, R0-17, R0-53."""
    added(store, "a")
    (held,) = take(store)
    store.apply([Transition(held, failing(held))])

    marker = facts_in(bucket, f"queue/failed/{DOCUMENT}")

    assert (marker["error"], marker["worker"], marker["retries"]) == ("it took too long", ALICE, 1)
    assert there(bucket, "queue/todo/") == []
    record = facts_in(bucket, f"queue/processing/{DOCUMENT}")
    assert record["state"] == "failed", "its lock is given up: nobody holds it"


def test_the_marker_of_a_failed_job_names_the_worker_that_failed_last(
    bucket: SimulatedBucket, store: BucketJobStore
) -> None:
    """R0-8."""
    failed_once(store)
    (held,) = take(store, worker_id=BOB)
    store.apply([Transition(held, failing(held))])

    marker = facts_in(bucket, f"queue/failed/{DOCUMENT}")

    assert (marker["worker"], marker["retries"]) == (BOB, 2)


def test_the_marker_of_a_dead_job_has_its_reason(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R0-9, R0-19, R2-7, R2-38."""
    added(store, "a")
    for attempt in range(3):
        (held,) = take(store)
        store.apply([Transition(held, failing(held, now=START))])
        if attempt < 2:
            reap_due(store, START + LEASE * 10)

    marker = facts_in(bucket, f"queue/dead/{DOCUMENT}")

    assert (marker["error"], marker["total_retries"], marker["reason"]) == (
        "it took too long",
        3,
        "exceeded_max_retries",
    )
    assert there(bucket, "queue/todo/") == there(bucket, "queue/failed/") == []


def test_a_hopeless_job_is_dead_by_its_error_and_not_by_its_tries(
    bucket: SimulatedBucket, store: BucketJobStore
) -> None:
    added(store, "a")
    (held,) = take(store)
    store.apply([Transition(held, failing(held, Failure("not_a_pdf", "it is a web page")))])

    assert facts_in(bucket, f"queue/dead/{DOCUMENT}")["reason"] == "not_a_pdf"


def test_a_cancelled_job_is_a_dead_one_with_that_reason(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    (job,) = added(store, "a")
    store.update(job.id, cancelling)

    assert facts_in(bucket, f"queue/dead/{DOCUMENT}")["reason"] == "cancelled"
    assert there(bucket, "queue/todo/") == []


def test_a_finished_job_leaves_its_result_and_nothing_in_the_queue(
    bucket: SimulatedBucket, store: BucketJobStore
) -> None:
    """R0-16."""
    added(store, "a")
    (held,) = take(store)
    store.apply([Transition(held, completing(held))])

    assert there(bucket, "queue/") == ["queue/hint"]
    assert there(bucket, "store/") == [f"store/out/{DOCUMENT}.zip"]


def test_a_job_ends_with_its_state_its_result_and_one_deletion(bucket: SimulatedBucket) -> None:
    """R0-52: a reader between two of these steps sees a job that is finished or one that can be."""
    wire = Recorder(bucket)
    store = BucketJobStore(connected(wire))
    added(store, "a")
    (held,) = take(store)
    wire.writes.clear()

    store.apply([Transition(held, completing(held))])

    state, result, deletion = wire.writes
    assert str(state) == f"put queue/processing/{DOCUMENT} if unchanged"
    assert json.loads(state.body)["state"] == "finalising"
    assert str(result) == f"put store/out/{DOCUMENT}.zip if new"
    assert deletion.operation == "delete_objects"
    assert set(deletion.keys) >= {f"queue/todo/3_normal/{DOCUMENT}", f"queue/processing/{DOCUMENT}"}


def test_a_released_job_is_not_in_progress(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R2-15, R2-37: its marker says since when, how often, and from whom."""
    added(store, "a")
    (held,) = take(store)
    store.apply([Transition(held, releasing(held, now=START + timedelta(seconds=90)))])

    marker = facts_in(bucket, f"queue/todo/3_normal/{DOCUMENT}")

    assert facts_in(bucket, f"queue/processing/{DOCUMENT}")["state"] == "pending"
    assert store.counts() == {("pdf", State.PENDING): 1}
    assert store.states([held.key]) == {held.key: State.PENDING}
    assert (marker["retries"], marker["recovered_from"]) == (0, ALICE)
    assert marker["queued_at"] == "2026-01-01T12:01:30+00:00"


def test_a_job_that_waits_again_names_the_worker_that_had_it_last(
    bucket: SimulatedBucket, store: BucketJobStore
) -> None:
    """R2-37, R2-40."""
    failed_once(store)
    (held,) = take(store, worker_id=BOB)
    store.apply([Transition(held, releasing(held))])

    marker = facts_in(bucket, f"queue/todo/3_normal/{DOCUMENT}")

    assert (marker["recovered_from"], marker["retries"]) == (BOB, 1)


def test_a_record_that_says_released_is_read_as_pending(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    added(store, "a")
    (held,) = take(store)
    store.apply([Transition(held, releasing(held))])
    name = f"queue/processing/{DOCUMENT}"
    bucket.objects().put(name, json.dumps({**facts_in(bucket, name), "state": "released"}).encode())

    (again,) = take(BucketJobStore(bucket.objects()), worker_id=BOB)

    assert again.worker_id == BOB


def test_the_most_urgent_tier_is_emptied_first(store: BucketJobStore) -> None:
    """R0-42."""
    for number in range(20):
        added(store, f"document {number}", priority=1 + number % 5)

    taken = [job.priority for _ in range(20) for job in take(store)]

    assert taken == sorted(taken)


def test_a_job_of_another_project_or_type_has_a_lane_of_its_own(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    added(store, "a", type="echo")

    assert there(bucket, "queue/") == []
    assert there(bucket, "lanes/default/echo/queue/todo/") == [f"lanes/default/echo/queue/todo/3_normal/{DOCUMENT}"]
    assert [lane.job.type for lane in store.insert([a_job("a", type="echo")])] == ["echo"]


def test_a_second_run_has_a_record_of_its_own(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    added(store, "a")
    (held,) = take(store)
    store.apply([Transition(held, completing(held))])

    store.update(held.id, lambda job: lifecycle.retry(job, now=START))

    assert there(bucket, "queue/processing/") == [f"queue/processing/{DOCUMENT}.g2"]
    assert store.page(JobFilter())[0].state is State.PENDING


def test_a_marker_of_another_program_is_a_job(bucket: SimulatedBucket, store: BucketJobStore) -> None:
    """R2-46: numbers that are none do no harm."""
    body = b'{"retries": "many", "queued_at": "2026-02-03T10:30:00Z"}'
    bucket.objects().put(f"queue/todo/1_critical/{DOCUMENT}", body)

    (held,) = take(store)

    assert (held.source_hash, held.priority, held.attempts) == (DOCUMENT, 1, 1)
    assert held.created_at.isoformat() == "2026-02-03T10:30:00+00:00"


def test_a_job_whose_marker_says_that_its_budget_is_spent_is_not_claimed(
    bucket: SimulatedBucket, store: BucketJobStore
) -> None:
    bucket.objects().put(f"queue/todo/3_normal/{DOCUMENT}", b'{"retries": 3}')

    assert take(store) == []
    assert store.counts() == {("pdf", State.DEAD): 1}


def test_the_lock_of_another_program_holds_until_its_last_heartbeat_is_too_old(
    bucket: SimulatedBucket, store: BucketJobStore
) -> None:
    lock = {"worker": "old", "started": START.isoformat(), "last_heartbeat": START.isoformat(), "retries": 0}
    bucket.objects().put(f"queue/todo/3_normal/{DOCUMENT}", b'{"retries": 0}')
    bucket.objects().put(f"queue/processing/{DOCUMENT}", json.dumps(lock).encode())

    assert take(store) == []
    assert reap_due(store, START + LEASE) == []
    (freed,) = reap_due(store, START + LEASE * 5)

    assert (freed.state, freed.attempts) == (State.PENDING, 1)
    assert len(take(store)) == 1
