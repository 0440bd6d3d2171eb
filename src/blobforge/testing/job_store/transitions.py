"""Transitions of many jobs and taking the next ones, in one step."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from blobforge.domain.errors import BlobForgeError, InvalidMove, JobCancelled, LeaseLost, NotFound
from blobforge.domain.ids import JobId
from blobforge.domain.job import Failure, Job, State
from blobforge.ports.job_store import Change, JobStore, Queue, Transition
from blobforge.testing.builders import BOB, a_job, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import (
    OUTPUT,
    PDFS,
    OpenStore,
    added,
    cancelling,
    claiming,
    completing,
    failing,
    releasing,
    renewing,
    take,
)

LATER = START + timedelta(seconds=30)


def states(outcomes: Sequence[Job | BlobForgeError]) -> list[object]:
    """The state of each job, the class of each error."""
    return [outcome.state if isinstance(outcome, Job) else type(outcome) for outcome in outcomes]


class TakingContract:
    def test_jobs_are_taken_by_priority_then_age_then_id(self, store: JobStore) -> None:
        added(store, "low", priority=4)
        added(store, "new", now=START + timedelta(seconds=1))
        added(store, "old", "old too")
        added(store, "urgent", priority=1)

        taken = take(store, 10)

        expected = ["urgent", "old", "old too", "new", "low"]
        assert [job.source_hash for job in taken] == [hash_of(name) for name in expected]

    def test_the_order_does_not_depend_on_what_was_added_first(self, store: JobStore) -> None:
        for age in (3, 1, 2):
            added(store, f"{age}", now=START + timedelta(milliseconds=age))

        taken = [job.source_hash for _ in range(3) for job in take(store)]

        assert taken == [hash_of("1"), hash_of("2"), hash_of("3")]

    def test_only_jobs_of_the_queue_are_taken(self, store: JobStore) -> None:
        added(store, "a")
        added(store, "b", project="other")
        added(store, "c", type="echo")

        assert [job.source_hash for job in take(store, 10, queue=Queue("other", ("pdf", "echo")))] == [hash_of("b")]
        assert [job.source_hash for job in take(store, 10, queue=Queue("default", ("echo",)))] == [hash_of("c")]
        assert take(store, 10, queue=Queue("default", ())) == []

    def test_jobs_of_several_types_are_claimed_in_one_order(self, store: JobStore) -> None:
        added(store, "second", type="echo", priority=2)
        added(store, "third", priority=3)
        added(store, "first", priority=1)

        taken = take(store, 2, queue=Queue("default", ("pdf", "echo")))

        assert [job.source_hash for job in taken] == [hash_of("first"), hash_of("second")]

    def test_no_more_than_the_limit_are_taken_and_running_ones_never(self, store: JobStore) -> None:
        added(store, *"abc")

        assert [len(take(store, limit)) for limit in (0, 2, 2, 2)] == [0, 2, 1, 0]

    def test_what_is_taken_is_written(self, store: JobStore) -> None:
        added(store, *"abc")

        taken = take(store, 3, worker_id=BOB)

        assert [job.worker_id for job in taken] == [BOB] * 3
        assert sorted(store.get_many([job.id for job in taken])) == sorted(taken)

    def test_a_job_that_take_refuses_stays_and_the_others_are_taken(self, store: JobStore) -> None:
        a, b, c = added(store, *"abc")

        def picky(job: Job) -> Job:
            if job.id == b.id:
                raise InvalidMove("not this one")
            return claiming()(job)

        taken = store.apply([], take=picky, queue=PDFS, limit=3).taken

        assert [job.id for job in taken] == [a.id, c.id]
        assert store.get(b.id) == b

    def test_a_job_that_take_leaves_unchanged_is_not_taken(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        assert store.apply([], take=lambda same: same, queue=PDFS, limit=1).taken == []
        assert store.get(job.id) == job

    def test_no_transitions_change_nothing(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        assert store.apply([]) == ([], [])
        assert store.apply([], queue=PDFS, limit=1) == ([], [])
        assert store.get(job.id) == job


class TransitionContract:
    def test_transitions_and_taking_happen_in_one_step(self, store: JobStore) -> None:
        added(store, *"abcd")
        held = take(store, 2)

        done = store.apply([Transition(job, completing(job)) for job in held], take=claiming(), queue=PDFS, limit=2)

        assert states(done.outcomes) == [State.COMPLETED] * 2
        assert [job.source_hash for job in done.taken] == [hash_of("c"), hash_of("d")]
        assert store.counts() == {("pdf", State.COMPLETED): 2, ("pdf", State.RUNNING): 2}

    def test_a_job_that_a_transition_frees_can_be_taken_in_the_same_step(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)

        done = store.apply([Transition(held, releasing(held))], take=claiming(BOB), queue=PDFS, limit=5)

        assert [(job.id, job.worker_id, job.lease_number) for job in done.taken] == [(held.id, BOB, 2)]
        assert store.get(held.id) == done.taken[0]

    def test_outcomes_are_in_the_order_of_the_transitions(self, store: JobStore) -> None:
        added(store, *"abcdefghij")
        held = take(store, 10)
        kinds: tuple[Callable[..., Change], ...] = (completing, failing, releasing, renewing, completing) * 2

        moved = store.apply(
            [Transition(job, kind(job, now=LATER)) for job, kind in zip(held, kinds, strict=True)]
        ).outcomes

        expected = [State.COMPLETED, State.FAILED, State.PENDING, State.RUNNING, State.COMPLETED] * 2
        assert states(moved) == expected
        assert [store.get(job.id) for job in held] == moved

    def test_a_thousand_transitions_are_one_step(self, store: JobStore) -> None:
        added(store, *(f"document {number}" for number in range(1_001)))
        held = take(store, 1_001)

        moved = store.apply([Transition(job, completing(job, now=LATER)) for job in held]).outcomes

        assert states(moved) == [State.COMPLETED] * 1_001
        assert store.counts() == {("pdf", State.COMPLETED): 1_001}

    def test_a_transition_that_changes_nothing_writes_nothing_and_returns_the_job(self, store: JobStore) -> None:
        (pending,) = added(store, "a")
        held = store.update(pending.id, claiming())

        moved = store.apply([Transition(pending, lambda same: same), Transition(held, lambda same: same)]).outcomes

        assert moved == [held, held]
        assert store.get(pending.id) == held

    def test_a_transition_of_a_stale_copy_is_applied_to_the_current_job(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        renewed = store.update(held.id, renewing(held, now=LATER))

        (moved,) = store.apply([Transition(held, completing(held))]).outcomes

        assert isinstance(moved, Job)
        assert moved.state is State.COMPLETED
        assert moved.rev > renewed.rev
        assert store.get(held.id) == moved

    def test_a_transition_that_only_the_stale_copy_forbids_is_applied(self, store: JobStore) -> None:
        (pending,) = added(store, "a")
        held = store.update(pending.id, claiming())

        (moved,) = store.apply([Transition(pending, completing(held))]).outcomes

        assert states([moved]) == [State.COMPLETED]

    def test_a_transition_that_only_the_stale_copy_allows_is_refused(self, store: JobStore) -> None:
        (pending,) = added(store, "a")
        held = store.update(pending.id, claiming())

        (moved,) = store.apply([Transition(pending, claiming(BOB))]).outcomes

        assert isinstance(moved, BlobForgeError)
        assert store.get(pending.id) == held

    def test_a_transition_that_raises_does_not_affect_the_others(self, store: JobStore) -> None:
        added(store, *"abc")
        a, b, c = take(store, 3)
        cancelled = store.update(b.id, cancelling)
        unknown = a_job(job_id=JobId(987_654))

        moves = [Transition(job, completing(job)) for job in (a, b, c)] + [Transition(unknown, cancelling)]
        moved = store.apply(moves).outcomes

        assert states(moved) == [State.COMPLETED, JobCancelled, State.COMPLETED, NotFound]
        assert [store.get(job.id).state for job in (a, b, c)] == [State.COMPLETED, State.CANCELLED, State.COMPLETED]
        assert store.get(b.id) == cancelled

    @pytest.mark.parametrize("others", [1, 4, 12, 600])
    def test_a_lost_lease_and_a_stale_copy_do_not_affect_the_rest_of_a_batch(
        self, store: JobStore, others: int
    ) -> None:
        added(store, *(f"document {number}" for number in range(others + 2)))
        lost, old, *rest = take(store, others + 2)
        store.update(lost.id, cancelling)
        store.update(old.id, renewing(old, now=LATER))

        moved = store.apply([Transition(job, completing(job)) for job in (*rest, lost, old)]).outcomes

        assert states(moved) == [State.COMPLETED] * others + [JobCancelled, State.COMPLETED]
        assert store.counts() == {("pdf", State.COMPLETED): others + 1, ("pdf", State.CANCELLED): 1}

    def test_a_lost_lease_and_a_stale_copy_do_not_affect_a_batch_of_different_endings(self, store: JobStore) -> None:
        added(store, *"abcdef")
        lost, old, *rest = take(store, 6)
        store.update(lost.id, cancelling)
        store.update(old.id, lambda job: job._replace(max_attempts=9))

        endings = [
            failing(job, Failure("timed_out", f"on page {job.id}", retryable=True)) for job in (*rest, lost, old)
        ]
        moved = store.apply(
            [Transition(job, end) for job, end in zip((*rest, lost, old), endings, strict=True)]
        ).outcomes

        assert states(moved) == [State.FAILED] * 4 + [JobCancelled, State.FAILED]
        assert [store.get(job.id).last_error for job in (*rest, old)] == [f"on page {job.id}" for job in (*rest, old)]
        assert store.get(old.id).max_attempts == 9
        for job in (*rest, old):
            assert [attempt.error for attempt in store.history(job.id).attempts] == [f"on page {job.id}"]
        assert [attempt.outcome for attempt in store.history(lost.id).attempts] == ["cancelled"]

    @pytest.mark.parametrize("times", [2, 8])
    def test_one_ending_repeated_in_one_call_happens_once(self, store: JobStore, times: int) -> None:
        added(store, "a")
        (held,) = take(store)
        complete = completing(held, now=LATER)

        moved = store.apply([Transition(held, complete, (OUTPUT,))] * times).outcomes

        assert states(moved) == [State.COMPLETED] + [LeaseLost] * (times - 1)
        assert [attempt.outcome for attempt in store.history(held.id).attempts] == ["completed"]
        assert store.files(held.id) == [OUTPUT]

    def test_transitions_of_one_job_in_one_call_are_applied_one_after_the_other(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        def more(seen: Job) -> Job:
            return seen._replace(max_attempts=seen.max_attempts + 1)

        store.apply([Transition(job, more)] * 7)

        assert store.get(job.id).max_attempts == job.max_attempts + 7

    def test_a_fault_in_a_transition_rolls_back_the_whole_step(self, open_store: OpenStore) -> None:
        added(open_store(), *"ab")
        a, b = take(open_store(), 2)

        with pytest.raises(ZeroDivisionError):
            open_store().apply([Transition(a, completing(a), (OUTPUT,)), Transition(b, _faulty)])

        assert_untouched(open_store(), a)

    def test_a_fault_leaves_no_trace_in_the_history_of_a_waiting_job(self, open_store: OpenStore) -> None:
        waiting, other = added(open_store(), *"ab")

        with pytest.raises(ZeroDivisionError):
            open_store().apply([Transition(waiting, cancelling, (OUTPUT,)), Transition(other, _faulty)])

        assert open_store().get(waiting.id) == waiting
        assert [event.kind for event in open_store().history(waiting.id).events] == ["submitted"]
        assert open_store().files(waiting.id) == []

    def test_a_fault_in_take_rolls_back_the_whole_step(self, open_store: OpenStore) -> None:
        added(open_store(), *"ab")
        (held,) = take(open_store())

        with pytest.raises(ZeroDivisionError):
            open_store().apply([Transition(held, completing(held), (OUTPUT,))], take=_faulty, queue=PDFS, limit=1)

        assert_untouched(open_store(), held)


def _faulty(_: Job) -> Job:
    raise ZeroDivisionError("a fault, not an error of ours")


def assert_untouched(store: JobStore, held: Job) -> None:
    assert store.get(held.id) == held
    assert store.files(held.id) == []
    assert [event.kind for event in store.history(held.id).events] == ["submitted", "claimed"]
