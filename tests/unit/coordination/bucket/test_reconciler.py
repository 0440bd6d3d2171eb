"""Inconsistencies that crashes and other programs leave: the reconciler reports each, and repairs what is ours."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain import lifecycle
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State
from blobforge.objectstore.client import ObjectStore
from blobforge.ports.job_store import JobFilter, Transition
from blobforge.testing.builders import ALICE, hash_of
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.job_store.steps import (
    PDFS,
    added,
    cancelling,
    completing,
    failing,
    reap_due,
    releasing,
    take,
)
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request
from blobforge.thread_pool import ThreadPool

A = hash_of("a")
TODO, CELL = f"queue/todo/3_normal/{A}", f"queue/processing/{A}"
MUCH_LATER = START + timedelta(days=1)


class Bucket:
    """A queue in a bucket in memory, and the objects in it."""

    def __init__(self) -> None:
        self._bucket = SimulatedBucket()
        self.objects: ObjectStore = self._bucket.objects()
        self.store = BucketJobStore(self.objects, pool=ThreadPool(1))

    def other_janitor(self) -> BucketJobStore:
        return BucketJobStore(self._bucket.objects(), pool=ThreadPool(1))

    def janitor_that_is_late(self, meanwhile: Callable[[], object], *, looks: int) -> BucketJobStore:
        """Before it has looked at the record so often, something else happens."""
        return BucketJobStore(connected(_LateWire(self._bucket, meanwhile, looks)), pool=ThreadPool(1))

    def names(self) -> set[str]:
        """Markers and records."""
        return {
            facts.name.removeprefix("queue/")
            for facts in self.objects.all("queue/")
            if not facts.name.endswith("/hint")
        }

    def put(self, name: str, **facts: object) -> None:
        self.objects.put(name, json.dumps(facts).encode())

    def copied(self, name: str) -> Callable[[], object]:
        """Puts an object back later, as it was."""
        stored = self.objects.get(name)
        assert stored is not None, f"there is no {name}"
        return lambda: self.objects.put(name, stored.body)

    def reconcile(self) -> list[str]:
        """A dry run reports the same and changes nothing; after the repair there is nothing to report."""
        before = self.names()
        foretold = self.other_janitor().reconcile(dry_run=True)
        assert self.names() == before
        told = self.other_janitor().reconcile(dry_run=False)
        assert told == foretold
        return [inconsistency.text for inconsistency in told]

    def job(self) -> Job:
        key = JobKey("default", "pdf", A)
        return self.other_janitor().find([key])[key]


class _LateWire:
    def __init__(self, bucket: SimulatedBucket, meanwhile: Callable[[], object], looks: int) -> None:
        self._bucket = bucket
        self._meanwhile = meanwhile
        self._left = looks
        self.now = bucket.now

    def send(self, request: S3Request) -> S3Reply:
        if request.operation == "get_object" and request.key == CELL:
            self._left -= 1
            if not self._left:
                self._meanwhile()
        return self._bucket.send(request)


@pytest.fixture
def bucket() -> Bucket:
    return Bucket()


def taken_on(source_hash: str) -> str:
    return f"{source_hash} was put there by another program; it is taken on"


def in_state(bucket: Bucket, state: State) -> Job:
    """The job `a` in this state, by its own transitions."""
    added(bucket.store, "a")
    if state is State.PENDING:
        (held,) = take(bucket.store)
        bucket.store.apply([Transition(held, releasing(held))])
        return bucket.store.get(held.id)
    if state is State.CANCELLED:
        (held,) = take(bucket.store)
        return bucket.store.update(held.id, cancelling)
    (held,) = take(bucket.store)
    if state is State.DEAD:
        return bucket.store.update(held.id, _dead)
    move = completing(held) if state is State.COMPLETED else failing(held)
    (moved,) = bucket.store.apply([Transition(held, move)]).outcomes
    assert isinstance(moved, Job)
    return moved


def _dead(job: Job) -> Job:
    return job._replace(state=State.DEAD, worker_id=None, lease_expires_at=None, error_code="timed_out")


def test_left_overs_of_a_completed_job_are_removed(bucket: Bucket) -> None:
    """R0-16, R0-52."""
    added(bucket.store, "a")
    todo = bucket.copied(TODO)
    (held,) = take(bucket.store)
    record = bucket.copied(CELL)
    bucket.store.apply([Transition(held, completing(held))])
    todo(), record()
    bucket.put(f"queue/failed/{A}", error="x")

    assert bucket.reconcile() == [f"{A} is done, and traces of its run are left"]

    assert bucket.names() == set()
    assert bucket.job().state is State.COMPLETED


EXPECTED = {
    State.PENDING: {f"todo/3_normal/{A}"},
    State.FAILED: {f"failed/{A}"},
    State.DEAD: {f"dead/{A}"},
    State.CANCELLED: {f"dead/{A}", f"cancelled/{A}"},
}


@pytest.mark.parametrize("state", EXPECTED)
def test_a_marker_that_a_crash_kept_from_being_written_is_written(bucket: Bucket, state: State) -> None:
    """R0-5, R0-8, R0-9."""
    in_state(bucket, state)
    bucket.objects.delete_many([f"queue/{name}" for name in EXPECTED[state]])

    assert bucket.reconcile() == [f"{A} is {state}, and its markers say otherwise"]

    assert bucket.names() == {f"processing/{A}", *EXPECTED[state]}
    assert bucket.job().state is state


@pytest.mark.parametrize("state", EXPECTED)
def test_markers_that_a_crash_left_are_removed(bucket: Bucket, state: State) -> None:
    in_state(bucket, state)
    for wrong in ("todo/1_critical", "failed", "dead", "cancelled"):
        if f"{wrong}/{A}" not in EXPECTED[state]:
            bucket.put(f"queue/{wrong}/{A}", error="left over")

    assert bucket.reconcile() == [f"{A} is {state}, and its markers say otherwise"]

    assert bucket.names() == {f"processing/{A}", *EXPECTED[state]}


@pytest.mark.parametrize("looks", [1, 2])
def test_markers_are_those_of_the_record_as_it_is_and_not_as_it_was_listed(bucket: Bucket, looks: int) -> None:
    """Whoever goes by the listing takes away the marker of a job that was brought back since."""
    failed = in_state(bucket, State.FAILED)
    bucket.objects.delete(f"queue/failed/{A}")
    person = bucket.other_janitor()

    def brought_back() -> None:
        person.update(failed.id, lambda job: lifecycle.retry(job, now=START))

    bucket.janitor_that_is_late(brought_back, looks=looks).reconcile(dry_run=False)

    assert bucket.names() == {f"processing/{A}", f"todo/3_normal/{A}"}
    assert bucket.job().state is State.PENDING


def test_markers_of_a_forgotten_job_are_removed_and_it_stays_forgotten(bucket: Bucket) -> None:
    dead = in_state(bucket, State.DEAD)
    bucket.store.forget([dead])
    bucket.put(f"queue/dead/{A}", error="left over")

    assert bucket.reconcile() == [f"{A} is forgotten, and its markers say otherwise"]

    assert [name for name in bucket.names() if not name.startswith("processing/")] == []
    assert bucket.other_janitor().find([dead.key]) == {}


def test_a_job_that_runs_is_left_alone(bucket: Bucket) -> None:
    """R0-45."""
    added(bucket.store, "a")
    take(bucket.store)

    assert bucket.reconcile() == []

    assert bucket.names() == {f"processing/{A}", f"todo/3_normal/{A}"}


def test_a_new_run_of_a_done_job_keeps_its_marker(bucket: Bucket) -> None:
    done = in_state(bucket, State.COMPLETED)
    bucket.store.update(done.id, lambda job: lifecycle.retry(job, now=START))
    bucket.objects.delete(TODO)

    assert bucket.reconcile() == [f"{A} is pending, and its markers say otherwise"]

    assert bucket.names() == {f"processing/{A}.g2", f"todo/3_normal/{A}"}


def test_a_failed_marker_of_another_program_is_taken_on_and_its_job_runs_again(bucket: Bucket) -> None:
    """R0-8, R0-18, R0-56, R2-46."""
    bucket.put(f"queue/failed/{A}", error="out of memory", worker="old", retries=1, priority="2_high")

    assert bucket.reconcile() == [f"{A} is failed by a marker alone; it is taken on"]

    job = bucket.job()
    assert (job.state, job.attempts, job.last_error, job.priority) == (State.FAILED, 1, "out of memory", 2)
    assert [woken.state for woken in reap_due(bucket.other_janitor(), MUCH_LATER)] == [State.PENDING]


@pytest.mark.parametrize(("kind", "facts"), [("failed", {"retries": 3}), ("dead", {"total_retries": 3})])
def test_a_marker_of_another_program_whose_budget_is_spent_is_a_dead_job(
    bucket: Bucket, kind: str, facts: dict[str, int]
) -> None:
    """R0-9, R0-19, R0-56."""
    bucket.put(f"queue/{kind}/{A}", error="no use", **facts)

    bucket.reconcile()

    job = bucket.job()
    assert (job.state, job.attempts, job.last_error) == (State.DEAD, 3, "no use")
    assert bucket.names() == {f"processing/{A}", f"dead/{A}"}
    assert reap_due(bucket.other_janitor(), MUCH_LATER) == []


@pytest.mark.parametrize("body", [b"this is not JSON", b"[]", b'{"retries": "many"}', b"\xff\xfe"])
def test_a_failed_marker_that_cannot_be_read_is_taken_on_with_what_is_known(bucket: Bucket, body: bytes) -> None:
    """R2-46."""
    bucket.objects.put(f"queue/failed/{A}", body)

    bucket.reconcile()

    job = bucket.job()
    assert (job.state, job.attempts, job.last_error) == (State.FAILED, 0, "unknown")


def test_a_lock_of_another_program_is_respected_until_it_is_stale(bucket: Bucket) -> None:
    """R0-7, R0-54, R0-55, R2-6."""
    bucket.put(TODO, retries=0, queued_at=START.isoformat())
    heard = (START + timedelta(minutes=1)).isoformat()
    bucket.put(CELL, worker="old", started=START.isoformat(), last_heartbeat=heard, priority="3_normal", retries=0)

    assert bucket.reconcile() == [taken_on(A)]
    assert take(bucket.store) == []
    assert reap_due(bucket.store, START + timedelta(minutes=15, seconds=59)) == []
    (freed,) = reap_due(bucket.store, START + timedelta(minutes=16))

    assert (freed.state, freed.attempts) == (State.PENDING, 1)
    assert [job.source_hash for job in take(bucket.store)] == [A]


@pytest.mark.parametrize("name", ["queue/todo/3_normal/README", "queue/todo/6_never/x", "queue/processing/x.lock"])
def test_a_foreign_object_is_reported_and_left_alone(bucket: Bucket, name: str) -> None:
    """R0-6."""
    bucket.objects.put(name, b"whose is it?")

    assert bucket.reconcile() == [f"{name} is no object of BlobForge; it is left alone"]

    assert bucket.objects.head(name) is not None
    assert take(bucket.store) == []


def test_what_is_left_alone_is_told_apart_from_what_is_mended(bucket: Bucket, caplog: pytest.LogCaptureFixture) -> None:
    bucket.objects.put("queue/todo/3_normal/README", b"whose is it?")
    bucket.put(f"queue/failed/{A}", error="x", retries=1)
    clock = FakeClock()
    service = CoordinationService(bucket.store, clock=clock, archive_after=None)

    swept = service.sweep(dry_run=True)
    clock.advance(days=1)
    service.claim(PDFS, worker_id=ALICE)

    assert swept.repaired == [f"{A} is failed by a marker alone; it is taken on"]
    assert swept.left_alone == ["queue/todo/3_normal/README is no object of BlobForge; it is left alone"]
    said = [(line.msg["event"], line.msg["what"]) for line in caplog.records if isinstance(line.msg, dict)]
    assert said == [
        ("foreign object left alone", swept.left_alone[0]),
        ("inconsistency in the queue", swept.repaired[0]),
    ]


def test_a_marker_that_is_no_json_is_a_job_all_the_same(bucket: Bucket, caplog: pytest.LogCaptureFixture) -> None:
    """R0-5, R2-46."""
    bucket.objects.put(TODO, b"this is not JSON")

    (job,) = take(bucket.store)

    assert (job.source_hash, job.attempts, job.priority) == (A, 1, 3)
    assert A[:12] in caplog.text
    assert caplog.text.count("another program has queued a document") == 1


def test_a_job_of_another_program_is_listed_like_any_other_once_it_was_claimed(bucket: Bucket) -> None:
    bucket.put(TODO, retries=1, queued_at=START.isoformat())
    (held,) = take(bucket.store)
    bucket.store.apply([Transition(held, completing(held))])

    assert [(job.source_hash, job.state) for job in bucket.other_janitor().page(JobFilter())] == [(A, State.COMPLETED)]


def test_two_concurrent_sweeps_do_no_harm(bucket: Bucket) -> None:
    bucket.put(f"queue/failed/{A}", error="x", retries=1)
    one, other = bucket.other_janitor(), bucket.other_janitor()

    one.reconcile(dry_run=False)
    other.reconcile(dry_run=False)
    reap_due(one, MUCH_LATER)
    reap_due(other, MUCH_LATER)

    assert bucket.names() == {f"processing/{A}", f"todo/3_normal/{A}"}
    assert other.reconcile(dry_run=True) == []


def test_a_job_that_was_published_while_the_reaper_judged_its_lease_is_completed(bucket: Bucket) -> None:
    """R0-55."""
    added(bucket.store, "a")
    (held,) = take(bucket.store)
    record = bucket.copied(CELL)
    bucket.store.apply([Transition(held, completing(held))])
    record()

    assert reap_due(bucket.other_janitor(), MUCH_LATER) == []

    assert bucket.names() == set()
    assert bucket.job().state is State.COMPLETED
