"""What a worker does about those that had its name before it."""

from datetime import timedelta

import pytest

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import ProcessIdentity, WorkerReport, report_json
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import new_job
from blobforge.testing.clock import FakeClock
from blobforge.worker.feed import QueueFeed, Until
from blobforge.worker.predecessors import Predecessors

OLD, NEW = WorkerId("press-1.7.old"), WorkerId("press-1.7.new")
PDFS = Queue("default", ("pdf",))
BEAT = 60.0


class Bench:
    """A queue with a long lease, on which a worker of another container holds a job."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.queue = CoordinationService(MemoryJobStore(), clock=self.clock, lease_for=timedelta(minutes=15))
        self.queue.submit([new_job("held")])
        self.beat()
        (self.held,) = self.queue.claim(PDFS, worker_id=OLD)

    def beat(self) -> None:
        """A heartbeat of the old one, which cannot be seen from here."""
        report = WorkerReport(name="press-1", heartbeat_seconds=BEAT, process=ProcessIdentity(system="there"))
        self.queue.register_worker(
            Worker(
                id=OLD,
                type="pdf",
                status=WorkerStatus.ONLINE,
                last_heartbeat=self.clock.now(),
                metadata=report_json(report),
            )
        )

    def successor(self, *, is_exclusive: bool = False) -> Predecessors:
        return Predecessors(
            self.queue, self.clock, name="press-1", own_id=NEW, is_exclusive=is_exclusive, has_ended=lambda _: None
        )

    @property
    def job(self) -> Job:
        return self.queue.get(self.held.id)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_one_that_has_its_name_alone_frees_at_its_start_what_its_predecessor_held(bench: Bench) -> None:
    """R0-41. As a container that was restarted: the process before it cannot be seen."""
    bench.successor(is_exclusive=True).recover()

    assert bench.job.state is State.PENDING
    assert bench.queue.workers() == []


def test_a_predecessor_that_cannot_be_seen_is_freed_once_it_has_missed_three_heartbeats(bench: Bench) -> None:
    """R0-41. Long before its lease of fifteen minutes ends, and without another start."""
    successor = bench.successor()
    successor.recover()
    bench.clock.advance(seconds=3 * BEAT)
    successor.recover_if_due()
    early = bench.job.state
    bench.clock.advance(seconds=2)
    successor.recover_if_due()

    assert (early, bench.job.state) == (State.RUNNING, State.PENDING)
    assert bench.queue.workers() == []


def test_one_of_the_same_name_that_is_heard_of_again_keeps_its_job(bench: Bench) -> None:
    """R2-39."""
    successor = bench.successor()
    successor.recover()
    bench.clock.advance(seconds=2.5 * BEAT)
    bench.beat()

    bench.clock.advance(seconds=BEAT)
    successor.recover_if_due()

    assert bench.job.state is State.RUNNING


def test_workers_of_other_names_are_listed_for_a_day_after_their_last_heartbeat(bench: Bench) -> None:
    newcomer = Predecessors(
        bench.queue,
        bench.clock,
        name="press-2",
        own_id=WorkerId("press-2.1.new"),
        is_exclusive=True,
        has_ended=lambda _: None,
    )
    bench.clock.advance(days=1)
    newcomer.recover()
    after_a_day = [worker.id for worker in bench.queue.workers()]

    bench.clock.advance(seconds=1)
    newcomer.recover()

    assert after_a_day == [OLD]
    assert bench.queue.workers() == []


def test_nobody_is_asked_while_nobody_is_undecided(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    successor = bench.successor(is_exclusive=True)
    successor.recover()
    asked: list[None] = []
    monkeypatch.setattr(bench.queue, "workers", lambda: asked.append(None))

    bench.clock.advance(hours=1)
    successor.recover_if_due()

    assert asked == []


def test_a_queue_that_does_not_answer_is_asked_again_later(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> list[Worker]:
        raise StoreUnavailable("it is away")

    successor = bench.successor()
    successor.recover()
    bench.clock.advance(seconds=4 * BEAT)
    with monkeypatch.context() as outage:
        outage.setattr(bench.queue, "workers", away)
        successor.recover_if_due()

    successor.recover_if_due()

    assert bench.job.state is State.PENDING


def test_a_worker_looks_for_them_whenever_it_finds_nothing_to_do(bench: Bench) -> None:
    looks: list[None] = []
    feed = QueueFeed(bench.queue, PDFS, NEW, until=Until.STOPPED, on_idle=lambda: looks.append(None))

    feed.settle([], limit=0)
    assert looks == []
    feed.settle([], limit=1)
    assert looks == [None]

    bench.queue.submit([new_job("another")])
    assert len(feed.settle([], limit=1).claimed) == 1
    assert looks == [None]
