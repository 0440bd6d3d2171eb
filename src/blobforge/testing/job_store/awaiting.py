"""Jobs that wait for their source: they are there, and nobody claims them before it came."""

from collections import Counter
from datetime import timedelta

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import NotClaimable
from blobforge.domain.job import Job, State
from blobforge.domain.lifecycle import SOURCE_NEVER_CAME
from blobforge.ports.job_store import Change, JobFilter, JobStore, Queue, Transition
from blobforge.testing.builders import BOB
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import OpenStore, added, cancelling, claiming, reap_due, take

UNTIL = START + timedelta(hours=1)
SOON = START + timedelta(seconds=30)
LATER = UNTIL + timedelta(hours=1)
NEEDY = '{"needs":["engine:marker"]}'


def awaiting(store: JobStore, *names: str, until: object = UNTIL, **facts: object) -> list[Job]:
    return added(store, *names, available_at=until, **facts)


def arriving(job: Job) -> Job:
    return lifecycle.source_arrived(job, now=SOON)


def expecting(until: object = LATER) -> Change:
    return lambda job: lifecycle.expect_source(job, until=until, now=SOON)  # type: ignore[arg-type]


class AwaitingSourceContract:
    def test_a_job_that_waits_for_its_source_is_stored_as_it_is(self, open_store: OpenStore) -> None:
        (job,) = awaiting(open_store(), "a", priority=2)

        assert (job.state, job.available_at, job.priority) == (State.PENDING, UNTIL, 2)
        assert open_store().get(job.id) == job
        assert open_store().find([job.key]) == {job.key: job}
        assert open_store().states([job.key]) == {job.key: State.PENDING}
        assert open_store().find_by_prefix(job.source_hash[:8], project="default", limit=5) == [job]
        assert job.source_hash in open_store().references().documents

    def test_it_is_not_taken(self, open_store: OpenStore) -> None:
        store = open_store()
        awaiting(store, *"abc", priority=1)
        (ready,) = added(store, "d")

        assert [job.id for job in take(store, 10)] == [ready.id]
        assert take(open_store(), 10) == []

    def test_it_is_not_claimed_by_a_transition_either(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")

        outcomes = store.apply([Transition(seen, claiming()) for seen in (job, job._replace(available_at=None))])

        assert [type(outcome) for outcome in outcomes.outcomes] == [NotClaimable, NotClaimable]
        assert store.get(job.id) == job

    def test_once_its_source_came_it_is_taken(self, open_store: OpenStore) -> None:
        store, other = open_store(), open_store()
        (job,) = awaiting(store, "a")
        assert take(other) == []

        arrived = store.update(job.id, arriving)

        assert (arrived.state, arrived.available_at) == (State.PENDING, None)
        assert open_store().get(job.id) == arrived
        assert [taken.id for taken in take(open_store())] == [job.id]

    def test_who_made_it_ready_can_take_it_in_the_same_step(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")
        assert take(store) == []

        done = store.apply([Transition(job, arriving)], take=claiming(BOB), queue=Queue("default", ("pdf",)), limit=1)

        assert [taken.id for taken in done.taken] == [job.id]

    def test_it_keeps_its_place_in_the_order_of_claims(self, store: JobStore) -> None:
        (late,) = awaiting(store, "a")
        (ready,) = added(store, "b", now=SOON)

        store.update(late.id, arriving)

        assert [job.id for job in take(store, 2)] == [late.id, ready.id]

    def test_what_needs_something_waits_for_its_source_and_for_who_has_it(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a", metadata=NEEDY)
        able = Queue("default", ("pdf",), frozenset({"engine:marker"}))
        assert take(store, queue=able) == []

        store.update(job.id, arriving)

        assert take(store) == []
        assert [taken.id for taken in take(store, queue=able)] == [job.id]

    def test_it_is_due_when_its_source_should_have_come(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")

        assert reap_due(store, UNTIL - timedelta(microseconds=1)) == []
        (dead,) = reap_due(store, UNTIL)

        assert (dead.state, dead.error_code, dead.attempts) == (State.DEAD, SOURCE_NEVER_CAME, 0)
        assert store.get(job.id) == dead
        assert reap_due(store, LATER) == []
        assert take(store) == []

    def test_the_first_who_is_due_comes_first(self, store: JobStore) -> None:
        (second,) = awaiting(store, "a", until=UNTIL)
        (first,) = awaiting(store, "b", until=SOON)

        assert [job.id for job in reap_due(store, LATER, limit=1)] == [first.id]
        assert [job.id for job in reap_due(store, LATER, limit=1)] == [second.id]

    def test_what_came_is_never_due(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")

        store.update(job.id, arriving)

        assert reap_due(store, LATER) == []

    def test_the_time_to_wait_can_be_extended(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")

        extended = store.update(job.id, expecting(LATER))

        assert store.get(job.id) == extended
        assert take(store) == []
        assert reap_due(store, UNTIL) == []
        assert [dead.id for dead in reap_due(store, LATER)] == [job.id]

    @pytest.mark.parametrize("revive", [arriving, lambda job: lifecycle.retry(job, now=SOON)])
    def test_what_never_came_can_come_later(self, store: JobStore, revive: Change) -> None:
        (job,) = awaiting(store, "a")
        reap_due(store, UNTIL)

        store.update(job.id, revive)

        assert [taken.id for taken in take(store)] == [job.id]

    def test_what_never_came_can_be_expected_again(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")
        reap_due(store, UNTIL)

        expected = store.update(job.id, expecting(LATER))

        assert store.get(job.id) == expected
        assert take(store) == []
        assert store.update(job.id, arriving).available_at is None
        assert [taken.id for taken in take(store)] == [job.id]

    def test_it_can_be_cancelled_and_forgotten(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")

        cancelled = store.update(job.id, cancelling)

        assert (cancelled.state, cancelled.available_at) == (State.CANCELLED, None)
        assert reap_due(store, LATER) == []
        assert store.forget([cancelled]) == 1

    def test_a_forgotten_job_can_come_back_without_its_source(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")
        store.forget([store.update(job.id, cancelling)])

        (again,) = awaiting(store, "a")

        assert store.get(again.id) == again
        assert take(store) == []

    def test_its_order_and_its_priority_can_change(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")
        added(store, "b", now=SOON)

        store.update(job.id, lambda seen: lifecycle.reprioritize(seen, priority=1, now=SOON))
        store.update(job.id, lambda seen: lifecycle.amend(seen, metadata='{"x":1}', now=SOON))

        assert [taken.id == job.id for taken in take(store, 2)] == [False]
        store.update(job.id, arriving)
        (taken,) = take(store)
        assert (taken.id, taken.priority, taken.metadata) == (job.id, 1, '{"x":1}')

    def test_a_job_that_is_there_is_given_back_whether_or_not_its_source_is(self, store: JobStore) -> None:
        (waits,) = awaiting(store, "a")
        (ready,) = added(store, "b")

        assert added(store, "a") == [waits]
        assert awaiting(store, "b") == [ready]

    def test_it_is_listed_and_counted_as_pending_and_not_as_one_that_waits_for_a_worker(self, store: JobStore) -> None:
        (waits,) = awaiting(store, "a")
        (ready,) = added(store, "b")

        assert store.page(JobFilter(state=State.PENDING)) == [ready, waits]
        assert store.counts() == {("pdf", State.PENDING): 2}
        assert store.waiting(project="default") == {("pdf", ""): 1}

    def test_those_that_wait_for_their_source_can_be_listed(self, store: JobStore) -> None:
        (first,) = awaiting(store, "a")
        added(store, *"bc")
        take(store)
        (other,) = awaiting(store, "d", type="echo")
        came = awaiting(store, "e")[0]
        store.update(came.id, arriving)

        assert store.page(JobFilter(awaits_source=True)) == [other, first]
        assert store.page(JobFilter(awaits_source=True, type="pdf")) == [first]
        assert store.page(JobFilter(awaits_source=True), after=other.id) == [first]

    def test_its_history_tells_when_the_source_was_expected_and_came(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")

        store.update(job.id, expecting(LATER))
        store.update(job.id, arriving)
        take(store)

        kinds = [event.kind for event in store.history(job.id).events]
        assert kinds == ["submitted", "source expected", "source arrived", "claimed"]

    def test_a_source_that_never_came_is_no_attempt_in_its_history(self, store: JobStore) -> None:
        (job,) = awaiting(store, "a")
        reap_due(store, UNTIL)
        store.update(job.id, arriving)

        history = store.history(job.id)
        assert history.attempts == []
        assert [event.kind for event in history.events] == ["submitted", "dead", "source arrived"]

    def test_a_store_that_mends_itself_leaves_it_as_it_is(self, open_store: OpenStore) -> None:
        (job,) = awaiting(open_store(), "a")

        assert open_store().reconcile(dry_run=False) == []
        assert take(open_store()) == []
        assert open_store().get(job.id) == job

    def test_many_are_added_at_once_beside_others(self, store: JobStore) -> None:
        awaiting(store, *(f"waits {number}" for number in range(30)))
        added(store, *(f"ready {number}" for number in range(30)))

        assert len(take(store, 100)) == 30
        assert Counter(job.state for job in reap_due(store, UNTIL, limit=100))[State.DEAD] == 30
