"""Changing one job, atomically."""

from datetime import timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import NotClaimable
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import JobStore, Transition
from blobforge.testing.builders import BOB, LEASE, job_in
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, cancelling, claiming, releasing, renewing, take


class ChangingContract:
    def test_an_update_writes_what_the_change_gives(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        after = store.update(job.id, claiming())

        assert after.state is State.RUNNING
        assert store.get(job.id) == after

    def test_an_update_leaves_other_jobs_alone(self, store: JobStore) -> None:
        a, b, c = added(store, *"abc")

        store.update(b.id, claiming())

        assert [store.get(job.id) for job in (a, c)] == [a, c]

    def test_every_write_is_another_revision(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        held = store.update(job.id, claiming())
        released = store.update(job.id, releasing(held))
        cancelled = store.update(job.id, cancelling)

        revisions = [job.rev, held.rev, released.rev, cancelled.rev, store.get(job.id).rev]
        assert revisions == sorted(revisions)
        assert len(set(revisions)) == 4

    def test_a_change_is_given_the_job_as_it_is_stored(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        held = store.update(job.id, claiming())
        offered: list[Job] = []

        def look(job: Job) -> Job:
            offered.append(job)
            return job

        store.update(job.id, look)

        assert offered == [held]

    def test_a_change_is_given_the_job_with_its_renewed_lease(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        held = store.update(job.id, claiming())
        store.apply([Transition(held, renewing(held, now=START + LEASE / 2))])

        with pytest.raises(NotClaimable):
            store.update(job.id, claiming(BOB, now=START + LEASE))

        assert store.get(job.id).worker_id == held.worker_id

    def test_a_change_of_a_running_job_is_not_hidden_by_an_earlier_renewal(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        held = store.update(job.id, claiming())
        store.apply([Transition(held, renewing(held, now=START + LEASE / 2))])

        changed = store.update(
            job.id, lambda seen: seen._replace(max_attempts=9, updated_at=START, lease_expires_at=START + 2 * LEASE)
        )

        assert changed.lease_expires_at == START + 2 * LEASE
        assert store.get(job.id) == changed

    def test_a_change_that_raises_leaves_the_job_as_it_was(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        held = store.update(job.id, claiming())

        with pytest.raises(NotClaimable):
            store.update(job.id, claiming(BOB))

        assert store.get(job.id) == held

    def test_a_fault_in_a_change_leaves_the_job_and_the_store_as_they_were(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        with pytest.raises(ZeroDivisionError):
            store.update(job.id, lambda _: 1 // 0)  # type: ignore[arg-type, return-value]

        assert store.get(job.id) == job
        assert len(take(store)) == 1

    def test_a_change_that_changes_nothing_writes_nothing(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        assert store.update(job.id, lambda same: same) == job
        assert store.get(job.id) == job
        assert len(store.history(job.id).events) == 1

    def test_every_field_survives_the_store(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        later = START + timedelta(microseconds=1)
        everything = job._replace(
            source_path="päth\n/ 'quoted'.pdf",
            source_size=2**40,
            state=State.FAILED,
            priority=5,
            attempts=2,
            max_attempts=9,
            lease_number=7,
            available_at=later,
            updated_at=later,
            started_at=START,
            completed_at=later,
            error_code="not_a_pdf",
            last_error="“it” said\x01 no",
            tags='["ä"]',
            metadata='{"deep":{"er":[1]}}',
            result='{"pages":3}',
        )

        stored = store.update(job.id, lambda _: everything)

        assert stored == everything._replace(rev=stored.rev)
        assert store.get(job.id) == stored

    @pytest.mark.parametrize("state", State)
    def test_a_job_of_every_state_survives_the_store(self, store: JobStore, state: State) -> None:
        (job,) = added(store, "a document")
        wanted = job_in(state)._replace(id=job.id, rev=job.rev)

        stored = store.update(job.id, lambda _: wanted)

        assert stored._replace(rev=wanted.rev) == wanted
        assert store.get(job.id) == stored
        assert (len(take(store)) == 1) is (state is State.PENDING)

    def test_a_field_can_be_emptied_again(self, store: JobStore) -> None:
        (job,) = added(store, "a", source_path="/a.pdf", source_size=1)
        held = store.update(job.id, claiming())

        store.update(job.id, lambda job: releasing(held)(job)._replace(source_path=None, source_size=None))

        stored = store.get(job.id)
        assert (stored.worker_id, stored.lease_expires_at, stored.source_path, stored.source_size) == (None,) * 4

    def test_what_waits_can_be_taken_and_what_does_not_cannot(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        store.update(job.id, cancelling)
        assert take(store) == []

        store.update(job.id, lambda job: lifecycle.retry(job, now=START))

        assert [taken.id for taken in take(store)] == [job.id]
        assert take(store) == []
