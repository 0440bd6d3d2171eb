"""A worker on a queue: what it takes, and when it is done."""

from collections.abc import Callable

import pytest
from tests.unit.worker.flaky import Unsure

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.errors import BlobForgeError, DiskFull, LeaseLost, StoreUnavailable
from blobforge.domain.job import Failure
from blobforge.domain.needs import with_needs
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, BOB, hash_of, new_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.flaky_store import FlakyStore, LostReply
from blobforge.worker.abilities import Abilities
from blobforge.worker.feed import QueueFeed, Until

PDFS = Queue("default", ("pdf",))


@pytest.fixture
def coordinator() -> CoordinationService:
    return CoordinationService(MemoryJobStore(), clock=FakeClock())


@pytest.fixture
def feed_until(coordinator: CoordinationService) -> Callable[[Until], QueueFeed]:
    return lambda until: QueueFeed(coordinator, PDFS, ALICE, until=until)


FeedUntil = Callable[[Until], QueueFeed]


def test_a_feed_ends_jobs_and_claims_the_next_of_its_queue(
    coordinator: CoordinationService, feed_until: FeedUntil
) -> None:
    coordinator.submit([new_job("a"), new_job("b"), new_job("another", type="archive")])
    feed = feed_until(Until.STOPPED)
    (first,) = feed.settle([], limit=1).claimed

    settled = feed.settle([Completed(first, "{}")], limit=5)

    assert len(settled.ended) == 1
    assert [(job.type, job.worker_id) for job in settled.claimed] == [("pdf", ALICE)]
    assert not feed.exhausted(running=0)


def test_for_one_job_no_second_is_claimed(coordinator: CoordinationService, feed_until: FeedUntil) -> None:
    coordinator.submit([new_job("a"), new_job("b")])
    feed = feed_until(Until.ONE_JOB)
    before = feed.exhausted(running=0)

    (job,) = feed.settle([], limit=4).claimed
    while_it_runs = feed.exhausted(running=1)
    settled = feed.settle([Completed(job, "{}")], limit=4)

    assert settled.claimed == []
    assert (before, while_it_runs, feed.exhausted(running=0)) == (False, False, True)


def test_for_one_job_an_empty_queue_is_the_end(feed_until: FeedUntil) -> None:
    feed = feed_until(Until.ONE_JOB)

    feed.settle([], limit=1)

    assert feed.exhausted(running=0)


def test_a_drained_queue_has_nothing_left_that_could_come_back(
    coordinator: CoordinationService, feed_until: FeedUntil
) -> None:
    feed = feed_until(Until.DRAINED)
    coordinator.submit([new_job("another", type="archive"), new_job("elsewhere", project="other")])
    assert feed.exhausted(running=0)

    coordinator.submit([new_job("a")])
    pending = feed.exhausted(running=0)
    (job,) = coordinator.claim(PDFS, worker_id=BOB)
    running_elsewhere = feed.exhausted(running=0)
    coordinator.end([Failed(job, Failure("child_killed", "it died", retryable=True))])
    waiting = feed.exhausted(running=0)
    coordinator.cancel(job.id)

    assert (pending, running_elsewhere, waiting) == (False, False, False)
    assert feed.exhausted(running=0)
    assert not feed.exhausted(running=1)


def test_a_claim_whose_answer_was_lost_is_taken_up_at_the_next_look() -> None:
    store = FlakyStore(MemoryJobStore())
    coordinator = CoordinationService(store, clock=FakeClock())
    coordinator.submit([new_job(name) for name in "abc"])
    feed = QueueFeed(coordinator, PDFS, ALICE, until=Until.DRAINED)
    (known,) = feed.settle([], limit=1).claimed
    store.lose("apply", LostReply.REPLY)

    with pytest.raises(StoreUnavailable):
        feed.settle([Completed(known, "{}")], limit=1)
    ended, claimed = feed.settle([Completed(known, "{}")], limit=2)

    assert [type(outcome) for outcome in ended] == [LeaseLost]
    assert [(job.source_hash, job.lease_number) for job in claimed] == [(hash_of("b"), 1), (hash_of("c"), 1)]
    assert feed.settle([Completed(job, "{}") for job in claimed], limit=2).claimed == []


@pytest.mark.parametrize("error", [StoreUnavailable("no answer"), DiskFull("no space left")])
def test_a_job_whose_ending_could_not_be_taken_is_not_one_that_was_claimed_unnoticed(error: BlobForgeError) -> None:
    store = FlakyStore(MemoryJobStore())
    coordinator = CoordinationService(store, clock=FakeClock())
    coordinator.submit([new_job(name) for name in "ab"])
    feed = QueueFeed(Unsure(coordinator, error, times=1).as_coordinator(), PDFS, ALICE, until=Until.DRAINED)
    (known,) = feed.settle([], limit=1).claimed
    refused = feed.settle([Completed(known, "{}")], limit=0).ended
    store.lose("apply", LostReply.REPLY)
    with pytest.raises(StoreUnavailable):
        feed.settle([], limit=1)

    found = feed.settle([], limit=5).claimed

    assert refused == [error]
    assert [job.source_hash for job in found] == [hash_of("b")]


def test_a_request_that_never_arrived_gives_nothing_twice() -> None:
    store = FlakyStore(MemoryJobStore())
    coordinator = CoordinationService(store, clock=FakeClock())
    coordinator.submit([new_job(name) for name in "ab"])
    feed = QueueFeed(coordinator, PDFS, ALICE, until=Until.DRAINED)
    (first,) = feed.settle([], limit=1).claimed
    store.lose("apply", LostReply.REQUEST)

    with pytest.raises(StoreUnavailable):
        feed.settle([], limit=1)

    assert [job.source_hash for job in feed.settle([], limit=5).claimed] == [hash_of("b")]
    assert store.get(first.id).lease_number == 1


def test_a_queue_that_may_not_be_asked_is_not_taken_for_empty(coordinator: CoordinationService) -> None:
    may_ask = False
    feed = QueueFeed(coordinator, PDFS, ALICE, until=Until.DRAINED, may_ask=lambda: may_ask)
    before = feed.exhausted(running=0)

    may_ask = True

    assert (before, feed.exhausted(running=0)) == (False, True)


def test_a_drain_ends_when_only_jobs_of_others_are_left_and_says_what_they_need(
    coordinator: CoordinationService,
) -> None:
    needy = with_needs("{}", ["engine:marker"])
    coordinator.submit([new_job("a", metadata=needy), new_job("b"), new_job("c", metadata=needy)])
    feed = QueueFeed(coordinator, PDFS, ALICE, until=Until.DRAINED, abilities=Abilities(["engine:other"]))
    before = feed.exhausted(running=0)

    (job,) = feed.settle([], limit=4).claimed
    feed.settle([Completed(job, "{}")], limit=4)

    assert (before, feed.exhausted(running=0)) == (False, True)
    assert feed.left_behind == {"engine:marker": 2}


def test_a_drain_does_not_wait_for_jobs_of_a_paused_type(coordinator: CoordinationService) -> None:
    coordinator.submit([new_job("a")])
    coordinator.pause("default", "pdf", by="local:alice")
    feed = QueueFeed(coordinator, PDFS, ALICE, until=Until.DRAINED)

    assert feed.settle([], limit=1).claimed == []
    assert feed.exhausted(running=0)
    assert not feed.left_behind

    coordinator.resume("default", "pdf")
    assert not feed.exhausted(running=0)


def test_jobs_of_a_type_that_a_worker_does_not_serve_are_not_left_behind_by_it(
    coordinator: CoordinationService,
) -> None:
    lab = with_needs("{}", ["engine:lab"])
    ours = with_needs("{}", ["engine:marker"])
    coordinator.submit([new_job("a", type="lab_report", metadata=lab), new_job("b", metadata=ours)])
    feed = QueueFeed(coordinator, PDFS, ALICE, until=Until.DRAINED)

    assert feed.exhausted(running=0)
    assert dict(feed.left_behind) == {"engine:marker": 1}


def test_what_another_worker_has_done_meanwhile_is_not_left_behind(coordinator: CoordinationService) -> None:
    coordinator.submit([new_job("a", metadata=with_needs("{}", ["engine:marker"]))])
    feed = QueueFeed(coordinator, PDFS, ALICE, until=Until.DRAINED)
    other = QueueFeed(coordinator, PDFS, BOB, until=Until.DRAINED, abilities=Abilities(["engine:marker"]))
    assert feed.exhausted(running=0)

    (job,) = other.settle([], limit=1).claimed
    other.settle([Completed(job, "{}")], limit=1)

    assert feed.exhausted(running=0)
    assert not feed.left_behind


def test_what_a_worker_has_lost_it_does_not_ask_for_any_more(coordinator: CoordinationService) -> None:
    coordinator.submit([new_job(name, metadata=with_needs("{}", ["engine:marker"])) for name in "ab"])
    abilities = Abilities(["engine:marker"])
    feed = QueueFeed(coordinator, PDFS, ALICE, until=Until.DRAINED, abilities=abilities)
    assert len(feed.settle([], limit=1).claimed) == 1

    abilities.lose(frozenset({"engine:marker"}))

    assert feed.settle([], limit=1).claimed == []


def test_what_a_drain_waits_for_is_told_once(
    coordinator: CoordinationService, feed_until: FeedUntil, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "blobforge")
    coordinator.submit([new_job("a"), new_job("b", source_path="/in/b.pdf"), new_job("c", type="archive")])
    feed = feed_until(Until.DRAINED)
    (first,) = feed.settle([], limit=1).claimed
    (held,) = coordinator.claim(PDFS, worker_id=BOB)
    feed.settle([Failed(first, Failure("stalled", "no progress", retryable=True))], limit=0)
    assert held.lease_expires_at is not None

    for _ in range(3):
        assert not feed.exhausted(running=0)

    (line,) = [record.getMessage() for record in caplog.records]
    assert "waiting for jobs that are not this worker's" in line
    assert BOB in line
    assert held.lease_expires_at.astimezone().isoformat(timespec="seconds") in line
    assert "'held': 1" in line
    assert "'tried_again': 1" in line


def test_a_drain_with_work_of_its_own_tells_of_no_waiting(
    coordinator: CoordinationService, feed_until: FeedUntil, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "blobforge")
    coordinator.submit([new_job("a"), new_job("b")])
    feed = feed_until(Until.DRAINED)
    coordinator.claim(PDFS, worker_id=BOB)

    assert not feed.exhausted(running=0)
    assert caplog.records == []
