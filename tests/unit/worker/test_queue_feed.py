"""A worker on a queue: what it takes, and when it is done."""

from collections.abc import Callable

import pytest

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.job import Failure
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, BOB, new_job
from blobforge.testing.clock import FakeClock
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
    coordinator.settle([Failed(job, Failure("child_killed", "it died", retryable=True))])
    waiting = feed.exhausted(running=0)
    coordinator.cancel(job.id)

    assert (pending, running_elsewhere, waiting) == (False, False, False)
    assert feed.exhausted(running=0)
    assert not feed.exhausted(running=1)
