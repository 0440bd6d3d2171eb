"""Adding jobs, and finding them by id, key and hash."""

import pytest

from blobforge.domain.errors import NotFound
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import State
from blobforge.ports.job_store import JobStore, Transition
from blobforge.testing.builders import LEASE, a_job, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, claiming, renewing


class AddingContract:
    def test_a_new_job_comes_back_as_it_was_given_but_for_its_id(self, store: JobStore) -> None:
        given = a_job("a", source_path="/a.pdf", source_size=7, priority=2, tags='["x"]', metadata='{"k":1}')

        (entry,) = store.insert([given])

        assert entry.created
        assert entry.job == given._replace(id=entry.job.id)
        assert store.get(entry.job.id) == entry.job

    def test_the_same_key_is_added_once_also_within_one_call(self, store: JobStore) -> None:
        first, again = store.insert([a_job("a", priority=1), a_job("a", priority=5)])
        (later,) = store.insert([a_job("a", priority=4)])

        assert [first.created, again.created, later.created] == [True, False, False]
        assert first.job == again.job == later.job
        assert first.job.priority == 1

    def test_the_very_same_job_twice_in_one_call_is_created_once(self, store: JobStore) -> None:
        job = a_job("a")

        assert [entry.created for entry in store.insert([job, job])] == [True, False]

    def test_a_known_key_gives_the_job_as_it_is_by_now(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        held = store.update(job.id, claiming())

        (entry,) = store.insert([a_job("a")])

        assert entry == (held, False)
        assert store.get(job.id) == held

    def test_a_known_key_gives_the_job_with_its_renewed_lease(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        held = store.update(job.id, claiming())
        renewed = store.update(job.id, renewing(held, now=START + LEASE / 2))

        (entry,) = store.insert([a_job("a")])

        assert entry == (renewed, False)

    def test_known_and_new_keys_in_one_call_keep_their_places(self, store: JobStore) -> None:
        b, d = added(store, "b", "d")

        entries = store.insert([a_job(name) for name in "abcde"])

        assert [entry.created for entry in entries] == [True, False, True, False, True]
        assert [entry.job.key for entry in entries] == [a_job(name).key for name in "abcde"]
        assert [entries[1].job, entries[3].job] == [b, d]

    def test_another_project_or_type_is_another_job(self, store: JobStore) -> None:
        entries = store.insert([a_job("a"), a_job("a", project="other"), a_job("a", type="echo")])

        assert all(entry.created for entry in entries)
        assert len({entry.job.id for entry in entries}) == 3

    def test_ids_grow_in_the_order_of_adding(self, store: JobStore) -> None:
        ids = [job.id for job in added(store, "c", "a", "b") + added(store, "0")]

        assert ids == sorted(set(ids))

    def test_jobs_that_are_added_together_keep_what_each_has_of_its_own(self, store: JobStore) -> None:
        jobs = [
            a_job(f"document {number}", priority=1 + number % 2, tags='["odd"]' if number % 2 else "[]")
            for number in range(20)
        ]

        entries = store.insert(jobs)

        stored = store.get_many([entry.job.id for entry in entries])
        assert sorted(stored) == sorted(entry.job for entry in entries)
        assert [entry.job._replace(id=jobs[0].id) for entry in entries] == jobs

    def test_adding_nothing_does_nothing(self, store: JobStore) -> None:
        assert store.insert([]) == []

    def test_thousands_of_jobs_are_added_and_found_in_one_call(self, store: JobStore) -> None:
        known = added(store, *(f"document {number}" for number in range(0, 2_000, 2)))

        entries = store.insert([a_job(f"document {number}") for number in range(2_000)])

        jobs = [entry.job for entry in entries]
        assert [entry.created for entry in entries] == [False, True] * 1_000
        assert jobs[::2] == known
        assert len({job.id for job in jobs}) == 2_000
        assert [job.id for job in jobs[1::2]] == sorted(job.id for job in jobs[1::2])
        assert sorted(store.get_many([job.id for job in jobs])) == sorted(jobs)
        assert store.find([job.key for job in jobs]) == {job.key: job for job in jobs}

    def test_an_unknown_id_is_not_found(self, store: JobStore) -> None:
        unknown = JobId(987_654)

        with pytest.raises(NotFound, match="987654"):
            store.get(unknown)
        with pytest.raises(NotFound):
            store.update(unknown, claiming())
        with pytest.raises(NotFound):
            store.history(unknown)
        assert store.get_many([unknown]) == []
        assert store.files(unknown) == []
        assert isinstance(store.apply([Transition(a_job(job_id=unknown), claiming())]).outcomes[0], NotFound)

    def test_a_job_asked_for_twice_is_given_once(self, store: JobStore) -> None:
        a, b = added(store, "a", "b")

        assert sorted(store.get_many([a.id, b.id, a.id] * 300)) == [a, b]
        assert store.get_many([]) == []

    def test_jobs_are_found_by_key(self, store: JobStore) -> None:
        a, b = added(store, "a", "b")
        elsewhere = JobKey("other", "pdf", a.source_hash)

        assert store.find([a.key, b.key, elsewhere]) == {a.key: a, b.key: b}
        assert store.find([]) == {}

    def test_states_are_found_by_key_and_unknown_jobs_are_left_out(self, store: JobStore) -> None:
        a, b = added(store, "a", "b")
        (other,) = added(store, "a", project="other")
        store.update(b.id, claiming())
        elsewhere = JobKey("default", "echo", a.source_hash)

        states = store.states([a.key, b.key, other.key, elsewhere, a.key])

        assert states == {a.key: State.PENDING, b.key: State.RUNNING, other.key: State.PENDING}
        assert store.states([]) == {}

    def test_thousands_are_asked_for_their_states_in_one_call(self, store: JobStore) -> None:
        jobs = added(store, *(f"document {number}" for number in range(300)))
        unknown = [JobKey("default", "pdf", hash_of(f"unknown {number}")) for number in range(6_000)]

        assert store.states([*unknown, *(job.key for job in jobs)]) == {job.key: State.PENDING for job in jobs}

    def test_jobs_are_found_by_the_beginning_of_their_hash(self, store: JobStore) -> None:
        a, *_ = added(store, *"abcdefgh")

        assert store.find_by_prefix(a.source_hash[:12], project="default", limit=5) == [a]
        assert store.find_by_prefix(a.source_hash, project="default", limit=5) == [a]
        assert store.find_by_prefix(a.source_hash[:12], project="other", limit=5) == []
        assert len(store.find_by_prefix("", project="default", limit=5)) == 5

    def test_the_first_and_the_last_hash_of_a_beginning_are_found_and_its_neighbours_are_not(
        self, store: JobStore
    ) -> None:
        hashes = ["aa" + "f" * 62, "ab" + "0" * 62, "ab" + "f" * 62, "ac" + "0" * 62]
        store.insert([a_job(source_hash=source_hash) for source_hash in hashes])

        found = store.find_by_prefix("ab", project="default", limit=5)

        assert [job.source_hash for job in found] == hashes[1:3]

    @pytest.mark.parametrize("prefix", ["%", "_", "*", "?", "g", "A", "'", "0" * 65])
    def test_what_is_no_beginning_of_a_hash_finds_nothing(self, store: JobStore, prefix: str) -> None:
        added(store, *"abcdefgh")

        assert store.find_by_prefix(prefix, project="default", limit=5) == []
