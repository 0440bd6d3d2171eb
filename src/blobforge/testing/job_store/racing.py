"""Races of two, staged by a barrier inside the change."""

import threading

import pytest

from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import Change, JobStore, Transition
from blobforge.testing.builders import ALICE, BOB, LEASE, a_job
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import PDFS, OpenStore, added, claiming, completing, reaping, renewing, take
from blobforge.testing.races import at_once, meet


def meeting(barrier: threading.Barrier, change: Change) -> Change:
    """The change, made after both have read."""

    def change_after_meeting(read: Job) -> Job:
        meet(barrier)
        return change(read)

    return change_after_meeting


class RacingContract:
    @pytest.fixture(params=["two handles", "one handle"])
    def two_stores(self, request: pytest.FixtureRequest, open_store: OpenStore) -> tuple[JobStore, JobStore]:
        first = open_store()
        return first, open_store() if request.param == "two handles" else first

    def test_of_two_that_claim_one_job_at_once_one_wins(self, two_stores: tuple[JobStore, JobStore]) -> None:
        first, second = two_stores
        (job,) = added(first, "a")
        both_have_read = threading.Barrier(2)

        def claim(store: JobStore, worker_id: WorkerId) -> Job | BlobForgeError:
            try:
                return store.update(job.id, meeting(both_have_read, claiming(worker_id)))
            except BlobForgeError as error:
                return error

        outcomes = at_once(lambda: claim(first, ALICE), lambda: claim(second, BOB))

        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Job", "NotClaimable"]
        assert first.get(job.id).lease_number == 1

    def test_two_that_take_at_once_never_take_the_same_job(self, two_stores: tuple[JobStore, JobStore]) -> None:
        first, second = two_stores
        added(first, *"abcdef")
        both_have_read = threading.Barrier(2)

        def take_three(store: JobStore, worker_id: WorkerId) -> list[Job]:
            change = meeting(both_have_read, claiming(worker_id))
            return store.apply([], take=change, queue=PDFS, limit=3).taken

        alices, bobs = at_once(lambda: take_three(first, ALICE), lambda: take_three(second, BOB))

        assert len({job.id for job in alices + bobs}) == len(alices) + len(bobs)
        assert len(alices) + len(bobs) + len(take(first, 6)) == 6
        assert all(job.lease_number == 1 for job in first.get_many([job.id for job in alices + bobs]))

    def test_two_changes_of_one_job_at_once_both_count(self, open_store: OpenStore) -> None:
        (job,) = added(open_store(), "a")
        both_have_read = threading.Barrier(2)

        def raise_budget() -> None:
            change = meeting(both_have_read, lambda read: read._replace(max_attempts=read.max_attempts + 1))
            open_store().apply([Transition(job, change)])

        at_once(raise_budget, raise_budget)

        assert open_store().get(job.id).max_attempts == job.max_attempts + 2

    def test_completing_and_expiring_at_once_does_one_of_them(self, open_store: OpenStore) -> None:
        (job,) = added(open_store(), "a")
        held = open_store().update(job.id, claiming())
        both_have_read = threading.Barrier(2)
        late = START + LEASE

        def complete() -> Job | BlobForgeError:
            return open_store().apply([Transition(held, meeting(both_have_read, completing(held)))]).outcomes[0]

        def expire() -> list[Job]:
            return open_store().update_due(meeting(both_have_read, reaping(late)), now=late, limit=10)

        completed, expired = at_once(complete, expire)

        state = open_store().get(job.id).state
        assert (state is State.COMPLETED) == isinstance(completed, Job)
        assert (state is State.PENDING) == bool(expired)
        assert len(open_store().history(job.id).attempts) == 1

    def test_renewing_and_expiring_at_once_does_one_of_them(self, open_store: OpenStore) -> None:
        (job,) = added(open_store(), "a")
        held = open_store().update(job.id, claiming())
        both_have_read, has_renewed = threading.Barrier(2), threading.Event()
        late = START + LEASE

        def renew() -> Job | BlobForgeError:
            change = meeting(both_have_read, renewing(held, now=late))
            (outcome,) = open_store().apply([Transition(held, change)]).outcomes
            has_renewed.set()
            return outcome

        def expire_as_late_as_possible(read: Job) -> Job:
            meet(both_have_read)
            has_renewed.wait(timeout=0.3)
            return reaping(late)(read)

        renewed, expired = at_once(
            renew, lambda: open_store().update_due(expire_as_late_as_possible, now=late, limit=10)
        )

        assert isinstance(renewed, Job) is not bool(expired)
        assert open_store().get(job.id) == (renewed if isinstance(renewed, Job) else expired[0])

    def test_two_that_complete_one_job_at_once_complete_it_once(self, open_store: OpenStore) -> None:
        added(open_store(), "a")
        (held,) = take(open_store())
        both_have_read = threading.Barrier(2)

        def complete() -> Job | BlobForgeError:
            return open_store().apply([Transition(held, meeting(both_have_read, completing(held)))]).outcomes[0]

        outcomes = at_once(complete, complete)

        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Job", "LeaseLost"]
        assert [attempt.outcome for attempt in open_store().history(held.id).attempts] == ["completed"]

    def test_of_two_that_add_one_key_at_once_one_creates_it(self, two_stores: tuple[JobStore, JobStore]) -> None:
        """R0-83."""
        one, other = two_stores

        first, second = at_once(lambda: one.insert([a_job("a")]), lambda: other.insert([a_job("a")]))

        assert sorted([first[0].created, second[0].created]) == [False, True]
        assert first[0].job.id == second[0].job.id

    def test_many_threads_may_share_a_handle(self, store: JobStore) -> None:
        added(store, *(f"document {number}" for number in range(25)))
        all_have_theirs = threading.Barrier(25)
        taken: list[Job] = []

        def take_one() -> None:
            taken.extend(take(store))
            all_have_theirs.wait(timeout=20)

        threads = [threading.Thread(target=take_one, name=f"taker-{number}") for number in range(25)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert not all_have_theirs.broken
        assert len({job.id for job in taken}) == 25

    def test_any_number_of_threads_may_come_and_go(self, store: JobStore) -> None:
        added(store, *(f"document {number}" for number in range(50)))
        taken: list[Job] = []

        for _ in range(50):
            thread = threading.Thread(target=lambda: taken.extend(take(store)))
            thread.start()
            thread.join()

        assert len({job.id for job in taken}) == 50
