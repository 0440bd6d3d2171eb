"""Jobs that not every worker can do."""

from datetime import timedelta

from blobforge.domain import lifecycle
from blobforge.domain.job import Failure, Job, State, lease_of
from blobforge.domain.needs import with_needs
from blobforge.ports.job_store import Change, JobStore, Queue, Transition
from blobforge.testing.builders import ALICE, BOB, hash_of
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import OpenStore, added, claiming, completing, releasing, take

MARKER, GERMAN = "engine:marker", "ocr:deu"
PLAIN = Queue("default", ("pdf",), frozenset({"engine:blobforge"}))
WITH_MARKER = Queue("default", ("pdf",), frozenset({"engine:blobforge", MARKER}))
WITH_ALL = Queue("default", ("pdf",), frozenset({"engine:blobforge", MARKER, GERMAN}))


def needing(*needs: str) -> str:
    return with_needs('{"options":{}}', needs)


def declining(held: Job, *needs: str) -> Change:
    failure = Failure("engine_unavailable", "it is not installed here")
    return lambda job: lifecycle.decline(job, lease_of(held), needs=frozenset(needs), failure=failure, now=START)


class NeedsContract:
    def test_a_job_is_taken_by_a_worker_that_has_all_that_it_needs(self, store: JobStore) -> None:
        added(store, "marker", metadata=needing(MARKER))
        added(store, "both", metadata=needing(MARKER, GERMAN))
        added(store, "nothing")

        assert [job.source_hash for job in take(store, 5, queue=Queue("default", ("pdf",)))] == [hash_of("nothing")]
        assert take(store, 5, queue=PLAIN) == []
        assert [job.source_hash for job in take(store, 5, queue=WITH_MARKER)] == [hash_of("marker")]
        assert [job.source_hash for job in take(store, 5, queue=WITH_ALL)] == [hash_of("both")]

    def test_jobs_with_and_without_needs_are_claimed_in_one_order(self, store: JobStore) -> None:
        added(store, "third", now=START + timedelta(seconds=90))
        added(store, "second", metadata=needing(MARKER))
        added(store, "fourth", metadata=needing(GERMAN), priority=4)
        added(store, "first", metadata=needing(GERMAN, MARKER), priority=1)

        taken = [job.source_hash for _ in range(4) for job in take(store, queue=WITH_ALL)]

        assert taken == [hash_of(name) for name in ("first", "second", "third", "fourth")]

    def test_jobs_of_others_in_front_do_not_hide_what_a_worker_can_do(self, store: JobStore) -> None:
        added(store, *(f"{number}" for number in range(30)), metadata=needing(MARKER), priority=1)
        added(store, "mine")

        assert [job.source_hash for job in take(store, 2, queue=PLAIN)] == [hash_of("mine")]
        assert take(store, 2, queue=PLAIN) == []
        assert len(take(store, 40, queue=WITH_MARKER)) == 30

    def test_a_job_that_was_declined_waits_for_another_worker_and_keeps_its_attempt(
        self, open_store: OpenStore
    ) -> None:
        ours, theirs = open_store(), open_store()
        added(ours, "a")
        (held,) = take(ours, queue=PLAIN)

        declined = ours.apply([Transition(held, declining(held, MARKER))], take=claiming(ALICE), queue=PLAIN, limit=1)

        (job,) = declined.outcomes
        assert isinstance(job, Job)
        assert (job.state, job.attempts, job.needs, job.error_code) == (State.PENDING, 0, MARKER, "engine_unavailable")
        assert declined.taken == []
        assert take(theirs, queue=PLAIN, worker_id=BOB) == []
        assert [job.id for job in take(theirs, queue=WITH_MARKER, worker_id=BOB)] == [held.id]

    def test_another_order_has_other_needs(self, store: JobStore) -> None:
        (job,) = added(store, "a", metadata=needing(MARKER))
        assert take(store, queue=PLAIN) == []

        store.update(job.id, lambda job: lifecycle.amend(job, metadata="{}", now=START))
        (held,) = take(store, queue=PLAIN)
        store.apply([Transition(held, completing(held))])
        store.update(job.id, lambda job: lifecycle.retry(job, now=START, metadata=needing(GERMAN)))

        assert take(store, queue=WITH_MARKER) == []
        assert [job.needs for job in take(store, queue=WITH_ALL)] == [GERMAN]

    def test_needs_stay_over_a_release(self, open_store: OpenStore) -> None:
        store, other = open_store(), open_store()
        added(store, *"ab", metadata=needing(MARKER))
        added(store, "c")
        held = take(store, 3, queue=WITH_MARKER)

        store.apply([Transition(job, releasing(job)) for job in held])

        assert [job.source_hash for job in take(other, 3, queue=PLAIN)] == [hash_of("c")]
        assert {job.source_hash for job in take(other, 3, queue=WITH_MARKER)} == {hash_of("a"), hash_of("b")}

    def test_a_job_that_comes_back_from_the_archive_has_its_needs(self, store: JobStore) -> None:
        (job,) = added(store, "a", metadata=needing(MARKER))
        (held,) = take(store, queue=WITH_MARKER)
        store.apply([Transition(held, completing(held))])
        store.archive(completed_before=START + timedelta(days=1), stretch=1_000)

        store.update(job.id, lambda job: lifecycle.retry(job, now=START))

        assert take(store, queue=PLAIN) == []
        assert len(take(store, queue=WITH_MARKER)) == 1

    def test_pending_jobs_are_counted_by_their_needs(self, store: JobStore) -> None:
        added(store, *"ab", metadata=needing(MARKER))
        added(store, "c", "d", "e")
        added(store, "f", type="echo")
        added(store, "g", project="other")
        take(store, queue=PLAIN)

        assert store.waiting(project="default") == {("pdf", MARKER): 2, ("pdf", ""): 2, ("echo", ""): 1}
        assert store.waiting(project="nobody") == {}
