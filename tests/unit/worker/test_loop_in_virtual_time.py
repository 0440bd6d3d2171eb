"""A worker's loop with its slots, its heartbeat and its end, run in virtual time: nothing sleeps."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.unit.worker.flaky import FlakyCoordinator
from tests.unit.worker.job_run_bench import write_result

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.catalog.nothing import NothingSeen
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, ChildError, DiskFull, StoreUnavailable
from blobforge.domain.job import Job, State
from blobforge.ingest.hashing import hash_file
from blobforge.ports.job_store import Queue
from blobforge.ports.processor import Product, Progress
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.testing.builders import ALICE, new_job
from blobforge.testing.runtime import FakeRuntime
from blobforge.worker.child import ChildSpec
from blobforge.worker.equipment import Equipment
from blobforge.worker.error_log import NoErrorLog
from blobforge.worker.feed import QueueFeed, Until
from blobforge.worker.limits import ChildLimits
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_messages import Lost
from blobforge.worker.loop_settings import LoopSettings, OnTerm
from blobforge.worker.messages import Produced, Reply, Request
from blobforge.worker.observer import Tally
from blobforge.worker.results import ResultStore
from blobforge.worker.sources import Sources
from blobforge.worker.workspace import Workspace

ECHOES = Queue("default", ("echo",))


class VirtualChild:
    """Takes as many virtual seconds for a document as its bytes say, and starts no process."""

    def __init__(self, runtime: FakeRuntime) -> None:
        self._runtime = runtime
        self._killed = runtime.event()
        self._reason: ChildError | None = None
        self.needs_replacing = False

    def ask(self, request: Request, *, seconds: float, on_progress: Callable[[Progress], None]) -> Reply:
        on_progress(Progress("echo", 0, 1))
        if self._killed.wait(float(request.task.source.read_text().split()[0])):
            assert self._reason is not None
            raise self._reason
        archive = request.task.workspace / "result.zip"
        write_result(archive)
        return Reply(Produced(Product(archive=archive, summary={"pages": 1})), peak_memory=1)

    def kill(self, reason: ChildError | None = None) -> None:
        self._reason = reason
        self._killed.set()

    def close(self) -> None:
        self._killed.set()


class VirtualSite:
    """A queue and a worker on it; what happens is noted with its time. As a Wakeup, it tells of jobs as they come."""

    def __init__(self, folder: Path, *, seed: int | None = None) -> None:
        self.folder = folder
        self.runtime = FakeRuntime(seed=seed)
        self.coordinator = CoordinationService(MemoryJobStore(), clock=self.runtime)
        self.flaky = FlakyCoordinator(self.coordinator)
        self.blobs = DirectoryBlobStore(folder / "blobs")
        self.times: dict[str, list[float]] = {}
        self.story: list[tuple[float, str, int]] = []
        self._listener: Callable[[], None] = lambda: None
        for call in ("end_and_claim", "renew"):
            self.flaky.on_call[call] = lambda call=call: self.times.setdefault(call, []).append(self.now)  # type: ignore[misc]

    @property
    def now(self) -> float:
        return round(self.runtime.monotonic(), 3)

    def submit(self, name: str, *, seconds: float) -> Job:
        path = self.folder / f"{name}.pdf"
        path.write_text(f"{seconds} {name}")
        new = new_job(type="echo", source_hash=hash_file(str(path)).source_hash, source_path=str(path))
        job = self.coordinator.submit([new])[0].job
        self._listener()
        return job

    def worker(self, *, until: Until = Until.STOPPED, **settings: Any) -> WorkerLoop:
        queue = self.flaky.as_coordinator()
        limits = ChildLimits(timeout_seconds=86_400)
        equipment = Equipment(
            processor=EchoProcessor(),
            spec=ChildSpec(factory="none", limits=limits, environment={}),
            results=ResultStore(self.blobs),
            sources=Sources(self.blobs, NothingSeen()),
            workspaces=Workspace(self.folder / "work"),
        )
        return WorkerLoop(
            queue,
            QueueFeed(queue, ECHOES, ALICE, until=until),
            {"echo": equipment},
            LoopSettings(worker_id=ALICE, **{"slots": 1, **settings}),
            clock=self.runtime,
            wakeup=self,
            watcher=self,
            error_log=NoErrorLog(),
            runtime=self.runtime,
            start_child=lambda _spec, _runtime: VirtualChild(self.runtime),
        )

    # As a Wakeup and its Subscription

    def subscribe(self, listener: Callable[[], None]) -> "VirtualSite":
        self._listener = listener
        return self

    def close(self) -> None:
        self._listener = lambda: None

    # As a Watcher

    def claimed(self, job: Job) -> None:
        self.story.append((self.now, "claimed", job.id))

    def progressed(self, job: Job, progress: Progress) -> None:
        self.story.append((self.now, "begun", job.id))

    def ended(self, outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        self.story += [(self.now, type(ending).__name__, ending.job.id) for ending, _ in outcomes]

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        self.story.append((self.now, type(problem).__name__, 0))


@pytest.fixture(autouse=True)
def _nothing_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(seconds: float) -> None:
        raise AssertionError(f"it sleeps for {seconds} s of real time")

    monkeypatch.setattr(time, "sleep", refuse)


@pytest.fixture
def site(tmp_path: Path) -> VirtualSite:
    return VirtualSite(tmp_path)


def test_an_idle_worker_backs_off_and_polls_at_its_longest_interval_for_an_hour(site: VirtualSite) -> None:
    worker = site.worker()
    site.runtime.call_later(3600, worker.stop)

    worker.run()

    polls = site.times["end_and_claim"]
    assert polls[:5] == [0, 1, 3, 7, 11]
    assert {later - sooner for sooner, later in pairwise(polls[3:])} == {4}
    assert site.now == 3600


def test_a_wake_up_brings_the_next_poll_forward(site: VirtualSite) -> None:
    worker = site.worker(longest_poll_interval=timedelta(hours=1), poll_interval=timedelta(hours=1))
    site.runtime.call_later(100, lambda: site.submit("a", seconds=5))
    site.runtime.call_later(200, worker.stop)

    tally = worker.run()

    assert site.times["end_and_claim"][:3] == [0, 100, 105]
    assert tally == Tally(completed=1)


def test_the_heartbeat_renews_the_lease_of_a_job_for_as_long_as_it_runs(site: VirtualSite) -> None:
    job = site.submit("a", seconds=400)

    tally = site.worker(until=Until.DRAINED, check=timedelta(seconds=2), heartbeat=timedelta(seconds=60)).run()

    assert site.times["renew"] == [2, 62, 122, 182, 242, 302, 362]
    assert tally == Tally(completed=1)
    assert site.coordinator.get(job.id).state is State.COMPLETED
    assert site.now == 400


def test_a_job_that_was_cancelled_is_given_up_at_the_next_check(site: VirtualSite) -> None:
    job = site.submit("a", seconds=400)
    site.runtime.call_later(31, lambda: site.coordinator.cancel(job.id))

    tally = site.worker(until=Until.DRAINED, check=timedelta(seconds=2)).run()

    assert tally == Tally(cancelled=1)
    assert site.now == 32


def test_a_late_word_of_a_lost_lease_does_not_end_the_next_run_of_the_job(site: VirtualSite) -> None:
    """The check that saw the first lease lost was slow, and this worker has claimed the job again meanwhile."""
    job = site.submit("a", seconds=100)
    worker = site.worker(until=Until.DRAINED, check=timedelta(seconds=2))
    lost: list[Job] = []

    def take_away() -> None:
        lost.append(site.coordinator.get(job.id))
        site.coordinator.requeue(job.id)

    site.runtime.call_later(31, take_away)
    site.runtime.call_later(50, lambda: worker._inbox.put(Lost(lost[0])))

    tally = worker.run()

    assert tally.completed == 1
    assert [what for _, what, _ in site.story] == ["claimed", "begun", "Released", "claimed", "begun", "Completed"]


def test_at_a_signal_a_job_has_its_grace_time_and_is_released_then(site: VirtualSite) -> None:
    job = site.submit("a", seconds=400)
    worker = site.worker(on_term=OnTerm.FINISH, grace=timedelta(seconds=30))
    site.runtime.call_later(100, worker.stop)

    tally = worker.run()

    assert tally == Tally(released=1)
    assert site.coordinator.get(job.id).state is State.PENDING
    assert site.now == 130
    assert site.coordinator.workers() == []


def test_a_job_that_ends_within_the_grace_time_is_completed(site: VirtualSite) -> None:
    site.submit("a", seconds=120)
    worker = site.worker(on_term=OnTerm.FINISH, grace=timedelta(seconds=30))
    site.runtime.call_later(100, worker.stop)

    tally = worker.run()

    assert tally == Tally(completed=1)
    assert site.now == 120


def test_the_release_of_jobs_is_retried_for_a_while_when_the_queue_is_away(site: VirtualSite) -> None:
    site.submit("a", seconds=400)
    worker = site.worker(release_timeout=timedelta(seconds=10))
    site.runtime.call_later(100, lambda: site.flaky.refuse("end_and_claim", times=1_000))
    site.runtime.call_later(100, worker.stop)

    worker.run()

    assert 40 <= site.flaky.refused["end_and_claim"] <= 60
    assert site.now == pytest.approx(110, abs=0.3)


@pytest.mark.parametrize("seed", range(3))
def test_a_run_of_many_jobs_on_many_slots_can_be_replayed_by_its_seed(tmp_path: Path, seed: int) -> None:
    def story_of(folder: Path, seed: int) -> list[tuple[float, str, int]]:
        folder.mkdir()
        site = VirtualSite(folder, seed=seed)
        for number in range(12):
            site.submit(f"document {number}", seconds=1 + number % 4)
        assert site.worker(until=Until.DRAINED, slots=3, prefetch=3).run() == Tally(completed=12)
        return site.story

    first = story_of(tmp_path / "first", seed)

    assert story_of(tmp_path / "again", seed) == first
    assert story_of(tmp_path / "other", seed + 100) != first


def test_a_worker_claims_nothing_until_a_store_that_is_away_answers(site: VirtualSite) -> None:
    site.submit("a", seconds=5)
    store, away = site.folder / "blobs", site.folder / "away"
    (store / ".incoming").mkdir(parents=True)
    assert list(site.blobs.list("")) == [], "it was there"
    store.rename(away)
    site.runtime.call_later(600, lambda: away.rename(store))

    tally = site.worker(until=Until.DRAINED).run()

    first, last = (at for at, what, _ in site.story if what == "claimed")
    assert (first, tally) == (0, Tally(completed=1, released=1))
    assert 600 <= last <= 608
