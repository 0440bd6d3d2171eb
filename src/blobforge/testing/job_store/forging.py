"""Copies that lie: what a caller says of a job is no reason for a transition, whatever revision it names."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import BlobForgeError, InvalidMove, JobCancelled, LeaseLost, NotClaimable
from blobforge.domain.ids import JobId, SourceHash
from blobforge.domain.job import Failure, Job, State, lease_of
from blobforge.ports.job_store import Change, JobStore, Transition
from blobforge.testing.builders import ALICE, BOB, LEASE
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import (
    OUTPUT,
    added,
    cancelling,
    claiming,
    completing,
    failing,
    releasing,
    renewing,
    take,
)

SOON = START + timedelta(seconds=30)
AFTER_THE_LEASE = START + LEASE
NOT_A_PDF = Failure("not_a_pdf", "it is a web page")
HOLDERS_MOVES = pytest.mark.parametrize("move", [completing, failing, releasing, renewing])

Move = Callable[..., Change]


class ForgedCopiesContract:
    @HOLDERS_MOVES
    def test_who_forges_the_worker_does_not_hold_the_lease(self, store: JobStore, move: Move) -> None:
        added(store, "a")
        (held,) = take(store)

        forged = held._replace(worker_id=BOB)

        assert_refused(store, held, forged, move(forged, now=SOON), LeaseLost)

    @HOLDERS_MOVES
    @pytest.mark.parametrize("number", [1, 3])
    def test_who_forges_the_lease_number_does_not_hold_the_lease(
        self, store: JobStore, move: Move, number: int
    ) -> None:
        added(store, "a")
        (first,) = take(store)
        store.update(first.id, releasing(first))
        (held,) = take(store)

        forged = held._replace(lease_number=number)

        assert_refused(store, held, forged, move(forged, now=SOON), LeaseLost)

    @HOLDERS_MOVES
    @pytest.mark.parametrize("ended", [releasing, failing, completing])
    def test_who_forges_the_state_has_no_lease_back(self, store: JobStore, move: Move, ended: Move) -> None:
        added(store, "a")
        (held,) = take(store)
        now = store.update(held.id, ended(held))

        forged = held._replace(rev=now.rev)

        assert_refused(store, now, forged, move(forged, now=SOON), LeaseLost)

    @HOLDERS_MOVES
    def test_who_forges_the_state_of_a_cancelled_job_is_told_that_it_is_cancelled(
        self, store: JobStore, move: Move
    ) -> None:
        added(store, "a")
        (held,) = take(store)
        cancelled = store.update(held.id, cancelling)

        forged = held._replace(rev=cancelled.rev)

        assert_refused(store, cancelled, forged, move(forged, now=SOON), JobCancelled)

    @pytest.mark.parametrize(
        "lie",
        [
            {"state": State.PENDING, "worker_id": None, "lease_expires_at": None},
            {"lease_expires_at": START},
            {"state": State.FAILED, "available_at": START},
        ],
        ids=["it waits", "its lease is over", "its back-off is over"],
    )
    def test_a_running_job_is_not_claimed_by_a_copy_that_lies(self, store: JobStore, lie: dict[str, Any]) -> None:
        added(store, "a")
        (held,) = take(store)

        assert_refused(store, held, held._replace(**lie), claiming(BOB, now=SOON), NotClaimable)

    def test_a_failed_job_is_not_claimed_before_its_back_off_is_over(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        failed = store.update(held.id, failing(held))

        forged = failed._replace(available_at=START)

        assert_refused(store, failed, forged, claiming(BOB, now=START), NotClaimable)

    def test_a_copy_from_before_a_renewal_does_not_free_the_lease(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.apply([Transition(held, renewing(held, now=SOON))])

        assert_refused(store, store.get(held.id), held, claiming(BOB, now=AFTER_THE_LEASE), NotClaimable)

    @pytest.mark.parametrize("state", [State.FAILED, State.DEAD, State.CANCELLED, State.COMPLETED])
    def test_a_running_job_is_not_retried_by_a_copy_that_says_it_ended(self, store: JobStore, state: State) -> None:
        added(store, "a")
        (held,) = take(store)

        assert_refused(store, held, held._replace(state=state), retrying(), InvalidMove)

    def test_a_dead_job_without_a_result_is_not_restored_by_a_copy_that_has_one(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        dead = store.update(held.id, failing(held, NOT_A_PDF))

        forged = dead._replace(result='{"key":"outputs/other.zip"}')

        assert_refused(store, dead, forged, lambda job: lifecycle.restore(job, now=SOON), InvalidMove)

    def test_nobody_gets_more_attempts_than_the_job_has(self, store: JobStore) -> None:
        added(store, "a", max_attempts=1)
        (held,) = take(store)

        for forged in (held._replace(attempts=0), held._replace(max_attempts=9)):
            store.apply([Transition(forged, failing(held, now=SOON))])

        assert store.get(held.id).state is State.DEAD
        assert (store.get(held.id).attempts, store.get(held.id).max_attempts) == (1, 1)

    @pytest.mark.parametrize("attempts", [0, 2, 7])
    def test_attempts_are_counted_from_those_that_are_stored(self, store: JobStore, attempts: int) -> None:
        added(store, *"abc", max_attempts=5)
        released, retried, claimed = take(store, 3)
        retried = store.update(retried.id, failing(retried, NOT_A_PDF))
        claimed = store.update(claimed.id, releasing(claimed))

        store.apply(
            [
                Transition(released._replace(attempts=attempts), releasing(released)),
                Transition(retried._replace(attempts=attempts), retrying(reset_attempts=False)),
                Transition(claimed._replace(attempts=attempts), claiming(BOB)),
            ]
        )

        assert [store.get(job.id).attempts for job in (released, retried, claimed)] == [0, 1, 1]

    @pytest.mark.parametrize("others", [0, 1, 3, 12])
    def test_a_forged_copy_does_not_affect_the_rest_of_a_batch(self, store: JobStore, others: int) -> None:
        added(store, *(f"document {number}" for number in range(others + 1)))
        target, *rest = take(store, others + 1)
        forged = target._replace(worker_id=BOB)

        moved = store.apply([Transition(job, completing(job, now=SOON)) for job in (*rest, forged)]).outcomes

        assert [type(outcome) for outcome in moved] == [Job] * others + [LeaseLost]
        assert [store.get(job.id).state for job in rest] == [State.COMPLETED] * others
        assert store.get(target.id) == target

    def test_the_history_of_an_attempt_is_the_stored_one(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        a_year_ago = START - timedelta(days=365)

        store.apply([Transition(held._replace(started_at=a_year_ago), completing(held, now=SOON))])

        assert [attempt.started_at for attempt in store.history(held.id).attempts] == [START]

    @pytest.mark.parametrize("state", State)
    def test_no_word_of_a_copy_gets_into_the_job(self, store: JobStore, state: State) -> None:
        """Every transition gives the same of a job by its copy as of an equal one by a copy that lies."""
        count = len(LIES)
        jobs = _jobs_in(store, state, [f"document {number}" for number in range(2 * count * len(MOVES))])

        for start, (move, change) in zip(range(0, len(jobs), 2 * count), MOVES.items(), strict=True):
            honest, others = jobs[start : start + count], jobs[start + count : start + 2 * count]
            forged = [job._replace(**lie) for job, lie in zip(others, LIES.values(), strict=True)]
            told = [
                [_told(outcome) for outcome in store.apply([Transition(job, change) for job in copies]).outcomes]
                for copies in (honest, forged)
            ]

            assert dict(zip(LIES, told[1], strict=True)) == dict(zip(LIES, told[0], strict=True)), move
            assert _stored(store, others) == _stored(store, honest), move

    @pytest.mark.parametrize("state", [State.PENDING, State.RUNNING, State.FAILED])
    def test_a_job_that_only_the_copy_says_to_have_ended_is_not_forgotten(self, store: JobStore, state: State) -> None:
        (job,) = _jobs_in(store, state, ["a"])

        assert store.forget([job._replace(state=State.DEAD)]) == 0

        assert store.get(job.id) == job


def retrying(**facts: Any) -> Change:
    return lambda job: lifecycle.retry(job, now=SOON, **facts)


def assert_refused(store: JobStore, stored: Job, forged: Job, change: Change, error: type[BlobForgeError]) -> None:
    (outcome,) = store.apply([Transition(forged, change, (OUTPUT,))]).outcomes

    assert type(outcome) is error
    assert store.get(stored.id) == stored
    assert store.files(stored.id) == []


def _by_alice(move: Move, **facts: Any) -> Change:
    """Of the first claim: a change that knows by itself whose lease it needs."""

    def change(job: Job) -> Job:
        held = job._replace(worker_id=ALICE, lease_number=1)
        return move(held, now=SOON, **facts)(job)

    return change


def _declining(held: Job, *, now: Any) -> Change:
    needs = frozenset({"engine:marker"})
    return lambda job: lifecycle.decline(job, lease_of(held), needs=needs, failure=NOT_A_PDF, now=now)


MOVES: dict[str, Change] = {
    "claim": claiming(BOB, now=SOON),
    "complete": _by_alice(completing),
    "fail": _by_alice(failing),
    "die": _by_alice(failing, failure=NOT_A_PDF),
    "release": _by_alice(releasing),
    "renew": _by_alice(renewing),
    "decline": _by_alice(_declining),
    "cancel": lambda job: lifecycle.cancel(job, now=SOON),
    "requeue": lambda job: lifecycle.requeue(job, now=SOON),
    "abandon": lambda job: lifecycle.abandon(job, worker_id=ALICE, now=SOON),
    "reap": lambda job: lifecycle.reap(job, now=SOON),
    "retry": retrying(),
    "retry on": retrying(reset_attempts=False),
    "restore": lambda job: lifecycle.restore(job, now=SOON),
    "amend": lambda job: lifecycle.amend(job, metadata='{"options":{"engine":"marker"}}', now=SOON),
    "reprioritize": lambda job: lifecycle.reprioritize(job, priority=2, now=SOON),
}
LIES: dict[str, dict[str, Any]] = {
    **{f"it is {state}": {"state": state} for state in State},
    "the worker": {"worker_id": BOB},
    "no worker": {"worker_id": None},
    "the lease number": {"lease_number": 7},
    "an expired lease": {"lease_expires_at": START},
    "a long lease": {"lease_expires_at": START + 9 * LEASE},
    "no attempts": {"attempts": 0},
    "many attempts": {"attempts": 3},
    "a large budget": {"max_attempts": 9},
    "an end of waiting": {"available_at": START},
    "no end of waiting": {"available_at": None},
    "a start": {"started_at": START - LEASE},
    "a priority": {"priority": 2},
    "an order": {"metadata": '{"needs":["engine:docling"]}'},
    "no error": {"error_code": None, "last_error": None},
    "an error": {"error_code": "not_a_pdf", "last_error": "it is a web page"},
    "a result": {"result": '{"key":"outputs/other.zip"}'},
    "times": {"completed_at": START, "updated_at": START + timedelta(seconds=30)},
}


_ENDS: dict[State, Callable[[Job], Change]] = {
    State.FAILED: failing,
    State.DEAD: lambda job: failing(job, NOT_A_PDF),
    State.CANCELLED: lambda _: cancelling,
    State.COMPLETED: completing,
}


def _jobs_in(store: JobStore, state: State, names: list[str]) -> list[Job]:
    jobs = added(store, *names, metadata='{"options":{}}')
    if state is State.PENDING:
        return jobs
    taken = {job.id: job for job in take(store, len(names))}
    held = [taken[job.id] for job in jobs]
    if state is State.RUNNING:
        return held
    moved = store.apply([Transition(job, _ENDS[state](job)) for job in held]).outcomes
    return [job for job in moved if isinstance(job, Job)]


def _told(outcome: Job | BlobForgeError) -> object:
    return outcome.state if isinstance(outcome, Job) else type(outcome)


def _stored(store: JobStore, jobs: list[Job]) -> dict[str, Job]:
    """By the lie that is told of it, without what two equal jobs do not share."""
    found = {job.id: job for job in store.get_many([job.id for job in jobs])}
    equal = [found[job.id]._replace(id=JobId(0), source_hash=SourceHash(""), rev=0) for job in jobs]
    return dict(zip(LIES, equal, strict=True))
