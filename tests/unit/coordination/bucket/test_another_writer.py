"""Jobs that another program put there keep their priority, id and name, also when it goes on with them later."""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from tests.unit.coordination.bucket.interrupted import Interrupted

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import Job, State
from blobforge.domain.priority import Priority
from blobforge.ports.job_store import JobFilter, Transition
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, completing, reap_due, take
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Request
from blobforge.thread_pool import ThreadPool

A = hash_of("a")
KEY = JobKey("default", "pdf", SourceHash(A))
RAW, LOCK, FAILED, DEAD = f"store/raw/{A}.pdf", f"queue/processing/{A}", f"queue/failed/{A}", f"queue/dead/{A}"
CRITICAL, HIGH, NORMAL, LOW = (f"queue/todo/{tier}/{A}" for tier in ("1_critical", "2_high", "3_normal", "4_low"))
STALE, FRESH = START - timedelta(minutes=33), START - timedelta(seconds=5)
MUCH_LATER = START + timedelta(days=1)


class SharedBucket:
    """One document, stored by the other program; what that one writes, and what a fresh process of ours reads."""

    def __init__(self) -> None:
        self._bucket = SimulatedBucket()
        self.objects = self._bucket.objects()
        self.objects.put(RAW, b"a", metadata={"original-name": "rulebook.pdf", "tags": '["rpg"]'})

    def put(self, name: str, **facts: object) -> None:
        self.objects.put(name, json.dumps(facts).encode())

    def lock(self, *, heard: object = FRESH, **facts: object) -> None:
        self.put(LOCK, worker="oldbox", started=str(heard), last_heartbeat=str(heard), retries=0, **facts)

    def opened(self) -> BucketJobStore:
        return BucketJobStore(self._bucket.objects(), pool=ThreadPool(1))

    def reconcile_interrupted(self, number: int, meanwhile: Callable[[], object]) -> list[S3Request]:
        """What was sent."""
        connection = Interrupted(self._bucket, number, meanwhile)
        BucketJobStore(connected(connection), pool=ThreadPool(1)).reconcile(dry_run=False)
        return connection.sent

    def adopt(self) -> Job:
        self.opened().reconcile(dry_run=False)
        return self.job()

    def job(self) -> Job:
        """As it is listed, once."""
        (job,) = self.opened().page(JobFilter())
        assert job.source_hash == A
        assert self.opened().get(job.id) == job
        assert self.opened().find([KEY]) == {KEY: job}
        return job

    def waiting(self) -> list[str]:
        return [facts.name for facts in self.objects.all("queue/todo/")]


@pytest.fixture
def shared() -> SharedBucket:
    return SharedBucket()


# Its priority


@pytest.mark.parametrize("heard", [STALE, FRESH])
@pytest.mark.parametrize("tier", ["1_critical", "2_high", "5_background"])
def test_a_lock_keeps_the_priority_that_it_tells(shared: SharedBucket, tier: str, heard: object) -> None:
    """R0-7."""
    shared.put(f"queue/todo/{tier}/{A}", retries=0, queued_at=STALE.isoformat())
    shared.lock(heard=heard, priority=tier)

    adopted = shared.adopt()
    reap_due(shared.opened(), MUCH_LATER)

    assert adopted.priority == int(tier[0])
    assert shared.waiting() == [f"queue/todo/{tier}/{A}"]
    freed = shared.job()
    assert (freed.id, freed.state, freed.priority) == (adopted.id, State.PENDING, int(tier[0]))


def test_a_lock_without_a_marker_keeps_the_priority_that_it_tells(shared: SharedBucket) -> None:
    shared.lock(heard=STALE, priority="2_high")

    assert shared.adopt().priority == 2


@pytest.mark.parametrize("said", [None, "soon", 9])
def test_a_lock_that_tells_no_priority_has_that_of_its_most_urgent_marker(shared: SharedBucket, said: object) -> None:
    shared.put(LOW, retries=0)
    shared.put(HIGH, retries=0)
    shared.lock(priority=said)

    assert shared.adopt().priority == 2


def test_a_lock_without_any_priority_is_a_normal_job(shared: SharedBucket) -> None:
    shared.lock()

    assert shared.adopt().priority == 3


@pytest.mark.parametrize("marker", [FAILED, DEAD])
@pytest.mark.parametrize(("facts", "priority"), [({}, 4), ({"priority": "1_critical"}, 1)])
def test_an_ended_job_keeps_the_priority_that_it_tells_or_that_of_its_marker(
    shared: SharedBucket, marker: str, facts: dict[str, str], priority: int
) -> None:
    """R0-58: a dead job of another program is dead, however few tries it had."""
    shared.put(LOW, retries=1, queued_at=STALE.isoformat())
    shared.put(marker, error="out of memory", retries=1, **facts)

    adopted = shared.adopt()

    assert (adopted.priority, adopted.state) == (priority, State.FAILED if marker == FAILED else State.DEAD)
    assert adopted.source_path == "rulebook.pdf"
    assert shared.opened().reconcile(dry_run=True) == []


# Its id


def test_a_job_that_the_other_program_claims_afterwards_keeps_its_id(shared: SharedBucket) -> None:
    shared.put(NORMAL, retries=0, queued_at=STALE.isoformat())
    adopted = shared.adopt()

    shared.lock(priority="3_normal")

    claimed = shared.job()
    assert (claimed.id, claimed.source_path, claimed.state) == (adopted.id, "rulebook.pdf", State.RUNNING)
    assert (claimed.worker_id, claimed.created_at) == ("oldbox", STALE)
    assert shared.opened().reconcile(dry_run=True) == []


def test_after_the_lease_of_the_other_program_it_is_done_under_the_same_id(shared: SharedBucket) -> None:
    shared.put(NORMAL, retries=0, queued_at=STALE.isoformat())
    adopted = shared.adopt()
    shared.lock(heard=STALE)
    store = shared.opened()

    reap_due(store, MUCH_LATER)
    (held,) = take(store)
    store.apply([Transition(held, completing(held))])

    assert (shared.job().id, shared.job().state) == (adopted.id, State.COMPLETED)
    assert shared.job().source_path == "rulebook.pdf"


@pytest.mark.parametrize("marker", [FAILED, DEAD])
def test_a_job_that_fails_with_the_other_program_keeps_its_id(shared: SharedBucket, marker: str) -> None:
    shared.put(HIGH, retries=0, queued_at=STALE.isoformat())
    adopted = shared.adopt()
    shared.objects.delete(HIGH)
    shared.put(marker, error="out of memory", retries=1, failed_at=FRESH.isoformat())

    shared.opened().reconcile(dry_run=False)

    failed = shared.job()
    assert (failed.id, failed.priority, failed.source_path) == (adopted.id, 2, "rulebook.pdf")
    assert failed.last_error == "out of memory"


def test_a_job_that_the_other_program_completes_keeps_its_id(shared: SharedBucket) -> None:
    shared.put(HIGH, retries=0, queued_at=STALE.isoformat())
    adopted = shared.adopt()
    shared.objects.delete(HIGH)
    shared.objects.put(f"store/out/{A}.zip", b"PK")

    done = shared.job()

    assert (done.id, done.state, done.source_path) == (adopted.id, State.COMPLETED, "rulebook.pdf")
    assert done.completed_at == START
    assert done.result is not None
    assert shared.opened().reconcile(dry_run=True) == []


def test_a_job_of_ours_that_the_other_program_claims_keeps_its_id(shared: SharedBucket) -> None:
    (ours,) = added(shared.opened(), "a", source_path="/docs/mine.pdf", priority=2)

    shared.lock()

    claimed = shared.job()
    assert (claimed.id, claimed.source_path, claimed.priority) == (ours.id, "/docs/mine.pdf", 2)
    assert (claimed.state, claimed.worker_id) == (State.RUNNING, "oldbox")


def test_two_processes_that_adopt_a_job_at_once_give_it_one_id(shared: SharedBucket) -> None:
    """The second has seen a marker that was written a minute later."""
    shared.put(NORMAL, retries=0, queued_at=FRESH.isoformat())
    first = shared.adopt()
    shared.put(NORMAL, retries=0, queued_at=STALE.isoformat())
    for facts in list(shared.objects.all("registry/ids/")):
        shared.objects.delete(facts.name)

    assert shared.adopt().id == first.id


# In two tiers


@pytest.mark.parametrize("first", [True, False], ids=["adopted with both", "moved later"])
def test_a_job_in_two_tiers_keeps_its_id_and_name_and_the_most_urgent_tier_counts(
    shared: SharedBucket, *, first: bool
) -> None:
    shared.put(NORMAL, retries=0, queued_at=STALE.isoformat())
    before = None if first else shared.adopt()
    shared.put(CRITICAL, retries=0, queued_at=FRESH.isoformat())

    adopted = shared.adopt()
    store = shared.opened()
    (held,) = take(store)
    store.apply([Transition(held, completing(held))])

    assert adopted.priority == 1
    assert before is None or adopted.id == before.id
    assert (held.id, held.priority, held.source_path) == (adopted.id, 1, "rulebook.pdf")
    assert (shared.job().id, shared.job().source_path) == (adopted.id, "rulebook.pdf")


def test_a_job_in_two_tiers_is_in_one_after_the_janitor(shared: SharedBucket) -> None:
    shared.put(NORMAL, retries=2, queued_at=STALE.isoformat())
    shared.put(CRITICAL, retries=2, queued_at=FRESH.isoformat())

    adopted = shared.adopt()

    assert shared.waiting() == [CRITICAL]
    assert adopted.attempts == 2
    assert shared.opened().reconcile(dry_run=True) == []


def test_a_job_that_is_demoted_while_the_janitor_looks_at_its_tiers_keeps_its_marker() -> None:
    """At whatever moment. Without it the job would be in no tier until the next sweep, and nobody could claim it."""

    def in_two_tiers() -> SharedBucket:
        shared = SharedBucket()
        shared.put(NORMAL, retries=0, queued_at=STALE.isoformat())
        shared.adopt()
        shared.put(CRITICAL, retries=0, queued_at=FRESH.isoformat())
        return shared

    def demote(shared: SharedBucket) -> None:
        store = shared.opened()
        job = store.find([KEY])[KEY]
        store.update(job.id, lambda job: lifecycle.reprioritize(job, priority=Priority.NORMAL, now=START))

    requests = in_two_tiers().reconcile_interrupted(-1, meanwhile=lambda: None)
    assert ("delete_object", NORMAL) in {(request.operation, request.key) for request in requests}

    for number, request in enumerate(requests):
        shared = in_two_tiers()
        shared.reconcile_interrupted(number, meanwhile=partial(demote, shared))

        assert shared.waiting() == [NORMAL], f"demoted before {request.operation} of {request.key}, number {number}"
        (held,) = take(shared.opened())
        assert held.priority == Priority.NORMAL


def test_a_job_in_two_tiers_that_is_claimed_before_the_janitor_came_keeps_its_name(shared: SharedBucket) -> None:
    shared.put(NORMAL, retries=0, queued_at=STALE.isoformat())
    adopted = shared.adopt()
    shared.put(CRITICAL, retries=0, queued_at=FRESH.isoformat())

    (held,) = take(shared.opened())

    assert (held.id, held.priority, held.source_path) == (adopted.id, 1, "rulebook.pdf")


def test_a_job_that_was_not_adopted_has_its_name_when_it_is_claimed(shared: SharedBucket) -> None:
    """R0-48."""
    shared.put(NORMAL, retries=0, queued_at=STALE.isoformat())

    (held,) = take(shared.opened())

    assert (held.source_path, held.tags) == ("rulebook.pdf", '["rpg"]')
    assert shared.job().source_path == "rulebook.pdf"


# What is said of it


def test_a_lock_whose_holder_lives_is_told_once_with_its_name_and_what_to_do(
    shared: SharedBucket, caplog: pytest.LogCaptureFixture
) -> None:
    shared.lock()
    store = shared.opened()

    for _ in range(3):
        store.find([KEY])
        store.counts()

    (line,) = caplog.records
    assert isinstance(line.msg, dict)
    assert line.msg["event"] == "another program is at work in this queue; stop it, or both will do the same jobs"
    assert (line.msg["worker"], line.msg["document"], line.msg["hash"]) == ("oldbox", "rulebook.pdf", A[:12])


def test_an_entry_among_the_workers_that_is_not_ours_is_told_once_with_what_to_do(
    shared: SharedBucket, caplog: pytest.LogCaptureFixture
) -> None:
    shared.put("registry/workers/old-1.json", worker_id="old-1", last_heartbeat=STALE.isoformat())
    store = shared.opened()

    assert [store.workers() for _ in range(3)] == [[], [], []]

    (line,) = caplog.records
    assert isinstance(line.msg, dict)
    assert line.msg["event"] == (
        "another program left an entry among the workers; make sure that its worker does not run any more, and delete "
        "the object"
    )
    assert line.msg["object"] == "registry/workers/old-1.json"


def test_a_lock_whose_holder_is_gone_is_nothing_to_warn_of(
    shared: SharedBucket, caplog: pytest.LogCaptureFixture
) -> None:
    shared.lock(heard=STALE)

    assert shared.opened().find([KEY])[KEY].state is State.RUNNING

    assert caplog.records == []


def test_a_marker_of_another_program_is_told_once_with_its_name_and_what_to_do(
    shared: SharedBucket, caplog: pytest.LogCaptureFixture
) -> None:
    shared.put(NORMAL, retries=0)
    shared.put(f"queue/todo/3_normal/{'e' * 64}", retries=0)
    store = shared.opened()

    for _ in range(2):
        store.find([KEY, KEY._replace(source_hash=SourceHash("e" * 64))])

    (line,) = caplog.records
    assert isinstance(line.msg, dict)
    assert line.msg["event"] == "another program has queued a document; `blobforge janitor` takes it on"
    assert (line.msg["document"], line.msg["hash"]) == ("rulebook.pdf", A[:12])
