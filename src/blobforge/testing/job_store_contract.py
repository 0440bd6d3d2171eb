"""What every JobStore promises, races included.

A subclass gives one fixture: `open_store`, a function that opens another handle on the same jobs at each call.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.errors import BlobForgeError, LeaseLost, NotClaimable, NotFound
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, JobKey, WorkerId
from blobforge.domain.job import Failure, Job, State, lease_of
from blobforge.domain.retry import RetryPolicy
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import Change, JobFilter, JobStore, Move, Queue
from blobforge.testing.builders import ALICE, BOB, a_job, hash_of
from blobforge.testing.clock import START
from blobforge.testing.races import at_once

OpenStore = Callable[[], JobStore]

LEASE = timedelta(seconds=180)
PDFS = Queue("default", ("pdf",))
OUTPUT = FileRecord(FileRole.OUTPUT, "outputs/a.zip", 12, "application/zip", "0" * 64)


def claiming(worker_id: WorkerId = ALICE, *, now: datetime = START) -> Change:
    return lambda job: lifecycle.claim(job, worker_id=worker_id, now=now, until=now + LEASE)


def completing(claimed: Job, *, now: datetime = START) -> Change:
    return lambda job: lifecycle.complete(job, lease_of(claimed), result="{}", now=now)


def waking(now: datetime) -> Change:
    return lambda job: lifecycle.wake(job, now=now)


def added(store: JobStore, *names: str, **facts: Any) -> list[Job]:
    return [entry.job for entry in store.insert([a_job(name, **facts) for name in names])]


def take(store: JobStore, limit: int = 1, *, worker_id: WorkerId = ALICE, queue: Queue = PDFS) -> list[Job]:
    return store.exchange([], take=claiming(worker_id), queue=queue, limit=limit).taken


class JobStoreContract:
    @pytest.fixture
    def store(self, open_store: OpenStore) -> JobStore:
        return open_store()

    # Adding and finding

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

    def test_another_project_or_type_is_another_job(self, store: JobStore) -> None:
        entries = store.insert([a_job("a"), a_job("a", project="other"), a_job("a", type="echo")])

        assert all(entry.created for entry in entries)
        assert len({entry.job.id for entry in entries}) == 3

    def test_ids_grow_in_the_order_of_adding(self, store: JobStore) -> None:
        ids = [job.id for job in added(store, "c", "a", "b")]

        assert ids == sorted(ids)

    def test_a_thousand_jobs_are_added_in_one_call(self, store: JobStore) -> None:
        names = [f"document {number}" for number in range(1_000)]

        jobs = added(store, *names)

        assert len({job.id for job in jobs}) == 1_000
        assert len(store.get_many([job.id for job in jobs])) == 1_000
        assert set(store.find([job.key for job in jobs])) == {job.key for job in jobs}

    def test_an_unknown_id_is_not_found(self, store: JobStore) -> None:
        unknown = JobId(987_654)

        with pytest.raises(NotFound, match="987654"):
            store.get(unknown)
        with pytest.raises(NotFound):
            store.update(unknown, claiming())
        with pytest.raises(NotFound):
            store.history(unknown)
        assert store.get_many([unknown]) == []
        assert isinstance(store.exchange([Move(a_job(job_id=unknown), claiming())]).moved[0], NotFound)

    def test_jobs_are_found_by_key(self, store: JobStore) -> None:
        a, b = added(store, "a", "b")
        elsewhere = JobKey("other", "pdf", a.source_hash)

        assert store.find([a.key, b.key, elsewhere]) == {a.key: a, b.key: b}

    def test_jobs_are_found_by_the_beginning_of_their_hash(self, store: JobStore) -> None:
        a, *_ = added(store, *"abcdefgh")

        assert store.find_by_prefix(a.source_hash[:12], project="default", limit=5) == [a]
        assert store.find_by_prefix(a.source_hash, project="default", limit=5) == [a]
        assert store.find_by_prefix(a.source_hash[:12], project="other", limit=5) == []
        assert len(store.find_by_prefix("", project="default", limit=5)) == 5

    # Changing one

    def test_an_update_writes_what_the_change_gives(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        after = store.update(job.id, claiming())

        assert after.state is State.RUNNING
        assert after.rev > job.rev
        assert store.get(job.id) == after

    def test_a_change_that_raises_leaves_the_job_as_it_was(self, store: JobStore) -> None:
        (job,) = added(store, "a")
        held = store.update(job.id, claiming())

        with pytest.raises(NotClaimable):
            store.update(job.id, claiming(BOB))

        assert store.get(job.id) == held

    def test_a_change_that_changes_nothing_writes_nothing(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        assert store.update(job.id, lambda same: same) == job
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

    # Races, staged by a barrier inside the change

    def test_of_two_that_claim_one_job_at_once_one_wins(self, open_store: OpenStore) -> None:
        (job,) = added(open_store(), "a")
        both_have_read = threading.Barrier(2)

        def claim(worker_id: WorkerId) -> Job | BlobForgeError:
            def change(read: Job) -> Job:
                _meet(both_have_read)
                return claiming(worker_id)(read)

            try:
                return open_store().update(job.id, change)
            except BlobForgeError as error:
                return error

        outcomes = at_once(lambda: claim(ALICE), lambda: claim(BOB))

        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Job", "NotClaimable"]
        assert open_store().get(job.id).lease_number == 1

    def test_two_that_take_at_once_never_take_the_same_job(self, open_store: OpenStore) -> None:
        added(open_store(), *"abcdef")
        both_have_read = threading.Barrier(2)

        def take_three(worker_id: WorkerId) -> list[Job]:
            def change(read: Job) -> Job:
                _meet(both_have_read)
                return claiming(worker_id)(read)

            return open_store().exchange([], take=change, queue=PDFS, limit=3).taken

        alices, bobs = at_once(lambda: take_three(ALICE), lambda: take_three(BOB))

        assert len({job.id for job in alices + bobs}) == len(alices) + len(bobs)
        assert len(alices) + len(bobs) + len(take(open_store(), 6)) == 6

    def test_two_changes_of_one_job_at_once_both_count(self, open_store: OpenStore) -> None:
        (job,) = added(open_store(), "a")
        both_have_read = threading.Barrier(2)

        def raise_budget() -> None:
            def change(read: Job) -> Job:
                _meet(both_have_read)
                return read._replace(max_attempts=read.max_attempts + 1)

            open_store().exchange([Move(job, change)])

        at_once(raise_budget, raise_budget)

        assert open_store().get(job.id).max_attempts == job.max_attempts + 2

    def test_completing_and_expiring_at_once_does_one_of_them(self, open_store: OpenStore) -> None:
        (job,) = added(open_store(), "a")
        held = open_store().update(job.id, claiming())
        both_have_read = threading.Barrier(2)
        late = START + LEASE

        def complete() -> Job | BlobForgeError:
            def change(read: Job) -> Job:
                _meet(both_have_read)
                return completing(held)(read)

            return open_store().exchange([Move(held, change)]).moved[0]

        def expire() -> list[Job]:
            def change(read: Job) -> Job:
                _meet(both_have_read)
                return waking(late)(read)

            return open_store().update_due(change, now=late, limit=10)

        completed, expired = at_once(complete, expire)

        state = open_store().get(job.id).state
        assert (state is State.COMPLETED) == isinstance(completed, Job)
        assert (state is State.PENDING) == bool(expired)

    def test_of_two_that_add_one_key_at_once_one_creates_it(self, open_store: OpenStore) -> None:
        stores = [open_store(), open_store()]

        first, second = at_once(lambda: stores[0].insert([a_job("a")]), lambda: stores[1].insert([a_job("a")]))

        assert sorted([first[0].created, second[0].created]) == [False, True]
        assert first[0].job.id == second[0].job.id

    # Moving many and taking the next

    def test_jobs_are_taken_by_priority_then_age_then_id(self, store: JobStore) -> None:
        added(store, "low", priority=4)
        added(store, "new", now=START + timedelta(seconds=1))
        added(store, "old", "old too")
        added(store, "urgent", priority=1)

        taken = take(store, 10)

        expected = ["urgent", "old", "old too", "new", "low"]
        assert [job.source_hash for job in taken] == [hash_of(name) for name in expected]

    def test_only_jobs_of_the_queue_are_taken(self, store: JobStore) -> None:
        added(store, "a")
        added(store, "b", project="other")
        added(store, "c", type="echo")

        assert [job.source_hash for job in take(store, 10, queue=Queue("other", ("pdf", "echo")))] == [hash_of("b")]
        assert [job.source_hash for job in take(store, 10, queue=Queue("default", ("echo",)))] == [hash_of("c")]

    def test_a_queue_of_several_types_is_one_line(self, store: JobStore) -> None:
        added(store, "second", type="echo", priority=2)
        added(store, "third", priority=3)
        added(store, "first", priority=1)

        taken = take(store, 2, queue=Queue("default", ("pdf", "echo")))

        assert [job.source_hash for job in taken] == [hash_of("first"), hash_of("second")]

    def test_no_more_than_the_limit_are_taken_and_running_ones_never(self, store: JobStore) -> None:
        added(store, *"abc")

        assert [len(take(store, 2)), len(take(store, 2)), len(take(store, 2))] == [2, 1, 0]

    def test_moving_and_taking_happen_in_one_step(self, store: JobStore) -> None:
        added(store, *"abcd")
        held = take(store, 2)

        done = store.exchange([Move(job, completing(job)) for job in held], take=claiming(), queue=PDFS, limit=2)

        assert [job.state for job in done.moved if isinstance(job, Job)] == [State.COMPLETED] * 2
        assert [job.source_hash for job in done.taken] == [hash_of("c"), hash_of("d")]
        assert store.counts() == {("pdf", State.COMPLETED): 2, ("pdf", State.RUNNING): 2}

    def test_a_move_from_an_old_copy_is_made_on_the_job_as_it_is(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        renewed = store.update(
            held.id, lambda job: lifecycle.renew(job, lease_of(held), now=START, until=START + 2 * LEASE)
        )

        (moved,) = store.exchange([Move(held, completing(held))]).moved

        assert isinstance(moved, Job)
        assert moved.state is State.COMPLETED
        assert moved.rev > renewed.rev

    def test_a_move_that_only_the_old_copy_forbids_is_made(self, store: JobStore) -> None:
        (pending,) = added(store, "a")
        held = store.update(pending.id, claiming())

        (moved,) = store.exchange([Move(pending, completing(held))]).moved

        assert isinstance(moved, Job)
        assert moved.state is State.COMPLETED

    def test_a_move_that_raises_stands_alone(self, store: JobStore) -> None:
        added(store, *"abc")
        a, b, c = take(store, 3)
        store.update(b.id, lambda job: lifecycle.cancel(job, now=START))

        moved = store.exchange([Move(job, completing(job)) for job in (a, b, c)]).moved

        assert isinstance(moved[1], LeaseLost)
        assert [store.get(job.id).state for job in (a, b, c)] == [State.COMPLETED, State.CANCELLED, State.COMPLETED]

    def test_two_moves_of_one_job_in_one_call_come_after_each_other(self, store: JobStore) -> None:
        (job,) = added(store, "a")

        def more(seen: Job) -> Job:
            return seen._replace(max_attempts=seen.max_attempts + 1)

        store.exchange([Move(job, more), Move(job, more)])

        assert store.get(job.id).max_attempts == job.max_attempts + 2

    def test_a_fault_in_the_middle_undoes_the_whole_step(self, open_store: OpenStore) -> None:
        added(open_store(), *"ab")
        (held,) = take(open_store())

        def faulty(_: Job) -> Job:
            raise RuntimeError("a fault, not an error of ours")

        with pytest.raises(RuntimeError):
            open_store().exchange([Move(held, completing(held), (OUTPUT,))], take=faulty, queue=PDFS, limit=1)

        assert open_store().get(held.id) == held
        assert open_store().files(held.id) == []
        assert [event.kind for event in open_store().history(held.id).events] == ["submitted", "claimed"]

    def test_an_empty_exchange_does_nothing(self, store: JobStore) -> None:
        assert store.exchange([]) == ([], [])

    # Time

    def test_a_lease_that_ran_out_is_due(self, store: JobStore) -> None:
        added(store, *"ab")
        (a,) = take(store)
        late = START + LEASE

        assert store.update_due(waking(late - timedelta(seconds=1)), now=late - timedelta(seconds=1), limit=10) == []
        (freed,) = store.update_due(waking(late), now=late, limit=10)

        assert freed.id == a.id
        assert freed.state is State.PENDING
        assert store.get(a.id) == freed
        assert store.update_due(waking(late), now=late, limit=10) == []

    def test_a_renewed_lease_is_due_at_its_new_end(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        later = START + LEASE / 2
        store.exchange([Move(held, lambda job: lifecycle.renew(job, lease_of(held), now=later, until=later + LEASE))])

        assert store.update_due(waking(START + LEASE), now=START + LEASE, limit=10) == []
        assert store.update_due(waking(START + LEASE), now=START + LEASE, limit=10) == []
        assert len(store.update_due(waking(later + LEASE), now=later + LEASE, limit=10)) == 1

    def test_renewed_leases_do_not_hide_one_that_ran_out(self, store: JobStore) -> None:
        added(store, *"abc")
        *renewed, lost = take(store, 3)
        later = START + LEASE / 2
        store.exchange([Move(job, _renewing(job, later)) for job in renewed])
        late = START + LEASE

        freed = [job for _ in range(3) for job in store.update_due(waking(late), now=late, limit=1)]

        assert [job.id for job in freed] == [lost.id]

    def test_a_failed_job_is_due_when_its_wait_is_over(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        wait = RetryPolicy(jitter=0)
        failure = Failure("timed_out", "too slow", retryable=True)
        store.update(held.id, lambda job: lifecycle.fail(job, lease_of(held), failure, policy=wait, roll=0, now=START))

        assert take(store) == []
        due = START + wait.first
        assert [job.state for job in store.update_due(waking(due), now=due, limit=10)] == [State.PENDING]
        assert len(take(store)) == 1

    def test_the_earliest_come_first_and_no_more_than_the_limit(self, store: JobStore) -> None:
        jobs = added(store, *"abc")
        for seconds, job in zip((30, 10, 20), jobs, strict=True):
            store.update(job.id, claiming(now=START + timedelta(seconds=seconds)))
        late = START + timedelta(hours=1)

        freed = store.update_due(waking(late), now=late, limit=2)

        assert [job.source_hash for job in freed] == [hash_of("b"), hash_of("c")]

    # What a job leaves behind

    def test_every_move_is_an_event_and_every_ended_claim_an_attempt(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        store.update(held.id, lambda job: lifecycle.release(job, lease_of(held), now=START))
        (again,) = take(store, worker_id=BOB)
        store.exchange([Move(again, completing(again, now=START + timedelta(seconds=5)))])

        attempts, events = store.history(held.id)

        assert [event.kind for event in events] == ["submitted", "claimed", "released", "claimed", "completed"]
        assert [(attempt.worker_id, attempt.lease_number, attempt.outcome) for attempt in attempts] == [
            (ALICE, 1, "released"),
            (BOB, 2, "completed"),
        ]
        assert attempts[1].started_at == START
        assert attempts[1].ended_at == START + timedelta(seconds=5)

    def test_a_failure_is_kept_with_its_attempt(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        failure = Failure("not_a_pdf", "a.pdf is a web page")
        store.update(
            held.id, lambda job: lifecycle.fail(job, lease_of(held), failure, policy=RetryPolicy(), roll=0, now=START)
        )

        (attempt,) = store.history(held.id).attempts

        assert (attempt.outcome, attempt.error_code, attempt.error) == ("died", "not_a_pdf", "a.pdf is a web page")

    def test_an_expired_lease_is_an_attempt_too(self, store: JobStore) -> None:
        added(store, "a")
        (held,) = take(store)
        late = START + LEASE
        store.update_due(waking(late), now=late, limit=10)

        history = store.history(held.id)

        assert [attempt.outcome for attempt in history.attempts] == ["expired"]
        assert history.events[-1].kind == "expired"

    def test_files_are_recorded_with_the_move_that_happens(self, store: JobStore) -> None:
        added(store, *"ab")
        a, b = take(store, 2)
        store.update(b.id, lambda job: lifecycle.cancel(job, now=START))

        store.exchange([Move(job, completing(job), (OUTPUT,)) for job in (a, b)])

        assert store.files(a.id) == [OUTPUT]
        assert store.files(b.id) == []

    # Looking

    def test_pages_go_from_the_newest_down_and_can_be_filtered(self, store: JobStore) -> None:
        jobs = added(store, *"abcde")
        held = take(store, 2)
        added(store, "x", project="other", type="echo")

        first = store.page(JobFilter(project="default"), limit=3)
        rest = store.page(JobFilter(project="default"), after=first[-1].id, limit=3)

        assert [job.id for job in first + rest] == [job.id for job in reversed(jobs)]
        assert {job.id for job in store.page(JobFilter(state=State.RUNNING))} == {job.id for job in held}
        assert {job.id for job in store.page(JobFilter(worker_id=ALICE))} == {job.id for job in held}
        assert [job.type for job in store.page(JobFilter(type="echo"))] == ["echo"]

    def test_jobs_are_counted_by_type_and_state(self, store: JobStore) -> None:
        added(store, *"abc")
        added(store, "x", project="other", type="echo")
        take(store)

        assert store.counts(project="default") == {("pdf", State.PENDING): 2, ("pdf", State.RUNNING): 1}
        assert store.counts()["echo", State.PENDING] == 1

    # Workers

    def test_a_worker_is_registered_replaced_and_forgotten(self, store: JobStore) -> None:
        worker = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START, metadata={"slots": 2})
        store.put_worker(worker)
        store.put_worker(Worker(id=BOB, type="pdf", status=WorkerStatus.DRAINING, last_heartbeat=START))
        busy = Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START, current_job_id=JobId(3))
        store.put_worker(busy)

        assert [known.id for known in store.workers()] == [ALICE, BOB]
        assert store.workers()[0] == busy
        store.remove_worker(ALICE)
        store.remove_worker(ALICE)
        assert [known.id for known in store.workers()] == [BOB]

    def test_closing_twice_is_no_error(self, store: JobStore) -> None:
        store.close()
        store.close()


def _renewing(held: Job, now: datetime) -> Change:
    return lambda job: lifecycle.renew(job, lease_of(held), now=now, until=now + LEASE)


def _meet(barrier: threading.Barrier) -> None:
    """Waits until both have read. A store that locks lets one in at a time: then the wait ends by itself."""
    with suppress(threading.BrokenBarrierError):
        barrier.wait(timeout=0.3)
