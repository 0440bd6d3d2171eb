"""A worker's loop when the queue is away, or when something of its own breaks."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.site import Site
from tests.integration.worker.workbench import has_ended
from tests.unit.worker.flaky import Unsure

from blobforge.domain.endings import Completed
from blobforge.domain.errors import DiskFull, JobCancelled, ResultDamaged, StoreUnavailable
from blobforge.domain.job import Job, State
from blobforge.ports.blob_store import BlobKey, BlobStat
from blobforge.processors.echo.plugin import EchoProcessor
from blobforge.worker import disk_space
from blobforge.worker.observer import Tally

OpenSite = Callable[..., Site]
NEVER = timedelta(hours=1)


class Fault(Exception):
    """Something of ours is broken."""


def fault(*_: object) -> None:
    raise Fault


def our_threads() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name.startswith(("slot-", "heartbeat", "loop"))}


@pytest.fixture
def sleepy(open_site: OpenSite) -> Site:
    return open_site(sleeper=strange.Sleeper)


def test_no_ending_is_lost_while_the_queue_is_away(site: Site) -> None:
    job = site.submit("a document")
    site.flaky.refuse("end_and_claim", passing=1, times=5)

    assert site.drain() == Tally(completed=1)

    assert site.flaky.refused["end_and_claim"] == 5
    assert [type(ending) for ending, _ in site.diary.endings] == [Completed]
    assert site.state(job) is State.COMPLETED


def test_a_queue_that_is_away_from_the_start_is_waited_for(site: Site) -> None:
    site.submit("a document")
    site.flaky.refuse("register_worker", "end_and_claim", "counts", times=3)

    assert site.drain() == Tally(completed=1)


@pytest.mark.parametrize("method", ["renew", "get_many", "register_worker", "deregister_worker"])
def test_a_heartbeat_or_a_farewell_that_does_not_get_through_does_no_harm(site: Site, method: str) -> None:
    site.submit("a document", hang_seconds=0.3)
    site.flaky.refuse(method, times=1000)

    assert site.drain(heartbeat=timedelta(seconds=0.1)) == Tally(completed=1)

    assert site.flaky.refused[method]


def test_a_job_that_is_lost_while_its_ending_waits_is_counted_once(site: Site) -> None:
    job = site.submit("a document")
    site.flaky.refuse("end_and_claim", passing=1, times=1_000_000)
    looks: list[State] = []

    def cancel_when_the_ending_waits() -> None:
        if site.flaky.refused["end_and_claim"] == 1:
            site.coordinator.cancel(job.id)

    def let_it_pass_when_the_heartbeat_has_noticed() -> None:
        looks.append(site.state(job))
        if looks.count(State.CANCELLED) == 3:
            site.flaky.refuse("end_and_claim", times=0)

    site.flaky.on_call["end_and_claim"] = cancel_when_the_ending_waits
    site.flaky.on_call["get_many"] = let_it_pass_when_the_heartbeat_has_noticed

    assert site.drain() == Tally(cancelled=1)

    assert [type(outcome) for _, outcome in site.diary.endings] == [JobCancelled]


def test_a_queue_that_stays_away_does_not_keep_a_worker_from_ending(sleepy: Site) -> None:
    job = sleepy.submit("a document", type="sleeper")
    running = sleepy.start(release_timeout=timedelta(seconds=0.5))
    child = sleepy.diary.child()

    sleepy.flaky.refuse("end_and_claim", times=1000)
    running.stop()

    assert running.result() == Tally()
    assert has_ended(child)
    assert sleepy.workspaces() == []
    assert sleepy.state(job) is State.RUNNING
    assert sleepy.owing == [True]


def test_a_fault_of_a_listener_surfaces_and_the_jobs_are_handed_back(sleepy: Site) -> None:
    """R2-44."""
    jobs = [sleepy.submit(name, type="sleeper") for name in "ab"]
    sleepy.diary.hooks["progressed"] = fault

    with pytest.raises(Fault):
        sleepy.start(slots=2).result()

    assert {sleepy.state(job) for job in jobs} == {State.PENDING}
    assert {sleepy.job(job).attempts for job in jobs} == {0}
    assert our_threads() == set()
    assert sleepy.workspaces() == []


def test_a_fault_that_a_job_brings_with_it_costs_that_job_an_attempt_and_the_others_none(
    sleepy: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    innocent = sleepy.submit("innocent", type="sleeper")
    running = sleepy.start(slots=2)
    sleepy.diary.child()
    monkeypatch.setattr(EchoProcessor, "recipe", fault)
    poison = sleepy.submit("poison")

    with pytest.raises(Fault):
        running.result()

    assert (sleepy.job(poison).attempts, sleepy.job(poison).error_code) == (1, "error")
    assert (sleepy.job(innocent).attempts, sleepy.state(innocent)) == (0, State.PENDING)


def test_a_child_that_cannot_be_started_is_not_the_jobs_fault(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    job = site.submit("a document")
    monkeypatch.setattr("sys.executable", "/nowhere/python")

    with pytest.raises(FileNotFoundError):
        site.drain()

    assert (site.state(job), site.job(job).attempts) == (State.PENDING, 0)
    assert site.workspaces() == []


def test_a_fault_of_the_heartbeat_ends_the_worker(sleepy: Site) -> None:
    job = sleepy.submit("a document", type="sleeper")
    sleepy.flaky.error = Fault()
    sleepy.flaky.refuse("renew")

    with pytest.raises(Fault):
        sleepy.start().result()

    assert sleepy.state(job) is State.PENDING


@pytest.mark.parametrize("moment", ["claimed", "ended"])
def test_no_job_stays_claimed_when_the_watcher_breaks(site: Site, moment: str) -> None:
    jobs = [site.submit(f"{number}") for number in range(5)]
    site.diary.hooks[moment] = fault

    with pytest.raises(Fault):
        site.drain(slots=2, prefetch=1)

    assert State.RUNNING not in {site.state(job) for job in jobs}
    assert our_threads() == set()
    assert site.workspaces() == []


def test_a_job_that_ended_in_the_moment_of_a_fault_has_ended_and_is_not_handed_back(open_site: OpenSite) -> None:
    site = open_site(chorus=strange.Chorus)
    first, second = (site.submit(name, type="chorus") for name in "ab")

    def break_after_the_first_has_ended(job: Job) -> None:
        if job.id == second.id:
            # A child that is not used again leaves when its reply has been passed on.
            assert has_ended(site.diary.child())
            raise Fault

    site.diary.hooks["claimed"] = break_after_the_first_has_ended
    with pytest.raises(Fault):
        site.drain(prefetch=1, limits={"max_jobs": 1})

    assert (site.state(first), site.state(second)) == (State.COMPLETED, State.PENDING)


def test_a_queue_that_breaks_while_the_jobs_are_handed_back_leaves_no_thread_and_no_child(sleepy: Site) -> None:
    sleepy.submit("a document", type="sleeper")
    running = sleepy.start()
    child = sleepy.diary.child()
    sleepy.flaky.error = Fault()

    sleepy.flaky.refuse("end_and_claim", times=1000)
    running.stop()

    with pytest.raises(Fault):
        running.result()
    assert our_threads() == set()
    assert has_ended(child)


def test_a_blob_store_that_is_away_costs_no_attempt_and_the_watcher_hears_of_it(site: Site) -> None:
    job = site.submit("a document")
    store, away = site.folder / "blobs", site.folder / "away"
    (store / ".incoming").mkdir(parents=True, exist_ok=True)
    assert list(site.blobs.list("")) == [], "it was there"
    store.rename(away)

    def come_back(_: object) -> None:
        if away.exists():
            away.rename(store)

    site.diary.hooks["waiting"] = come_back
    tally = site.drain()

    assert (tally.completed, tally.released) == (1, 1)
    assert (site.state(job), site.job(job).attempts) == (State.COMPLETED, 1)
    assert len(site.diary.troubles) == 1


def test_an_ending_for_which_the_queue_did_not_answer_is_told_again(site: Site) -> None:
    job = site.submit("a document")
    site.flaky.inner = Unsure(site.coordinator, StoreUnavailable("no answer"), times=3).as_coordinator()

    assert site.drain() == Tally(completed=1)

    assert site.state(job) is State.COMPLETED
    assert [type(ending) for ending, _ in site.diary.endings] == [Completed]


def test_a_result_for_which_there_is_no_room_to_publish_it_is_told_again_and_costs_no_attempt(site: Site) -> None:
    job = site.submit("a document")
    site.flaky.inner = Unsure(site.coordinator, DiskFull("no space left"), times=3).as_coordinator()

    assert site.drain() == Tally(completed=1)

    assert (site.state(job), site.job(job).attempts) == (State.COMPLETED, 1)
    assert [str(problem) for problem in site.diary.troubles] == ["no space left"] * 3


def test_a_worker_that_ends_does_not_wait_for_room_to_publish_and_hands_the_job_back(site: Site) -> None:
    job = site.submit("a document")
    site.flaky.inner = Unsure(site.coordinator, DiskFull("no space left"), times=2).as_coordinator()
    running = site.start()
    site.diary.hooks["waiting"] = lambda _: running.stop()

    assert running.result() == Tally(released=1)

    assert (site.state(job), site.job(job).attempts) == (State.PENDING, 0)


def test_a_store_without_room_is_waited_for_by_every_slot_and_no_document_is_run_twice(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [site.submit(f"{number}") for number in range(4)]
    adopt, has_room = site.blobs.adopt, threading.Event()

    def cramped(key: BlobKey, path: Path) -> BlobStat:
        if not has_room.is_set():
            raise DiskFull("no space left")
        return adopt(key, path)

    monkeypatch.setattr(disk_space, "FIRST_SECONDS", 0.01)
    monkeypatch.setattr(site.blobs, "adopt", cramped)

    def make_room(_: object) -> None:
        if len(site.diary.troubles) == 6:
            has_room.set()

    site.diary.hooks["waiting"] = make_room
    tally = site.drain(slots=2)

    assert tally == Tally(completed=4)
    assert [(site.state(job), site.job(job).attempts) for job in jobs] == [(State.COMPLETED, 1)] * 4


def test_a_worker_that_waits_for_room_ends_at_a_signal_and_hands_its_jobs_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(key: BlobKey, path: Path) -> BlobStat:
        raise DiskFull("no space left")

    job = site.submit("a document")
    monkeypatch.setattr(site.blobs, "adopt", full)
    running = site.start()
    site.diary.hooks["waiting"] = lambda _: running.stop()

    assert running.result() == Tally(released=1)

    assert (site.state(job), site.job(job).attempts) == (State.PENDING, 0)


def test_a_result_that_cannot_be_published_fails_the_job(site: Site) -> None:
    job = site.submit("a document")
    site.flaky.inner = Unsure(site.coordinator, ResultDamaged("it is damaged"), times=1).as_coordinator()

    assert site.drain() == Tally(completed=1)

    attempts, _ = site.coordinator.history(job.id)
    assert [attempt.error_code for attempt in attempts] == ["result_damaged", None]
