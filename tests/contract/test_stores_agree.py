"""Any sequence of steps leaves the SQLite store with the same jobs and the same history as the memory store."""

import tempfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.sql.plugin import open_queue
from blobforge.domain import lifecycle
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import Change, JobFilter, JobStore, Move, Queue
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import ALICE, BOB, a_job
from blobforge.testing.clock import FakeClock
from blobforge.testing.job_store import steps

NAMES = st.lists(st.sampled_from("abcdefgh"), max_size=6)
TYPES = st.sampled_from(["pdf", "echo"])
QUEUES = st.sampled_from([Queue("default", ("pdf",)), Queue("default", ("echo", "pdf"))])
WORKERS = st.sampled_from([ALICE, BOB])
HOLDERS_MOVES = st.sampled_from(["completing", "failing", "releasing", "renewing", "cancelling"])
PEOPLES_MOVES: st.SearchStrategy[Callable[[Job, FakeClock], Job]] = st.sampled_from(
    [
        lambda job, clock: lifecycle.cancel(job, now=clock.now()),
        lambda job, clock: lifecycle.retry(job, now=clock.now()),
        lambda job, clock: lifecycle.retry(job, now=clock.now(), reset_attempts=False, priority=2),
        lambda job, clock: lifecycle.reprioritize(job, priority=1, now=clock.now()),
        lambda job, clock: lifecycle.amend(job, metadata="[]", now=clock.now()),
    ]
)


def without_revisions(jobs: Sequence[Job | BlobForgeError]) -> list[object]:
    """A store may write an equal job again, or not."""
    return [job._replace(rev=0) if isinstance(job, Job) else type(job) for job in jobs]


class StoresAgree(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        sqlite = open_queue(f"sqlite:///{Path(self.folder.name, 'jobs.db')}", QueueOptions(durable=False)).store
        self.stores: list[JobStore] = [MemoryJobStore(), sqlite]
        self.clock = FakeClock()
        # Every form of every job that anyone has seen, by the index of its store.
        self.seen: list[tuple[Job, Job]] = []

    @rule(names=NAMES, job_type=TYPES, priority=st.integers(1, 5))
    def insert(self, names: list[str], job_type: str, priority: int) -> None:
        jobs = [a_job(name, now=self.clock.now(), type=job_type, priority=priority) for name in names]
        memory, sqlite = (store.insert(jobs) for store in self.stores)
        assert [entry.created for entry in memory] == [entry.created for entry in sqlite]
        self.note([entry.job for entry in memory], [entry.job for entry in sqlite])

    @rule(queue=QUEUES, worker_id=WORKERS, limit=st.integers(0, 9))
    def take(self, queue: Queue, worker_id: WorkerId, limit: int) -> None:
        change = steps.claiming(worker_id, now=self.clock.now())
        memory, sqlite = (store.exchange([], take=change, queue=queue, limit=limit).taken for store in self.stores)
        self.note(memory, sqlite)

    @precondition(lambda self: self.seen)
    @rule(choices=st.lists(st.tuples(st.integers(0, 30), HOLDERS_MOVES), max_size=12), limit=st.integers(0, 3))
    def move(self, choices: list[tuple[int, str]], limit: int) -> None:
        queue = Queue("default", ("pdf",))
        take = steps.claiming(BOB, now=self.clock.now())
        memory, sqlite = (
            store.exchange(self.moves(choices, side), take=take, queue=queue, limit=limit)
            for side, store in enumerate(self.stores)
        )
        assert without_revisions(memory.moved) == without_revisions(sqlite.moved)
        self.note(memory.taken, sqlite.taken)

    @precondition(lambda self: self.seen)
    @rule(age=st.integers(0, 30), change=PEOPLES_MOVES)
    def steer(self, age: int, change: Callable[[Job, FakeClock], Job]) -> None:
        memory, sqlite = (self.updated(side, age, change) for side in (0, 1))
        assert without_revisions([memory]) == without_revisions([sqlite])

    @rule(seconds=st.sampled_from([0, 1, 10, 90, 200, -5]))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds=seconds)

    @rule()
    def sweep(self) -> None:
        memory, sqlite = (steps.wake_due(store, self.clock.now(), limit=1_000) for store in self.stores)
        self.note(sorted(memory), sorted(sqlite))

    @invariant()
    def the_jobs_are_the_same(self) -> None:
        memory, sqlite = (store.page(JobFilter(), limit=1_000) for store in self.stores)
        assert without_revisions(memory) == without_revisions(sqlite)
        assert self.stores[0].counts() == self.stores[1].counts()

    def teardown(self) -> None:
        try:
            self.the_histories_are_the_same()
        finally:
            self.stores[1].close()
            self.folder.cleanup()

    def the_histories_are_the_same(self) -> None:
        memory, sqlite = self.stores
        for job in memory.page(JobFilter(), limit=1_000):
            assert memory.history(job.id) == sqlite.history(job.id)
            assert memory.files(job.id) == sqlite.files(job.id)
        held = JobFilter(worker_id=ALICE, state=State.RUNNING)
        assert without_revisions(memory.page(held)) == without_revisions(sqlite.page(held))

    def note(self, memory: Sequence[Job], sqlite: Sequence[Job]) -> None:
        assert without_revisions(memory) == without_revisions(sqlite)
        self.seen += zip(memory, sqlite, strict=True)

    def seen_by(self, side: int, age: int) -> Job:
        return self.seen[-1 - age % len(self.seen)][side]

    def moves(self, choices: Sequence[tuple[int, str]], side: int) -> list[Move]:
        """One a job: two of the same job may happen in either order."""
        made = {self.seen_by(side, age).id: self.a_move(self.seen_by(side, age), name) for age, name in choices}
        return list(made.values())

    def a_move(self, seen: Job, name: str) -> Move:
        if name == "cancelling" or seen.worker_id is None:
            return Move(seen, steps.cancelling, (steps.OUTPUT,))
        make: Callable[..., Change] = getattr(steps, name)
        return Move(seen, make(seen, now=self.clock.now() + timedelta(seconds=1)), (steps.OUTPUT,))

    def updated(self, side: int, age: int, change: Callable[[Job, FakeClock], Job]) -> Job | BlobForgeError:
        try:
            return self.stores[side].update(self.seen_by(side, age).id, lambda job: change(job, self.clock))
        except BlobForgeError as error:
            return error


TestStoresAgree = StoresAgree.TestCase
TestStoresAgree.settings = settings(max_examples=60, stateful_step_count=25, deadline=None, database=None)
