"""How a worker ends when it is told to: at once, after its jobs, after the grace time, or at the second word."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.site import Site
from tests.integration.worker.workbench import has_ended

from blobforge.domain.endings import Released
from blobforge.domain.job import State
from blobforge.domain.worker import WorkerStatus
from blobforge.worker.loop_settings import OnTerm
from blobforge.worker.observer import Tally

OpenSite = Callable[..., Site]
LONG_GRACE = timedelta(hours=1)


@pytest.fixture
def sleepy(open_site: OpenSite) -> Site:
    return open_site(sleeper=strange.Sleeper)


def test_told_to_release_it_hands_its_jobs_back_at_once_and_their_attempts_with_them(sleepy: Site) -> None:
    """R2-40."""
    jobs = [sleepy.submit(name, type="sleeper") for name in "abc"]
    running = sleepy.start(slots=2)
    children = [sleepy.diary.child(number) for number in range(2)]

    running.stop()

    assert running.result() == Tally(released=2)
    assert {sleepy.state(job) for job in jobs} == {State.PENDING}
    assert {sleepy.job(job).attempts for job in jobs} == {0}
    assert [type(ending) for ending, _ in sleepy.diary.endings] == [Released, Released]
    assert all(has_ended(child) for child in children)
    assert sleepy.workspaces() == []


def test_jobs_in_the_line_are_handed_back_too(sleepy: Site) -> None:
    jobs = [sleepy.submit(name, type="sleeper") for name in "ab"]
    running = sleepy.start(prefetch=1)
    sleepy.diary.child()

    running.stop()

    assert running.result() == Tally(released=2)
    assert {sleepy.state(job) for job in jobs} == {State.PENDING}


def test_told_to_finish_it_ends_its_jobs_and_takes_no_more(site: Site) -> None:
    first, second = site.submit("first", hang_seconds=0.5), site.submit("second")
    running = site.start(on_term=OnTerm.FINISH, grace=LONG_GRACE)
    site.diary.wait_until(lambda: bool(site.diary.progress))

    running.stop()

    assert running.result() == Tally(completed=1)
    assert (site.state(first), site.state(second)) == (State.COMPLETED, State.PENDING)


def test_while_it_finishes_others_see_that_it_is_draining(sleepy: Site) -> None:
    sleepy.submit("a document", type="sleeper")
    running = sleepy.start(on_term=OnTerm.FINISH, grace=LONG_GRACE, heartbeat=timedelta(seconds=0.05))
    sleepy.diary.child()

    running.stop()

    sleepy.flaky.wait_for_call("register_worker", times=2)
    assert [worker.status for worker in sleepy.coordinator.workers()] == [WorkerStatus.DRAINING]


def test_what_is_not_finished_in_the_grace_time_is_handed_back(sleepy: Site) -> None:
    job = sleepy.submit("endless", type="sleeper")
    running = sleepy.start(on_term=OnTerm.FINISH, grace=timedelta(seconds=0.3))
    child = sleepy.diary.child()

    running.stop()

    assert running.result() == Tally(released=1)
    assert (sleepy.state(job), sleepy.job(job).attempts) == (State.PENDING, 0)
    assert has_ended(child)


def test_the_second_word_skips_the_grace_time_but_not_the_release(sleepy: Site) -> None:
    """R2-43."""
    job = sleepy.submit("endless", type="sleeper")
    running = sleepy.start(on_term=OnTerm.FINISH, grace=LONG_GRACE)
    child = sleepy.diary.child()

    running.stop()
    assert not has_ended(child, within=0.2)
    running.stop()

    assert running.result() == Tally(released=1)
    assert sleepy.state(job) is State.PENDING
    assert has_ended(child)


def test_no_word_hurries_the_release_of_a_job_past_a_queue_that_is_away(sleepy: Site) -> None:
    job = sleepy.submit("endless", type="sleeper")
    running = sleepy.start()
    sleepy.diary.child()
    sleepy.flaky.refuse("end_and_claim", times=3)

    for _ in range(5):
        running.stop()

    assert running.result() == Tally(released=1)
    assert sleepy.state(job) is State.PENDING


def test_an_idle_worker_ends_at_once(site: Site) -> None:
    """R2-41."""
    running = site.start(poll_interval=LONG_GRACE, longest_poll_interval=LONG_GRACE)

    running.stop()

    assert running.result() == Tally()


def test_told_to_finish_an_idle_worker_does_not_wait_for_the_grace_time(site: Site) -> None:
    running = site.start(on_term=OnTerm.FINISH, grace=LONG_GRACE)

    running.stop()

    assert running.result() == Tally()


def test_it_signs_off_last_when_its_jobs_are_back_and_its_heart_stands_still(sleepy: Site) -> None:
    """R1-63, R2-14, R2-42."""
    job = sleepy.submit("a document", type="sleeper")
    running = sleepy.start()
    sleepy.diary.child()
    at_the_end: list[tuple[State, bool]] = []

    def look_around() -> None:
        threads = {thread.name for thread in threading.enumerate()}
        at_the_end.append((sleepy.state(job), "heartbeat" in threads or "slot-0" in threads))

    sleepy.flaky.on_call["deregister_worker"] = look_around
    running.stop()
    running.result()

    assert at_the_end == [(State.PENDING, False)]
