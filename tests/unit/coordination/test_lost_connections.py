"""A call whose request or reply was lost is made again: nothing is lost, and nothing happens twice."""

from collections.abc import Callable

import pytest

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.errors import InvalidMove, LeaseLost, StoreUnavailable
from blobforge.domain.job import Job, State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import JobFilter
from blobforge.testing.builders import ALICE, BOB, LEASE, hash_of, new_job
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.coordinator.steps import OUTPUT, PDFS, POLICY, TIMED_OUT, claimed, submitted
from blobforge.testing.flaky_store import FlakyStore, LostReply


@pytest.fixture
def store() -> FlakyStore:
    return FlakyStore(MemoryJobStore())


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def service(store: FlakyStore, clock: FakeClock) -> CoordinationService:
    return CoordinationService(store, clock=clock, lease_for=LEASE, policy=POLICY)


def test_an_ending_whose_request_was_lost_happens_at_the_second_try(
    store: FlakyStore, service: CoordinationService
) -> None:
    (held,) = claimed(service, "a")
    ending = Completed(held, "{}", (OUTPUT,))
    store.lose("apply", LostReply.REQUEST)

    with pytest.raises(StoreUnavailable):
        service.end([ending])
    (outcome,) = service.end([ending])

    assert isinstance(outcome, Job)
    assert service.files(held.id) == [OUTPUT]


def test_an_ending_whose_reply_was_lost_succeeds_when_it_is_repeated_and_happened_once(
    store: FlakyStore, service: CoordinationService
) -> None:
    (held,) = claimed(service, "a")
    ending = Completed(held, '{"pages":1}', (OUTPUT,))
    store.lose("apply", LostReply.REPLY)

    with pytest.raises(StoreUnavailable):
        service.end([ending])
    (outcome,) = service.end([ending])

    assert isinstance(outcome, LeaseLost)
    job = service.get(held.id)
    assert (job.state, job.result) == (State.COMPLETED, '{"pages":1}')
    assert [attempt.outcome for attempt in service.history(held.id).attempts] == ["completed"]
    assert service.files(held.id) == [OUTPUT]


def test_a_failure_whose_reply_was_lost_costs_one_attempt(store: FlakyStore, service: CoordinationService) -> None:
    (held,) = claimed(service, "a")
    store.lose("apply", LostReply.REPLY)

    with pytest.raises(StoreUnavailable):
        service.end([Failed(held, TIMED_OUT)])
    (outcome,) = service.end([Failed(held, TIMED_OUT)])

    assert isinstance(outcome, LeaseLost)
    assert (service.get(held.id).state, service.get(held.id).attempts) == (State.FAILED, 1)


def test_jobs_of_a_claim_whose_reply_was_lost_expire(
    store: FlakyStore, service: CoordinationService, clock: FakeClock
) -> None:
    (held,) = claimed(service, "a")
    submitted(service, "b")
    store.lose("apply", LostReply.REPLY)

    with pytest.raises(StoreUnavailable):
        service.end_and_claim([Completed(held, "{}")], PDFS, worker_id=ALICE, limit=1)
    assert service.claim(PDFS, worker_id=ALICE) == []
    clock.advance(seconds=LEASE.total_seconds())
    (again,) = service.claim(PDFS, worker_id=BOB)

    assert (again.source_hash, again.lease_number) == (hash_of("b"), 2)


def test_nothing_ends_when_the_sweep_before_it_failed(
    store: FlakyStore, service: CoordinationService, clock: FakeClock
) -> None:
    (held,) = claimed(service, "a")
    clock.advance(seconds=2)
    store.lose("update_due", LostReply.REQUEST)

    with pytest.raises(StoreUnavailable):
        service.end_and_claim([Completed(held, "{}")], PDFS, worker_id=ALICE, limit=1)
    assert service.get(held.id) == held
    (outcome,) = service.end_and_claim([Completed(held, "{}")], PDFS, worker_id=ALICE, limit=1).ended

    assert isinstance(outcome, Job)


@pytest.mark.parametrize("lost", LostReply)
def test_a_job_that_is_submitted_again_is_there_once(
    store: FlakyStore, service: CoordinationService, lost: LostReply
) -> None:
    store.lose("insert", lost)

    with pytest.raises(StoreUnavailable):
        service.submit([new_job("a")])
    (entry,) = service.submit([new_job("a")])

    assert entry.created is (lost is LostReply.REQUEST)
    assert service.counts() == {("pdf", State.PENDING): 1}


@pytest.mark.parametrize("lost", LostReply)
def test_a_renewal_can_be_made_again(
    store: FlakyStore, service: CoordinationService, clock: FakeClock, lost: LostReply
) -> None:
    (held,) = claimed(service, "a")
    clock.advance(seconds=60)
    store.lose("apply", lost)

    with pytest.raises(StoreUnavailable):
        service.renew([held])
    (renewed,) = service.renew([held])

    assert isinstance(renewed, Job)
    assert renewed.lease_expires_at == clock.now() + LEASE


@pytest.mark.parametrize("lost", LostReply)
def test_cancelling_can_be_made_again(store: FlakyStore, service: CoordinationService, lost: LostReply) -> None:
    (job,) = submitted(service, "a")
    store.lose("update", lost)

    with pytest.raises(StoreUnavailable):
        service.cancel(job.id)

    assert service.cancel(job.id).state is State.CANCELLED
    assert [event.kind for event in service.history(job.id).events] == ["submitted", "cancelled"]


def test_a_retry_that_is_made_again_says_that_it_was_made(store: FlakyStore, service: CoordinationService) -> None:
    (job,) = submitted(service, "a")
    service.cancel(job.id)
    store.lose("update", LostReply.REPLY)

    with pytest.raises(StoreUnavailable):
        service.retry(job.id)
    with pytest.raises(InvalidMove, match="it is pending"):
        service.retry(job.id)


@pytest.mark.parametrize("lost", LostReply)
def test_a_dead_worker_is_expired_once(store: FlakyStore, service: CoordinationService, lost: LostReply) -> None:
    (held,) = claimed(service, "a")
    store.lose("apply", lost)

    with pytest.raises(StoreUnavailable):
        service.expire_worker(ALICE)
    service.expire_worker(ALICE)

    assert (service.get(held.id).state, service.get(held.id).attempts) == (State.PENDING, 1)
    assert len(service.history(held.id).attempts) == 1


def test_readers_get_store_unavailable(store: FlakyStore, service: CoordinationService) -> None:
    (job,) = submitted(service, "a")
    worker = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START)
    calls: dict[str, Callable[[], object]] = {
        "get": lambda: service.get(job.id),
        "get_many": lambda: service.get_many([job.id]),
        "find": lambda: service.find([job.key]),
        "find_by_prefix": lambda: service.find_by_prefix("a", project="default"),
        "page": lambda: service.page(JobFilter()),
        "counts": service.counts,
        "history": lambda: service.history(job.id),
        "files": lambda: service.files(job.id),
        "put_worker": lambda: service.register_worker(worker),
        "remove_worker": lambda: service.deregister_worker(ALICE),
        "workers": service.workers,
    }

    for name, call in calls.items():
        store.lose(name, LostReply.REQUEST)
        with pytest.raises(StoreUnavailable, match=name):
            call()
        call()
