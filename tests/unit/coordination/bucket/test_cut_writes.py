"""A write that was cut off between its headers and its body loses no job, and holds nobody up."""

import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from blobforge.blobs.library_store import BucketStaging, LibraryBlobStore
from blobforge.coordination.bucket.foreign_workers import foreign_workers
from blobforge.coordination.bucket.names import IDENTITY, MAIN
from blobforge.coordination.bucket.reaper_election import NAME as ELECTION
from blobforge.coordination.bucket.reaper_election import ReaperElection
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job, State, lease_of
from blobforge.domain.json_value import canonical_json
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.service_record import ServiceRecord
from blobforge.ports.blob_store import result_key
from blobforge.ports.job_store import JobFilter, Transition
from blobforge.testing.builders import BOB, LEASE, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, completing, reap_due, releasing, take
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool

A = hash_of("a")
KEY = MAIN.key(A)
OUT, RECORD = MAIN.out(A), MAIN.record(A, 1)
RESULT = result_key(A, RecipeId("0123456789abcdef"))


class Worker:
    """A process with a queue and a store in one bucket."""

    def __init__(self, bucket: SimulatedBucket, folder: Path) -> None:
        self._folder = folder
        self.objects = bucket.objects()
        self.staging = BucketStaging(self.objects)
        self.blobs = LibraryBlobStore(self.objects, self.staging)
        self.jobs = BucketJobStore(self.objects, staging=self.staging, pool=ThreadPool(1))

    def make_result(self) -> None:
        path = self._folder / "made.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("document.md", "text")
        self.blobs.adopt(RESULT, path)

    def complete(self, held: Job) -> object:
        self.make_result()
        result = canonical_json({"key": RESULT, "recipe": "0123456789abcdef"})

        def completing_with(job: Job) -> Job:
            return lifecycle.complete(job, lease_of(held), result=result, now=START)

        return self.jobs.apply([Transition(held, completing_with)]).outcomes[0]

    def result(self) -> str:
        with self.blobs.open(RESULT) as stream, zipfile.ZipFile(stream) as archive:
            return archive.read("document.md").decode()


@pytest.fixture(params=[True, False], ids=["digests are compared", "digests are not compared"])
def bucket(request: pytest.FixtureRequest) -> SimulatedBucket:
    return SimulatedBucket(compares_digests=request.param)


@pytest.fixture
def worker(bucket: SimulatedBucket, tmp_path: Path) -> Iterator[Worker]:
    worker = Worker(bucket, tmp_path)
    with closing(worker.jobs), closing(worker.staging):
        yield worker


def test_a_result_whose_upload_was_cut_off_is_published_by_the_next_try(
    bucket: SimulatedBucket, worker: Worker
) -> None:
    added(worker.jobs, "a")
    (held,) = take(worker.jobs)
    bucket.cut_off(OUT)

    done = worker.complete(held)

    assert isinstance(done, Job)
    assert worker.jobs.get(done.id).state is State.COMPLETED
    assert worker.result() == "text"


def test_the_job_of_a_worker_that_died_in_the_upload_runs_again(bucket: SimulatedBucket, worker: Worker) -> None:
    added(worker.jobs, "a")
    (held,) = take(worker.jobs)
    worker.objects.put(OUT, b"", metadata={"generation": "1"})

    (late,) = reap_due(worker.jobs, START + 2 * LEASE)
    (again,) = take(worker.jobs, worker_id=BOB)

    assert (late.id, again.id, again.lease_number) == (held.id, held.id, held.lease_number + 1)
    assert isinstance(worker.complete(again), Job)
    assert worker.result() == "text"


@pytest.fixture
def lost(worker: Worker) -> Job:
    """A job that an older release took for completed: nothing is left of it but an empty result with its headers."""
    (job,) = added(worker.jobs, "a", source_path="a.pdf", priority=2)
    (held,) = take(worker.jobs)
    worker.complete(held)
    there = worker.objects.head(OUT)
    assert there is not None
    worker.objects.put(OUT, b"", metadata=there.metadata)
    return job


def test_a_job_whose_only_trace_is_a_cut_off_result_is_dead_and_named_everywhere(worker: Worker, lost: Job) -> None:
    job = worker.jobs.get(lost.id)

    assert (job.state, job.error_code) == (State.DEAD, "result_damaged")
    assert (job.source_path, job.priority) == ("a.pdf", 2)
    assert worker.jobs.counts() == {("pdf", State.DEAD): 1}
    assert worker.jobs.states([KEY]) == {KEY: State.DEAD}
    assert [one.id for one in worker.jobs.page(JobFilter())] == [lost.id]
    assert [one.id for one in worker.jobs.page(JobFilter(state=State.DEAD))] == [lost.id]
    assert worker.jobs.page(JobFilter(state=State.COMPLETED)) == []
    assert [one.id for one in worker.jobs.find_by_prefix(A[:8], project="default", limit=5)] == [lost.id]
    assert A in worker.jobs.references().documents


def test_the_reconciler_has_a_job_run_again_whose_result_was_cut_off(worker: Worker, lost: Job) -> None:
    foretold = worker.jobs.reconcile(dry_run=True)
    assert worker.jobs.get(lost.id).state is State.DEAD

    told = worker.jobs.reconcile(dry_run=False)

    (inconsistency,) = told
    assert told == foretold
    assert A in inconsistency.text
    assert "cut off" in inconsistency.text
    assert not inconsistency.is_left_alone
    assert worker.jobs.get(lost.id).state is State.PENDING
    assert worker.jobs.reconcile(dry_run=True) == []
    (again,) = take(worker.jobs)
    assert isinstance(worker.complete(again), Job)
    assert worker.jobs.get(lost.id).state is State.COMPLETED
    assert worker.result() == "text"


def test_people_run_a_job_again_whose_result_was_cut_off(worker: Worker, lost: Job) -> None:
    after = worker.jobs.update(lost.id, lambda job: lifecycle.retry(job, now=START))

    assert after.state is State.PENDING
    assert [job.id for job in take(worker.jobs)] == [lost.id]


def test_a_document_whose_job_was_forgotten_stays_forgotten_beside_a_cut_off_result(worker: Worker, lost: Job) -> None:
    assert worker.jobs.forget([worker.jobs.get(lost.id)]) == 1

    assert worker.jobs.find([KEY]) == {}
    assert worker.jobs.counts() == {}


def test_a_claim_that_was_cut_off_holds_nobody_up(bucket: SimulatedBucket, worker: Worker, tmp_path: Path) -> None:
    added(worker.jobs, "a")
    worker.objects.put(RECORD, b"")
    other = Worker(bucket, tmp_path)

    assert foreign_workers(worker.objects, now=bucket.now()) == []
    assert other.jobs.find([KEY])[KEY].state is State.PENDING
    (held,) = take(other.jobs, worker_id=BOB)

    assert (held.lease_number, held.attempts) == (1, 1)
    assert other.jobs.find([KEY])[KEY].worker_id == BOB


def test_a_claim_whose_first_try_was_cut_off_succeeds(bucket: SimulatedBucket, worker: Worker) -> None:
    added(worker.jobs, "a")
    bucket.cut_off(RECORD)

    (held,) = take(worker.jobs)

    assert worker.jobs.get(held.id).worker_id == held.worker_id


@pytest.mark.parametrize("by", ["reconciler", "claims"])
def test_a_pending_job_whose_record_was_lost_to_a_cut_write_is_claimed_all_the_same(
    bucket: SimulatedBucket, worker: Worker, tmp_path: Path, by: str
) -> None:
    added(worker.jobs, "a", source_path="a.pdf")
    (held,) = take(worker.jobs)
    worker.jobs.apply([Transition(held, releasing(held))])
    worker.objects.put(RECORD, b"")
    other = Worker(bucket, tmp_path)

    if by == "reconciler":
        (told,) = other.jobs.reconcile(dry_run=False)
        assert "record" in told.text
    (again,) = take(other.jobs, worker_id=BOB)

    assert (again.id, again.source_path) == (held.id, "a.pdf")
    assert again.lease_number == held.lease_number + 1
    assert isinstance(other.jobs.apply([Transition(again, completing(again))]).outcomes[0], Job)
    assert other.jobs.reconcile(dry_run=True) == []


def test_the_other_objects_of_a_queue_are_written_anew_where_they_were_cut_off(
    bucket: SimulatedBucket, worker: Worker
) -> None:
    names = (IDENTITY, ELECTION, MAIN.change_token, "registry/records/alice.json", "registry/workers/alice.json")
    for name in names:
        worker.objects.put(name, b"")

    assert worker.jobs.identity() is None
    assert worker.jobs.identity(QueueIdentity("ours", "a store")) == QueueIdentity("ours", "a store")
    assert ReaperElection(worker.objects).try_to_win()
    added(worker.jobs, "a")
    assert [job.source_hash for job in take(worker.jobs)] == [A]
    assert worker.jobs.workers() == []
    assert worker.jobs.records() == {}
    worker.jobs.change_record("alice", lambda _: ServiceRecord(completed=1), now=START)
    assert worker.jobs.records() == {"alice": ServiceRecord(completed=1)}
    assert all(worker.objects.get(name) is not None for name in names[:-1])
