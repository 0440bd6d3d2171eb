"""What people do: submit, cancel, retry, reprioritise, and read."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from blobforge.domain.endings import Completed
from blobforge.domain.errors import (
    ChangedMeanwhile,
    InvalidMove,
    InvalidSettings,
    InvalidValue,
    JobCancelled,
    LeaseLost,
    NotFound,
)
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.testing.builders import ALICE, BOB, hash_of, new_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.steps import OUTPUT, PDFS, UNKNOWN, brought_to, claimed, outcome_of, submitted

STEERING: dict[str, Callable[[Coordinator, JobId], object]] = {
    "cancel": lambda coordinator, job_id: coordinator.cancel(job_id),
    "requeue": lambda coordinator, job_id: coordinator.requeue(job_id),
    "retry": lambda coordinator, job_id: coordinator.retry(job_id),
    "reprioritize": lambda coordinator, job_id: coordinator.reprioritize(job_id, priority=1),
    "amend": lambda coordinator, job_id: coordinator.amend(job_id, metadata="[]"),
}
ALLOWED = {
    "cancel": {State.PENDING, State.RUNNING, State.FAILED, State.CANCELLED},
    "requeue": {State.RUNNING},
    "retry": {State.FAILED, State.DEAD, State.CANCELLED, State.COMPLETED},
    "reprioritize": {State.PENDING, State.FAILED},
    "amend": {State.PENDING, State.FAILED},
}


class SubmittingContract:
    def test_each_job_has_its_entry_in_order(self, coordinator: Coordinator, clock: FakeClock) -> None:
        (known,) = submitted(coordinator, "b")
        now = clock.advance(minutes=1)

        entries = coordinator.submit([new_job(name, priority=2, tags='["x"]') for name in "abc"])

        assert [entry.created for entry in entries] == [True, False, True]
        assert [entry.job.source_hash for entry in entries] == [hash_of(name) for name in "abc"]
        assert entries[1].job == known
        assert (entries[0].job.state, entries[0].job.created_at, entries[0].job.priority) == (State.PENDING, now, 2)
        assert coordinator.submit([]) == []

    def test_submitting_a_running_job_again_does_not_change_it(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")

        (entry,) = coordinator.submit([new_job("a", priority=1)])

        assert entry == (held, False)

    @pytest.mark.parametrize("facts", [{"priority": 0}, {"priority": 6}, {"max_attempts": 0}], ids=str)
    def test_an_invalid_job_is_refused_with_all_of_its_batch(
        self, coordinator: Coordinator, facts: dict[str, Any]
    ) -> None:
        with pytest.raises(InvalidValue):
            coordinator.submit([new_job("a"), new_job("b", **facts)])

        assert coordinator.counts() == {}


CONDITIONAL: dict[str, Callable[[Coordinator, JobId, int], Job]] = {
    "cancel": lambda coordinator, job_id, rev: coordinator.cancel(job_id, rev=rev),
    "retry": lambda coordinator, job_id, rev: coordinator.retry(job_id, rev=rev),
    "reprioritize": lambda coordinator, job_id, rev: coordinator.reprioritize(job_id, priority=1, rev=rev),
}


class SteeringContract:
    @pytest.mark.parametrize("name", CONDITIONAL)
    def test_a_job_is_steered_while_it_is_as_somebody_saw_it(self, coordinator: Coordinator, name: str) -> None:
        seen = brought_to(coordinator, State.FAILED)
        now = coordinator.reprioritize(seen.id, priority=4)

        with pytest.raises(ChangedMeanwhile, match=rf"job #{seen.id} \(.+\): it has changed meanwhile; it is failed"):
            CONDITIONAL[name](coordinator, seen.id, seen.rev)
        assert coordinator.get(seen.id) == now

        assert CONDITIONAL[name](coordinator, seen.id, now.rev) == coordinator.get(seen.id) != now

    @pytest.mark.parametrize("state", State)
    @pytest.mark.parametrize("name", STEERING)
    def test_a_job_is_steered_in_the_states_that_allow_it(
        self, coordinator: Coordinator, name: str, state: State
    ) -> None:
        job = brought_to(coordinator, state)

        if state in ALLOWED[name]:
            assert STEERING[name](coordinator, job.id) == coordinator.get(job.id)
        else:
            with pytest.raises(InvalidMove, match=rf"job #{job.id} \(.+\): it is {state}"):
                STEERING[name](coordinator, job.id)
            assert coordinator.get(job.id) == job

    @pytest.mark.parametrize("name", STEERING)
    def test_an_unknown_job_is_not_found(self, coordinator: Coordinator, name: str) -> None:
        with pytest.raises(NotFound, match="987654"):
            STEERING[name](coordinator, UNKNOWN)

    def test_a_worker_finds_its_cancelled_job_gone(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")

        cancelled = coordinator.cancel(held.id)

        assert (cancelled.state, cancelled.worker_id) == (State.CANCELLED, None)
        assert isinstance(outcome_of(coordinator, Completed(held, "{}")), JobCancelled)
        assert coordinator.claim(PDFS, worker_id=ALICE) == []

    def test_a_requeued_job_is_free_with_its_attempt_and_its_worker_finds_it_gone(
        self, coordinator: Coordinator
    ) -> None:
        """R2-29."""
        (held,) = claimed(coordinator, "a")

        free = coordinator.requeue(held.id)
        (again,) = coordinator.claim(PDFS, worker_id=BOB)

        assert (free.state, free.worker_id, free.attempts) == (State.PENDING, None, 0)
        assert isinstance(outcome_of(coordinator, Completed(held, "{}")), LeaseLost)
        assert (again.attempts, coordinator.get(held.id)) == (1, again)

    @pytest.mark.parametrize("state", sorted(ALLOWED["retry"]))
    def test_a_retried_job_can_be_claimed_at_once_with_its_whole_budget(
        self, coordinator: Coordinator, state: State
    ) -> None:
        job = brought_to(coordinator, state)

        retried = coordinator.retry(job.id)
        (held,) = coordinator.claim(PDFS, worker_id=ALICE)

        assert (retried.state, retried.attempts, retried.available_at) == (State.PENDING, 0, None)
        assert (held.id, held.attempts, held.lease_number) == (job.id, 1, job.lease_number + 1)

    def test_a_retry_may_keep_the_count_and_bring_another_order(self, coordinator: Coordinator) -> None:
        job = brought_to(coordinator, State.DEAD)

        retried = coordinator.retry(job.id, reset_attempts=False, priority=1, metadata='{"engine":"x"}')

        assert (retried.attempts, retried.priority, retried.metadata) == (1, 1, '{"engine":"x"}')

    def test_a_retry_that_keeps_the_count_of_a_spent_budget_has_one_attempt_left(
        self, coordinator: Coordinator
    ) -> None:
        submitted(coordinator, "a")
        for _ in range(3):
            coordinator.claim(PDFS, worker_id=ALICE)
            (dead,) = coordinator.expire_worker(ALICE)

        retried = coordinator.retry(dead.id, reset_attempts=False)
        (held,) = coordinator.claim(PDFS, worker_id=ALICE)

        assert (dead.state, retried.attempts, held.attempts) == (State.DEAD, 2, 3)

    def test_the_old_lease_of_a_retried_job_stays_lost(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")
        coordinator.end([Completed(held, '{"first":1}')])
        coordinator.retry(held.id)
        (again,) = coordinator.claim(PDFS, worker_id=ALICE)

        assert isinstance(outcome_of(coordinator, Completed(held, '{"late":1}')), LeaseLost)
        assert coordinator.get(held.id) == again

    def test_a_job_can_be_put_before_others(self, coordinator: Coordinator) -> None:
        _, b = submitted(coordinator, *"ab")

        assert coordinator.reprioritize(b.id, priority=1).priority == 1

        assert [job.id for job in coordinator.claim(PDFS, worker_id=ALICE)] == [b.id]

    def test_a_priority_that_is_none_is_refused(self, coordinator: Coordinator) -> None:
        pending, dead = (brought_to(coordinator, state) for state in (State.PENDING, State.DEAD))

        with pytest.raises(InvalidValue):
            coordinator.reprioritize(pending.id, priority=6)
        with pytest.raises(InvalidValue):
            coordinator.retry(dead.id, priority=0)

        assert coordinator.get(pending.id) == pending
        assert coordinator.get(dead.id) == dead

    def test_a_waiting_job_can_get_another_order(self, coordinator: Coordinator) -> None:
        (job,) = submitted(coordinator, "a")

        coordinator.amend(job.id, metadata='{"engine":"x"}')
        (held,) = coordinator.claim(PDFS, worker_id=ALICE)

        assert held.metadata == '{"engine":"x"}'


class PausingCoordinatorContract:
    """`can_pause` is False where claims ask nobody."""

    can_pause: ClassVar[bool] = True

    def test_jobs_of_a_paused_type_wait_until_it_is_resumed(self, coordinator: Coordinator, clock: FakeClock) -> None:
        if not self.can_pause:
            with pytest.raises(InvalidSettings, match="cannot be paused"):
                coordinator.pause("default", "pdf", by="local:alice")
            assert coordinator.pauses(project="default") == []
            return
        submitted(coordinator, "a")
        now = clock.now()

        pause = coordinator.pause("default", "pdf", by="local:alice")

        assert pause[:3] == ("default", "pdf", now)
        assert coordinator.pauses(project="default") == coordinator.pauses() == [pause]
        assert coordinator.pauses(project="theirs") == []
        assert coordinator.claim(PDFS, worker_id=ALICE) == []
        # What runs ends as ever, and the other types go on.
        (echo,) = submitted(coordinator, "b", type="echo")
        (held,) = coordinator.claim(Queue("default", ("pdf", "echo")), worker_id=ALICE, limit=5)
        assert held.id == echo.id
        assert isinstance(outcome_of(coordinator, Completed(held, "{}")), Job)

        assert coordinator.resume("default", "pdf") == pause
        assert coordinator.resume("default", "pdf") is None
        assert len(coordinator.claim(PDFS, worker_id=ALICE)) == 1

    def test_a_pause_keeps_nobody_from_jobs_that_are_claimed_exactly(self, coordinator: Coordinator) -> None:
        if self.can_pause:
            (job,) = submitted(coordinator, "a")
            coordinator.pause("default", "pdf", by="local:alice")

            (held,) = coordinator.claim_exactly([job], worker_id=ALICE)

            assert held.id == job.id


class CoordinatorReadingContract:
    def test_jobs_are_found_by_id_key_and_hash(self, coordinator: Coordinator) -> None:
        a, b = submitted(coordinator, *"ab")

        assert coordinator.get(a.id) == a
        assert sorted(coordinator.get_many([a.id, b.id, UNKNOWN])) == [a, b]
        assert coordinator.find([a.key, new_job("c").key]) == {a.key: a}
        assert coordinator.find_by_prefix(b.source_hash[:10], project="default") == [b]
        with pytest.raises(NotFound, match="987654"):
            coordinator.get(UNKNOWN)

    def test_jobs_are_paged_and_counted(self, coordinator: Coordinator) -> None:
        jobs = submitted(coordinator, *(f"document {number}" for number in range(60)))
        coordinator.claim(PDFS, worker_id=ALICE, limit=3)

        page = coordinator.page(JobFilter(state=State.PENDING))
        rest = coordinator.page(JobFilter(state=State.PENDING), after=page[-1].id)

        assert [job.id for job in page + rest] == [job.id for job in reversed(jobs[3:])]
        assert len(page) == 50
        assert coordinator.counts() == {("pdf", State.PENDING): 57, ("pdf", State.RUNNING): 3}
        assert coordinator.counts(project="other") == {}

    def test_a_job_has_its_history(self, coordinator: Coordinator) -> None:
        job = brought_to(coordinator, State.DEAD)
        coordinator.retry(job.id)

        history = coordinator.history(job.id)

        assert [event.kind for event in history.events] == ["submitted", "claimed", "died", "retried"]
        assert [attempt.error_code for attempt in history.attempts] == ["not_a_pdf"]
        with pytest.raises(NotFound):
            coordinator.history(UNKNOWN)

    def test_files_are_added_to_a_job_of_any_state(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")
        source, more = OUTPUT._replace(key="sources/a.pdf"), OUTPUT._replace(key="outputs/more.zip")

        coordinator.record_files(held.id, [source])
        coordinator.end([Completed(held, "{}", (OUTPUT,))])
        coordinator.record_files(held.id, [more])

        assert coordinator.files(held.id) == [source, OUTPUT, more]
        assert isinstance(coordinator.get(held.id), Job)
        with pytest.raises(NotFound):
            coordinator.record_files(UNKNOWN, [source])
        assert coordinator.files(UNKNOWN) == []

    def test_states_are_found_by_key_and_unknown_jobs_are_left_out(self, coordinator: Coordinator) -> None:
        jobs = {brought_to(coordinator, state).key: state for state in State}

        assert coordinator.states([*jobs, new_job("unknown").key]) == jobs
        assert coordinator.states([]) == {}

    def test_files_are_added_to_several_jobs_in_one_step(self, coordinator: Coordinator) -> None:
        a, b = submitted(coordinator, *"ab")
        source, other = OUTPUT._replace(key="sources/a.pdf"), OUTPUT._replace(key="sources/b.pdf")

        coordinator.record_many([(a, source), (b, other), (a._replace(id=UNKNOWN), source)])
        coordinator.record_many([])

        assert (coordinator.files(a.id), coordinator.files(b.id)) == ([source], [other])
        assert coordinator.files(UNKNOWN) == []

    def test_recording_files_takes_no_lease_away(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")

        coordinator.record_files(held.id, [OUTPUT])

        assert isinstance(outcome_of(coordinator, Completed(held, "{}")), Job)

    def test_workers_come_and_go(self, coordinator: Coordinator, clock: FakeClock) -> None:
        worker = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=clock.now())
        coordinator.register_worker(worker)
        coordinator.register_worker(worker)

        assert coordinator.workers() == [worker]
        coordinator.deregister_worker(ALICE)
        coordinator.deregister_worker(ALICE)
        assert coordinator.workers() == []
