"""Any sequence of steps leaves every store with the same jobs and the same history as the memory store."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.postgres import Databases

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.sql.backend import open_queue
from blobforge.coordination.sql.postgres import claim_cursor
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres_queue
from blobforge.domain import lifecycle
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.events import History
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import Change, JobFilter, JobStore, Queue, Transition
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
        lambda job, clock: lifecycle.requeue(job, now=clock.now()),
        lambda job, clock: lifecycle.retry(job, now=clock.now()),
        lambda job, clock: lifecycle.retry(job, now=clock.now(), reset_attempts=False, priority=2),
        lambda job, clock: lifecycle.reprioritize(job, priority=1, now=clock.now()),
        lambda job, clock: lifecycle.amend(job, metadata="[]", now=clock.now()),
        lambda job, clock: lifecycle.source_arrived(job, now=clock.now()),
        lambda job, clock: lifecycle.expect_source(job, until=clock.now() + timedelta(seconds=50), now=clock.now()),
    ]
)


NO_ID = JobId(0)
WAIT_FOR_SOURCE = timedelta(seconds=100)


def told(jobs: Sequence[Job | BlobForgeError]) -> list[object]:
    """A store may write an equal job again, or not; and it may leave out numbers when it gives ids."""
    return [job._replace(id=NO_ID, rev=0) if isinstance(job, Job) else type(job) for job in jobs]


def told_of(history: History) -> tuple[list[object], list[object]]:
    attempts, events = history
    return [a._replace(job_id=NO_ID) for a in attempts], [e._replace(job_id=NO_ID) for e in events]


class StoresAgree(RuleBasedStateMachine):
    server: ClassVar[Databases]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        sqlite = open_queue(f"sqlite:///{Path(self.folder.name, 'jobs.db')}", QueueOptions(durable=False)).store
        postgres = open_postgres_queue(self.server.empty_queue(), QueueOptions(durable=False)).store
        self.stores: list[JobStore] = [MemoryJobStore(), sqlite, postgres]
        self.clock = FakeClock()
        # Every form of every job that anyone has seen, as each store gave it.
        self.seen: list[tuple[Job, ...]] = []

    @rule(names=NAMES, job_type=TYPES, priority=st.integers(1, 5))
    def insert(self, names: list[str], job_type: str, priority: int) -> None:
        jobs = [a_job(name, now=self.clock.now(), type=job_type, priority=priority) for name in names]
        answers = [store.insert(jobs) for store in self.stores]
        agree([entry.created for entry in answer] for answer in answers)
        self.note([entry.job for entry in answer] for answer in answers)

    @rule(names=NAMES)
    def announce(self, names: list[str]) -> None:
        jobs = [a_job(name, now=self.clock.now(), available_at=self.clock.now() + WAIT_FOR_SOURCE) for name in names]
        answers = [store.insert(jobs) for store in self.stores]
        agree([entry.created for entry in answer] for answer in answers)
        self.note([entry.job for entry in answer] for answer in answers)

    @rule(queue=QUEUES, worker_id=WORKERS, limit=st.integers(0, 9))
    def take(self, queue: Queue, worker_id: WorkerId, limit: int) -> None:
        change = steps.claiming(worker_id, now=self.clock.now())
        self.note(store.apply([], take=change, queue=queue, limit=limit).taken for store in self.stores)

    @precondition(lambda self: self.seen)
    @rule(choices=st.lists(st.tuples(st.integers(0, 30), HOLDERS_MOVES), max_size=12), limit=st.integers(0, 3))
    def transition(self, choices: list[tuple[int, str]], limit: int) -> None:
        queue = Queue("default", ("pdf",))
        take = steps.claiming(BOB, now=self.clock.now())
        answers = [
            store.apply(self.transitions(choices, side), take=take, queue=queue, limit=limit)
            for side, store in enumerate(self.stores)
        ]
        agree(told(answer.outcomes) for answer in answers)
        self.note(answer.taken for answer in answers)

    @precondition(lambda self: self.seen)
    @rule(age=st.integers(0, 30), change=PEOPLES_MOVES)
    def steer(self, age: int, change: Callable[[Job, FakeClock], Job]) -> None:
        agree(told([self.updated(side, age, change)]) for side in range(len(self.stores)))

    @rule(state=st.sampled_from(sorted(State)), limit=st.integers(1, 3))
    def forget(self, state: State, limit: int) -> None:
        agree(store.forget(store.page(JobFilter(state=state), limit=limit)) for store in self.stores)

    @precondition(lambda self: self.seen)
    @rule(age=st.integers(0, 30))
    def forget_what_was_seen(self, age: int) -> None:
        agree(store.forget([self.seen_by(side, age)]) for side, store in enumerate(self.stores))

    @rule(seconds=st.sampled_from([0, 1, 10, 90, 200, -5]))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds=seconds)

    @rule()
    def sweep(self) -> None:
        self.note(sorted(steps.reap_due(store, self.clock.now(), limit=1_000)) for store in self.stores)

    @rule(age=st.sampled_from([0, 30, 100]), stretch=st.sampled_from([3, 1_000]))
    def archive(self, age: int, stretch: int) -> None:
        for store in self.stores:
            store.archive(completed_before=self.clock.now() - timedelta(seconds=age), stretch=stretch)

    @invariant()
    def the_jobs_are_the_same(self) -> None:
        agree(told(store.page(JobFilter(), limit=1_000)) for store in self.stores)
        agree(dict(store.counts()) for store in self.stores)
        agree(dict(store.waiting(project="default")) for store in self.stores)
        agree(told(store.page(JobFilter(awaits_source=True), limit=1_000)) for store in self.stores)

    def teardown(self) -> None:
        try:
            self.the_histories_are_the_same()
        finally:
            for store in self.stores:
                store.close()
            self.folder.cleanup()

    def the_histories_are_the_same(self) -> None:
        for jobs in zip(*(store.page(JobFilter(), limit=1_000) for store in self.stores), strict=True):
            sides = list(zip(self.stores, jobs, strict=True))
            agree(told_of(store.history(job.id)) for store, job in sides)
            agree(store.files(job.id) for store, job in sides)
        held = JobFilter(worker_id=ALICE, state=State.RUNNING)
        agree(told(store.page(held)) for store in self.stores)

    def note(self, answers: Iterable[Sequence[Job]]) -> None:
        sides = list(answers)
        agree(map(told, sides))
        self.seen += zip(*sides, strict=True)

    def seen_by(self, side: int, age: int) -> Job:
        return self.seen[-1 - age % len(self.seen)][side]

    def transitions(self, choices: Sequence[tuple[int, str]], side: int) -> list[Transition]:
        """One a job: two of the same job may happen in either order."""
        made = {self.seen_by(side, age).id: self.a_transition(self.seen_by(side, age), name) for age, name in choices}
        return list(made.values())

    def a_transition(self, seen: Job, name: str) -> Transition:
        if name == "cancelling" or seen.worker_id is None:
            return Transition(seen, steps.cancelling, (steps.OUTPUT,))
        make: Callable[..., Change] = getattr(steps, name)
        return Transition(seen, make(seen, now=self.clock.now() + timedelta(seconds=1)), (steps.OUTPUT,))

    def updated(self, side: int, age: int, change: Callable[[Job, FakeClock], Job]) -> Job | BlobForgeError:
        try:
            return self.stores[side].update(self.seen_by(side, age).id, lambda job: change(job, self.clock))
        except BlobForgeError as error:
            return error


def agree(answers: Iterable[object]) -> None:
    first, *others = answers
    for other in others:
        assert other == first


@pytest.fixture(autouse=True, scope="module")
def _database(postgres_server: Databases) -> Iterator[None]:
    StoresAgree.server = postgres_server
    # On a slow machine a claim takes long, and for half a second the next ones pass over what came back before it.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claim_cursor, "LONG_SECONDS", 3_600.0)
        yield


class StoresAgreeOnNewPaths(StoresAgree):
    """What a change must pass takes the same paths each time; this one takes others."""


PATHS = settings(max_examples=30, stateful_step_count=25, deadline=None, database=None)
TestStoresAgree = StoresAgree.TestCase
TestStoresAgree.settings = settings(PATHS, derandomize=True)
# Who finds a difference makes it small, which takes its time.
TestStoresAgreeOnNewPaths = pytest.mark.timeout(1_800)(pytest.mark.extended(StoresAgreeOnNewPaths.TestCase))
TestStoresAgreeOnNewPaths.settings = PATHS
