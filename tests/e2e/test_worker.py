"""`blobforge worker`: how long it runs, and what a signal does to it."""

import json
import signal
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.integration.worker.workbench import has_ended
from tests.integration.worker.worker_process import LONG, PROGRAM, Home

from blobforge.domain.job import State
from blobforge.domain.priority import Priority

FOREVER = 3600


def test_drain_does_all_that_is_queued_and_ends(home: Home) -> None:
    jobs = [home.submit(f"{number}") for number in range(3)]

    worker = home.worker("--drain", "--slots", "2")
    claimed, ended = worker.wait_for("job claimed"), worker.wait_for("job ended")
    account = worker.result()

    assert int(claimed["job_id"]) in jobs
    assert (int(ended["job_id"]) in jobs, ended["now"]) == (True, "completed")
    assert account == {"completed": 3, "failed": 0, "released": 0, "lost": 0, "cancelled": 0, "gaps": 0, "doubts": 0}
    assert {home.job(job).state for job in jobs} == {State.COMPLETED}
    assert home.left_by_workers() == []


@pytest.mark.parametrize("log_format", ["json", "auto"])
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_worker_says_what_it_says_as_lines_of_its_log_with_time_and_level(
    home: Home, as_json: tuple[str, ...], log_format: str
) -> None:
    """R2-12."""
    home.submit("a document")
    home.submit("that fails", fail="source_unreadable")

    said = subprocess.run(
        [str(PROGRAM), "worker", "--type", "echo", "--drain", *as_json],
        env=home.environment(BLOBFORGE_LOG_FORMAT=log_format, BLOBFORGE_LOG_LEVEL="debug"),
        capture_output=True,
        text=True,
        timeout=LONG,
    )

    told = [json.loads(line) for line in said.stderr.splitlines()]
    assert {"job claimed", "job ended", "job failed"} <= {line["event"] for line in told}
    assert all(datetime.fromisoformat(line["timestamp"]).tzinfo and line["level"] for line in told)
    assert (told[-1]["event"], told[-1]["completed"], told[-1]["failed"]) == ("worker ended", 1, 1)
    if as_json:
        assert list(json.loads(said.stdout))[:2] == ["completed", "failed"]
    else:
        assert said.stdout == ""


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_worker_that_is_interrupted_says_so_in_its_log_too(home: Home, as_json: tuple[str, ...]) -> None:
    """R2-12."""
    home.submit("endless", hang_seconds=FOREVER)
    worker = subprocess.Popen(
        [str(PROGRAM), "worker", "--type", "echo", "--drain", *as_json],
        env=home.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with worker:
        assert worker.stderr is not None
        told: list[dict[str, object]] = []
        while not told or told[-1]["event"] != "job claimed":
            told.append(json.loads(worker.stderr.readline()))

        worker.send_signal(signal.SIGINT)
        _, rest = worker.communicate(timeout=LONG)

    told += [json.loads(line) for line in rest.splitlines()]
    assert worker.returncode == 130
    assert [line["event"] for line in told][-2:] == ["worker ended", "interrupted before all was done"]


def test_run_once_does_the_most_urgent_job_and_ends(home: Home) -> None:
    later, first = home.submit("later"), home.submit("first", priority=Priority.CRITICAL)

    account = home.worker("--run-once").result()

    assert account["completed"] == 1
    assert (home.job(first).state, home.job(later).state) == (State.COMPLETED, State.PENDING)


def test_run_once_on_an_empty_queue_ends_and_says_so(home: Home) -> None:
    said = subprocess.run(
        [str(PROGRAM), "worker", "--type", "echo", "--run-once"],
        env=home.environment(),
        capture_output=True,
        text=True,
        timeout=LONG,
    )

    assert said.returncode == 0
    told = json.loads(said.stderr.splitlines()[-1])
    assert [told[name] for name in ("event", "completed", "failed", "lost")] == ["worker ended", 0, 0, 0]


def test_an_interrupt_hands_the_job_back_and_ends_the_child(home: Home) -> None:
    """R2-40."""
    job = home.submit("endless", hang_seconds=FOREVER)
    worker = home.worker()
    worker.wait_for("job claimed")
    children = worker.children()

    worker.send(signal.SIGINT)

    assert worker.result()["released"] == 1
    assert (home.job(job).state, home.job(job).attempts) == (State.PENDING, 0)
    assert all(has_ended(child) for child in children)
    assert home.left_by_workers() == []


@pytest.mark.parametrize("until", ["--drain", "--run-once"])
def test_who_interrupts_a_worker_with_work_left_does_not_take_it_for_done(home: Home, until: str) -> None:
    home.submit("endless", hang_seconds=FOREVER)
    home.submit("the next")
    worker = home.worker(until)
    worker.wait_for("job claimed")

    worker.send(signal.SIGINT)

    assert worker.result(exit_code=130)["completed"] == 0


def test_a_worker_that_finished_its_one_job_after_the_signal_has_done_all(home: Home) -> None:
    home.submit("short", hang_seconds=2)
    worker = home.worker("--run-once", "--on-term", "finish", "--grace-seconds", str(FOREVER))
    worker.wait_for("job claimed")

    worker.send(signal.SIGINT)

    assert worker.result()["completed"] == 1


def test_a_second_signal_skips_the_grace_time_and_never_the_release(home: Home) -> None:
    """R2-43, R2-48."""
    job = home.submit("endless", hang_seconds=FOREVER)
    worker = home.worker("--on-term", "finish", "--grace-seconds", str(FOREVER))
    worker.wait_for("job claimed")
    (child,) = worker.children()

    worker.send(signal.SIGTERM)
    worker.wait_for("ending")
    assert worker.is_alive()
    for _ in range(20):
        worker.send(signal.SIGTERM)

    assert worker.result()["released"] == 1
    assert home.job(job).state is State.PENDING
    assert has_ended(child)
    assert home.left_by_workers() == []


def test_a_storm_of_signals_changes_nothing_about_the_clean_up(home: Home) -> None:
    """R2-43, R2-48."""
    jobs = [home.submit(f"endless {number}", hang_seconds=FOREVER) for number in range(2)]
    worker = home.worker("--slots", "2")
    for _ in jobs:
        worker.wait_for("job claimed")

    for _ in range(200):
        worker.send(signal.SIGTERM)

    assert worker.result()["released"] == 2
    assert {home.job(job).state for job in jobs} == {State.PENDING}
    assert home.left_by_workers() == []


def test_a_signal_that_was_ignored_from_the_start_stays_ignored(home: Home) -> None:
    home.submit("a document", hang_seconds=2)
    worker = home.worker("--drain", before=["nohup"])
    worker.wait_for("job claimed")

    worker.send(signal.SIGHUP)

    assert worker.result()["completed"] == 1


def test_two_processes_share_a_queue_and_each_job_is_done_once(home: Home) -> None:
    jobs = [home.submit(f"{number}", hang_seconds=0.05) for number in range(8)]

    workers = [home.worker("--drain", "--slots", "1") for _ in range(2)]
    accounts = [worker.result() for worker in workers]

    assert sum(account["completed"] for account in accounts) == 8
    with home.queue() as queue:
        assert {job.attempts for job in queue.get_many(jobs)} == {1}
        assert {job.state for job in queue.get_many(jobs)} == {State.COMPLETED}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_every_signal_to_end_hands_the_job_back_and_its_history_says_from_whom(
    home: Home, number: signal.Signals
) -> None:
    """R2-40, R2-48."""
    job = home.submit("endless", hang_seconds=FOREVER)
    worker = home.worker()
    worker.wait_for("job claimed")
    holder = home.job(job).worker_id

    worker.send(number)

    assert worker.result()["released"] == 1
    assert (home.job(job).state, home.job(job).attempts) == (State.PENDING, 0)
    with home.queue() as queue:
        last = queue.history(job).events[-1]
        assert (last.kind, last.worker_id) == ("released", holder)
        assert queue.workers() == []


def test_an_error_that_nobody_expected_ends_the_worker_with_code_one_and_hands_the_job_back(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R2-44."""
    job = home.submit("endless", hang_seconds=FOREVER)
    monkeypatch.setattr("blobforge.cli.working.LogOnly.progressed", lambda *_: 1 // 0)

    done = Blobforge(tmp_path, home.folder).call("worker", "--type", "echo", "--run-once")

    assert done.exit_code == 1
    assert "ZeroDivisionError" in done.stderr
    assert (home.job(job).state, home.job(job).attempts) == (State.PENDING, 0)
    assert home.left_by_workers() == []
