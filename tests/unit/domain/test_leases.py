"""The two numbers of a job: the lease that fences every write, and the budget of attempts."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import JobCancelled, LeaseLost, NotClaimable
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Failure, Job, Lease, State, lease_of
from blobforge.domain.retry import RetryPolicy
from blobforge.testing.builders import ALICE, BOB, LEASE, a_job, job_in
from blobforge.testing.clock import START

HOUR = timedelta(hours=1)
LATE = START + HOUR
CRASHED = Failure("child_killed", "signal 9", retryable=True)


def claim(job: Job, *, hour: int = 0, worker_id: WorkerId = ALICE) -> Job:
    now = START + hour * HOUR
    return lifecycle.claim(job, worker_id=worker_id, now=now, until=now + LEASE)


def fail(job: Job, *, hour: int = 0) -> Job:
    return lifecycle.fail(job, lease_of(job), CRASHED, policy=RetryPolicy(), roll=0.5, now=START + hour * HOUR)


def expire(job: Job, *, hour: int = 0) -> Job:
    return lifecycle.expire(job, now=START + hour * HOUR)


HOLDERS_MOVES: dict[str, Callable[[Job, Lease], Job]] = {
    "renew": lambda job, lease: lifecycle.renew(job, lease, now=LATE, until=LATE + LEASE),
    "complete": lambda job, lease: lifecycle.complete(job, lease, result="{}", now=LATE),
    "fail": lambda job, lease: lifecycle.fail(job, lease, CRASHED, policy=RetryPolicy(), roll=0, now=LATE),
    "release": lambda job, lease: lifecycle.release(job, lease, now=LATE),
}


@pytest.mark.parametrize("move", HOLDERS_MOVES)
def test_a_worker_whose_job_another_has_claimed_cannot_write_to_it(move: str) -> None:
    old = claim(a_job())
    taken_over = claim(old, hour=1, worker_id=BOB)

    with pytest.raises(LeaseLost, match=r"job #1 \(.+\): lease 1 was superseded by 2"):
        HOLDERS_MOVES[move](taken_over, lease_of(old))


@pytest.mark.parametrize("move", HOLDERS_MOVES)
def test_a_worker_whose_lease_ended_cannot_write_to_the_job(move: str) -> None:
    held = claim(a_job())
    cancelled = lifecycle.cancel(held, now=START)

    with pytest.raises(JobCancelled, match=r"job #1 \(.+\): lease 1 ended; the job is cancelled"):
        HOLDERS_MOVES[move](cancelled, lease_of(held))


@pytest.mark.parametrize("move", HOLDERS_MOVES)
def test_another_worker_cannot_use_a_lease_by_its_number(move: str) -> None:
    held = claim(a_job())

    with pytest.raises(LeaseLost):
        HOLDERS_MOVES[move](held, Lease(held.id, BOB, held.lease_number))


def test_the_same_worker_cannot_use_the_lease_of_its_earlier_claim() -> None:
    earlier = claim(a_job())
    now_held = claim(earlier, hour=1)

    with pytest.raises(LeaseLost, match="superseded by 2"):
        lifecycle.complete(now_held, lease_of(earlier), result="{}", now=LATE)


def test_a_lease_that_ran_out_unnoticed_is_still_good() -> None:
    held = claim(a_job())

    renewed = lifecycle.renew(held, lease_of(held), now=LATE, until=LATE + LEASE)

    assert renewed.lease_expires_at == LATE + LEASE
    assert lifecycle.complete(renewed, lease_of(held), result="{}", now=LATE).state is State.COMPLETED


def test_the_lease_number_grows_at_each_claim_and_never_resets() -> None:
    job = a_job()
    numbers = []
    for hour in range(5):
        job = fail(claim(job, hour=hour), hour=hour)
        job = lifecycle.retry(job, now=START + hour * HOUR, reset_attempts=True)
        numbers.append(job.lease_number)

    assert numbers == [1, 2, 3, 4, 5]
    assert job.attempts == 0


def test_three_failures_are_the_whole_budget() -> None:
    """R0-53, R2-7, R2-11."""
    first = fail(claim(a_job()))
    second = fail(claim(first, hour=1), hour=1)
    third = fail(claim(second, hour=2), hour=2)

    assert [job.state for job in (first, second, third)] == [State.FAILED, State.FAILED, State.DEAD]
    assert [job.attempts for job in (first, second, third)] == [1, 2, 3]


def test_crashes_count_like_failures() -> None:
    """R2-36."""
    first = expire(claim(a_job()), hour=1)
    second = fail(claim(first, hour=1), hour=1)
    third = expire(claim(second, hour=2), hour=3)

    assert [job.state for job in (first, second, third)] == [State.PENDING, State.FAILED, State.DEAD]
    assert (third.attempts, third.error_code) == (3, lifecycle.LEASE_EXPIRED)
    assert third.last_error == "worker alice was gone before it finished attempt 3 of 3"


def test_a_worker_that_is_known_to_be_gone_costs_an_attempt_too() -> None:
    """R2-36."""
    last = claim(a_job(attempts=2))

    assert lifecycle.abandon(last, worker_id=ALICE, now=START).state is State.DEAD


def test_a_job_whose_last_attempt_crashed_cannot_be_claimed() -> None:
    """R2-38."""
    last = claim(a_job(attempts=2))

    assert lifecycle.reap(last, now=LATE).state is State.DEAD
    with pytest.raises(NotClaimable, match="it is dead"):
        claim(last, hour=1)


def test_a_release_gives_the_attempt_back() -> None:
    """R2-40."""
    job = a_job()
    for hour in range(10):
        held = claim(job, hour=hour)
        job = lifecycle.release(held, lease_of(held), now=START + hour * HOUR)

    assert (job.state, job.attempts, job.lease_number) == (State.PENDING, 0, 10)


def test_a_retry_gives_the_whole_budget_back_or_one_more_attempt() -> None:
    dead = job_in(State.DEAD)._replace(attempts=3)

    assert lifecycle.retry(dead, now=START).attempts == 0
    assert lifecycle.retry(dead, now=START, reset_attempts=False).attempts == 2
    assert lifecycle.retry(dead._replace(attempts=1), now=START, reset_attempts=False).attempts == 1
