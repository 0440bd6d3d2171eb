"""What the service adds to the contract of a coordinator: when it sweeps, its jitter, and its end."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from blobforge.coordination.memory.backend import open_queue
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Failed
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.retry import RetryPolicy
from blobforge.ports.job_store import JobFilter, JobStore
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import ALICE, BOB, LEASE, new_job
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.coordinator.steps import PDFS, TIMED_OUT, claimed, outcome_of
from blobforge.testing.flaky_store import FlakyStore, LostReply


class InterruptedStore(FlakyStore):
    """Lets something happen between a read of the jobs and the transitions that follow."""

    def __init__(self, store: JobStore) -> None:
        super().__init__(store)
        self.after_a_page: Callable[[], None] = lambda: None

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        found = super().page(wanted, after=after, limit=limit)
        self.after_a_page()
        return found


class WatchedArchive(FlakyStore):
    """Notes how old a job had to be."""

    def __init__(self, store: JobStore) -> None:
        super().__init__(store)
        self.limits: list[datetime] = []

    def archive(self, *, completed_before: datetime, stretch: int) -> int:
        self.limits.append(completed_before)
        return super().archive(completed_before=completed_before, stretch=stretch)


@pytest.fixture
def store() -> FlakyStore:
    return FlakyStore(MemoryJobStore())


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def test_claims_sweep_once_a_second_however_often_they_are_made(store: FlakyStore, clock: FakeClock) -> None:
    service = CoordinationService(store, clock=clock)

    for _ in range(50):
        service.claim(PDFS, worker_id=ALICE)
        clock.advance(milliseconds=100)

    assert store.calls.count("update_due") == 5


def test_only_a_claim_sweeps(store: FlakyStore, clock: FakeClock) -> None:
    service = CoordinationService(store, clock=clock)
    held = service.claim(PDFS, worker_id=ALICE)
    store.calls.clear()
    clock.advance(hours=1)

    service.end_and_claim([], PDFS, worker_id=ALICE, limit=0)
    service.end([])
    service.end_and_claim_exactly([], held, worker_id=ALICE)
    service.renew(held)

    assert "update_due" not in store.calls


def test_a_lease_lasts_as_long_as_it_was_configured(store: FlakyStore, clock: FakeClock) -> None:
    service = CoordinationService(store, clock=clock, lease_for=timedelta(seconds=5))

    (held,) = claimed(service, "a")

    assert held.lease_expires_at == START + timedelta(seconds=5)


def test_a_lease_lasts_three_minutes_by_default(store: FlakyStore, clock: FakeClock) -> None:
    (held,) = claimed(CoordinationService(store, clock=clock), "a")

    assert held.lease_expires_at == START + timedelta(seconds=180)


def test_the_back_off_of_a_failed_job_has_jitter(store: FlakyStore, clock: FakeClock) -> None:
    policy = RetryPolicy(first=timedelta(seconds=100), jitter=0.5)
    service = CoordinationService(store, clock=clock, policy=policy, roll=lambda: 0.75)
    (held,) = claimed(service, "a")

    failed = outcome_of(service, Failed(held, TIMED_OUT))

    assert isinstance(failed, Job)
    assert failed.available_at == START + timedelta(seconds=125)


def test_each_failed_job_has_a_jitter_of_its_own(store: FlakyStore, clock: FakeClock) -> None:
    service = CoordinationService(store, clock=clock)
    held = claimed(service, *(f"document {number}" for number in range(20)))

    ended = service.end([Failed(job, TIMED_OUT) for job in held])

    assert len({job.available_at for job in ended if isinstance(job, Job)}) > 1


def test_a_job_of_a_dead_worker_that_another_has_claimed_meanwhile_is_left_alone(
    clock: FakeClock,
) -> None:
    store = InterruptedStore(MemoryJobStore())
    service = CoordinationService(store, clock=clock, lease_for=LEASE)
    (held,) = claimed(service, "a")

    def claim_for_bob() -> None:
        clock.advance(seconds=LEASE.total_seconds())
        service.claim_exactly([held], worker_id=BOB)

    store.after_a_page = claim_for_bob

    assert service.expire_worker(ALICE) == []
    assert service.get(held.id).worker_id == BOB


def test_closing_twice_is_no_error() -> None:
    service = CoordinationService(MemoryJobStore(), clock=FakeClock())

    service.close()
    service.close()


def test_a_memory_queue_is_opened_empty_and_has_no_wakeup() -> None:
    opened = open_queue("memory://", QueueOptions())
    other = open_queue("memory://", QueueOptions())
    CoordinationService(opened.store, clock=FakeClock()).submit([new_job("a")])

    assert other.store.counts() == {}
    assert isinstance(opened.wakeup, NoWakeup)


def test_no_wakeup_never_calls_its_listener() -> None:
    rung: list[bool] = []
    subscription = NoWakeup().subscribe(lambda: rung.append(True))

    subscription.close()
    subscription.close()

    assert rung == []


# The archive


def test_old_jobs_are_archived_about_once_a_minute_and_not_by_short_lived_workers(
    store: FlakyStore, clock: FakeClock
) -> None:
    service = CoordinationService(store, clock=clock)

    service.claim(PDFS, worker_id=ALICE)
    assert store.calls.count("archive") == 0
    for _ in range(300):
        clock.advance(seconds=1)
        service.claim(PDFS, worker_id=ALICE)

    assert store.calls.count("archive") == 5


def test_only_jobs_that_ended_long_enough_ago_are_archived(clock: FakeClock) -> None:
    store = WatchedArchive(MemoryJobStore())
    service = CoordinationService(store, clock=clock, archive_after=timedelta(days=7))

    now = clock.advance(minutes=2)
    service.claim(PDFS, worker_id=ALICE)

    assert store.limits == [now - timedelta(days=7)]


def test_a_clock_that_was_hours_ahead_does_not_stop_the_archive(store: FlakyStore, clock: FakeClock) -> None:
    service = CoordinationService(store, clock=clock)
    clock.advance(hours=5)
    service.claim(PDFS, worker_id=ALICE)
    assert store.calls.count("archive") == 1

    clock.advance(hours=-5)
    service.claim(PDFS, worker_id=ALICE)

    assert store.calls.count("archive") == 2


def test_a_store_that_cannot_archive_now_does_not_hinder_the_claim(store: FlakyStore, clock: FakeClock) -> None:
    service = CoordinationService(store, clock=clock)
    service.submit([new_job("a")])
    store.lose("archive", LostReply.REQUEST)

    clock.advance(seconds=90)

    assert len(service.claim(PDFS, worker_id=ALICE)) == 1
    assert store.calls.count("archive") == 1


def test_nothing_is_archived_where_that_is_not_wanted(store: FlakyStore, clock: FakeClock) -> None:
    service = CoordinationService(store, clock=clock, archive_after=None)

    clock.advance(seconds=90)
    service.claim(PDFS, worker_id=ALICE)

    assert "archive" not in store.calls
