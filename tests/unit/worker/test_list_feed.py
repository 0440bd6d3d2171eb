"""A worker on a list of its own: every job on it comes to an end, here or elsewhere."""

from collections.abc import Callable, Iterable
from datetime import timedelta

import pytest
from tests.unit.worker.flaky import FlakyCoordinator, Unsure

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import BlobForgeError, DiskFull, LeaseLost, StoreUnavailable
from blobforge.domain.ids import JobId
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.retry import RetryPolicy
from blobforge.testing.builders import ALICE, BOB, new_job
from blobforge.testing.clock import FakeClock
from blobforge.worker.feed import ListFeed

TRY_AGAIN = Failure("child_killed", "it died", retryable=True)


class Bench:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.coordinator = CoordinationService(
            MemoryJobStore(), clock=self.clock, policy=RetryPolicy(first=timedelta(seconds=5), jitter=0)
        )
        self.flaky = FlakyCoordinator(self.coordinator)
        self.final: list[Job] = []
        self.feed = ListFeed(self.flaky.as_coordinator(), ALICE, clock=self.clock, on_final=self.final.append)

    def submit(self, *names: str, priority: int = 3) -> list[Job]:
        entries = self.coordinator.submit([new_job(name, priority=priority) for name in names])
        return [entry.job for entry in entries]

    def claim(self, limit: int = 10) -> list[Job]:
        return self.feed.settle([], limit=limit).claimed

    def end(self, *endings: Ending) -> None:
        self.feed.settle(endings, limit=0)

    def later(self, seconds: float = 1) -> None:
        self.clock.advance(seconds=seconds)


def ids(jobs: Iterable[Job]) -> list[JobId]:
    return [job.id for job in jobs]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_only_the_jobs_on_the_list_are_claimed_and_no_more_than_asked_for(bench: Bench) -> None:
    bench.submit("not on the list")
    listed = bench.submit("a", "b", "c")
    bench.feed.add(listed)

    assert ids(bench.claim(2)) == ids(listed[:2])
    assert ids(bench.claim(2)) == ids(listed[2:])
    assert bench.claim(0) == []


def test_of_those_claimed_together_the_urgent_come_first(bench: Bench) -> None:
    (slow,), (fast,) = bench.submit("slow", priority=5), bench.submit("fast", priority=1)
    bench.feed.add([slow, fast])

    assert ids(bench.claim()) == ids([fast, slow])


def test_a_list_is_exhausted_when_it_is_complete_and_all_of_it_has_ended(bench: Bench) -> None:
    bench.feed.add(bench.submit("a"))
    bench.feed.close()
    before = bench.feed.exhausted(running=0)
    (job,) = bench.claim()
    while_it_runs = bench.feed.exhausted(running=1)

    bench.end(Completed(job, "{}"))

    assert (before, while_it_runs, bench.feed.exhausted(running=0)) == (False, False, True)


def test_a_list_that_may_grow_is_never_exhausted(bench: Bench) -> None:
    assert not bench.feed.exhausted(running=0)


@pytest.mark.parametrize(
    "move",
    [
        lambda bench, job: bench.coordinator.cancel(job.id),
        lambda bench, job: bench.coordinator.end([Completed(job, "{}")]),
    ],
)
def test_a_job_of_another_worker_is_waited_for_until_it_ends_there(
    bench: Bench, move: Callable[[Bench, Job], object]
) -> None:
    listed = bench.submit("a")
    (held,) = bench.coordinator.claim_exactly(listed, worker_id=BOB)
    bench.feed.add(listed)
    bench.feed.close()
    assert bench.claim() == []
    assert not bench.feed.exhausted(running=0)

    move(bench, held)
    bench.later()
    bench.claim()

    assert ids(bench.final) == ids(listed)
    assert bench.feed.exhausted(running=0)


def test_a_job_that_another_worker_let_go_of_is_claimed(bench: Bench) -> None:
    listed = bench.submit("a")
    (held,) = bench.coordinator.claim_exactly(listed, worker_id=BOB)
    bench.feed.add(listed)
    bench.claim()
    bench.later()
    assert bench.claim() == []

    bench.coordinator.end([Released(held)])
    bench.later()

    assert ids(bench.claim()) == ids(listed)


def test_a_job_of_a_worker_that_is_gone_is_claimed_when_its_lease_is_over(bench: Bench) -> None:
    listed = bench.submit("a")
    bench.coordinator.claim_exactly(listed, worker_id=BOB)
    bench.feed.add(listed)
    bench.claim()

    bench.later(seconds=200)

    assert [job.lease_number for job in bench.claim()] == [2]


def test_a_failed_job_comes_again_when_its_wait_is_over(bench: Bench) -> None:
    bench.feed.add(bench.submit("a"))
    bench.feed.close()
    (job,) = bench.claim()
    bench.end(Failed(job, TRY_AGAIN))
    bench.later()
    assert bench.claim() == []
    assert not bench.feed.exhausted(running=0)

    bench.later(seconds=5)

    assert [job.attempts for job in bench.claim()] == [2]


def test_a_job_that_was_lost_is_looked_for_elsewhere(bench: Bench) -> None:
    bench.feed.add(bench.submit("a"))
    bench.feed.close()
    (job,) = bench.claim()
    bench.coordinator.cancel(job.id)

    settled = bench.feed.settle([Completed(job, "{}")], limit=0)
    bench.later()
    bench.claim()

    assert isinstance(settled.ended[0], LeaseLost)
    assert [job.state for job in bench.final] == [State.CANCELLED]


def test_a_look_elsewhere_is_not_repeated_at_once_but_a_clock_set_back_does_not_stop_it(bench: Bench) -> None:
    listed = bench.submit("a")
    bench.coordinator.claim_exactly(listed, worker_id=BOB)
    bench.feed.add(listed)
    bench.claim()
    bench.claim()
    bench.flaky.refuse("get_many", times=100)

    assert bench.claim() == []
    bench.later(seconds=-3600)

    with pytest.raises(StoreUnavailable):
        bench.claim()


def test_no_job_is_forgotten_when_the_queue_is_away(bench: Bench) -> None:
    listed = bench.submit("a", "b")
    bench.feed.add(listed)
    bench.flaky.refuse("end_and_claim_exactly")

    with pytest.raises(StoreUnavailable):
        bench.claim()

    assert ids(bench.claim()) == ids(listed)


@pytest.mark.parametrize("method", ["end_and_claim_exactly", "get_many"])
def test_a_step_that_the_queue_does_not_answer_can_be_taken_again_as_it_was(bench: Bench, method: str) -> None:
    listed, held_elsewhere = bench.submit("a", "b"), bench.submit("c")
    bench.coordinator.claim_exactly(held_elsewhere, worker_id=BOB)
    bench.feed.add([*held_elsewhere, *listed])
    (job,) = bench.claim(1)
    bench.later()
    bench.flaky.refuse(method)
    with pytest.raises(StoreUnavailable):
        bench.feed.settle([Completed(job, "{}")], limit=1)

    settled = bench.feed.settle([Completed(job, "{}")], limit=1)

    assert [outcome.state for outcome in settled.ended if isinstance(outcome, Job)] == [State.COMPLETED]
    assert ids(settled.claimed) == ids(listed[1:])


def test_what_was_claimed_is_given_though_the_queue_goes_away_after_it(bench: Bench) -> None:
    taken, *free = bench.submit("taken", "a", "b")
    bench.coordinator.claim_exactly([taken], worker_id=BOB)
    bench.feed.add([taken, *free])
    bench.flaky.refuse("end_and_claim_exactly", passing=1)

    assert ids(bench.claim(2)) == ids(free[:1])
    assert ids(bench.claim(2)) == ids(free[1:])


def test_a_claim_whose_answer_was_lost_is_taken_up_at_the_next_look(bench: Bench) -> None:
    (job,) = bench.submit("a")
    bench.feed.add([job])
    # As the queue has it after a claim whose answer never came.
    held = bench.coordinator.claim_exactly([job], worker_id=ALICE)

    refused = bench.claim()
    bench.later()
    found = bench.claim()
    bench.end(Completed(found[0], "{}"))

    assert (refused, found) == ([], held)
    assert bench.coordinator.get(job.id).state is State.COMPLETED


@pytest.mark.parametrize("error", [StoreUnavailable("no answer"), DiskFull("no space left")])
def test_a_job_whose_ending_could_not_be_taken_is_still_held_here(bench: Bench, error: BlobForgeError) -> None:
    """It is not given a second time, and its ending counts when it is told again."""
    bench.feed.add(bench.submit("a"))
    bench.feed.close()
    (job,) = bench.claim()
    bench.flaky.inner = Unsure(bench.coordinator, error, times=1).as_coordinator()

    refused = bench.feed.settle([Completed(job, "{}")], limit=0).ended
    bench.later()
    given_again = bench.claim()
    bench.end(Completed(job, "{}"))

    assert (refused, given_again) == ([error], [])
    assert bench.coordinator.get(job.id).state is State.COMPLETED
    assert bench.feed.exhausted(running=0)
