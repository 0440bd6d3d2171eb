"""Every transition from every state: the state that it leads to, or its error."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import BlobForgeError, InvalidMove, InvalidValue, LeaseLost, NotClaimable
from blobforge.domain.job import Failure, Job, Lease, State
from blobforge.domain.retry import RetryPolicy
from blobforge.testing.builders import ALICE, BOB, LEASE, a_job, job_in
from blobforge.testing.clock import START

SOON = START + timedelta(seconds=1)
LATE = START + timedelta(hours=1)
POLICY = RetryPolicy(jitter=0)
TIMED_OUT = Failure("timed_out", "it took too long", retryable=True)
NOT_A_PDF = Failure("not_a_pdf", "it is a web page")

ANY_LEASE = Lease(a_job().id, ALICE, 1)
ALL = set(State)


def fail(job: Job, failure: Failure = TIMED_OUT) -> Job:
    return lifecycle.fail(job, ANY_LEASE, failure, policy=POLICY, roll=0, now=SOON)


MOVES: dict[str, Callable[[Job], Job]] = {
    "claim": lambda job: lifecycle.claim(job, worker_id=BOB, now=SOON, until=SOON + LEASE),
    "claim late": lambda job: lifecycle.claim(job, worker_id=BOB, now=LATE, until=LATE + LEASE),
    "renew": lambda job: lifecycle.renew(job, ANY_LEASE, now=SOON, until=SOON + LEASE),
    "complete": lambda job: lifecycle.complete(job, ANY_LEASE, result="{}", now=SOON),
    "fail": fail,
    "fail for good": lambda job: fail(job, NOT_A_PDF),
    "release": lambda job: lifecycle.release(job, ANY_LEASE, now=SOON),
    "requeue": lambda job: lifecycle.requeue(job, now=SOON),
    "cancel": lambda job: lifecycle.cancel(job, now=SOON),
    "retry": lambda job: lifecycle.retry(job, now=SOON),
    "restore": lambda job: lifecycle.restore(job._replace(result='{"key":"a.zip"}'), now=SOON),
    "restore without a result": lambda job: lifecycle.restore(job._replace(result=None), now=SOON),
    "amend": lambda job: lifecycle.amend(job, metadata='{"a":1}', now=SOON),
    "reprioritize": lambda job: lifecycle.reprioritize(job, priority=1, now=SOON),
    "expire": lambda job: lifecycle.expire(job, now=SOON),
    "expire late": lambda job: lifecycle.expire(job, now=LATE),
    "promote": lambda job: lifecycle.promote(job, now=SOON),
    "promote late": lambda job: lifecycle.promote(job, now=LATE),
    "abandon": lambda job: lifecycle.abandon(job, worker_id=ALICE, now=SOON),
    "abandon of another worker": lambda job: lifecycle.abandon(job, worker_id=BOB, now=SOON),
    "reap": lambda job: lifecycle.reap(job, now=SOON),
    "reap late": lambda job: lifecycle.reap(job, now=LATE),
}

PENDING, RUNNING, COMPLETED = State.PENDING, State.RUNNING, State.COMPLETED
FAILED, DEAD, CANCELLED = State.FAILED, State.DEAD, State.CANCELLED

LEADS_TO: dict[str, dict[State, State]] = {
    "claim": {PENDING: RUNNING},
    "claim late": dict.fromkeys((PENDING, RUNNING, FAILED), RUNNING),
    "renew": {RUNNING: RUNNING},
    "complete": {RUNNING: COMPLETED},
    "fail": {RUNNING: FAILED},
    "fail for good": {RUNNING: DEAD},
    "release": {RUNNING: PENDING},
    "requeue": {RUNNING: PENDING},
    "cancel": dict.fromkeys((PENDING, RUNNING, FAILED, CANCELLED), CANCELLED),
    "retry": dict.fromkeys((FAILED, DEAD, CANCELLED, COMPLETED), PENDING),
    "restore": {DEAD: COMPLETED},
    "restore without a result": {},
    "amend": {PENDING: PENDING, FAILED: FAILED},
    "reprioritize": {PENDING: PENDING, FAILED: FAILED},
    "expire": {},
    "expire late": {RUNNING: PENDING},
    "promote": {},
    "promote late": {FAILED: PENDING},
    "abandon": {RUNNING: PENDING},
    "abandon of another worker": {},
    "reap": {state: state for state in State},
    "reap late": {state: PENDING if state in (RUNNING, FAILED) else state for state in State},
}
REFUSED_WITH: dict[str, type[BlobForgeError]] = {
    "claim": NotClaimable,
    "claim late": NotClaimable,
    **dict.fromkeys(("renew", "complete", "fail", "fail for good", "release"), LeaseLost),
}

ALLOWED = [(move, state, after) for move, states in LEADS_TO.items() for state, after in states.items()]
REFUSED = [(move, state) for move, states in LEADS_TO.items() for state in sorted(ALL - set(states))]


def test_the_table_has_every_transition() -> None:
    assert set(LEADS_TO) == set(MOVES)


@pytest.mark.parametrize(("move", "state", "after"), ALLOWED, ids=str)
def test_a_transition_that_is_allowed_leads_to_its_state(move: str, state: State, after: State) -> None:
    assert MOVES[move](job_in(state)).state is after


@pytest.mark.parametrize(("move", "state", "after"), ALLOWED, ids=str)
def test_a_transition_that_changes_a_job_sets_its_time(move: str, state: State, after: State) -> None:
    before = job_in(state)

    moved = MOVES[move](before)

    assert moved.updated_at == (LATE if "late" in move else SOON) or moved is before


@pytest.mark.parametrize(("move", "state"), REFUSED, ids=str)
def test_a_transition_that_is_not_allowed_says_which_job_and_why(move: str, state: State) -> None:
    with pytest.raises(REFUSED_WITH.get(move, InvalidMove), match=r"job #1 \(.+\): ") as refusal:
        MOVES[move](job_in(state))

    assert type(refusal.value) is REFUSED_WITH.get(move, InvalidMove)


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("state", State)
def test_only_a_running_job_has_a_worker_and_a_lease(move: str, state: State) -> None:
    try:
        after = MOVES[move](job_in(state))
    except BlobForgeError:
        after = job_in(state)

    is_running = after.state is RUNNING
    assert (after.worker_id is not None) is is_running
    assert (after.lease_expires_at is not None) is is_running
    assert (after.available_at is not None) is (after.state is FAILED)


def test_a_claim_starts_an_attempt_with_a_new_lease() -> None:
    claimed = lifecycle.claim(a_job(), worker_id=ALICE, now=SOON, until=SOON + LEASE)

    assert (claimed.worker_id, claimed.lease_number, claimed.attempts) == (ALICE, 1, 1)
    assert (claimed.started_at, claimed.updated_at, claimed.lease_expires_at) == (SOON, SOON, SOON + LEASE)


def test_completing_keeps_the_result_and_forgets_old_errors() -> None:
    once_failed = lifecycle.claim(job_in(FAILED), worker_id=ALICE, now=LATE, until=LATE + LEASE)

    done = lifecycle.complete(once_failed, Lease(once_failed.id, ALICE, 2), result='{"pages":3}', now=LATE)

    assert (done.result, done.completed_at, done.updated_at) == ('{"pages":3}', LATE, LATE)
    assert (done.error_code, done.last_error) == (None, None)


def test_a_failure_says_why_and_when_to_try_again() -> None:
    failed = fail(job_in(RUNNING))

    assert (failed.error_code, failed.last_error) == ("timed_out", "it took too long")
    assert failed.available_at == SOON + POLICY.first


def test_a_permanent_failure_is_dead_whatever_is_left_of_the_budget() -> None:
    dead = fail(job_in(RUNNING), NOT_A_PDF)

    assert dead.attempts < dead.max_attempts
    assert (dead.state, dead.available_at, dead.error_code) == (DEAD, None, "not_a_pdf")


def test_a_message_that_is_no_valid_text_can_be_stored() -> None:
    quoting = Failure("source_missing", "caf\udce9\0.pdf is gone", retryable=True)

    assert fail(job_in(RUNNING), quoting).last_error == "caf\\udce9\\x00.pdf is gone"


def test_a_job_that_is_given_back_gets_its_attempt_back() -> None:
    """R2-29."""
    free = lifecycle.requeue(job_in(RUNNING), now=SOON)

    assert (free.attempts, free.lease_number) == (0, 1)


def test_what_failed_before_is_no_fact_of_a_cancelled_job() -> None:
    failed = job_in(FAILED)
    assert failed.error_code is not None

    cancelled = lifecycle.cancel(failed, now=LATE)

    assert (cancelled.error_code, cancelled.last_error) == (None, None)


def test_cancelling_twice_changes_nothing() -> None:
    cancelled = job_in(CANCELLED)

    assert lifecycle.cancel(cancelled, now=LATE) is cancelled


def test_the_result_stays_until_a_retry_has_a_new_one() -> None:
    done = job_in(COMPLETED)

    assert lifecycle.retry(done, now=SOON).result == done.result == "{}"


@pytest.mark.parametrize("state", [FAILED, DEAD, CANCELLED, COMPLETED])
@pytest.mark.parametrize("reset", [True, False])
def test_a_retried_job_waits_without_the_error_of_its_past(state: State, reset: bool) -> None:
    old = job_in(state)._replace(error_code="timed_out", last_error="it took too long")

    again = lifecycle.retry(old, now=SOON, reset_attempts=reset)

    assert (again.error_code, again.last_error) == (None, None)


def test_a_retry_may_bring_another_order_and_priority() -> None:
    again = lifecycle.retry(job_in(DEAD), now=SOON, priority=5, metadata='{"engine":"x"}')
    plain = lifecycle.retry(job_in(DEAD), now=SOON)

    assert (again.priority, again.metadata) == (5, '{"engine":"x"}')
    assert (plain.priority, plain.metadata) == (3, "{}")


def test_reprioritizing_and_amending_change_that_and_nothing_else() -> None:
    job = a_job()

    assert lifecycle.reprioritize(job, priority=5, now=SOON) == job._replace(priority=5, updated_at=SOON)
    assert lifecycle.amend(job, metadata="[]", now=SOON) == job._replace(metadata="[]", updated_at=SOON)


@pytest.mark.parametrize("priority", [0, 6, -1])
def test_a_priority_beyond_the_five_is_refused(priority: int) -> None:
    with pytest.raises(InvalidValue, match="1 to 5"):
        lifecycle.reprioritize(a_job(), priority=priority, now=SOON)
    with pytest.raises(InvalidValue, match="1 to 5"):
        lifecycle.retry(job_in(DEAD), priority=priority, now=SOON)


@pytest.mark.parametrize(
    ("state", "due"), [(RUNNING, START + LEASE), (FAILED, START + RetryPolicy(jitter=0).first)], ids=str
)
def test_a_job_is_due_from_the_very_moment_that_was_named(state: State, due: datetime) -> None:
    job = job_in(state)

    assert not lifecycle.is_due(job, now=due - timedelta(microseconds=1))
    assert lifecycle.is_due(job, now=due)


def test_waking_a_job_that_is_not_due_gives_the_very_same_one() -> None:
    job = job_in(RUNNING)

    assert lifecycle.reap(job, now=SOON) is job


@pytest.mark.parametrize("state", sorted(ALL - {RUNNING}))
def test_another_order_runs_soon_with_its_whole_budget_whatever_has_become_of_the_job(state: State) -> None:
    again = lifecycle.reprocess(job_in(state), metadata='{"options":{}}', now=SOON)

    assert (again.state, again.metadata, again.attempts) == (PENDING, '{"options":{}}', 0)


def test_a_running_job_gets_no_other_order() -> None:
    with pytest.raises(InvalidMove):
        lifecycle.reprocess(job_in(RUNNING), metadata="{}", now=SOON)
