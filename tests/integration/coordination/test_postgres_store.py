"""PostgreSQL beyond the contract: claims do not wait for locks, and NOTIFY comes after the commit."""

import threading
from contextlib import closing
from typing import Any

import psycopg
import pytest

from blobforge.coordination.sql.postgres import driver as driver_module
from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.domain.job import Job
from blobforge.ports.job_store import Change, JobStore, Transition
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import PDFS, added, claiming, failing, reap_due, reaping, releasing, take
from blobforge.testing.races import at_once

SOON_SECONDS = 5.0
LATE = START + LEASE


def held_elsewhere(url: str) -> Job:
    """A job that was claimed by a process that has sent every NOTIFY and is gone."""
    with closing(open_queue(url, QueueOptions()).store) as other:
        added(other, "a")
        (held,) = take(other)
    return held


def both_inside(change: Change) -> Change:
    """Raises BrokenBarrierError unless two are in the middle of it at once."""
    barrier = threading.Barrier(2)

    def change_together(seen: Job) -> Job:
        barrier.wait(timeout=SOON_SECONDS)
        return change(seen)

    return change_together


# Claims do not wait


def test_a_claim_skips_rows_that_another_one_has_locked(url: str, store: JobStore) -> None:
    added(store, *"ab")
    change = both_inside(claiming())

    def take_one(of: JobStore) -> list[Job]:
        return of.apply([], take=change, queue=PDFS, limit=1).taken

    # A store of its own for each: on a busy machine a shared claim cursor would keep them apart without any lock.
    with closing(open_queue(url, QueueOptions()).store) as other:
        alices, bobs = at_once(lambda: take_one(store), lambda: take_one(other))

    assert len({job.id for job in alices + bobs}) == 2


def test_a_sweep_skips_rows_that_another_one_has_locked(store: JobStore) -> None:
    added(store, *"ab")
    take(store, 2)
    change = both_inside(reaping(LATE))

    def sweep_one() -> list[Job]:
        return store.update_due(change, now=LATE, limit=1)

    alices, bobs = at_once(sweep_one, sweep_one)

    assert len({job.id for job in alices + bobs}) == 2


# News


def test_a_released_job_sends_notify(url: str, queue: OpenedQueue) -> None:
    held = held_elsewhere(url)
    woken = threading.Event()
    with closing(queue.wakeup.subscribe(woken.set)):
        queue.store.apply([Transition(held, releasing(held))])

        assert woken.wait(SOON_SECONDS)


def test_a_job_whose_back_off_is_over_sends_notify(url: str, queue: OpenedQueue) -> None:
    held = held_elsewhere(url)
    queue.store.update(held.id, failing(held))
    woken = threading.Event()
    with closing(queue.wakeup.subscribe(woken.set)):
        reap_due(queue.store, LATE)

        assert woken.wait(SOON_SECONDS)


def test_notify_is_sent_after_the_commit_and_not_before(queue: OpenedQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    woken = threading.Event()
    heard_too_early: list[bool] = []
    commit = driver_module._commit

    def commit_late(cursor: psycopg.Cursor[Any]) -> None:
        heard_too_early.append(woken.wait(timeout=0.3))
        commit(cursor)

    monkeypatch.setattr(driver_module, "_commit", commit_late)
    with closing(queue.wakeup.subscribe(woken.set)):
        added(queue.store, "a")

        assert heard_too_early == [False]
        assert woken.wait(SOON_SECONDS)


def test_a_job_in_back_off_sends_no_notify(url: str, queue: OpenedQueue) -> None:
    held = held_elsewhere(url)
    woken = threading.Event()
    with closing(queue.wakeup.subscribe(woken.set)):
        queue.store.update(held.id, failing(held))

        assert not woken.wait(timeout=0.3)
