"""Taking jobs out of the scanner, by several processes on one bucket."""

import subprocess
import sys
from datetime import timedelta
from functools import partial

import pytest

from blobforge.coordination.bucket.names import MAIN
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain import lifecycle
from blobforge.domain.endings import Completed, Failed, Released
from blobforge.domain.ids import DEFAULT_PROJECT, WorkerId
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.needs import with_needs
from blobforge.domain.priority import Priority
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import hash_of, new_job
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool

QUEUE = Queue(DEFAULT_PROJECT, ("pdf",))
LEASE = timedelta(minutes=15)
NEVER = timedelta(days=1)
PASSING = Failure("timed_out", "it took too long", retryable=True)


@pytest.fixture
def bucket() -> SimulatedBucket:
    return SimulatedBucket()


class Process:
    """One worker process with its own connection and memory."""

    def __init__(self, bucket: SimulatedBucket, name: str = "somebody") -> None:
        self.objects = bucket.objects()
        self.store = BucketJobStore(self.objects, pool=ThreadPool(1))
        self.service = CoordinationService(
            self.store,
            clock=self.objects,
            lease_for=LEASE,
            sweep_every=NEVER,
            archive_after=None,
            may_reap=lambda: False,
        )
        self._id = WorkerId(name)

    def claim(self, limit: int = 1) -> list[Job]:
        return self.service.claim(QUEUE, worker_id=self._id, limit=limit)

    def finish_and_claim(self, job: Job) -> list[Job]:
        return self.service.end_and_claim([Completed(job, "{}")], QUEUE, worker_id=self._id, limit=1).claimed

    def requests(self) -> int:
        return self.objects.requests.total()


def submit(bucket: SimulatedBucket, *names: str, priority: Priority = Priority.NORMAL) -> None:
    Process(bucket).service.submit([new_job(name, priority=priority) for name in names])


def submit_many(bucket: SimulatedBucket, count: int) -> None:
    submit(bucket, *(f"document {number}" for number in range(count)))


FIRST_CLAIM = """
from tests.unit.coordination.bucket.test_claims import Process, SimulatedBucket, submit_many

bucket = SimulatedBucket()
submit_many(bucket, 300)
print(Process(bucket).claim()[0].source_hash)
"""


def test_workers_that_find_the_same_jobs_begin_with_different_ones(bucket: SimulatedBucket) -> None:
    """R0-43, R2-4: by their own dice, and not because one sees what another has taken."""
    submit_many(bucket, 300)
    alike = [SimulatedBucket() for _ in range(8)]
    for copy in alike:
        copy.contents = bucket.contents

    firsts = [job.source_hash for copy in alike for job in Process(copy).claim()]

    assert len(firsts) == 8
    assert len(set(firsts)) >= 4


def test_worker_processes_roll_different_dice() -> None:
    """R0-43, R2-4: a seed that all have in common would send all to one place."""
    started = [
        subprocess.Popen([sys.executable, "-c", FIRST_CLAIM], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]

    firsts = {process.communicate(timeout=120)[0] for process in started}

    assert all(process.returncode == 0 for process in started)
    assert len(firsts) > 1


def test_a_job_put_into_a_higher_tier_is_the_next_claim_of_every_worker(bucket: SimulatedBucket) -> None:
    """Although all of them hold pages of other jobs."""
    submit_many(bucket, 200)
    workers = [Process(bucket, f"worker {number}") for number in range(3)]
    for worker in workers:
        worker.claim()
    desk = Process(bucket)
    running = {
        job.source_hash
        for job in desk.service.find([new_job(f"document {n}").key for n in range(200)]).values()
        if job.state is State.RUNNING
    }
    chosen = [f"document {number}" for number in range(200) if hash_of(f"document {number}") not in running][:3]
    for name in chosen:
        (job,) = desk.service.find([new_job(name).key]).values()
        desk.service.reprioritize(job.id, priority=Priority.CRITICAL)

    taken = [job for worker in workers for job in worker.claim()]

    assert {job.source_hash for job in taken} == {hash_of(name) for name in chosen}
    assert {job.priority for job in taken} == {Priority.CRITICAL}


def test_a_job_put_into_a_lower_tier_waits_for_all_others(bucket: SimulatedBucket) -> None:
    submit(bucket, *"abc")
    worker, desk = Process(bucket), Process(bucket)
    (first,) = worker.claim()
    other = next(name for name in "abc" if hash_of(name) != first.source_hash)
    (job,) = desk.service.find([new_job(other).key]).values()
    desk.service.reprioritize(job.id, priority=Priority.BACKGROUND)

    second, third = worker.claim(), worker.claim()

    assert [job.priority for job in second + third] == [Priority.NORMAL, Priority.BACKGROUND]


def test_nothing_of_a_tier_is_taken_while_a_more_urgent_one_has_something_free(bucket: SimulatedBucket) -> None:
    submit(bucket, *(f"low {number}" for number in range(100)), priority=Priority.LOW)
    submit(bucket, *(f"high {number}" for number in range(30)), priority=Priority.HIGH)
    workers = [Process(bucket, f"worker {number}") for number in range(5)]

    taken = [job.priority for _ in range(8) for worker in workers for job in worker.claim()]

    assert taken == sorted(taken)


def test_a_lone_worker_takes_few_jobs_in_the_order_of_their_age(bucket: SimulatedBucket) -> None:
    for name in "zyxw":
        submit(bucket, name)
        bucket.advance(timedelta(seconds=1))
    worker = Process(bucket)

    taken = [job.source_hash for _ in range(4) for job in worker.claim()]

    assert taken == [hash_of(name) for name in "zyxw"]


def test_a_worker_does_not_come_in_its_own_way(bucket: SimulatedBucket) -> None:
    submit(bucket, *"abc")
    worker = Process(bucket)
    worker.claim(2)
    bucket.advance(timedelta(minutes=10))

    worker.claim()

    assert worker.store.claims.outcomes["conflict"] == 0


def test_a_new_job_takes_seven_requests_and_a_read_of_the_change_token(bucket: SimulatedBucket) -> None:
    submit_many(bucket, 100)
    worker = Process(bucket)
    (job,) = worker.claim()
    (job,) = worker.finish_and_claim(job)
    before = worker.requests()

    worker.finish_and_claim(job)

    # Read the change token and the marker, create the record, check for a result; then finalise, publish, remove
    # left-overs. The document itself is the seventh.
    assert worker.requests() - before == 1 + 6


def test_a_job_that_failed_elsewhere_takes_eight_requests(bucket: SimulatedBucket) -> None:
    submit(bucket, "a")
    first, second = Process(bucket), Process(bucket)
    (job,) = first.claim()
    first.service.end([Failed(job, PASSING)])
    bucket.advance(timedelta(hours=1))
    Process(bucket).service.sweep()
    before = second.requests()

    (job,) = second.claim()
    second.service.end([Completed(job, "{}")])

    # With the change token and one listing, and without the document.
    assert second.requests() - before == 2 + 7


def test_a_fault_in_take_costs_no_request_where_a_job_was_read_before(bucket: SimulatedBucket) -> None:
    submit(bucket, *"abc")
    worker = Process(bucket)
    (job,) = worker.claim()
    before = worker.requests()

    with pytest.raises(ZeroDivisionError):
        worker.store.claims.check_take(partial(_faulty), QUEUE, 1)

    assert worker.requests() == before
    assert worker.service.get(job.id).state is State.RUNNING


def _faulty(_: Job) -> Job:
    raise ZeroDivisionError


def test_the_last_job_is_found_among_many_that_run(bucket: SimulatedBucket) -> None:
    submit_many(bucket, 60)
    busy = Process(bucket, "busy")
    busy.claim(59)

    (last,) = Process(bucket, "late").claim()

    assert last.state is State.RUNNING


def test_running_jobs_are_seen_for_one_request_each(bucket: SimulatedBucket) -> None:
    submit_many(bucket, 40)
    Process(bucket, "busy").claim(40)
    late = Process(bucket, "late")

    assert late.claim() == []

    outcomes = late.store.claims.outcomes
    assert outcomes["conflict"] == 1
    assert outcomes["held"] == 39


def test_running_jobs_are_not_read_again_while_their_leases_last(bucket: SimulatedBucket) -> None:
    submit_many(bucket, 40)
    Process(bucket, "busy").claim(40)
    late = Process(bucket, "late")
    late.claim()
    bucket.advance(timedelta(minutes=8))
    before = late.requests()

    assert late.claim() == []

    # The change token, and the full listing that comes whatever the token says.
    assert late.requests() - before == 2


def test_a_released_job_is_claimed_by_a_worker_that_saw_it_held(bucket: SimulatedBucket) -> None:
    submit(bucket, "a")
    holder, other = Process(bucket, "holder"), Process(bucket, "other")
    (job,) = holder.claim()
    assert other.claim() == []

    holder.service.end([Released(job)])

    assert [taken.id for taken in other.claim()] == [job.id]


def test_a_claim_that_was_refused_by_the_lifecycle_passes_the_job_over(bucket: SimulatedBucket) -> None:
    submit(bucket, *"ab")
    worker = Process(bucket)

    def picky(job: Job) -> Job:
        if job.source_hash == hash_of("a"):
            return job
        now = worker.objects.now()
        return lifecycle.claim(job, worker_id=WorkerId("picky"), now=now, until=now + LEASE)

    taken = worker.store.apply([], take=picky, queue=QUEUE, limit=2).taken

    assert [job.source_hash for job in taken] == [hash_of("b")]


def test_a_marker_that_leads_nowhere_is_passed_by(bucket: SimulatedBucket) -> None:
    submit(bucket, "b", priority=Priority.LOW)
    worker = Process(bucket)
    worker.objects.put(MAIN.waiting(Priority.HIGH, hash_of("a")), b'{"generation":1,"cell":true}')

    (job,) = worker.claim()

    assert job.source_hash == hash_of("b")


def test_jobs_that_need_other_abilities_are_read_once_and_not_at_each_claim(bucket: SimulatedBucket) -> None:
    """However many of them come first."""
    desk, plain = Process(bucket), Process(bucket)
    needy = new_job("", metadata=with_needs("{}", ["engine:marker"]), priority=Priority.CRITICAL)
    desk.service.submit([needy._replace(source_hash=hash_of(f"needy {number}")) for number in range(300)])
    desk.service.submit([new_job("mine")])
    assert [job.source_hash for job in plain.claim()] == [hash_of("mine")]
    before = plain.requests()

    assert plain.claim() == []

    assert plain.requests() - before <= 2


def test_a_job_whose_order_was_changed_is_read_again(bucket: SimulatedBucket) -> None:
    desk, plain = Process(bucket), Process(bucket)
    (entry,) = desk.service.submit([new_job("a", metadata=with_needs("{}", ["engine:marker"]))])
    assert plain.claim() == []

    desk.service.amend(entry.job.id, metadata="{}")

    assert [job.id for job in plain.claim()] == [entry.job.id]
