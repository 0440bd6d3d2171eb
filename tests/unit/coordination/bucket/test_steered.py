"""A job that is taken from its worker by somebody else: how soon the worker notices, and what its checks cost."""

from datetime import timedelta

import pytest

from blobforge.coordination.bucket.backend import intervals_for
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.job import Job, State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, new_job
from blobforge.testing.simulated_bucket import SimulatedBucket
from blobforge.thread_pool import ThreadPool
from blobforge.worker.heartbeat import Heartbeat

LEASE = timedelta(minutes=15)
SECOND = timedelta(seconds=1)


class WorkerWithJobs:
    """One with the usual settings of a queue in a bucket that holds some jobs, second by second."""

    def __init__(self, *names: str) -> None:
        self.bucket = SimulatedBucket()
        self.objects = self.bucket.objects()
        queue = self._service_over(BucketJobStore(self.objects, pool=ThreadPool(1)))
        queue.submit([new_job(name) for name in names])
        self.held = queue.claim(Queue("default", ("pdf",)), worker_id=ALICE, limit=len(names))
        self.lost: list[Job] = []
        self._pace = intervals_for(LEASE)
        self._next_look = self.bucket.time
        self._heartbeat = Heartbeat(
            queue,
            clock=self.objects,
            every=timedelta(minutes=1),
            check_every=self._pace.check,
            held=lambda: self.held,
            describe=lambda: Worker(
                id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=self.objects.now()
            ),
            on_lost=self._lose,
            on_fault=self._fail,
        )

    def live(self, *, seconds: int) -> None:
        for _ in range(seconds):
            self.bucket.advance(SECOND)
            if self.bucket.time >= self._next_look:
                self._next_look = self.bucket.time + self._pace.check
                self._heartbeat.beat()

    def other(self) -> CoordinationService:
        return self._service_over(BucketJobStore(self.bucket.objects(), pool=ThreadPool(1)))

    def _service_over(self, store: BucketJobStore) -> CoordinationService:
        return CoordinationService(store, clock=self.objects, lease_for=LEASE)

    def _lose(self, job: Job) -> None:
        self.lost.append(job)
        self.held = [held for held in self.held if held.id != job.id]

    def _fail(self, error: BaseException) -> None:
        raise error


@pytest.mark.parametrize("after", [1, 13, 59, 61, 200])
def test_a_worker_notices_within_ten_seconds_that_its_job_was_cancelled(after: int) -> None:
    """R2-29."""
    worker = WorkerWithJobs("a", "b")
    worker.live(seconds=after)
    gone, kept = worker.held
    assert worker.other().cancel(gone.id).state is State.CANCELLED

    worker.live(seconds=10)

    assert [job.id for job in worker.lost] == [gone.id]
    assert [job.id for job in worker.held] == [kept.id]


def test_a_job_that_is_given_back_to_the_queue_is_noticed_as_soon() -> None:
    worker = WorkerWithJobs("a")
    worker.live(seconds=30)
    (gone,) = worker.held
    worker.other().requeue(gone.id)

    worker.live(seconds=10)

    assert [job.id for job in worker.lost] == [gone.id]


def test_checking_a_job_takes_no_listing_and_nine_small_requests_a_minute() -> None:
    """R0-82: a listing costs as much as a write, and the fleet has few of them."""
    worker = WorkerWithJobs("a", "b", "c")
    worker.live(seconds=60)
    worker.objects.requests.clear()

    worker.live(seconds=600)

    sent = worker.objects.requests
    assert worker.lost == []
    assert "list_objects_v2" not in sent
    assert sent["head_object"] <= 8 * 10 * 3
    assert sent["put_object"] <= 10 * 3 + 10  # a renewal for each job, and a heartbeat of the worker, each minute
    assert sum(sent.values()) <= 9 * 10 * 3 + 10
