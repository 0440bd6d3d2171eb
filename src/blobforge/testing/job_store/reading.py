"""Histories and files of jobs, pages and counts."""

from datetime import timedelta

from blobforge.domain import lifecycle
from blobforge.domain.ids import JobId
from blobforge.domain.job import Failure, State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import JobFilter, JobStore, Transition
from blobforge.testing.builders import ALICE, BOB, LEASE
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import (
    OUTPUT,
    added,
    cancelling,
    claiming,
    completing,
    failing,
    reap_due,
    releasing,
    renewing,
    take,
)

LATER = START + timedelta(seconds=5)


class HistoryContract:
    def test_every_transition_is_an_event_and_every_ended_claim_an_attempt(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.update(held.id, releasing(held))
        (again,) = take(store, worker_id=BOB)
        store.apply([Transition(again, completing(again, now=LATER))])

        attempts, events = store.history(held.id)

        assert [event.kind for event in events] == ["submitted", "claimed", "released", "claimed", "completed"]
        assert [event.worker_id for event in events] == [None, ALICE, ALICE, BOB, BOB]
        assert [(attempt.worker_id, attempt.lease_number, attempt.outcome) for attempt in attempts] == [
            (ALICE, 1, "released"),
            (BOB, 2, "completed"),
        ]
        assert (attempts[1].started_at, attempts[1].ended_at) == (START, LATER)

    def test_what_people_do_to_a_pending_job_is_an_event_at_its_position(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        store.update(job.id, lambda job: lifecycle.reprioritize(job, priority=1, now=START))
        (held,) = take(store)
        store.update(job.id, failing(held))
        store.update(job.id, lambda job: lifecycle.amend(job, metadata="[]", now=START))
        store.update(job.id, cancelling)
        store.update(job.id, lambda job: lifecycle.retry(job, now=START))
        take(store)

        kinds = [event.kind for event in store.history(job.id).events]

        assert kinds == [
            *("submitted", "reprioritized", "claimed", "failed"),
            *("amended", "cancelled", "retried", "claimed"),
        ]

    def test_a_failure_is_kept_with_its_attempt(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.update(held.id, failing(held, Failure("not_a_pdf", "a.pdf is a web page")))

        (attempt,) = store.history(held.id).attempts

        assert (attempt.outcome, attempt.error_code, attempt.error) == ("died", "not_a_pdf", "a.pdf is a web page")

    def test_an_expired_lease_is_an_attempt_too(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        reap_due(store, START + LEASE)

        history = store.history(held.id)

        assert [attempt.outcome for attempt in history.attempts] == ["expired"]
        assert history.events[-1].kind == "expired"

    def test_a_claim_that_takes_over_an_expired_lease_records_both(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        store.update(job.id, claiming())
        store.update(job.id, claiming(BOB, now=START + LEASE))

        history = store.history(job.id)

        assert [event.kind for event in history.events] == ["submitted", "claimed", "expired", "claimed"]
        assert [attempt.worker_id for attempt in history.attempts] == [ALICE]

    def test_a_renewal_is_no_event(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.apply([Transition(held, renewing(held, now=LATER))])

        history = store.history(held.id)

        assert history.attempts == []
        assert [event.kind for event in history.events] == ["submitted", "claimed"]

    def test_a_transition_that_was_refused_records_nothing(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.update(held.id, cancelling)
        before = store.history(held.id)

        store.apply([Transition(held, completing(held))])

        assert store.history(held.id) == before

    def test_each_job_has_its_own_history(self, store: JobStore) -> None:
        a, b = added(store, *"ab")
        (held,) = take(store)
        store.apply([Transition(held, completing(held))])

        assert len(store.history(a.id).attempts) == 1
        assert store.history(b.id).attempts == []
        assert [event.kind for event in store.history(b.id).events] == ["submitted"]
        assert {event.job_id for event in store.history(a.id).events} == {a.id}

    def test_files_are_recorded_with_a_transition_that_succeeds(self, store: JobStore) -> None:
        added(store, *"ab")
        a, b = take(store, 2)
        store.update(b.id, cancelling)

        store.apply([Transition(job, completing(job), (OUTPUT,)) for job in (a, b)])

        assert store.files(a.id) == [OUTPUT]
        assert store.files(b.id) == []

    def test_files_add_up_also_with_a_transition_that_changes_nothing(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        more = [OUTPUT._replace(key=f"outputs/{number}.zip", size=2**33 + number) for number in range(3)]

        store.apply([Transition(job, lambda same: same, (more[0], more[1]))])
        store.apply([Transition(job, claiming(), (more[2],))])

        assert store.files(job.id) == more


class ReadingContract:
    def test_pages_go_from_the_newest_down(self, store: JobStore) -> None:
        jobs = added(store, *"abcde")

        first = store.page(JobFilter(), limit=3)
        rest = store.page(JobFilter(), after=first[-1].id, limit=3)

        assert first + rest == list(reversed(jobs))
        assert store.page(JobFilter(), after=rest[-1].id) == []

    def test_pages_can_be_filtered_by_each_fact_and_by_all(self, store: JobStore) -> None:
        added(store, *"abcde")
        held = take(store, 2)
        (other,) = added(store, "x", project="other", type="echo")

        assert {job.id for job in store.page(JobFilter(state=State.RUNNING))} == {job.id for job in held}
        assert {job.id for job in store.page(JobFilter(worker_id=ALICE))} == {job.id for job in held}
        assert store.page(JobFilter(worker_id=BOB)) == []
        assert store.page(JobFilter(type="echo")) == store.page(JobFilter(project="other")) == [other]
        everything = JobFilter(project="default", type="pdf", state=State.RUNNING, worker_id=ALICE)
        assert [job.id for job in store.page(everything, limit=1)] == [held[1].id]

    def test_a_job_that_left_its_worker_is_no_longer_among_its_jobs(self, store: JobStore) -> None:
        added(store, *"abc")
        a, b, c = take(store, 3)
        store.apply([Transition(a, completing(a)), Transition(b, failing(b)), Transition(c, releasing(c))])

        assert store.page(JobFilter(worker_id=ALICE)) == []

    def test_jobs_are_counted_by_type_and_state(self, store: JobStore) -> None:
        assert store.counts() == {}
        added(store, *"abc")
        added(store, "x", project="other", type="echo")
        take(store)

        assert store.counts(project="default") == {("pdf", State.PENDING): 2, ("pdf", State.RUNNING): 1}
        assert store.counts()["echo", State.PENDING] == 1
        assert store.counts(project="nobody's") == {}

    def test_a_worker_is_registered_replaced_and_forgotten(self, store: JobStore) -> None:
        worker = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START, metadata={"slots": 2})
        draining = Worker(id=BOB, type="pdf", status=WorkerStatus.DRAINING, last_heartbeat=LATER)
        store.put_worker(draining)
        store.put_worker(worker)
        assert store.workers() == [worker, draining]

        busy = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=LATER, current_job_id=JobId(3))
        store.put_worker(busy)

        assert store.workers() == [busy, draining]
        store.remove_worker(ALICE)
        store.remove_worker(ALICE)
        assert store.workers() == [draining]

    def test_closing_twice_is_no_error(self, store: JobStore) -> None:
        added(store, "a")

        store.close()
        store.close()
