"""The reaper's part of a store: expired leases, and back-offs that are over."""

from datetime import timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import InvalidMove
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import JobStore, Transition
from blobforge.testing.builders import BOB, LEASE, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import (
    WAIT,
    added,
    cancelling,
    claiming,
    completing,
    failing,
    reap_due,
    reaping,
    releasing,
    renewing,
    take,
)

HALF_TIME = START + LEASE / 2
LATE = START + LEASE
MUCH_LATER = START + timedelta(days=1)


class DueContract:
    def test_a_lease_that_ran_out_is_due(self, store: JobStore) -> None:
        added(store, *"ab")
        (a,) = take(store)

        assert reap_due(store, LATE - timedelta(microseconds=1)) == []
        (freed,) = reap_due(store, LATE)

        assert freed.id == a.id
        assert freed.state is State.PENDING
        assert store.get(a.id) == freed
        assert reap_due(store, LATE) == []

    def test_a_renewed_lease_is_due_at_its_new_end(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.apply([Transition(held, renewing(held, now=HALF_TIME))])

        assert reap_due(store, LATE) == []
        assert reap_due(store, LATE) == []
        assert len(reap_due(store, HALF_TIME + LEASE)) == 1

    def test_the_renewal_of_an_earlier_lease_does_not_count_for_the_next(self, store: JobStore) -> None:
        added(store, "a")
        (first,) = take(store)
        store.apply([Transition(first, renewing(first, now=LATE))])
        store.apply([Transition(first, releasing(first))])
        second = store.update(first.id, claiming(BOB))

        assert store.get(first.id) == second
        assert [job.lease_number for job in reap_due(store, LATE)] == [2]

    def test_every_lease_of_a_job_can_be_renewed(self, store: JobStore) -> None:
        added(store, "a")
        for _ in range(2):
            (held,) = take(store)
            (renewed,) = store.apply([Transition(held, renewing(held, now=HALF_TIME))]).outcomes

            assert store.get(held.id) == renewed
            assert reap_due(store, LATE) == []
            store.apply([Transition(held, releasing(held))])

    def test_renewed_leases_do_not_hide_one_that_ran_out(self, store: JobStore) -> None:
        added(store, *"abc")
        *renewed, lost = take(store, 3)
        store.apply([Transition(job, renewing(job, now=HALF_TIME)) for job in renewed])

        freed = [job for _ in range(3) for job in reap_due(store, LATE, limit=1)]

        assert [job.id for job in freed] == [lost.id]

    def test_a_failed_job_is_due_when_its_back_off_is_over(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.update(held.id, failing(held))

        assert take(store) == []
        assert reap_due(store, START + WAIT.first - timedelta(microseconds=1)) == []
        assert [job.state for job in reap_due(store, START + WAIT.first)] == [State.PENDING]
        assert len(take(store)) == 1

    def test_what_has_ended_is_never_due(self, store: JobStore) -> None:
        added(store, *"abcd")
        a, b, c, d = take(store, 4)
        store.apply(
            [
                Transition(a, completing(a)),
                Transition(b, cancelling),
                Transition(c, releasing(c)),
                Transition(d, failing(d)),
            ]
        )
        store.update(d.id, cancelling)

        assert reap_due(store, MUCH_LATER) == []

    def test_a_job_that_was_claimed_again_is_due_at_the_end_of_its_new_lease(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.apply([Transition(held, releasing(held, now=HALF_TIME))])
        store.update(held.id, claiming(now=HALF_TIME))

        assert reap_due(store, LATE) == []
        assert [job.lease_number for job in reap_due(store, HALF_TIME + LEASE)] == [2]

    def test_a_retried_job_waits_no_longer(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.update(held.id, failing(held))
        store.update(held.id, lambda job: lifecycle.retry(job, now=START))

        assert reap_due(store, MUCH_LATER) == []
        assert len(take(store)) == 1

    def test_the_earliest_come_first_and_no_more_than_the_limit(self, store: JobStore) -> None:
        jobs = added(store, *"abc")
        for seconds, job in zip((30, 10, 20), jobs, strict=True):
            store.update(job.id, claiming(now=START + timedelta(seconds=seconds)))

        freed = reap_due(store, MUCH_LATER, limit=2)

        assert [job.source_hash for job in freed] == [hash_of("b"), hash_of("c")]

    def test_an_expired_lease_after_renewed_ones_is_found_in_the_same_sweep(self, store: JobStore) -> None:
        added(store, *"abc")
        *renewed, lost = take(store, 3)
        store.apply([Transition(job, renewing(job, now=HALF_TIME)) for job in renewed])

        assert [job.id for job in reap_due(store, LATE, limit=1)] == [lost.id]

    def test_a_sweep_past_renewed_leases_keeps_to_the_limit(self, store: JobStore) -> None:
        jobs = added(store, *"abcd")
        for seconds, job in enumerate(jobs):
            store.update(job.id, claiming(now=START + timedelta(seconds=seconds)))
        renewed = store.get(jobs[1].id)
        store.apply([Transition(renewed, renewing(renewed, now=LATE))])

        freed = reap_due(store, LATE + timedelta(seconds=10), limit=2)

        assert [job.id for job in freed] == [jobs[0].id, jobs[2].id]

    def test_many_that_are_due_come_in_portions(self, store: JobStore) -> None:
        added(store, *(f"document {number}" for number in range(250)))
        take(store, 250)

        portions = [len(reap_due(store, LATE, limit=100)) for _ in range(4)]

        assert portions == [100, 100, 50, 0]

    def test_a_job_that_the_change_refuses_is_left_out(self, store: JobStore) -> None:
        added(store, *"ab")
        refused, freed = take(store, 2)

        def picky(job: Job) -> Job:
            if job.id == refused.id:
                raise InvalidMove("not this one")
            return reaping(LATE)(job)

        changed = store.update_due(picky, now=LATE, limit=10)

        assert [job.id for job in changed] == [freed.id]
        assert store.get(refused.id) == refused

    def test_a_job_that_the_change_leaves_as_it_is_stays_due(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)

        assert store.update_due(lambda job: job, now=LATE, limit=10) == []

        assert store.get(held.id) == held
        assert [job.id for job in reap_due(store, LATE)] == [held.id]

    def test_a_fault_in_the_middle_rolls_back_the_whole_sweep(self, store: JobStore) -> None:
        added(store, *"ab")
        first, second = take(store, 2)

        def faulty(job: Job) -> Job:
            if job.id == second.id:
                raise ZeroDivisionError("a fault, not an error of ours")
            return reaping(LATE)(job)

        with pytest.raises(ZeroDivisionError):
            store.update_due(faulty, now=LATE, limit=10)

        assert [store.get(job.id) for job in (first, second)] == [first, second]
        assert store.history(first.id).attempts == []
