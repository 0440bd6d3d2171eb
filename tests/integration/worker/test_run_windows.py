"""A worker follows its run windows: outside of them it does not poll, and running jobs are finished or released."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest
from tests.e2e.program import until
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.site import Site
from tests.integration.worker.workbench import has_ended

from blobforge.domain.job import State
from blobforge.domain.worker_report import read_report
from blobforge.runtime import SystemInbox
from blobforge.testing.builders import ALICE
from blobforge.testing.clock import FakeClock
from blobforge.worker.feed import Until
from blobforge.worker.observer import Tally

NOON_TO_ONE = "12:00-13:00"
NIGHT = "22:00-06:00"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def site(open_site: Callable[..., Site], clock: FakeClock) -> Site:
    return open_site(clock=clock, sleeper=strange.Sleeper)


def test_outside_its_window_a_worker_asks_the_queue_for_nothing(site: Site) -> None:
    job = site.submit("a document")
    asked: list[str] = []
    for name in ("end_and_claim", "counts", "page"):
        site.flaky.on_call[name] = partial(asked.append, name)
    running = site.start(windows=NIGHT, until=Until.DRAINED, heartbeat=timedelta(seconds=0.05))

    for _ in range(3):
        running.loop.nudge()
    site.flaky.wait_for_call("register_worker")

    assert asked == []
    assert site.state(job) is State.PENDING
    assert running.is_alive()


def test_it_begins_when_the_window_opens(site: Site, clock: FakeClock) -> None:
    job = site.submit("a document")
    running = site.start(windows=NIGHT, until=Until.DRAINED)
    running.loop.nudge()

    clock.advance(hours=10)
    running.loop.nudge()

    assert running.result() == Tally(completed=1)
    assert site.state(job) is State.COMPLETED


def test_when_it_closes_what_runs_is_finished_and_nothing_new_is_claimed(site: Site, clock: FakeClock) -> None:
    first, second = site.submit("first", hang_seconds=0.5), site.submit("second")
    running = site.start(windows=NOON_TO_ONE)
    site.diary.wait_until(lambda: bool(site.diary.progress))

    clock.advance(hours=1)
    running.loop.nudge()
    site.diary.wait_until(lambda: bool(site.diary.endings))
    running.stop()

    assert running.result() == Tally(completed=1)
    assert (site.state(first), site.state(second)) == (State.COMPLETED, State.PENDING)


def test_when_it_closes_running_jobs_are_given_back_where_that_is_wanted(site: Site, clock: FakeClock) -> None:
    jobs = [site.submit(name, type="sleeper") for name in "ab"]
    running = site.start(windows=NOON_TO_ONE, abort_outside_window=True, slots=2)
    children = [site.diary.child(number) for number in range(2)]

    clock.advance(hours=1)
    running.loop.nudge()
    site.diary.wait_until(lambda: len(site.diary.endings) == 2)

    assert [(site.state(job), site.job(job).attempts) for job in jobs] == [(State.PENDING, 0)] * 2
    assert all(has_ended(child) for child in children)
    assert running.is_alive()
    running.stop()
    assert running.result() == Tally(released=2)


def test_what_was_given_back_is_taken_again_at_the_next_opening(site: Site, clock: FakeClock) -> None:
    job = site.submit("a document", type="sleeper")
    running = site.start(windows=NOON_TO_ONE, abort_outside_window=True)
    site.diary.child()
    clock.advance(hours=1)
    running.loop.nudge()
    site.diary.wait_until(lambda: len(site.diary.endings) == 1)

    clock.advance(hours=23)
    running.loop.nudge()
    site.diary.wait_until(lambda: len(site.diary.claims) == 2)

    assert site.state(job) is State.RUNNING


class ClosingClock(FakeClock):
    """Its `now` may wait for something, by which a race is staged."""

    def __init__(self) -> None:
        super().__init__()
        self.before_now: Callable[[], object] = lambda: None

    def now(self) -> datetime:
        self.before_now()
        return super().now()


def test_a_document_that_ends_in_the_moment_of_closing_has_ended_and_is_not_given_back(
    open_site: Callable[..., Site],
) -> None:
    clock = ClosingClock()
    site = open_site(clock=clock)
    job = site.submit("a document", hang_seconds=0.3)
    running = site.start(windows=NOON_TO_ONE, abort_outside_window=True)
    site.diary.wait_until(lambda: bool(site.diary.progress))

    def look_only_when_it_has_ended() -> None:
        if threading.current_thread().name == "loop":
            clock.before_now = lambda: None
            inbox = running.loop._inbox
            assert isinstance(inbox, SystemInbox)
            until(lambda: not inbox._messages.empty())

    clock.before_now = look_only_when_it_has_ended
    clock.advance(hours=1)
    running.loop.nudge()
    site.diary.wait_until(lambda: bool(site.diary.endings))
    running.stop()

    assert running.result() == Tally(completed=1)
    assert site.state(job) is State.COMPLETED


def test_a_worker_tells_its_windows_and_when_they_open(site: Site, clock: FakeClock) -> None:
    site.start(windows=NIGHT, heartbeat=timedelta(seconds=0.05))
    site.flaky.wait_for_call("register_worker")

    (worker,) = site.coordinator.workers()

    report = read_report(worker.metadata, worker_id=ALICE)
    assert (report.run_windows, report.opens_at) == ((NIGHT,), clock.now() + timedelta(hours=10))


def test_one_job_is_done_at_the_opening_and_the_worker_ends(site: Site, clock: FakeClock) -> None:
    site.submit("first")
    site.submit("second")
    running = site.start(windows=NIGHT, until=Until.ONE_JOB)
    running.loop.nudge()
    assert running.is_alive()

    clock.advance(hours=10)
    running.loop.nudge()

    assert running.result() == Tally(completed=1)


def test_outside_its_window_a_worker_ends_at_once_when_it_is_told(site: Site) -> None:
    running = site.start(windows=NIGHT)

    running.stop()

    assert running.result() == Tally()
