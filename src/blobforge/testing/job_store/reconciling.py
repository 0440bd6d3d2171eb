"""Reconciling: a consistent store has no inconsistencies."""

from datetime import timedelta

from blobforge.domain import lifecycle
from blobforge.domain.job import State
from blobforge.ports.job_store import JobFilter, JobStore, Transition
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import (
    OpenStore,
    added,
    cancelling,
    completing,
    failing,
    reap_due,
    releasing,
    take,
)

MUCH_LATER = START + timedelta(days=1)


class ReconcilingContract:
    def test_a_consistent_store_has_nothing_to_reconcile(self, open_store: OpenStore) -> None:
        """R0-57."""
        store = open_store()
        jobs_in_all_states(store)

        assert store.reconcile(dry_run=True) == []
        assert store.reconcile(dry_run=False) == []
        assert open_store().reconcile(dry_run=False) == []

    def test_reconciling_a_consistent_store_changes_no_job(self, store: JobStore) -> None:
        jobs_in_all_states(store)
        before = store.page(JobFilter())

        store.reconcile(dry_run=False)

        assert store.page(JobFilter()) == before

    def test_jobs_that_went_through_all_states_leave_nothing_behind(self, store: JobStore) -> None:
        added(store, *"abc")
        again, late, done = take(store, 3)
        store.apply([Transition(again, failing(again)), Transition(done, completing(done))])
        reap_due(store, MUCH_LATER)
        store.update(done.id, lambda job: lifecycle.retry(job, now=MUCH_LATER))
        for job in take(store, 3):
            store.apply([Transition(job, completing(job))])

        assert store.get(late.id).state is State.COMPLETED
        assert store.reconcile(dry_run=True) == []


def jobs_in_all_states(store: JobStore) -> None:
    """Each by its own transitions; one was forgotten, and one has another priority than at first."""
    added(store, *(f"document {number}" for number in range(9)))
    held = take(store, 8)
    completed, failed, dead, cancelled, released, forgotten, retried, _running = held
    store.apply(
        [
            Transition(completed, completing(completed)),
            Transition(failed, failing(failed)),
            Transition(cancelled, cancelling),
            Transition(released, releasing(released)),
            Transition(retried, completing(retried)),
        ]
    )
    for job in (dead, forgotten):
        store.update(job.id, lambda job: job._replace(state=State.DEAD, worker_id=None, lease_expires_at=None))
    store.forget([store.get(forgotten.id)])
    store.update(retried.id, lambda job: lifecycle.retry(job, now=START))
    store.update(released.id, lambda job: lifecycle.reprioritize(job, priority=1, now=START))
