"""Workers that are gone, and clocks that are corrected."""

from blobforge.domain.endings import Completed
from blobforge.domain.errors import LeaseLost
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job, State
from blobforge.ports.coordinator import Coordinator
from blobforge.testing.builders import ALICE, BOB, LEASE
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.steps import PDFS, OpenCoordinator, claimed, outcome_of, submitted

LEASE_SECONDS = LEASE.total_seconds()


class ExpiringContract:
    def test_an_expired_lease_is_taken_by_the_next_claim(self, coordinator: Coordinator, clock: FakeClock) -> None:
        (held,) = claimed(coordinator, "a")
        clock.advance(seconds=LEASE_SECONDS - 1)
        assert coordinator.claim(PDFS, worker_id=BOB) == []

        clock.advance(seconds=1)
        (taken_over,) = coordinator.claim(PDFS, worker_id=BOB)

        assert (taken_over.id, taken_over.worker_id, taken_over.lease_number) == (held.id, BOB, 2)
        assert taken_over.attempts == 2

    def test_another_coordinator_takes_it_too(self, open_coordinator: OpenCoordinator, clock: FakeClock) -> None:
        (held,) = claimed(open_coordinator(clock), "a")
        clock.advance(seconds=LEASE_SECONDS)

        assert [job.id for job in open_coordinator(clock).claim(PDFS, worker_id=BOB)] == [held.id]

    def test_a_worker_that_comes_too_late_cannot_change_the_job(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        (held,) = claimed(coordinator, "a")
        clock.advance(seconds=LEASE_SECONDS)
        (taken_over,) = coordinator.claim(PDFS, worker_id=BOB)

        assert isinstance(outcome_of(coordinator, Completed(held, '{"late":1}')), LeaseLost)
        assert isinstance(coordinator.renew([held])[0], LeaseLost)
        assert coordinator.get(held.id) == taken_over

    def test_a_worker_that_is_late_but_alone_still_has_its_job(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        (held,) = claimed(coordinator, "a")
        clock.advance(hours=1)

        assert isinstance(outcome_of(coordinator, Completed(held, "{}")), Job)

    def test_expired_leases_are_found_after_the_clock_was_set_back(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        (held,) = claimed(coordinator, "a")
        clock.advance(seconds=LEASE_SECONDS - 0.5)
        assert coordinator.claim(PDFS, worker_id=BOB) == []

        clock.advance(seconds=-20)
        assert coordinator.claim(PDFS, worker_id=BOB) == []
        clock.advance(seconds=20.5)

        assert [job.id for job in coordinator.claim(PDFS, worker_id=BOB)] == [held.id]

    def test_a_clock_that_was_hours_ahead_does_not_stop_the_sweeps(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        clock.advance(hours=5)
        assert coordinator.claim(PDFS, worker_id=BOB) == []
        clock.advance(hours=-5)
        (held,) = claimed(coordinator, "a")

        clock.advance(seconds=LEASE_SECONDS)

        assert [job.id for job in coordinator.claim(PDFS, worker_id=BOB)] == [held.id]

    def test_more_than_a_hundred_expired_leases_are_freed_by_one_claim(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        held = claimed(coordinator, *(f"document {number}" for number in range(250)))
        clock.advance(seconds=LEASE_SECONDS)

        taken_over = coordinator.claim(PDFS, worker_id=BOB, limit=250)

        assert {job.id for job in taken_over} == {job.id for job in held}

    def test_renewed_leases_do_not_hide_an_expired_one_for_long(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        *living, gone = claimed(coordinator, *(f"document {number}" for number in range(151)))
        clock.advance(seconds=LEASE_SECONDS / 2)
        coordinator.renew(living)
        clock.advance(seconds=LEASE_SECONDS / 2)

        found: list[Job] = []
        for _ in range(3):
            found += coordinator.claim(PDFS, worker_id=BOB, limit=200)
            clock.advance(seconds=1)

        assert [job.id for job in found] == [gone.id]

    def test_the_jobs_of_a_worker_that_is_gone_are_freed_at_once(self, coordinator: Coordinator) -> None:
        alices = claimed(coordinator, *"ab")
        (bobs,) = claimed(coordinator, "c", worker_id=BOB)
        submitted(coordinator, "d")

        freed = coordinator.expire_worker(ALICE)

        assert {job.id for job in freed} == {job.id for job in alices}
        assert {(job.state, job.attempts, job.worker_id) for job in freed} == {(State.PENDING, 1, None)}
        assert coordinator.get(bobs.id) == bobs
        assert isinstance(outcome_of(coordinator, Completed(alices[0], "{}")), LeaseLost)
        assert coordinator.expire_worker(ALICE) == []
        assert coordinator.expire_worker(WorkerId("nobody")) == []

    def test_a_job_that_lost_its_worker_for_the_third_time_is_dead(self, coordinator: Coordinator) -> None:
        submitted(coordinator, "a")
        for _ in range(3):
            assert len(coordinator.claim(PDFS, worker_id=ALICE)) == 1
            (freed,) = coordinator.expire_worker(ALICE)

        assert (freed.state, freed.error_code) == (State.DEAD, "lease_expired")
        assert coordinator.claim(PDFS, worker_id=ALICE) == []
