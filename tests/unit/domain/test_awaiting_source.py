"""A job that is announced before its source is there."""

from datetime import timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import InvalidMove, NotClaimable
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State, awaits_source, created, is_ready
from blobforge.testing.builders import ALICE, LEASE, job_in, new_job
from blobforge.testing.clock import START

UNTIL = START + timedelta(hours=1)
SOON = START + timedelta(minutes=1)


@pytest.fixture
def waits() -> Job:
    return created(new_job(source_expected_by=UNTIL), job_id=JobId(1), now=START)


def claimed(job: Job) -> Job:
    return lifecycle.claim(job, worker_id=ALICE, now=SOON, until=SOON + LEASE)


def test_it_is_pending_and_not_ready(waits: Job) -> None:
    assert (waits.state, waits.available_at) == (State.PENDING, UNTIL)
    assert awaits_source(waits)
    assert not is_ready(waits)
    with pytest.raises(NotClaimable, match="waits for its source"):
        claimed(waits)


def test_any_other_job_is_ready_from_the_beginning() -> None:
    job = created(new_job(), job_id=JobId(1), now=START)

    assert is_ready(job)
    assert not awaits_source(job)


def test_once_its_source_came_it_is_like_any_other(waits: Job) -> None:
    arrived = lifecycle.source_arrived(waits, now=SOON)

    assert arrived == waits._replace(available_at=None, updated_at=SOON)
    assert is_ready(arrived)
    assert claimed(arrived).attempts == 1


@pytest.mark.parametrize("state", [State.PENDING, State.RUNNING, State.FAILED])
def test_a_source_that_is_there_may_come_again(state: State) -> None:
    job = job_in(state)

    assert lifecycle.source_arrived(job, now=SOON) is job


@pytest.mark.parametrize("state", [State.COMPLETED, State.DEAD, State.CANCELLED])
def test_no_source_comes_for_what_has_ended(state: State) -> None:
    with pytest.raises(InvalidMove, match=f"it is {state}.*retry it"):
        lifecycle.source_arrived(job_in(state), now=SOON)


@pytest.mark.parametrize("state", State)
def test_only_what_waits_for_its_source_is_given_another_time(state: State) -> None:
    with pytest.raises(InvalidMove, match="does not wait for its source"):
        lifecycle.expect_source(job_in(state), until=UNTIL, now=SOON)


def test_what_never_came_is_given_up_and_no_attempt_counts(waits: Job) -> None:
    assert lifecycle.reap(waits, now=UNTIL - timedelta(microseconds=1)) is waits

    dead = lifecycle.reap(waits, now=UNTIL)

    assert (dead.state, dead.available_at, dead.attempts) == (State.DEAD, None, 0)
    assert dead.error_code == "source_never_came"
    assert dead.last_error == "its source was expected by 2026-01-01 13:00:00 UTC and did not come"


def test_nobody_claims_what_never_came(waits: Job) -> None:
    with pytest.raises(NotClaimable, match="it is dead"):
        lifecycle.claim(waits, worker_id=ALICE, now=UNTIL, until=UNTIL + LEASE)


def test_what_was_given_up_is_ready_when_its_source_comes_after_all(waits: Job) -> None:
    dead = lifecycle.reap(waits, now=UNTIL)

    arrived = lifecycle.source_arrived(dead, now=UNTIL)

    assert arrived == waits._replace(available_at=None, updated_at=UNTIL)


def test_what_was_given_up_may_wait_again(waits: Job) -> None:
    dead = lifecycle.reap(waits, now=UNTIL)

    again = lifecycle.expect_source(dead, until=UNTIL + LEASE, now=UNTIL)

    assert again == waits._replace(available_at=UNTIL + LEASE, updated_at=UNTIL)


def test_a_retry_of_what_has_no_source_waits_for_it(waits: Job) -> None:
    cancelled = lifecycle.cancel(waits, now=SOON)

    assert is_ready(lifecycle.retry(cancelled, now=SOON))
    assert awaits_source(lifecycle.retry(cancelled, now=SOON, source_expected_by=UNTIL))


def test_people_steer_it_while_it_waits(waits: Job) -> None:
    urgent = lifecycle.reprioritize(waits, priority=1, now=SOON)
    amended = lifecycle.amend(urgent, metadata='{"a":1}', now=SOON)
    reordered = lifecycle.reprocess(amended, metadata='{"a":2}', now=SOON)

    assert awaits_source(reordered)
    assert (reordered.priority, reordered.metadata) == (1, '{"a":2}')
