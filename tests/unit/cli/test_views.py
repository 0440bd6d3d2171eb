"""The commands dashboard, watch and workers, and what a worker says before it begins."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Call, Terminal
from tests.unit.cli.queues import queue_at
from tests.unit.cli.reports import running_job, worker

from blobforge.cli.commands.worker import command as worker_command
from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import JobId
from blobforge.domain.job import State
from blobforge.testing.builders import hash_of, new_job


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    """One job waits, and one worker was heard of just now."""
    with queue_at(tmp_path) as queue:
        queue.submit([new_job("one", source_path="/docs/one.pdf", source_size=812)])
        now = SystemClock().now()
        busy = worker("rack4", jobs=[running_job(started_at=now)])
        queue.register_worker(replace(busy, last_heartbeat=now))
        yield queue


def test_programs_get_the_dashboard(call: Call, queue: CoordinationService) -> None:
    """R0-73."""
    told = json.loads(call("dashboard", "--json").stdout)

    assert told["counts"]["pdf"]["pending"] == 1
    assert told["workers"][0]["name"] == "rack4"
    assert told["workers"][0]["jobs"][0]["stage"] == "Recognizing Text"
    assert told["totals"]["busy"] == 1


def test_off_a_terminal_the_dashboard_is_plain_text(call: Call, queue: CoordinationService) -> None:
    lines = call("dashboard").stdout.splitlines()

    assert lines[0].startswith("BlobForge · default")
    assert any(line.startswith("annual-report.pdf") for line in lines)
    assert any("● rack4" in line for line in lines)
    assert not any("\x1b" in line for line in lines)


def test_verbose_shows_the_types_too(call: Call, queue: CoordinationService) -> None:
    """R0-73."""
    assert "Types" in call("dashboard", "--verbose").stdout
    assert "Types" not in call("dashboard").stdout


def test_on_a_terminal_the_dashboard_has_its_width_and_colours(terminal: Terminal, queue: CoordinationService) -> None:
    """R2-18."""
    coloured = terminal("dashboard", columns=100)
    plain = terminal("dashboard", columns=100, NO_COLOR="1")
    dumb = terminal("dashboard", columns=100, TERM="dumb")

    assert any("\x1b[" in line for line in coloured.lines)
    assert not any("\x1b" in line for line in [*plain.lines, *dumb.lines])
    assert len(plain.lines[0]) == 100


def test_a_terminal_that_knows_few_characters_gets_those(terminal: Terminal, queue: CoordinationService) -> None:
    shown = terminal("dashboard", PYTHONIOENCODING="ascii", PYTHONUTF8="0", NO_COLOR="1")

    assert shown.code == 0
    assert all(line.isascii() for line in shown.lines)
    assert any("####" in line for line in shown.lines)


def test_workers_are_listed_and_added_up(call: Call, queue: CoordinationService) -> None:
    """R2-20."""
    lines = call("workers").stdout.splitlines()

    assert lines[0].split()[:6] == ["WORKER", "STATE", "BUSY", "CPU", "RAM", "DISK"]
    assert lines[1].split()[:7] == ["●", "rack4", "working", "1/4", "87%", "41%", "40%"]
    assert lines[2].startswith("1 worker · 1 of 4 slots busy · 412 an hour · 1,340 done, 12 failed · 4.1 s each")


def test_programs_get_the_workers(call: Call, queue: CoordinationService) -> None:
    """R2-20."""
    told = json.loads(call("workers", "--json").stdout)

    assert list(told) == ["workers", "past", "totals"]
    assert told["workers"][0]["metrics"]["jobs_completed"] == 1340
    assert told["workers"][0]["standing"] == "working"
    assert told["totals"]["jobs_completed"] == 1340


def test_without_workers_it_is_said_how_to_start_one(call: Call) -> None:
    done = call("workers")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "no worker is signed in; start one with 'blobforge worker'\n"


@pytest.mark.parametrize("interval", ["0", "-1", "x", "nan"])
def test_an_interval_is_a_number_of_seconds(call: Call, interval: str) -> None:
    assert call("watch", "--interval", interval).exit_code == 2


def test_a_dry_run_says_what_would_be_claimed_and_claims_nothing(call: Call, queue: CoordinationService) -> None:
    done = call("worker", "--dry-run")

    assert done.exit_code == 0
    assert done.stdout.splitlines()[1].split() == [
        hash_of("one")[:12],
        "one.pdf",
        *("812", "B", "normal", "pdf", "#1"),
    ]
    assert done.stderr.endswith("these 1 of 1 would be claimed now; nothing was claimed\n")
    assert queue.get(JobId(1)).state is State.PENDING


def test_programs_get_the_dry_run_too(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job("two", priority=1)])

    told = json.loads(call("worker", "--dry-run", "--run-once", "--json").stdout)

    assert ([int(job["id"]) for job in told["jobs"]], told["waiting"], told["opens_at"]) == ([2], 2, None)


def test_a_dry_run_on_an_empty_queue_says_so(call: Call) -> None:
    assert call("worker", "--dry-run").stderr == "nothing waits: no job would be claimed\n"


def test_a_dry_run_outside_the_window_says_when_it_opens(
    call: Call, queue: CoordinationService, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = (SystemClock().now().astimezone().hour + 2) % 24
    monkeypatch.setenv("BLOBFORGE_RUN_WINDOWS", f"{soon:02}:00-{soon:02}:30")

    told = json.loads(call("worker", "--dry-run", "--json").stdout)
    people = call("worker", "--dry-run").stderr

    assert told["opens_at"] is not None
    assert f"would be claimed at {soon:02}:00, when the run window opens" in people


def test_a_dry_run_refuses_types_that_nobody_serves(call: Call) -> None:
    assert call("worker", "--dry-run", "--type", "nonsense").exit_code != 0


@pytest.mark.parametrize("window", ["22-6", "25:00-06:00", "10:00-10:00"])
def test_a_window_that_makes_no_sense_is_a_usage_error(call: Call, window: str) -> None:
    done = call("worker", "--run-window", window, "--dry-run")

    assert done.exit_code == 2
    assert "run window" in done.stderr


def test_run_once_and_drain_exclude_each_other(call: Call) -> None:
    assert call("worker", "--run-once", "--drain").exit_code == 2


def test_flags_that_are_not_given_leave_the_settings_as_they_are() -> None:
    silent = worker_command.make_context("worker", []).params
    windows = ["--run-window", "9:00-10:00", "--run-window", "22:00-06:00"]
    spoken = worker_command.make_context("worker", [*windows, "--abort-outside-window"]).params

    assert (silent["run_windows"], silent["abort_outside_window"]) == (None, None)
    assert (spoken["run_windows"], spoken["abort_outside_window"]) == ("09:00-10:00,22:00-06:00", True)
