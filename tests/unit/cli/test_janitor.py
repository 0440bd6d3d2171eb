"""`janitor` on the default queue: what it tells, and what it changes."""

import json
import signal
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.unit.cli.conftest import PROGRAM, Call
from tests.unit.cli.queues import queue_at

from blobforge.coordination.service import CoordinationService
from blobforge.domain.job import Job, State
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, new_job


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    with queue_at(tmp_path) as queue:
        yield queue


@pytest.fixture
def lost(queue: CoordinationService) -> Job:
    """A job whose lease ran out long ago: the queue's time in tests lies in the past."""
    queue.submit([new_job("lost", source_path="/docs/lost.pdf")])
    (held,) = queue.claim(Queue("default", ("pdf",)), worker_id=ALICE)
    assert held.lease_expires_at is not None
    return held


def test_it_frees_the_jobs_of_lost_workers(queue: CoordinationService, lost: Job, call: Call) -> None:
    """R0-54, R0-55."""
    told = json.loads(call("janitor", "--json").stdout)

    assert [(int(job["id"]), job["state"], job["attempts"]) for job in told["woken"]] == [(lost.id, "pending", 1)]
    assert (told["mended"], told["dry_run"]) == ([], False)
    assert queue.get(lost.id).state is State.PENDING


def test_a_dry_run_reports_the_same_and_changes_nothing(queue: CoordinationService, lost: Job, call: Call) -> None:
    """R0-57, R0-72."""
    told = json.loads(call("janitor", "--dry-run", "--json").stdout)

    assert [(int(job["id"]), job["state"]) for job in told["woken"]] == [(lost.id, "pending")]
    assert told["dry_run"] is True
    assert queue.get(lost.id) == lost


@pytest.mark.usefixtures("lost")
def test_people_see_which_jobs_are_free_again(call: Call) -> None:
    foretold, done, again = call("janitor", "--dry-run"), call("janitor"), call("janitor")

    assert "lost.pdf" in foretold.stdout
    assert foretold.stderr == "1 job would be freed, 0 inconsistencies found; nothing was changed\n"
    assert "lost.pdf" in done.stdout
    assert done.stderr == "1 job freed, 0 inconsistencies repaired\n"
    assert (again.stdout, again.stderr) == ("", "everything is in order\n")


def test_in_a_loop_it_looks_until_it_is_told_to_end(queue: CoordinationService, lost: Job) -> None:
    janitor = subprocess.Popen(
        [PROGRAM, "janitor", "--loop", "--every", "0.2", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert janitor.stdout is not None
    first, second = (json.loads(janitor.stdout.readline()) for _ in range(2))
    janitor.send_signal(signal.SIGTERM)
    _, log = janitor.communicate(timeout=timedelta(minutes=1).total_seconds())

    assert [int(job["id"]) for job in first["woken"]] == [lost.id]
    assert second["woken"] == []
    assert janitor.returncode == 0
    assert [json.loads(line)["event"] for line in log.splitlines()] == [
        "janitor started",
        "job reaped",
        "janitor ended",
    ]
    assert queue.get(lost.id).state is State.PENDING


@pytest.mark.parametrize("args", [("--every", "5"), ("--loop", "--every", "0"), ("--loop", "--every", "nan")])
def test_times_that_make_no_sense_are_refused(call: Call, args: tuple[str, ...]) -> None:
    assert call("janitor", *args).exit_code == 2
