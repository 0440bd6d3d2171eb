"""What people do to many jobs at once: retry them, or let them leave for good."""

import pytest

from blobforge.domain.errors import InvalidMove, NotFound
from blobforge.domain.job import Job, State
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.coordinator.steps import PDFS, brought_to, submitted


class SteeringManyContract:
    def test_many_jobs_are_retried_with_their_whole_budget(self, coordinator: Coordinator) -> None:
        """R2-26."""
        jobs = [brought_to(coordinator, state) for state in (State.DEAD, State.FAILED)]

        outcomes = coordinator.retry_unchanged(jobs)

        assert outcomes == [coordinator.get(job.id) for job in jobs]
        assert [(job.state, job.attempts) for job in outcomes if isinstance(job, Job)] == [(State.PENDING, 0)] * 2
        assert len(coordinator.claim(PDFS, worker_id=ALICE, limit=5)) == 2
        assert coordinator.retry_unchanged([]) == []

    def test_a_job_that_changed_since_is_not_retried_again(self, coordinator: Coordinator) -> None:
        dead, failed = (brought_to(coordinator, state) for state in (State.DEAD, State.FAILED))
        coordinator.retry(dead.id)
        cancelled = coordinator.cancel(dead.id)

        refused, retried = coordinator.retry_unchanged([dead, failed])

        assert isinstance(refused, InvalidMove)
        assert str(refused) == f"job {dead.id}: it has changed meanwhile; it is cancelled"
        assert coordinator.get(dead.id) == cancelled
        assert isinstance(retried, Job)

    @pytest.mark.parametrize("state", [State.PENDING, State.RUNNING])
    def test_a_job_that_waits_or_runs_is_not_retried(self, coordinator: Coordinator, state: State) -> None:
        job = brought_to(coordinator, state)

        (refused,) = coordinator.retry_unchanged([job])

        assert isinstance(refused, InvalidMove)
        assert coordinator.get(job.id) == job

    def test_a_dead_job_leaves_for_good_and_may_be_submitted_anew(self, coordinator: Coordinator) -> None:
        """R2-27."""
        dead = brought_to(coordinator, State.DEAD)

        assert coordinator.forget_dead([dead]) == 1

        with pytest.raises(NotFound):
            coordinator.get(dead.id)
        (entry,) = coordinator.submit([new_job("a job that is dead")])
        assert (entry.created, entry.job.source_hash) == (True, hash_of("a job that is dead"))
        assert coordinator.history(entry.job.id).attempts == []

    @pytest.mark.parametrize("state", sorted(set(State) - {State.DEAD}))
    def test_a_job_that_is_not_dead_stays(self, coordinator: Coordinator, state: State) -> None:
        job = brought_to(coordinator, state)

        assert coordinator.forget_dead([job]) == 0

        assert coordinator.page(JobFilter()) == [job]

    def test_a_dead_job_that_was_retried_meanwhile_stays(self, coordinator: Coordinator) -> None:
        dead = brought_to(coordinator, State.DEAD)
        (other,) = submitted(coordinator, "b")
        retried = coordinator.retry(dead.id)

        assert coordinator.forget_dead([dead]) == 0

        assert sorted(coordinator.page(JobFilter())) == sorted([retried, other])
