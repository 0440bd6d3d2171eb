"""Jobs that are announced before their source is there."""

from datetime import timedelta

import pytest

from blobforge.domain.errors import InvalidMove, NotFound
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State
from blobforge.domain.lifecycle import SOURCE_NEVER_CAME
from blobforge.ports.coordinator import Coordinator
from blobforge.testing.builders import ALICE, new_job
from blobforge.testing.clock import START, FakeClock
from blobforge.testing.coordinator.steps import brought_to, submitted
from blobforge.testing.job_store.steps import PDFS

UNTIL = START + timedelta(hours=1)


def announced(coordinator: Coordinator, name: str = "a") -> Job:
    return submitted(coordinator, name, source_expected_by=UNTIL)[0]


class AwaitingSourceCoordinatorContract:
    def test_an_announced_job_is_claimed_once_its_source_came(self, coordinator: Coordinator) -> None:
        job = announced(coordinator)
        assert coordinator.claim(PDFS, worker_id=ALICE) == []

        coordinator.source_arrived(job.id)

        assert [claimed.id for claimed in coordinator.claim(PDFS, worker_id=ALICE)] == [job.id]

    def test_an_announced_job_is_not_claimed_by_its_name_either(self, coordinator: Coordinator) -> None:
        job = announced(coordinator)

        assert coordinator.claim_exactly([job], worker_id=ALICE) == []

    def test_that_the_source_came_may_be_told_twice_and_late(self, coordinator: Coordinator) -> None:
        job = announced(coordinator)
        arrived = coordinator.source_arrived(job.id)

        assert coordinator.source_arrived(job.id) == arrived
        (held,) = coordinator.claim(PDFS, worker_id=ALICE)
        assert coordinator.source_arrived(job.id) == held

    @pytest.mark.parametrize("state", [State.COMPLETED, State.CANCELLED, State.DEAD])
    def test_no_source_comes_for_a_job_that_ended(self, coordinator: Coordinator, state: State) -> None:
        job = brought_to(coordinator, state)

        with pytest.raises(InvalidMove, match=state.value):
            coordinator.source_arrived(job.id)

        assert coordinator.get(job.id) == job

    def test_a_sweep_gives_up_a_job_whose_source_never_came(self, coordinator: Coordinator, clock: FakeClock) -> None:
        job = announced(coordinator)
        clock.advance(hours=1)

        assert coordinator.claim(PDFS, worker_id=ALICE) == []
        coordinator.sweep()

        dead = coordinator.get(job.id)
        assert (dead.state, dead.error_code, dead.attempts) == (State.DEAD, SOURCE_NEVER_CAME, 0)

    def test_the_source_may_come_after_it_was_given_up(self, coordinator: Coordinator, clock: FakeClock) -> None:
        job = announced(coordinator)
        clock.advance(hours=2)
        coordinator.sweep()

        arrived = coordinator.source_arrived(job.id)

        assert (arrived.state, arrived.error_code, arrived.last_error) == (State.PENDING, None, None)
        assert [claimed.id for claimed in coordinator.claim(PDFS, worker_id=ALICE)] == [job.id]

    def test_a_later_time_can_be_set(self, coordinator: Coordinator, clock: FakeClock) -> None:
        job = announced(coordinator)

        coordinator.expect_source(job.id, until=UNTIL + timedelta(hours=1))
        clock.advance(hours=1)

        assert coordinator.sweep().reaped == []
        clock.advance(hours=1)
        assert [reaped.id for reaped in coordinator.sweep().reaped] == [job.id]

    def test_another_size_can_be_told_while_it_waits(self, coordinator: Coordinator) -> None:
        job = announced(coordinator)

        told = coordinator.expect_source(job.id, until=UNTIL, source_size=7)
        kept = coordinator.expect_source(job.id, until=UNTIL + timedelta(hours=1))

        assert (told.source_size, kept.source_size, coordinator.get(job.id).source_size) == (7, 7, 7)

    def test_no_time_is_set_for_a_source_that_is_there(self, coordinator: Coordinator) -> None:
        job = announced(coordinator)
        arrived = coordinator.source_arrived(job.id)

        with pytest.raises(InvalidMove, match="does not wait for its source"):
            coordinator.expect_source(job.id, until=UNTIL)

        assert coordinator.get(job.id) == arrived

    def test_a_retry_may_wait_for_the_source_too(self, coordinator: Coordinator) -> None:
        job = announced(coordinator)
        coordinator.cancel(job.id)

        retried = coordinator.retry(job.id, source_expected_by=UNTIL)

        assert retried.available_at == UNTIL
        assert coordinator.claim(PDFS, worker_id=ALICE) == []

    def test_unknown_jobs_wait_for_nothing(self, coordinator: Coordinator) -> None:
        with pytest.raises(NotFound):
            coordinator.source_arrived(JobId(987_654))
        with pytest.raises(NotFound):
            coordinator.expect_source(JobId(987_654), until=UNTIL)

    def test_who_submits_a_document_with_its_source_brings_what_was_awaited(
        self, coordinator: Coordinator, clock: FakeClock
    ) -> None:
        waits, given_up = announced(coordinator, "a"), announced(coordinator, "b")
        clock.advance(hours=1)
        coordinator.sweep()
        coordinator.expect_source(waits.id, until=UNTIL + timedelta(hours=2))

        entries = coordinator.submit([new_job("a"), new_job("b"), new_job("c")])

        assert [entry.created for entry in entries] == [False, False, True]
        assert [(entry.job.state, entry.job.available_at) for entry in entries] == [(State.PENDING, None)] * 3
        claimed = coordinator.claim(PDFS, worker_id=ALICE, limit=5)
        assert {job.id for job in claimed} == {waits.id, given_up.id, entries[2].job.id}

    def test_who_announces_a_document_again_changes_nothing(self, coordinator: Coordinator) -> None:
        job = announced(coordinator)
        (ready,) = submitted(coordinator, "b")

        entries = coordinator.submit(
            [new_job(name, source_expected_by=UNTIL + timedelta(hours=9)) for name in ("a", "b")]
        )

        assert [entry.job for entry in entries] == [job, ready]
