"""PostgreSQL that restarts, fails over, is full or slow: nothing is lost, and those who wait go on."""

import gc
import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from tests import postgres
from tests.postgres import Server

from blobforge.coordination.sql.postgres import driver as driver_module
from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.coordination.sql.store import SqlJobStore
from blobforge.domain.errors import LeaseLost, StoreUnavailable
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import JobStore, Transition
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions
from blobforge.testing.builders import a_job
from blobforge.testing.job_store.steps import OUTPUT, PDFS, added, cancelling, claiming, completing, take
from blobforge.testing.races import at_once

CUT_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'blobforge'
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One that may be stopped."""
    with postgres.running() as server:
        yield server


@pytest.fixture
def url(server: Server) -> str:
    return server.new_database()


def test_after_a_restart_the_next_call_finds_its_way(server: Server, store: JobStore) -> None:
    added(store, "a", "b")
    (held,) = take(store)

    server.restart(mode="fast")

    (ended,) = store.apply([Transition(held, completing(held))], take=claiming(), queue=PDFS, limit=1).outcomes
    assert isinstance(ended, Job)
    assert store.counts() == {("pdf", State.COMPLETED): 1, ("pdf", State.RUNNING): 1}


def test_after_a_failover_that_cuts_all_connections_everybody_goes_on(server: Server, store: JobStore) -> None:
    jobs = added(store, *"abcd")
    both_hold_one = threading.Barrier(2)

    def meet(seen: Job) -> Job:
        both_hold_one.wait(timeout=10)
        return claiming()(seen)

    at_once(lambda: store.update(jobs[0].id, meet), lambda: store.update(jobs[1].id, meet))
    server.execute(CUT_ALL)

    at_once(lambda: store.update(jobs[2].id, meet), lambda: store.update(jobs[3].id, meet))

    assert store.counts() == {("pdf", State.RUNNING): 4}


def test_after_a_failover_that_cuts_a_whole_pool_the_next_read_reconnects(server: Server, store: JobStore) -> None:
    jobs = added(store, *"abcdef")
    all_hold_one = threading.Barrier(driver_module.CONNECTIONS)

    def meet(seen: Job) -> Job:
        all_hold_one.wait(timeout=10)
        return cancelling(seen)

    threads = [threading.Thread(target=store.update, args=(job.id, meet)) for job in jobs[: driver_module.CONNECTIONS]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.execute(CUT_ALL)

    assert [job.id for job in take(store)] == [jobs[-1].id]


def test_a_connection_at_work_while_another_is_cut_is_closed_in_the_end(server: Server, store: JobStore) -> None:
    a, b = added(store, "a", "b")
    holds, go_on = threading.Event(), threading.Event()

    def hold(seen: Job) -> Job:
        holds.set()
        go_on.wait(timeout=10)
        return claiming()(seen)

    def cut_once(seen: Job) -> Job:
        if not go_on.is_set():
            # The one at work is the older one.
            server.execute(f"{CUT_ALL} ORDER BY xact_start DESC NULLS LAST LIMIT 1")
            go_on.set()
        return claiming()(seen)

    def claim_when_it_holds() -> Job:
        holds.wait(timeout=10)
        return store.update(b.id, cut_once)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        at_once(lambda: store.update(a.id, hold), claim_when_it_holds)
        gc.collect()

    assert [text for warning in told if "was deleted while still open" in (text := str(warning.message))] == []


def test_a_connection_that_is_cut_at_its_commit_is_told_without_a_traceback(
    server: Server, store: JobStore, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = added(store, "a")
    commit = driver_module._commit

    def cut_and_commit(cursor: psycopg.Cursor[Any]) -> None:
        server.execute(CUT_ALL)
        commit(cursor)

    with monkeypatch.context() as patched:
        patched.setattr(driver_module, "_commit", cut_and_commit)
        with pytest.raises(StoreUnavailable, match="did not answer"):
            store.update(job.id, claiming())

    assert [record.getMessage() for record in caplog.records if record.levelno > logging.WARNING] == []
    assert [record.getMessage() for record in caplog.records if record.exc_info or record.exc_text] == []
    assert store.update(job.id, claiming()).state is State.RUNNING


def test_a_connection_that_is_cut_while_it_is_given_back_is_told_in_one_line(
    server: Server, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(open_queue(url, QueueOptions()).store) as store:
        assert isinstance(store, SqlJobStore)
        connection = store._engine.raw_connection()
        connection.cursor().execute("BEGIN")
        server.execute(CUT_ALL)

        connection.close()

    (told,) = [record for record in caplog.records if record.name.startswith("sqlalchemy")]
    assert (told.levelno, told.exc_info, told.exc_text) == (logging.WARNING, None, None)
    assert "a connection to the queue database is given up: " in told.getMessage()
    assert "\n" not in told.getMessage()


def test_a_server_that_stays_away_is_unavailable(server: Server, store: JobStore) -> None:
    added(store, "a")
    server.stop()

    with pytest.raises(StoreUnavailable, match="did not answer"):
        take(store)
    with pytest.raises(StoreUnavailable, match="did not answer"):
        store.counts()

    server.start()
    assert len(take(store)) == 1


def test_a_crash_of_the_server_in_a_transaction_leaves_no_trace(server: Server, store: JobStore) -> None:
    (job,) = added(store, "a")

    tries: list[Job] = []

    def crash_once(seen: Job) -> Job:
        tries.append(seen)
        if len(tries) == 1:
            server.restart(mode="immediate")
        return claiming()(seen)

    held = store.update(job.id, crash_once)

    assert tries == [job, job]
    assert held.lease_number == 1
    assert store.get(job.id) == held


def test_a_lost_reply_to_a_commit_raises_and_the_repeated_ending_succeeds(
    store: JobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(store, "a")
    (held,) = take(store)

    commit = driver_module._commit

    def commit_and_lose_the_reply(cursor: psycopg.Cursor[Any]) -> None:
        cursor.execute("COMMIT")
        cursor.connection.close()
        commit(cursor)

    with monkeypatch.context() as patch:
        patch.setattr(driver_module, "_commit", commit_and_lose_the_reply)
        with pytest.raises(StoreUnavailable):
            store.apply([Transition(held, completing(held), (OUTPUT,))])
    (again,) = store.apply([Transition(held, completing(held), (OUTPUT,))]).outcomes

    assert isinstance(again, LeaseLost)
    assert store.get(held.id).state is State.COMPLETED
    assert [attempt.outcome for attempt in store.history(held.id).attempts] == ["completed"]
    assert store.files(held.id) == [OUTPUT]


def test_a_connection_that_breaks_at_the_commit_raises(
    server: Server, store: JobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = added(store, "a")

    commit = driver_module._commit
    tries: list[Job] = []

    def cut_and_commit(cursor: psycopg.Cursor[Any]) -> None:
        server.execute(CUT_ALL)
        commit(cursor)

    def claim(seen: Job) -> Job:
        tries.append(seen)
        return claiming()(seen)

    with monkeypatch.context() as patch:
        patch.setattr(driver_module, "_commit", cut_and_commit)
        with pytest.raises(StoreUnavailable):
            store.update(job.id, claim)

    assert tries == [job]  # it may have been committed, so it must not be retried
    assert store.get(job.id) == job


def test_a_statement_that_takes_too_long_raises_and_the_next_one_works(url: str) -> None:
    hasty = open_queue(f"{url}&options=-cstatement_timeout%3D200", QueueOptions()).store
    patient = open_queue(url, QueueOptions()).store
    with closing(hasty), closing(patient):
        (job,) = added(hasty, "a")
        holds, done = threading.Event(), threading.Event()

        def hold(seen: Job) -> Job:
            holds.set()
            done.wait(timeout=10)
            return seen

        thread = threading.Thread(target=lambda: patient.update(job.id, hold))
        thread.start()
        holds.wait(timeout=10)
        with pytest.raises(StoreUnavailable, match="statement timeout"):
            hasty.update(job.id, claiming())
        done.set()
        thread.join()

        assert hasty.update(job.id, claiming()).state is State.RUNNING


def test_a_server_without_free_connections_is_unavailable_until_it_has_some(
    server: Server, url: str, store: JobStore
) -> None:
    added(store, "a")
    server.execute("CREATE ROLE guest LOGIN CONNECTION LIMIT 0")
    guest = url.replace("postgres:@", "guest:@")

    with pytest.raises(StoreUnavailable, match="too many connections"):
        open_queue(guest, QueueOptions())

    server.execute("ALTER ROLE guest CONNECTION LIMIT 5")
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO guest")
    with closing(open_queue(guest, QueueOptions()).store) as theirs:
        assert len(take(theirs)) == 1


def test_a_pool_whose_connections_are_all_taken_raises(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_module, "CONNECTIONS", 1)
    monkeypatch.setattr(driver_module, "MORE_CONNECTIONS", 0)
    monkeypatch.setattr(driver_module, "POOL_SECONDS", 0.2)
    with closing(open_queue(url, QueueOptions()).store) as store:
        (job,) = added(store, "a")

        def look_from_within(seen: Job) -> Job:
            store.get(job.id)
            return seen

        with pytest.raises(StoreUnavailable, match="QueuePool"):
            store.update(job.id, look_from_within)
        assert store.get(job.id) == job


def test_transitions_that_deadlock_all_happen(store: JobStore) -> None:
    a, b = added(store, "a", "b")
    both_hold_one = threading.Barrier(2)

    def move(first: Job, second: Job) -> list[object]:
        """Locks one after the other by changes that differ, so that two statements are needed."""
        once = iter([True])

        def meet(seen: Job) -> Job:
            if next(once, False):
                both_hold_one.wait(timeout=5)
            return seen._replace(max_attempts=seen.max_attempts + 1)

        def locks(job: Job) -> Transition:
            # An old copy, so that it is read again under a lock, one by one.
            return Transition(job._replace(rev=job.rev - 1), lambda seen: seen._replace(priority=1, max_attempts=9))

        assert isinstance(store, SqlJobStore)
        return list(store.apply([Transition(first._replace(rev=-1), meet), locks(second)]).outcomes)

    outcomes = at_once(lambda: move(a, b), lambda: move(b, a))

    assert all(isinstance(outcome, Job) for both in outcomes for outcome in both)


def test_a_listener_is_called_again_after_a_restart(server: Server, queue: OpenedQueue) -> None:
    woken = threading.Event()
    subscription = queue.wakeup.subscribe(woken.set)

    server.restart(mode="fast")

    # It calls the listener after reconnecting, because a NOTIFY may have been missed.
    assert woken.wait(timeout=10)
    woken.clear()
    for _ in range(2):
        try:
            queue.store.insert([a_job("a")])
        except StoreUnavailable:
            continue
    assert woken.wait(timeout=10)
    subscription.close()


def test_a_listener_may_come_before_the_server(server: Server, queue: OpenedQueue) -> None:
    server.stop()
    woken = threading.Event()
    subscription = queue.wakeup.subscribe(woken.set)

    server.start()

    assert woken.wait(timeout=10)
    subscription.close()
