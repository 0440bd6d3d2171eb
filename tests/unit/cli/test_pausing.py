"""`blobforge pause` and `resume`, and who tells of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.conftest import Call
from tests.unit.cli.queues import queue_at

from blobforge.coordination.service import CoordinationService
from blobforge.testing.builders import ALICE, new_job
from blobforge.testing.coordinator.steps import PDFS


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    with queue_at(tmp_path) as queue:
        queue.submit([new_job("one", source_path="/docs/one.pdf")])
        yield queue


def told(call: Call, *args: str) -> dict[str, Any]:
    done = call(*args, "--json")
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_type_is_paused_and_resumed(call: Call, queue: CoordinationService) -> None:
    paused = told(call, "pause", "pdf")["pause"]

    assert (paused["project"], paused["type"]) == ("default", "pdf")
    assert paused["by"].startswith("local:")
    assert queue.claim(PDFS, worker_id=ALICE) == []
    assert told(call, "pause", "pdf")["pause"] == paused

    assert told(call, "resume", "pdf")["pause"] == paused
    assert told(call, "resume", "pdf")["pause"] is None
    assert len(queue.claim(PDFS, worker_id=ALICE)) == 1


def test_people_are_told_what_was_done_and_how_it_ends(call: Call, queue: CoordinationService) -> None:
    assert (
        "jobs of type pdf are paused in project default; 'blobforge resume pdf' ends it" in call("pause", "pdf").stderr
    )
    assert "jobs of type pdf are given to workers again in project default" in call("resume", "pdf").stderr
    assert "jobs of type pdf were not paused in project default" in call("resume", "pdf").stderr


@pytest.mark.usefixtures("queue")
def test_a_type_that_nobody_knows_is_paused_with_a_word_of_doubt(call: Call) -> None:
    doubted = "and nothing here serves that type; there are echo, "

    assert doubted in " ".join(call("pause", "pfd").stderr.split())
    assert "nothing here serves" not in call("pause", "echo").stderr


def test_status_dashboard_and_why_tell_of_a_pause(call: Call, queue: CoordinationService) -> None:
    by = told(call, "pause", "pdf")["pause"]["by"]

    status, why = told(call, "status"), told(call, "why", "#1")

    assert [pause["type"] for pause in status["paused"]] == ["pdf"]
    assert told(call, "dashboard")["paused"] == status["paused"]
    assert (why["reason"], why["commands"]) == ("paused", ["blobforge resume pdf"])
    assert why["explanation"].startswith("It waits: jobs of type 'pdf' are paused since ")
    assert why["explanation"].endswith(f", by {by}.")
    assert f"by {by}; 'blobforge resume pdf' ends it" in call("status").stdout
    assert f"by {by}: blobforge resume pdf" in call("dashboard").stdout


def test_where_nothing_is_paused_nothing_is_told_of_it(call: Call, queue: CoordinationService) -> None:
    assert (told(call, "status")["paused"], told(call, "dashboard")["paused"]) == ([], [])
    assert "paused" not in call("status").stdout + call("dashboard").stdout
    assert told(call, "why", "#1")["reason"] == "no_worker"
