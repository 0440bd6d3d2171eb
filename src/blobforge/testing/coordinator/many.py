"""What people do to many jobs at once: retry them, or let them leave for good."""

import pytest

from blobforge.domain.endings import Completed, Failed
from blobforge.domain.errors import ChangedMeanwhile, InvalidMove, InvalidValue, NotFound
from blobforge.domain.job import Job, State, title
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.coordinator.steps import NOT_A_PDF, PDFS, UNKNOWN, brought_to, outcome_of, submitted


class SteeringManyContract:
    def test_many_jobs_are_cancelled_in_one_step(self, coordinator: Coordinator) -> None:
        states = (State.PENDING, State.COMPLETED, State.RUNNING, State.CANCELLED)
        pending, completed, running, cancelled = (brought_to(coordinator, state) for state in states)
        ids = [pending.id, completed.id, UNKNOWN, running.id, cancelled.id]

        first, refused, unknown, last, again = coordinator.cancel_many(ids)

        assert first == coordinator.get(pending.id)
        assert last == coordinator.get(running.id)
        assert again == coordinator.get(cancelled.id) == cancelled
        assert [coordinator.get(job.id).state for job in (pending, running)] == [State.CANCELLED] * 2
        assert isinstance(refused, InvalidMove)
        assert coordinator.get(completed.id) == completed
        assert isinstance(unknown, NotFound)
        assert coordinator.cancel_many([]) == []

    def test_a_job_that_is_named_twice_is_steered_once(self, coordinator: Coordinator) -> None:
        job = brought_to(coordinator, State.DEAD)

        first, second = coordinator.retry_many([job.id, job.id])

        assert first == second == coordinator.get(job.id)

    def test_many_jobs_are_retried_by_their_ids_with_another_priority(self, coordinator: Coordinator) -> None:
        jobs = [brought_to(coordinator, state) for state in (State.DEAD, State.FAILED, State.PENDING)]

        *retried, refused = coordinator.retry_many([job.id for job in jobs], reset_attempts=False, priority=1)

        found = [coordinator.get(job.id) for job in jobs]
        assert retried == found[:2]
        assert [(job.state, job.attempts, job.priority) for job in found[:2]] == [(State.PENDING, 1, 1)] * 2
        assert isinstance(refused, InvalidMove)
        assert found[2] == jobs[2]

    def test_a_priority_that_is_none_retries_nobody(self, coordinator: Coordinator) -> None:
        job = brought_to(coordinator, State.DEAD)

        with pytest.raises(InvalidValue):
            coordinator.retry_many([job.id], priority=9)

        assert coordinator.get(job.id) == job

    def test_only_those_are_steered_that_are_still_what_was_wanted(self, coordinator: Coordinator) -> None:
        dead, failed = (brought_to(coordinator, state) for state in (State.DEAD, State.FAILED))
        ids, wanted = [dead.id, failed.id], JobFilter(project="default", state=State.DEAD, code=NOT_A_PDF.code)

        retried, refused = coordinator.retry_many(ids, still=wanted)
        outcomes = coordinator.cancel_many(ids, still=wanted._replace(state=State.FAILED, code=None, type="pdf"))

        assert retried == coordinator.get(dead.id)
        assert isinstance(refused, ChangedMeanwhile)
        assert str(refused) == f"{title(failed)}: it has changed meanwhile; it is failed"
        assert isinstance(outcomes[0], ChangedMeanwhile)
        assert outcomes[1] == coordinator.get(failed.id)
        assert [coordinator.get(job_id).state for job_id in ids] == [State.PENDING, State.CANCELLED]

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
        assert str(refused) == f"{title(dead)}: it has changed meanwhile; it is cancelled"
        assert coordinator.get(dead.id) == cancelled
        assert isinstance(retried, Job)

    @pytest.mark.parametrize("state", [State.PENDING, State.RUNNING])
    def test_a_job_that_waits_or_runs_is_not_retried(self, coordinator: Coordinator, state: State) -> None:
        job = brought_to(coordinator, state)

        (refused,) = coordinator.retry_unchanged([job])

        assert isinstance(refused, InvalidMove)
        assert coordinator.get(job.id) == job

    @pytest.mark.parametrize("state", sorted(set(State) - {State.RUNNING}))
    def test_a_job_gets_another_order_and_runs_by_it(self, coordinator: Coordinator, state: State) -> None:
        job = brought_to(coordinator, state)

        (waiting,) = coordinator.reprocess([job], lambda seen: f'{{"options":{{"of":"{seen.source_hash}"}}}}')
        (held,) = coordinator.claim(PDFS, worker_id=ALICE)

        assert isinstance(waiting, Job)
        assert (waiting.state, waiting.attempts, waiting.result) == (State.PENDING, 0, job.result)
        assert held.metadata == waiting.metadata == f'{{"options":{{"of":"{job.source_hash}"}}}}'

    def test_a_job_that_runs_or_changed_since_keeps_its_order(self, coordinator: Coordinator) -> None:
        running, dead = brought_to(coordinator, State.RUNNING), brought_to(coordinator, State.DEAD)
        coordinator.retry(dead.id)

        outcomes = coordinator.reprocess([running, dead], lambda _: '{"options":{"other":1}}')

        assert [type(outcome) for outcome in outcomes] == [InvalidMove, ChangedMeanwhile]
        assert {coordinator.get(job.id).metadata for job in (running, dead)} == {running.metadata}

    def test_a_dead_job_leaves_for_good_and_may_be_submitted_anew(self, coordinator: Coordinator) -> None:
        """R2-27."""
        dead = brought_to(coordinator, State.DEAD)

        assert coordinator.clear_dead([dead]) == (1, 0)

        with pytest.raises(NotFound):
            coordinator.get(dead.id)
        (entry,) = coordinator.submit([new_job("a job that is dead")])
        assert (entry.created, entry.job.source_hash) == (True, hash_of("a job that is dead"))
        assert coordinator.history(entry.job.id).attempts == []

    @pytest.mark.parametrize("state", sorted(set(State) - {State.DEAD}))
    def test_a_job_that_is_not_dead_stays(self, coordinator: Coordinator, state: State) -> None:
        job = brought_to(coordinator, state)

        assert coordinator.clear_dead([job]) == (0, 0)

        assert coordinator.page(JobFilter()) == [job]

    def test_a_dead_job_that_was_retried_meanwhile_stays(self, coordinator: Coordinator) -> None:
        dead = brought_to(coordinator, State.DEAD)
        (other,) = submitted(coordinator, "b")
        retried = coordinator.retry(dead.id)

        assert coordinator.clear_dead([dead]) == (0, 0)

        assert sorted(coordinator.page(JobFilter())) == sorted([retried, other])

    def test_a_dead_job_with_a_result_from_before_goes_back_to_it(self, coordinator: Coordinator) -> None:
        """R0-31: a document that has its result is not queued again."""
        published = brought_to(coordinator, State.COMPLETED)
        dead = rerun_to_death(coordinator, published)

        assert coordinator.clear_dead([dead]) == (0, 1)

        restored = coordinator.get(dead.id)
        assert (restored.state, restored.result, restored.completed_at) == (
            *(State.COMPLETED, published.result, published.completed_at),
        )
        assert (restored.error_code, restored.last_error, restored.worker_id) == (None, None, None)
        assert coordinator.counts() == {("pdf", State.COMPLETED): 1}
        assert coordinator.page(JobFilter(state=State.DEAD)) == []
        (entry,) = coordinator.submit([new_job("a job that is completed")])
        assert (entry.created, entry.job) == (False, restored)
        assert coordinator.claim(PDFS, worker_id=ALICE) == []

    def test_a_restored_job_has_that_in_its_history_and_can_run_again(self, coordinator: Coordinator) -> None:
        dead = rerun_to_death(coordinator, brought_to(coordinator, State.COMPLETED))
        coordinator.clear_dead([dead])

        kinds = [event.kind for event in coordinator.history(dead.id).events]
        coordinator.retry(dead.id)
        (held,) = coordinator.claim(PDFS, worker_id=ALICE)
        outcome_of(coordinator, Completed(held, '{"new":true}'))

        assert kinds[-4:] == ["retried", "claimed", "died", "restored"]
        assert coordinator.get(dead.id).result == '{"new":true}'

    def test_a_dead_job_with_a_result_that_was_retried_meanwhile_stays(self, coordinator: Coordinator) -> None:
        dead = rerun_to_death(coordinator, brought_to(coordinator, State.COMPLETED))
        retried = coordinator.retry(dead.id)

        assert coordinator.clear_dead([dead]) == (0, 0)

        assert coordinator.page(JobFilter()) == [retried]


def rerun_to_death(coordinator: Coordinator, published: Job) -> Job:
    """Of a completed job: a new run, which cannot succeed."""
    (held,) = coordinator.claim_exactly([coordinator.retry(published.id)], worker_id=ALICE)
    dead = outcome_of(coordinator, Failed(held, NOT_A_PDF))
    assert isinstance(dead, Job)
    return dead
