"""Jobs that another program put into the bucket are taken on: they have ids, names and times like any other."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.document_000 import HEARD_AT, QUEUED_AT, STATES, foreign_objects, hash_of

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import JobFilter, Transition
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import PDFS, completing, reap_due, take
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool

CONTENTS = {state: f"the {state} one".encode() for state in STATES}
BY_STATE = {
    "waiting": State.PENDING,
    "running": State.RUNNING,
    "failed": State.FAILED,
    "dead": State.DEAD,
    "done": State.COMPLETED,
}


@pytest.fixture
def bucket() -> SimulatedBucket:
    """An hour after the last heartbeat of the other program."""
    bucket = SimulatedBucket(start=HEARD_AT)
    for made in foreign_objects(**CONTENTS):
        bucket.objects().put(made.name, made.body, metadata=made.metadata)
    return bucket


def opened(bucket: SimulatedBucket) -> BucketJobStore:
    return BucketJobStore(bucket.objects(), pool=ThreadPool(1))


def key_of(state: str) -> JobKey:
    return JobKey("default", "pdf", SourceHash(hash_of(CONTENTS[state])))


def jobs(bucket: SimulatedBucket) -> dict[str, Job]:
    """By the state in which the other program left them."""
    found = {job.key: job for job in opened(bucket).page(JobFilter())}
    return {state: found[key_of(state)] for state in STATES if key_of(state) in found}


def test_every_job_is_listed_after_it_was_taken_on_and_found_by_its_id(bucket: SimulatedBucket) -> None:
    """R0-68, R0-69."""
    assert jobs(bucket) == {}

    opened(bucket).reconcile(dry_run=False)

    listed = jobs(bucket)
    assert {state: job.state for state, job in listed.items()} == BY_STATE
    assert len({job.id for job in listed.values()}) == len(STATES)
    assert all(opened(bucket).get(job.id) == job for job in listed.values())
    assert opened(bucket).reconcile(dry_run=True) == []


def test_names_sizes_and_tags_come_from_the_source_or_from_the_manifest(bucket: SimulatedBucket) -> None:
    """R0-48."""
    opened(bucket).reconcile(dry_run=False)

    listed = jobs(bucket)

    names = {state: "shelf/failed.pdf" if state == "failed" else f"{state}.pdf" for state in STATES}
    assert {state: job.source_path for state, job in listed.items()} == names
    assert {state: job.source_size for state, job in listed.items()} == {
        state: len(content) for state, content in CONTENTS.items()
    }
    assert {job.tags for job in listed.values()} == {'["rpg"]'}


def test_times_are_those_of_the_markers_or_of_the_objects_and_never_of_1970(bucket: SimulatedBucket) -> None:
    bucket.objects().put(f"queue/todo/3_normal/{'e' * 64}", b"no JSON")
    bucket.objects().put(f"queue/processing/{'f' * 64}", b"no JSON")

    opened(bucket).reconcile(dry_run=False)

    listed = {job.source_hash: job for job in opened(bucket).page(JobFilter())}
    waiting, done = listed[key_of("waiting").source_hash], listed[key_of("done").source_hash]
    assert waiting.created_at == QUEUED_AT
    assert (done.created_at, done.completed_at) == (HEARD_AT, HEARD_AT)
    assert min(job.created_at for job in listed.values()) == QUEUED_AT
    assert min(job.updated_at for job in listed.values()) == QUEUED_AT


@pytest.mark.parametrize("queued_at", [QUEUED_AT.timestamp(), int(QUEUED_AT.timestamp())])
def test_times_in_seconds_since_1970_are_understood(queued_at: float) -> None:
    bucket = SimulatedBucket(start=START)
    body = json.dumps({"retries": 0, "queued_at": queued_at}).encode()
    bucket.objects().put(f"queue/todo/3_normal/{'e' * 64}", body)

    (job,) = take(opened(bucket))

    assert job.created_at == QUEUED_AT


@pytest.mark.parametrize("nonsense", [True, -5, 0, 1e300, float("nan"), "yesterday", [1]])
def test_an_invalid_time_counts_as_none(nonsense: object) -> None:
    bucket = SimulatedBucket(start=START)
    bucket.objects().put(f"queue/todo/3_normal/{'e' * 64}", json.dumps({"queued_at": nonsense}).encode())

    (job,) = take(opened(bucket))

    assert job.created_at == START


def test_many_results_of_one_second_have_an_id_each() -> None:
    bucket = SimulatedBucket(start=START)
    for number in range(300):
        bucket.objects().put(f"store/out/{number:064x}.zip", b"PK")

    opened(bucket).reconcile(dry_run=False)

    listed = opened(bucket).page(JobFilter(), limit=1_000)
    assert len({job.id for job in listed}) == len(listed) == 300


def test_jobs_that_were_taken_on_go_through_their_lives_under_their_ids(bucket: SimulatedBucket) -> None:
    """R0-20, R0-71."""
    store = opened(bucket)
    store.reconcile(dry_run=False)
    before = {state: job.id for state, job in jobs(bucket).items()}
    reap_due(store, datetime.now(UTC) + timedelta(days=1))
    for state in ("dead", "done"):
        store.update(before[state], lambda job: lifecycle.retry(job, now=START))

    for held in take(store, 10):
        store.apply([Transition(held, completing(held))])

    assert {state: (job.id, job.state) for state, job in jobs(bucket).items()} == {
        state: (job_id, State.COMPLETED) for state, job_id in before.items()
    }
    assert store.reconcile(dry_run=True) == []


def test_a_job_that_is_claimed_while_it_is_taken_on_is_listed_once(bucket: SimulatedBucket) -> None:
    """A process that read the marker before it was rewritten gives the job the same id."""
    worker = opened(bucket)
    worker.claims.check_take(lambda job: job, queue=PDFS, limit=1)  # it has read the marker
    opened(bucket).reconcile(dry_run=False)

    held = take(worker, 10)

    assert [job.id for job in held] == [jobs(bucket)["waiting"].id]


def test_what_was_adopted_is_reported_once_and_keeps_its_id_when_results_are_copied(
    bucket: SimulatedBucket,
) -> None:
    opened(bucket).reconcile(dry_run=False)
    before = jobs(bucket)["done"]
    bucket.advance(timedelta(days=1))
    out = f"store/out/{before.source_hash}.zip"
    copied = bucket.objects().get(out)
    assert copied is not None
    bucket.objects().put(out, copied.body)

    assert opened(bucket).reconcile(dry_run=True) == []
    assert jobs(bucket)["done"] == before
