"""A worker's loop: what it claims, what it keeps, what it loses, and how two of them share."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.site import Diary, Site
from tests.integration.worker.workbench import has_ended

from blobforge.domain.endings import Completed, Released
from blobforge.domain.errors import JobCancelled, LeaseLost
from blobforge.domain.job import Job, State
from blobforge.domain.worker import WorkerStatus
from blobforge.ports.job_store import Queue
from blobforge.ports.processor import Progress
from blobforge.testing.builders import ALICE, BOB
from blobforge.testing.clock import FakeClock
from blobforge.worker.feed import Until
from blobforge.worker.observer import Tally

OpenSite = Callable[..., Site]
NEVER = timedelta(hours=1)
SLEEPERS = Queue("default", ("sleeper",))


@pytest.fixture
def sleepy(open_site: OpenSite) -> Site:
    return open_site(sleeper=strange.Sleeper)


@pytest.mark.parametrize(("slots", "prefetch"), [(1, 0), (2, 0), (2, 1)])
def test_a_worker_claims_what_fits_and_no_more(sleepy: Site, slots: int, prefetch: int) -> None:
    jobs = [sleepy.submit(f"{number}", type="sleeper") for number in range(5)]

    sleepy.start(slots=slots, prefetch=prefetch)
    sleepy.diary.child(slots - 1)

    assert [sleepy.state(job) for job in jobs].count(State.RUNNING) == slots + prefetch


def test_the_urgent_come_first_and_of_equals_the_oldest(site: Site) -> None:
    submitted = [site.submit(f"{number}", priority=priority) for number, priority in enumerate([3, 5, 1, 3, 1])]

    site.drain()

    assert [job.id for job in site.diary.claims] == [submitted[place].id for place in (2, 4, 0, 3, 1)]
    assert [ending.job.id for ending, _ in site.diary.endings] == [job.id for job in site.diary.claims]


def test_a_job_is_ended_and_the_next_is_claimed_in_one_step(site: Site) -> None:
    for number in range(5):
        site.submit(f"{number}")
    steps: list[None] = []
    site.flaky.on_call["end_and_claim"] = lambda: steps.append(None)

    site.drain()

    assert len(steps) == 6


def test_a_worker_is_registered_while_it_runs_and_not_after(sleepy: Site) -> None:
    """R2-42."""
    job = sleepy.submit("a document", type="sleeper")
    running = sleepy.start(heartbeat=timedelta(seconds=0.05))
    sleepy.diary.child()
    sleepy.flaky.wait_for_call("register_worker", times=2)
    (worker,) = sleepy.coordinator.workers()

    running.stop()
    running.result()

    assert (worker.id, worker.status, worker.current_job_id) == (ALICE, WorkerStatus.ONLINE, job.id)
    assert (worker.metadata["slots"], worker.metadata["running"]) == (1, 1)
    assert sleepy.coordinator.workers() == []


@pytest.mark.parametrize("lose", ["cancelled", "stolen"])
def test_a_lost_job_stops_its_child_and_writes_nothing(sleepy: Site, lose: str) -> None:
    job = sleepy.submit("a document", type="sleeper")
    running = sleepy.start()
    child = sleepy.diary.child()

    if lose == "cancelled":
        sleepy.coordinator.cancel(job.id)
    else:
        sleepy.steal(job, from_worker=ALICE, by=BOB)
    before = sleepy.job(job)

    assert has_ended(child, within=5)
    running.stop()
    assert running.result() == (Tally(cancelled=1) if lose == "cancelled" else Tally(lost=1))
    assert sleepy.job(job) == before
    assert sleepy.results() == []
    assert sleepy.workspaces() == []
    ((ending, outcome),) = sleepy.diary.endings
    assert isinstance(ending, Released)
    assert isinstance(outcome, LeaseLost)


def test_only_the_children_of_the_lost_job_end(sleepy: Site) -> None:
    lost, kept = (sleepy.submit(name, type="sleeper") for name in ("lost", "kept"))
    sleepy.start(slots=2)
    children = {job.id: 0 for job in (lost, kept)}
    sleepy.diary.wait_until(lambda: len(sleepy.diary.told("child")) == 2)
    for job, progress in list(sleepy.diary.progress):
        if progress.stage == "child":
            children[job.id] = progress.current

    sleepy.coordinator.cancel(lost.id)

    assert has_ended(children[lost.id])
    assert not has_ended(children[kept.id], within=0.2)


def test_a_worker_goes_on_after_a_lost_job(sleepy: Site) -> None:
    lost = sleepy.submit("lost", type="sleeper")
    running = sleepy.start(until=Until.DRAINED)
    sleepy.diary.child()
    sleepy.submit("the next")

    sleepy.coordinator.cancel(lost.id)

    assert running.result() == Tally(completed=1, cancelled=1)


def test_a_loss_that_is_noticed_after_the_job_has_ended_here_is_none(site: Site) -> None:
    site.submit("a document", hang_seconds=0.5)
    site.flaky.on_call["get_many"] = lambda: site.diary.wait_until(lambda: len(site.diary.endings) == 1)
    running = site.start()
    site.diary.wait_until(lambda: len(site.diary.endings) == 1)

    site.submit("another")
    site.diary.wait_until(lambda: len(site.diary.endings) == 2)
    running.stop()

    assert running.result() == Tally(completed=2)


def test_what_was_finished_after_the_job_was_lost_is_refused(site: Site) -> None:
    job = site.submit("a document")

    def cancel_at_once(note: tuple[Job, Progress]) -> None:
        if note[1].stage == "copying":
            site.coordinator.cancel(job.id)

    site.diary.hooks["progressed"] = cancel_at_once
    tally = site.drain(check=NEVER)

    assert tally == Tally(cancelled=1)
    assert [type(outcome) for _, outcome in site.diary.endings] == [JobCancelled]
    assert site.state(job) is State.CANCELLED


def test_a_job_that_was_lost_and_is_claimed_anew_in_the_same_step_is_done(site: Site) -> None:
    job = site.submit("a document", b"its bytes")

    def cancel_and_retry(note: tuple[Job, Progress]) -> None:
        if note[1].stage == "copying":
            site.coordinator.cancel(job.id)
            site.coordinator.retry(job.id)

    site.diary.hooks["progressed"] = cancel_and_retry
    tally = site.drain(check=NEVER)

    assert tally == Tally(completed=1, lost=1)
    assert site.job(job).lease_number == 2
    assert site.workspaces() == []


def test_heartbeats_keep_a_job_that_takes_longer_than_its_lease(open_site: OpenSite) -> None:
    """R0-46, R2-5."""
    clock = FakeClock()
    site = open_site(clock=clock, sleeper=strange.Sleeper)
    job = site.submit("a long document", type="sleeper")
    site.start()
    site.diary.child()

    for _ in range(6):
        clock.advance(seconds=60)
        site.flaky.wait_for_call("renew")

    assert site.coordinator.claim(SLEEPERS, worker_id=BOB) == []
    assert (site.job(job).worker_id, site.job(job).lease_number) == (ALICE, 1)


def test_two_workers_share_the_work_and_each_job_is_done_once(site: Site) -> None:
    jobs = [site.submit(f"{number}", hang_seconds=0.02) for number in range(12)]
    diaries = Diary(), Diary()

    workers = [
        site.start(until=Until.DRAINED, worker_id=name, diary=diary)
        for name, diary in zip((ALICE, BOB), diaries, strict=True)
    ]
    tallies = [worker.result() for worker in workers]

    done = Counter(ending.job.id for diary in diaries for ending, _ in diary.endings if isinstance(ending, Completed))
    assert done == Counter(job.id for job in jobs)
    assert sum(tally.completed for tally in tallies) == 12
    assert all(tally.completed for tally in tallies)
    assert {site.job(job).attempts for job in jobs} == {1}


@pytest.mark.parametrize("until", [Until.ONE_JOB, Until.DRAINED])
def test_on_an_empty_queue_a_worker_with_an_end_ends_at_once(site: Site, until: Until) -> None:
    # Were it to wait for its next look, this test would run into its time limit.
    tally = site.start(until=until, poll_interval=NEVER, longest_poll_interval=NEVER).result()

    assert tally == Tally()


def test_when_the_last_job_is_done_a_worker_with_an_end_ends_at_once(site: Site) -> None:
    site.submit("a document")

    tally = site.start(until=Until.DRAINED, slots=2, poll_interval=NEVER, longest_poll_interval=NEVER).result()

    assert tally == Tally(completed=1)


def test_for_one_job_a_worker_leaves_the_others(site: Site) -> None:
    first, second = site.submit("a"), site.submit("b")

    assert site.start(until=Until.ONE_JOB, slots=2).result() == Tally(completed=1)

    assert (site.state(first), site.state(second)) == (State.COMPLETED, State.PENDING)


def test_an_idle_worker_finds_a_new_job_by_a_nudge(site: Site) -> None:
    running = site.start(poll_interval=NEVER, longest_poll_interval=NEVER)
    running.loop.nudge()
    site.flaky.wait_for_call("end_and_claim")

    job = site.submit("a document")
    running.loop.nudge()
    site.diary.wait_until(lambda: bool(site.diary.endings))

    assert site.state(job) is State.COMPLETED


def test_an_idle_worker_finds_a_new_job_by_looking(site: Site) -> None:
    site.start()

    job = site.submit("a document")
    site.diary.wait_until(lambda: bool(site.diary.endings))

    assert site.state(job) is State.COMPLETED
