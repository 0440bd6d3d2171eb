"""The completed archive: its jobs are found like others."""

from datetime import timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import InvalidMove, LeaseLost
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import JobFilter, JobStore, Transition
from blobforge.testing.builders import ALICE, LEASE, a_job, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import OUTPUT, OpenStore, added, completing, reap_due, renewing, take
from blobforge.testing.races import at_once

LATER = START + timedelta(days=40)


def archive_all(store: JobStore) -> None:
    """Twice, because a scan may have to wrap around."""
    for _ in range(2):
        store.archive(completed_before=LATER, stretch=1_000)


def completed(store: JobStore, *names: str) -> list[Job]:
    added(store, *names)
    held = take(store, len(names))
    moved = store.apply([Transition(job, completing(job), (OUTPUT,)) for job in held]).outcomes
    return [job for job in moved if isinstance(job, Job)]


class ArchivingContract:
    def test_an_archived_job_is_found_as_before(self, store: JobStore) -> None:
        old, other = completed(store, "a", "b")
        history = store.history(old.id)

        archive_all(store)

        assert store.get(old.id) == old
        assert sorted(store.get_many([old.id, other.id])) == [old, other]
        assert store.find([old.key]) == {old.key: old}
        assert store.states([old.key, other.key]) == {old.key: State.COMPLETED, other.key: State.COMPLETED}
        assert store.find_by_prefix(old.source_hash[:12], project="default", limit=5) == [old]
        assert store.history(old.id) == history
        assert store.files(old.id) == [OUTPUT]

    def test_archived_jobs_are_listed_and_counted_with_the_others(self, store: JobStore) -> None:
        old, older = completed(store, "a", "b")
        archive_all(store)
        (pending,) = added(store, "c")

        assert store.page(JobFilter()) == [pending, older, old]
        assert store.page(JobFilter(state=State.COMPLETED)) == [older, old]
        assert store.page(JobFilter(), after=older.id, limit=1) == [old]
        assert store.page(JobFilter(project="other")) == []
        assert store.counts() == {("pdf", State.COMPLETED): 2, ("pdf", State.PENDING): 1}

    def test_the_key_of_an_archived_job_is_known(self, store: JobStore) -> None:
        (old,) = completed(store, "a")
        archive_all(store)

        entries = store.insert([a_job("a"), a_job("b")])

        assert [entry.created for entry in entries] == [False, True]
        assert entries[0].job == old
        assert entries[1].job.id > old.id

    def test_the_key_of_an_archived_job_is_new_in_another_project_and_type(self, store: JobStore) -> None:
        completed(store, "a")
        archive_all(store)

        entries = store.insert([a_job("a", project="other"), a_job("a", type="echo")])

        assert [entry.created for entry in entries] == [True, True]

    def test_archiving_loses_no_renewal_of_running_jobs(self, store: JobStore) -> None:
        added(store, *"abc")
        done, *held = take(store, 3)
        moved = store.apply([Transition(job, renewing(job, now=START + LEASE / 2)) for job in (done, *held)]).outcomes
        store.apply([Transition(done, completing(done))])

        archive_all(store)

        assert [store.get(job.id) for job in held] == moved[1:]
        assert reap_due(store, START + LEASE) == []

    def test_an_archived_job_that_is_changed_comes_back(self, store: JobStore) -> None:
        (old,) = completed(store, "a")
        archive_all(store)

        retried = store.update(old.id, lambda job: lifecycle.retry(job, now=LATER))
        (taken,) = take(store)

        assert retried.state is State.PENDING
        assert (taken.id, taken.lease_number) == (old.id, 2)
        assert store.get(old.id) == taken
        assert store.page(JobFilter()) == [taken]

    def test_an_archived_job_that_comes_back_unchanged_does_not_delay_claims(
        self, store: JobStore, open_store: OpenStore
    ) -> None:
        """It is not claimed again, and pending jobs are claimed as before."""
        unchanged, refused, filed = completed(store, *"abc")
        archive_all(store)

        store.update(unchanged.id, lambda job: job)
        with pytest.raises(InvalidMove):
            store.update(refused.id, lambda job: lifecycle.cancel(job, now=LATER))
        store.apply([Transition(filed, lambda job: job, (OUTPUT,))])

        assert take(store, 3) == []
        (waiting,) = added(store, "d")
        # Through a store that remembers nothing: one that scanned slowly may know to skip what is in the way.
        assert [job.id for job in take(open_store())] == [waiting.id]

    def test_a_late_ending_of_an_archived_job_is_refused(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.apply([Transition(held, completing(held))])
        archive_all(store)

        (outcome,) = store.apply([Transition(held, completing(held))]).outcomes

        assert isinstance(outcome, LeaseLost)
        assert store.get(held.id).state is State.COMPLETED

    def test_young_and_unfinished_jobs_stay_where_they_are(self, store: JobStore) -> None:
        completed(store, "a")
        added(store, "b", "c")
        (running,) = take(store)

        assert store.archive(completed_before=START, stretch=1_000) == 0
        archive_all(store)

        assert [job.source_hash for job in take(store, 5)] == [hash_of("c")]
        assert store.page(JobFilter(worker_id=ALICE, state=State.RUNNING))[-1] == running

    def test_a_scan_in_stretches_reaches_all_jobs(self, store: JobStore) -> None:
        jobs = completed(store, *(f"document {number}" for number in range(25)))

        moved = sum(store.archive(completed_before=LATER, stretch=7) for _ in range(5))

        assert moved in (0, 25)  # a store may keep all in place
        assert store.counts() == {("pdf", State.COMPLETED): 25}
        assert sorted(store.get_many([job.id for job in jobs])) == jobs

    def test_archiving_and_adding_the_same_key_at_once_makes_one_job(self, store: JobStore) -> None:
        for name in "abcdefgh":
            (old,) = completed(store, name)

            entries, _ = at_once(lambda name=name: store.insert([a_job(name)]), lambda: archive_all(store))  # type: ignore[misc]

            assert entries[0].job.id == old.id
            assert len(store.page(JobFilter(), limit=100)) == ord(name) - ord("a") + 1
