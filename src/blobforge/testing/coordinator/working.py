"""What a worker does: claim, renew, and end jobs."""

from datetime import timedelta

import pytest

from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import JobCancelled, LeaseLost
from blobforge.domain.ids import JobId
from blobforge.domain.job import Failure, Job, State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, BOB, LEASE, hash_of
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.steps import (
    NOT_A_PDF,
    OUTPUT,
    PDFS,
    POLICY,
    TIMED_OUT,
    brought_to,
    claimed,
    outcome_of,
    submitted,
)


class ClaimingContract:
    def test_a_claim_leases_a_job_to_the_worker(self, coordinator: Coordinator, clock: FakeClock) -> None:
        (job,) = submitted(coordinator, "a")
        now = clock.advance(seconds=5)

        (held,) = coordinator.claim(PDFS, worker_id=ALICE)

        assert (held.id, held.state, held.worker_id) == (job.id, State.RUNNING, ALICE)
        assert (held.attempts, held.lease_number, held.started_at) == (1, 1, now)
        assert held.lease_expires_at == now + LEASE
        assert coordinator.get(job.id) == held

    def test_the_most_urgent_jobs_are_claimed_first(self, coordinator: Coordinator) -> None:
        """R1-99."""
        submitted(coordinator, "low", priority=4)
        submitted(coordinator, "normal")
        submitted(coordinator, "urgent", priority=1)

        claims = coordinator.claim(PDFS, worker_id=ALICE, limit=2) + coordinator.claim(PDFS, worker_id=BOB, limit=2)

        assert [job.source_hash for job in claims] == [hash_of("urgent"), hash_of("normal"), hash_of("low")]

    def test_only_jobs_of_the_queue_are_claimed(self, coordinator: Coordinator) -> None:
        submitted(coordinator, "a", project="other")
        submitted(coordinator, "b", type="echo")

        assert coordinator.claim(PDFS, worker_id=ALICE, limit=5) == []
        assert len(coordinator.claim(Queue("default", ("pdf", "echo")), worker_id=ALICE, limit=5)) == 1

    def test_of_the_named_jobs_those_that_can_be_claimed_are(self, coordinator: Coordinator) -> None:
        jobs = {state: brought_to(coordinator, state) for state in State}
        unnamed = submitted(coordinator, "unnamed")

        unknown = jobs[State.PENDING]._replace(id=JobId(987_654))
        named = [*jobs.values(), unknown]
        claims = coordinator.claim_exactly(named, worker_id=BOB)

        assert [(job.id, job.worker_id) for job in claims] == [(jobs[State.PENDING].id, BOB)]
        assert coordinator.get_many([job.id for job in unnamed]) == unnamed

    def test_a_named_job_whose_time_has_come_is_claimed_without_a_sweep(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        waiting, expired = (brought_to(coordinator, state) for state in (State.FAILED, State.RUNNING))
        assert coordinator.claim_exactly([waiting, expired], worker_id=BOB) == []

        clock.advance(seconds=LEASE.total_seconds())
        claims = coordinator.claim_exactly([waiting, expired], worker_id=BOB)

        assert {(job.id, job.lease_number) for job in claims} == {(waiting.id, 2), (expired.id, 2)}

    @pytest.mark.parametrize(("state", "ends"), [(State.RUNNING, LEASE), (State.FAILED, POLICY.first)], ids=str)
    def test_a_named_job_is_claimed_from_the_very_moment_that_its_time_has_come(
        self, coordinator: Coordinator, clock: FakeClock, state: State, ends: timedelta
    ) -> None:
        job = brought_to(coordinator, state)

        clock.advance(microseconds=ends / timedelta(microseconds=1) - 1)
        assert coordinator.claim_exactly([job], worker_id=BOB) == []
        clock.advance(microseconds=1)

        assert [held.id for held in coordinator.claim_exactly([job], worker_id=BOB)] == [job.id]

    def test_a_named_job_is_claimed_by_a_stale_copy(self, coordinator: Coordinator) -> None:
        (as_it_was,) = submitted(coordinator, "a")
        coordinator.reprioritize(as_it_was.id, priority=1)

        (held,) = coordinator.claim_exactly([as_it_was], worker_id=BOB)

        assert (held.id, held.priority, held.worker_id) == (as_it_was.id, 1, BOB)

    def test_jobs_end_and_named_ones_are_claimed_in_one_step(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")
        taken, free = brought_to(coordinator, State.RUNNING), brought_to(coordinator, State.PENDING)

        settled = coordinator.end_and_claim_exactly([Completed(held, "{}")], [taken, free], worker_id=BOB)

        assert [job.state for job in settled.ended if isinstance(job, Job)] == [State.COMPLETED]
        assert [(job.id, job.worker_id) for job in settled.claimed] == [(free.id, BOB)]

    def test_claiming_no_jobs_by_name_claims_none(self, coordinator: Coordinator) -> None:
        submitted(coordinator, "a")

        assert coordinator.claim_exactly([], worker_id=ALICE) == []


class RenewingContract:
    def test_a_heartbeat_renews_the_leases_and_brings_the_report(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        kept, lost = claimed(coordinator, *"ab")
        coordinator.cancel(lost.id)
        now = clock.advance(seconds=60)
        worker = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=now, metadata={"slots": 2})

        renewed, refused = coordinator.beat([kept, lost], worker)

        assert isinstance(renewed, Job)
        assert (renewed.lease_expires_at, type(refused)) == (now + LEASE, JobCancelled)
        assert coordinator.workers() == [worker]
        assert coordinator.beat([], worker) == []

    def test_a_renewal_extends_the_lease(self, coordinator: Coordinator, clock: FakeClock) -> None:
        held = claimed(coordinator, "a", "b")
        now = clock.advance(seconds=60)

        renewed = coordinator.renew(held)

        assert [job.lease_expires_at for job in renewed if isinstance(job, Job)] == [now + LEASE] * 2
        clock.advance(seconds=LEASE.total_seconds() - 1)
        assert coordinator.claim(PDFS, worker_id=BOB, limit=5) == []

    def test_a_lost_lease_is_reported_at_its_position_and_the_others_are_renewed(
        self, coordinator: Coordinator
    ) -> None:
        a, lost, c = claimed(coordinator, *"abc")
        coordinator.cancel(lost.id)

        outcomes = coordinator.renew([a, lost, c])

        assert [type(outcome) for outcome in outcomes] == [Job, JobCancelled, Job]
        assert coordinator.renew([]) == []

    @pytest.mark.parametrize("renewals", [1, 3])
    def test_a_lease_is_renewed_and_ended_by_the_job_as_it_was_claimed(
        self, coordinator: Coordinator, clock: FakeClock, renewals: int
    ) -> None:
        (held,) = claimed(coordinator, "a")
        for _ in range(renewals):
            clock.advance(seconds=60)
            (renewed,) = coordinator.renew([held])
            assert isinstance(renewed, Job)

        outcome = outcome_of(coordinator, Completed(held, "{}"))

        assert isinstance(outcome, Job)
        assert outcome.state is State.COMPLETED


class EndingContract:
    def test_a_completed_job_keeps_its_result_and_its_files(self, coordinator: Coordinator, clock: FakeClock) -> None:
        (held,) = claimed(coordinator, "a")
        now = clock.advance(seconds=7)

        outcome = outcome_of(coordinator, Completed(held, '{"pages":3}', (OUTPUT,)))

        assert isinstance(outcome, Job)
        assert (outcome.state, outcome.result, outcome.completed_at) == (State.COMPLETED, '{"pages":3}', now)
        assert coordinator.get(held.id) == outcome
        assert coordinator.files(held.id) == [OUTPUT]

    def test_some_jobs_end_and_the_next_are_claimed_in_one_step(self, coordinator: Coordinator) -> None:
        held = claimed(coordinator, *"abc")
        submitted(coordinator, *"def")
        endings: list[Ending] = [Completed(held[0], "{}"), Failed(held[1], TIMED_OUT), Failed(held[2], NOT_A_PDF)]

        ended, claims = coordinator.end_and_claim(endings, PDFS, worker_id=ALICE, limit=2)

        assert [job.state for job in ended if isinstance(job, Job)] == [State.COMPLETED, State.FAILED, State.DEAD]
        assert [job.source_hash for job in claims] == [hash_of("d"), hash_of("e")]

    def test_ending_alone_gives_an_outcome_an_ending_in_order_and_claims_nothing(
        self, coordinator: Coordinator
    ) -> None:
        first, lost, last = claimed(coordinator, *"abc")
        (waiting,) = submitted(coordinator, "d")
        coordinator.cancel(lost.id)

        ended = coordinator.end([Failed(first, NOT_A_PDF), Completed(lost, "{}"), Completed(last, "{}")])

        states = [job.state if isinstance(job, Job) else type(job) for job in ended]
        assert states == [State.DEAD, JobCancelled, State.COMPLETED]
        assert coordinator.get(waiting.id) == waiting

    def test_a_lost_lease_does_not_keep_named_jobs_from_being_claimed(self, coordinator: Coordinator) -> None:
        (lost,) = claimed(coordinator, "a")
        (free,) = submitted(coordinator, "b")
        coordinator.cancel(lost.id)

        ended, (held,) = coordinator.end_and_claim_exactly([Completed(lost, "{}")], [free], worker_id=BOB)

        assert [type(outcome) for outcome in ended] == [JobCancelled]
        assert (held.id, held.worker_id) == (free.id, BOB)

    def test_without_named_jobs_only_the_endings_happen(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")
        (waiting,) = submitted(coordinator, "b")

        ended, claims = coordinator.end_and_claim_exactly([Completed(held, "{}")], [], worker_id=ALICE)

        assert [job.state for job in ended if isinstance(job, Job)] == [State.COMPLETED]
        assert claims == []
        assert coordinator.get(waiting.id) == waiting

    def test_a_released_job_can_be_claimed_again_in_the_same_step(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")

        ended, (again,) = coordinator.end_and_claim([Released(held)], PDFS, worker_id=BOB, limit=1)

        assert [job.state for job in ended if isinstance(job, Job)] == [State.PENDING]
        assert (again.id, again.worker_id, again.attempts, again.lease_number) == (held.id, BOB, 1, 2)

    def test_a_limit_of_none_claims_none(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")
        submitted(coordinator, "b")

        assert coordinator.end([]) == []
        assert coordinator.end_and_claim([], PDFS, worker_id=ALICE, limit=0) == ([], [])
        assert coordinator.end_and_claim([Completed(held, "{}")], PDFS, worker_id=ALICE, limit=0).claimed == []

    def test_a_lost_lease_does_not_affect_the_rest_of_the_batch(self, coordinator: Coordinator) -> None:
        a, lost, c = claimed(coordinator, *"abc")
        cancelled = coordinator.cancel(lost.id)
        submitted(coordinator, "d")

        done = coordinator.end_and_claim(
            [Completed(job, "{}", (OUTPUT,)) for job in (a, lost, c)], PDFS, worker_id=ALICE, limit=1
        )

        assert [type(outcome) for outcome in done.ended] == [Job, JobCancelled, Job]
        assert len(done.claimed) == 1
        assert coordinator.get(lost.id) == cancelled
        assert coordinator.files(lost.id) == []

    def test_an_ending_that_is_repeated_counts_once(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")
        ending = Completed(held, '{"n":1}', (OUTPUT,))

        first, second = outcome_of(coordinator, ending), outcome_of(coordinator, ending)

        assert isinstance(first, Job)
        assert isinstance(second, LeaseLost)
        assert coordinator.get(held.id) == first
        assert coordinator.files(held.id) == [OUTPUT]

    def test_a_failed_job_is_pending_after_its_back_off(self, coordinator: Coordinator, clock: FakeClock) -> None:
        (held,) = claimed(coordinator, "a")
        outcome_of(coordinator, Failed(held, TIMED_OUT))

        clock.advance(seconds=POLICY.first.total_seconds() - 1)
        assert coordinator.claim(PDFS, worker_id=BOB) == []
        clock.advance(seconds=1)
        (again,) = coordinator.claim(PDFS, worker_id=BOB)

        assert (again.id, again.attempts, again.lease_number) == (held.id, 2, 2)

    def test_a_job_that_failed_for_the_third_time_is_dead(self, coordinator: Coordinator, clock: FakeClock) -> None:
        submitted(coordinator, "a")
        states: list[State] = []
        for _ in range(3):
            (held,) = coordinator.claim(PDFS, worker_id=ALICE)
            outcome_of(coordinator, Failed(held, TIMED_OUT))
            states.append(coordinator.get(held.id).state)
            clock.advance(hours=1)

        assert states == [State.FAILED, State.FAILED, State.DEAD]
        assert coordinator.claim(PDFS, worker_id=ALICE) == []

    def test_a_job_that_ran_again_was_completed_when_that_run_was(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        submitted(coordinator, "a")
        (held,) = coordinator.claim(PDFS, worker_id=ALICE)
        coordinator.end([Completed(held, "{}")])
        clock.advance(seconds=3600)
        coordinator.retry(held.id)
        (again,) = coordinator.claim(PDFS, worker_id=ALICE)

        (outcome,) = coordinator.end([Completed(again, "{}")])

        assert isinstance(outcome, Job)
        assert outcome.completed_at == clock.now()

    def test_a_job_that_is_completed_at_last_has_no_error(self, coordinator: Coordinator, clock: FakeClock) -> None:
        failed = brought_to(coordinator, State.FAILED)
        assert (failed.error_code, failed.last_error) == (TIMED_OUT.code, TIMED_OUT.message)
        clock.advance(hours=1)
        (held,) = coordinator.claim(PDFS, worker_id=ALICE)

        outcome_of(coordinator, Completed(held, "{}"))

        completed = coordinator.get(held.id)
        assert (completed.error_code, completed.last_error) == (None, None)

    def test_a_failure_may_quote_what_is_no_text(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")

        outcome = outcome_of(coordinator, Failed(held, Failure("not_a_pdf", "no such file: \udcff\0.pdf")))

        assert coordinator.get(held.id) == outcome
        assert coordinator.history(held.id).attempts[0].error == coordinator.get(held.id).last_error

    def test_a_job_has_three_attempts_in_all_crashes_included(self, coordinator: Coordinator, clock: FakeClock) -> None:
        (first,) = claimed(coordinator, "a")
        coordinator.end([Failed(first, TIMED_OUT)])
        clock.advance(hours=1)
        (second,) = coordinator.claim(PDFS, worker_id=ALICE)
        clock.advance(hours=1)
        (third,) = coordinator.claim(PDFS, worker_id=ALICE)
        clock.advance(hours=1)

        assert [job.attempts for job in (first, second, third)] == [1, 2, 3]
        assert coordinator.claim(PDFS, worker_id=ALICE) == []
        dead = coordinator.get(first.id)
        assert (dead.state, dead.attempts, dead.error_code) == (State.DEAD, 3, "lease_expired")
