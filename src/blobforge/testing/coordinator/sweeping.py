"""What time and crashes ask for, done at once."""

from blobforge.domain.endings import Failed
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.steps import POLICY, TIMED_OUT, OpenCoordinator, brought_to, claimed, submitted

LEASE_SECONDS = LEASE.total_seconds()


class SweepingContract:
    def test_a_sweep_frees_lost_jobs_and_ends_back_offs(self, coordinator: Coordinator, clock: FakeClock) -> None:
        """R0-18, R0-54, R0-55, R0-56."""
        lost, failed = claimed(coordinator, *"ab")
        coordinator.end([Failed(failed, TIMED_OUT)])
        clock.advance(seconds=LEASE_SECONDS + POLICY.first.total_seconds())

        swept = coordinator.sweep()

        assert {job.id for job in swept.reaped} == {lost.id, failed.id}
        assert {(job.state, job.attempts) for job in swept.reaped} == {(State.PENDING, 1)}
        assert {job.id: job for job in swept.reaped} == {job.id: job for job in coordinator.page(JobFilter())}
        assert swept.repaired == []

    def test_a_dry_run_reports_the_same_and_changes_nothing(self, coordinator: Coordinator, clock: FakeClock) -> None:
        """R0-57, R0-72."""
        _lost, failed = claimed(coordinator, *"ab")
        coordinator.end([Failed(failed, TIMED_OUT)])
        submitted(coordinator, "c")
        clock.advance(seconds=LEASE_SECONDS + POLICY.first.total_seconds())
        before = coordinator.page(JobFilter())

        told = coordinator.sweep(dry_run=True)

        assert coordinator.page(JobFilter()) == before
        assert coordinator.sweep(dry_run=True) == told
        assert _facts(coordinator.sweep().reaped) == _facts(told.reaped)

    def test_a_lost_job_whose_budget_is_spent_is_dead_and_stays_so(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        """R0-19, R0-55, R0-58."""
        for _ in range(3):
            (held,) = claimed(coordinator, "a")
            clock.advance(seconds=LEASE_SECONDS)
            (reaped,) = coordinator.sweep().reaped

        assert (reaped.id, reaped.state, reaped.error_code) == (held.id, State.DEAD, "lease_expired")
        clock.advance(days=30)
        assert coordinator.sweep().reaped == []
        assert len(coordinator.history(held.id).attempts) == 3

    def test_there_is_nothing_to_sweep_where_nothing_is_due(self, coordinator: Coordinator) -> None:
        for state in State:
            brought_to(coordinator, state)

        assert coordinator.sweep() == ([], [], [])

    def test_another_coordinator_sweeps_what_this_one_claimed(
        self, open_coordinator: OpenCoordinator, clock: FakeClock
    ) -> None:
        (lost,) = claimed(open_coordinator(clock), "a")
        clock.advance(seconds=LEASE_SECONDS)

        assert [job.id for job in open_coordinator(clock).sweep().reaped] == [lost.id]


def _facts(jobs: list[Job]) -> set[tuple[JobId, State, int]]:
    return {(job.id, job.state, job.attempts) for job in jobs}
