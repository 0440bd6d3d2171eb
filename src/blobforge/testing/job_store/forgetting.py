"""Forgetting: jobs in a final state can be removed, and nothing is left of them."""

import threading
from contextlib import suppress

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import LeaseLost, NotFound
from blobforge.domain.ids import JobId
from blobforge.domain.job import Failure, Job, State
from blobforge.ports.job_store import JobFilter, JobStore, Transition
from blobforge.testing.builders import ALICE, a_job, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.archiving import archive_all, completed
from blobforge.testing.job_store.racing import meeting
from blobforge.testing.job_store.steps import OUTPUT, OpenStore, added, cancelling, failing, take
from blobforge.testing.races import at_once, meet

NOT_A_PDF = Failure("not_a_pdf", "it is a web page")


def dead(store: JobStore, *names: str) -> list[Job]:
    added(store, *names)
    held = take(store, len(names))
    moved = store.apply([Transition(job, failing(job, NOT_A_PDF), (OUTPUT,)) for job in held]).outcomes
    return [job for job in moved if isinstance(job, Job)]


def retrying(job: Job) -> Job:
    return lifecycle.retry(job, now=START)


class ForgettingContract:
    def test_a_queue_names_the_document_of_every_job_but_of_forgotten_ones(self, open_store: OpenStore) -> None:
        """In all projects and types, archived ones included: what is not named may be deleted."""
        store = open_store()
        gone, _kept = dead(store, "gone", "dead")
        store.forget([gone])
        completed(store, "done")
        archive_all(store)
        added(store, "waiting")
        added(store, "elsewhere", project="other", type="echo")
        added(store, "running")
        take(store)

        references = open_store().references()

        assert references.documents == {hash_of(name) for name in ("dead", "done", "waiting", "elsewhere", "running")}
        assert references.not_understood == ()

    def test_what_was_forgotten_in_one_project_is_still_named_by_another(self, store: JobStore) -> None:
        (job,) = dead(store, "a")
        added(store, "a", project="other")

        store.forget([job])

        assert store.references().documents == {job.source_hash}

    def test_nothing_is_left_of_a_forgotten_job(self, store: JobStore) -> None:
        (job,) = dead(store, "a")

        assert store.forget([job]) == 1

        with pytest.raises(NotFound):
            store.get(job.id)
        with pytest.raises(NotFound):
            store.history(job.id)
        assert store.find([job.key]) == {}
        assert store.find_by_prefix(job.source_hash[:12], project="default", limit=5) == []
        assert store.files(job.id) == []
        assert store.page(JobFilter()) == []
        assert store.counts() == {}

    def test_what_was_forgotten_can_be_added_again_and_begins_anew(self, store: JobStore) -> None:
        (job,) = dead(store, "a")
        store.forget([job])

        (entry,) = store.insert([a_job("a")])

        assert entry.created
        assert (entry.job.state, entry.job.attempts, entry.job.error_code) == (State.PENDING, 0, None)
        assert [event.kind for event in store.history(entry.job.id).events] == ["submitted"]
        assert store.files(entry.job.id) == []
        assert [taken.id for taken in take(store)] == [entry.job.id]

    def test_the_others_stay_with_their_history_and_files(self, store: JobStore) -> None:
        gone, stays = dead(store, "a", "b")
        history = store.history(stays.id)

        store.forget([gone])

        assert store.page(JobFilter()) == [stays]
        assert store.history(stays.id) == history
        assert store.files(stays.id) == [OUTPUT]

    def test_a_job_that_is_added_after_one_was_forgotten_takes_nobodys_place(self, store: JobStore) -> None:
        first, second = dead(store, "a", "b")
        store.forget([first])

        (third,) = added(store, "c")

        assert sorted(store.get_many([second.id, third.id])) == sorted([second, third])

    def test_a_job_that_changed_since_stays(self, store: JobStore) -> None:
        (job,) = dead(store, "a")
        retried = store.update(job.id, retrying)
        again = store.update(job.id, cancelling)

        assert store.forget([job, retried]) == 0

        assert store.get(job.id) == again

    @pytest.mark.parametrize("state", [State.PENDING, State.RUNNING, State.FAILED])
    def test_a_job_that_has_not_come_to_its_end_stays(self, store: JobStore, state: State) -> None:
        (job,) = added(store, "a")
        if state is not State.PENDING:
            (job,) = take(store)
        if state is State.FAILED:
            job = store.update(job.id, failing(job))

        assert store.forget([job]) == 0

        assert store.get(job.id) == job

    def test_each_end_may_be_forgotten_also_one_in_the_archive(self, store: JobStore) -> None:
        (done,) = completed(store, "a")
        archive_all(store)
        (cancelled,) = added(store, "b")
        cancelled = store.update(cancelled.id, cancelling)

        assert store.forget([done, cancelled]) == 2

        assert store.page(JobFilter()) == []
        assert [entry.created for entry in store.insert([a_job("a"), a_job("b")])] == [True, True]

    def test_a_job_is_forgotten_once(self, store: JobStore) -> None:
        (job,) = dead(store, "a")

        assert store.forget([]) == 0
        assert store.forget([job, job]) == 1
        assert store.forget([job]) == 0
        assert store.forget([job._replace(id=JobId(987_654))]) == 0

    def test_a_late_write_to_a_forgotten_job_is_refused(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store, worker_id=ALICE)
        store.forget([store.update(held.id, cancelling)])

        (outcome,) = store.apply([Transition(held, failing(held), (OUTPUT,))]).outcomes

        assert isinstance(outcome, NotFound | LeaseLost)
        assert store.page(JobFilter()) == []
        assert store.files(held.id) == []

    def test_retrying_and_forgetting_at_once_does_one_of_them(self, open_store: OpenStore) -> None:
        store = open_store()
        (job,) = dead(store, "a")
        both_have_begun = threading.Barrier(2)

        def retry() -> int:
            with suppress(NotFound):
                open_store().update(job.id, meeting(both_have_begun, retrying))
                return 1
            return 0

        def forget() -> int:
            meet(both_have_begun)
            return open_store().forget([job])

        retried, forgotten = at_once(retry, forget)

        assert retried + forgotten == 1
        assert [there.state for there in store.page(JobFilter())] == [State.PENDING] * retried
