"""Leases are kept alive, and the end of one is noticed."""

import threading
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType

import pytest
from botocore.exceptions import ConnectTimeoutError
from tests.unit.worker.flaky import FlakyCoordinator

from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed
from blobforge.domain.errors import BlobForgeError, LeaseLost, StoreUnavailable
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, BOB, new_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.testing.simulated_client import S3Reply, S3Request
from blobforge.thread_pool import ThreadPool
from blobforge.worker.heartbeat import Heartbeat

PDFS = Queue("default", ("pdf",))


class Bench:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.coordinator = CoordinationService(MemoryJobStore(), clock=self.clock)
        self.flaky = FlakyCoordinator(self.coordinator)
        self.held: list[Job] = []
        self.lost: list[Job] = []
        self.noticed = threading.Event()
        self.faults: list[BaseException] = []
        self.faulted = threading.Event()

    def heartbeat(self, *, check_seconds: float = 2) -> Heartbeat:
        return Heartbeat(
            self.flaky.as_coordinator(),
            clock=self.clock,
            every=timedelta(seconds=60),
            check_every=timedelta(seconds=check_seconds),
            held=lambda: self.held,
            describe=lambda: Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=self.clock.now()),
            on_lost=self._lost,
            on_fault=self._fault,
        )

    def claim(self) -> Job:
        self.coordinator.submit([new_job("a")])
        (job,) = self.coordinator.claim(PDFS, worker_id=ALICE)
        self.held = [job]
        return job

    def stored(self) -> Job:
        return self.coordinator.get(self.held[0].id)

    def _lost(self, job: Job) -> None:
        self.lost.append(job)
        self.noticed.set()

    def _fault(self, error: BaseException) -> None:
        self.faults.append(error)
        self.faulted.set()


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("lease", [30, 61, 90])
def test_leases_that_are_shorter_than_the_worker_was_told_outlast_a_beat_that_fails(lease: int) -> None:
    """A server has settings of its own."""
    bench = Bench()
    bench.coordinator = CoordinationService(MemoryJobStore(), clock=bench.clock, lease_for=timedelta(seconds=lease))
    bench.flaky = FlakyCoordinator(bench.coordinator)
    held = bench.claim()
    heartbeat = bench.heartbeat()
    heartbeat.beat()

    for _ in range(4):
        bench.clock.advance(seconds=lease / 3 + 1)
        heartbeat.beat()

    assert bench.lost == []
    assert bench.coordinator.get(held.id).lease_expires_at == bench.clock.now() + timedelta(seconds=lease)


def test_a_beat_renews_the_leases_and_the_registration(bench: Bench) -> None:
    """R0-46, R2-5, R2-11."""
    job, heartbeat = bench.claim(), bench.heartbeat()

    heartbeat.beat()
    bench.clock.advance(seconds=60)
    heartbeat.beat()

    assert bench.stored().lease_expires_at == bench.clock.now() + timedelta(seconds=180)
    assert bench.stored().lease_number == job.lease_number
    assert [worker.last_heartbeat for worker in bench.coordinator.workers()] == [bench.clock.now()]
    assert bench.lost == []


def test_between_two_renewals_the_leases_are_only_checked(bench: Bench) -> None:
    """R2-32."""
    bench.claim()
    heartbeat = bench.heartbeat()
    heartbeat.beat()
    renewed_until = bench.stored().lease_expires_at

    bench.clock.advance(seconds=30)
    heartbeat.beat()

    assert bench.stored().lease_expires_at == renewed_until


def test_a_clock_set_back_does_not_stop_the_beats(bench: Bench) -> None:
    bench.claim()
    heartbeat = bench.heartbeat()
    heartbeat.beat()

    now = bench.clock.advance(hours=-5)
    heartbeat.beat()

    assert bench.stored().lease_expires_at == now + timedelta(seconds=180)


@pytest.mark.parametrize("seconds", [2, 60])
def test_a_cancelled_job_is_noticed_at_a_check_and_at_a_renewal(bench: Bench, seconds: int) -> None:
    job, heartbeat = bench.claim(), bench.heartbeat()
    heartbeat.beat()

    bench.coordinator.cancel(job.id)
    bench.clock.advance(seconds=seconds)
    heartbeat.beat()

    assert bench.lost == [job]


@pytest.mark.parametrize("seconds", [2, 60])
def test_a_job_that_another_worker_has_now_is_noticed(bench: Bench, seconds: int) -> None:
    job, heartbeat = bench.claim(), bench.heartbeat()
    heartbeat.beat()

    bench.coordinator.expire_worker(ALICE)
    bench.coordinator.claim(PDFS, worker_id=BOB)
    bench.clock.advance(seconds=seconds)
    heartbeat.beat()

    assert bench.lost == [job]


@pytest.mark.parametrize("seconds", [2, 60])
def test_a_job_that_is_not_in_the_queue_any_more_is_lost_too(bench: Bench, seconds: int) -> None:
    job, heartbeat = bench.claim(), bench.heartbeat()
    heartbeat.beat()

    bench.coordinator = CoordinationService(MemoryJobStore(), clock=bench.clock)
    bench.flaky.inner = bench.coordinator
    bench.clock.advance(seconds=seconds)
    heartbeat.beat()

    assert bench.lost == [job]


def test_without_jobs_nothing_is_asked_between_two_renewals(bench: Bench) -> None:
    heartbeat = bench.heartbeat()
    heartbeat.beat()
    bench.flaky.refuse("get_many", "renew", "register_worker", times=100)

    bench.clock.advance(seconds=2)
    heartbeat.beat()

    assert not bench.flaky.refused


def test_a_renewal_that_failed_is_retried_at_the_next_check(bench: Bench) -> None:
    bench.claim()
    heartbeat = bench.heartbeat()
    heartbeat.beat()
    bench.clock.advance(seconds=60)
    bench.flaky.refuse("renew")

    heartbeat.beat()
    bench.clock.advance(seconds=2)
    heartbeat.beat()

    assert bench.stored().lease_expires_at == bench.clock.now() + timedelta(seconds=180)
    assert bench.lost == []


def test_the_thread_beats_by_itself_and_ends_when_it_is_stopped(bench: Bench) -> None:
    """R2-5, R2-14."""
    job = bench.claim()
    bench.coordinator.end([Completed(job, "{}")])
    heartbeat = bench.heartbeat(check_seconds=0.01)

    heartbeat.start()
    assert bench.noticed.wait(60)
    heartbeat.stop()

    assert "heartbeat" not in {thread.name for thread in threading.enumerate()}


def test_the_thread_renews_the_leases_while_everybody_else_is_busy(bench: Bench) -> None:
    """R1-60, R2-5: this thread does nothing meanwhile but wait for the beats to come."""
    job, heartbeat = bench.claim(), bench.heartbeat(check_seconds=0.01)
    bench.clock.advance(seconds=120)
    wait_for_a_beat = bench.flaky.calls_of("register_worker")

    heartbeat.start()
    wait_for_a_beat()
    first = bench.stored()
    now = bench.clock.advance(seconds=60)
    wait_for_a_beat()
    heartbeat.stop()

    assert first.lease_expires_at == now + timedelta(seconds=120)
    assert bench.stored().lease_expires_at == now + timedelta(seconds=180)
    assert bench.stored().lease_number == job.lease_number
    assert [worker.last_heartbeat for worker in bench.coordinator.workers()] == [now]
    assert bench.lost == []


def test_a_heartbeat_with_a_long_interval_is_stopped_at_once(bench: Bench) -> None:
    """R2-14, R2-45."""
    heartbeat = bench.heartbeat(check_seconds=50)
    heartbeat.start()
    began = time.monotonic()

    heartbeat.stop()

    assert time.monotonic() - began < 25
    assert "heartbeat" not in {thread.name for thread in threading.enumerate()}


def test_a_heartbeat_that_never_began_can_be_stopped(bench: Bench) -> None:
    bench.heartbeat().stop()


def test_a_fault_of_the_thread_is_reported(bench: Bench) -> None:
    bench.claim()
    bench.flaky.error = ZeroDivisionError()
    bench.flaky.refuse("renew")
    heartbeat = bench.heartbeat(check_seconds=0.01)

    heartbeat.start()
    assert bench.faulted.wait(60)
    heartbeat.stop()

    assert bench.faults == [bench.flaky.error]


def test_a_job_for_which_the_queue_does_not_answer_is_not_lost() -> None:
    """A bucket answers for each job by itself, and may fail to."""
    bench, wire = Bench(), _Wire()
    bench.coordinator = CoordinationService(BucketJobStore(connected(wire), pool=ThreadPool(1)), clock=bench.clock)
    bench.flaky.inner = bench.coordinator
    bench.claim()
    wire.is_cut = True

    bench.heartbeat().beat()

    assert bench.lost == []


def test_of_two_jobs_the_one_of_which_the_queue_says_nothing_is_not_lost_and_the_other_is_renewed() -> None:
    bench, wire = Bench(), _Wire()
    bench.coordinator = CoordinationService(BucketJobStore(connected(wire), pool=ThreadPool(1)), clock=bench.clock)
    bench.flaky.inner = bench.coordinator
    bench.coordinator.submit([new_job("a"), new_job("b")])
    bench.held = silent, heard = bench.coordinator.claim(PDFS, worker_id=ALICE, limit=2)
    bench.clock.advance(seconds=60)
    wire.is_cut_for = silent.source_hash

    bench.heartbeat().beat()

    assert bench.lost == []
    wire.is_cut_for = None
    assert bench.coordinator.get(heard.id).lease_expires_at == bench.clock.now() + timedelta(seconds=180)
    assert bench.coordinator.get(silent.id).lease_expires_at == silent.lease_expires_at


def test_a_lease_is_lost_where_its_keeper_says_so_and_not_where_it_has_no_answer() -> None:
    """A keeper may answer for each job by itself."""
    bench = Bench()
    keeper = _AnswersForEach(MemoryJobStore(), clock=bench.clock)
    bench.coordinator = bench.flaky.inner = keeper
    keeper.submit([new_job("a"), new_job("b"), new_job("c")])
    bench.held = unanswered, taken, kept = keeper.claim(PDFS, worker_id=ALICE, limit=3)
    keeper.answers = {
        unanswered.id: StoreUnavailable("the queue is away"),
        taken.id: LeaseLost("another worker has it"),
    }
    bench.clock.advance(seconds=60)

    bench.heartbeat().beat()

    assert bench.lost == [taken]
    assert keeper.get(kept.id).lease_expires_at == bench.clock.now() + timedelta(seconds=180)


class _AnswersForEach(CoordinationService):
    answers: Mapping[JobId, BlobForgeError] = MappingProxyType({})

    def renew(self, jobs: Sequence[Job]) -> list[Job | BlobForgeError]:
        renewed = super().renew([job for job in jobs if job.id not in self.answers])
        return [self.answers[job.id] if job.id in self.answers else renewed.pop(0) for job in jobs]


class _Wire(SimulatedBucket):
    """To a bucket that may be out of reach, or answers nothing about one document."""

    is_cut = False
    is_cut_for: str | None = None

    def send(self, request: S3Request) -> S3Reply:
        if self.is_cut or (self.is_cut_for is not None and self.is_cut_for in request.key):
            raise ConnectTimeoutError(endpoint_url="the bucket")
        return super().send(request)
