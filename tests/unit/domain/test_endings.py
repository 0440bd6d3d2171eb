"""Each ending is one transition."""

from datetime import timedelta

import pytest

from blobforge.domain.endings import Completed, Declined, Ending, Failed, Released, end
from blobforge.domain.errors import LeaseLost
from blobforge.domain.job import Failure, State
from blobforge.domain.retry import RetryPolicy
from blobforge.testing.builders import job_in
from blobforge.testing.clock import START

HELD = job_in(State.RUNNING)
POLICY = RetryPolicy(first=timedelta(seconds=100), jitter=0.5)


@pytest.mark.parametrize(
    ("ending", "state"),
    [
        (Completed(HELD, '{"pages":1}'), State.COMPLETED),
        (Failed(HELD, Failure("timed_out", "too slow", retryable=True)), State.FAILED),
        (Failed(HELD, Failure("not_a_pdf", "a web page")), State.DEAD),
        (Released(HELD), State.PENDING),
    ],
)
def test_an_ending_is_applied_to_the_job_as_it_is_now(ending: Ending, state: State) -> None:
    renewed = HELD._replace(rev=HELD.rev + 1)

    after = end(renewed, ending, policy=POLICY, roll=0, now=START)

    assert after.state is state
    assert after.rev == renewed.rev


def test_a_completion_brings_its_result() -> None:
    assert end(HELD, Completed(HELD, '{"pages":1}'), policy=POLICY, roll=0, now=START).result == '{"pages":1}'


def test_a_failure_backs_off_by_the_policy_and_the_jitter() -> None:
    failed = Failed(HELD, Failure("timed_out", "too slow", retryable=True))

    after = end(HELD, failed, policy=POLICY, roll=0.75, now=START)

    assert after.available_at == START + timedelta(seconds=125)


@pytest.mark.parametrize("ending", [Completed(HELD, "{}"), Failed(HELD, Failure("x", "x")), Released(HELD)])
def test_an_ending_by_an_old_lease_is_refused(ending: Ending) -> None:
    with pytest.raises(LeaseLost):
        end(HELD._replace(lease_number=2), ending, policy=POLICY, roll=0, now=START)


def test_a_job_that_a_worker_declines_waits_for_another_one_with_its_attempt_given_back() -> None:
    missing = Failure("engine_unavailable", "marker is not installed")

    waiting = end(HELD, Declined(HELD, frozenset({"engine:marker"}), missing), policy=POLICY, roll=0.5, now=START)

    assert (waiting.state, waiting.attempts, waiting.needs) == (State.PENDING, HELD.attempts - 1, "engine:marker")
