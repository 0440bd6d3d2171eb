"""A type of jobs that somebody paused: no worker of the server gets any, and everyone is told."""

from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene
from tests.unit.server.problems import is_problem

from blobforge.coordination.sql.backend import open_queue
from blobforge.domain.account import Role
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import State
from blobforge.domain.pause import Pause
from blobforge.ports.job_store import Queue
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.clock import START

LANE = {"project": "default", "type": "pdf"}
PROCESS = "rack4.11.0123abcd"


@pytest.fixture
def operator(scene: Scene) -> httpx2.Client:
    return scene.having(Role.OPERATOR)


def claim(worker: httpx2.Client) -> httpx2.Response:
    return worker.post("/api/jobs/claim", params={"type": "pdf", "worker_id": PROCESS})


def settle(worker: httpx2.Client, **wanted: Any) -> list[int]:
    told = worker.post("/api/queue/settle", json={"process": PROCESS, **wanted}).json()
    return [entry["job"]["id"] for entry in told["claimed"]]


def test_a_paused_type_is_claimed_by_nobody_until_it_is_resumed(scene: Scene, operator: httpx2.Client) -> None:
    job, worker = scene.job("a"), scene.worker()
    assert operator.post("/api/queue/pause", json=LANE).status_code == 200

    assert claim(worker).status_code == 204
    assert settle(worker, claim={"types": ["pdf"]}) == []

    ended = operator.post("/api/queue/resume", json=LANE).json()["pauses"]
    assert [(pause["type"], pause["by"]) for pause in ended] == [("pdf", "token:1")]
    assert claim(worker).json()["job"]["id"] == job.id


def test_what_runs_when_its_type_is_paused_ends_as_ever(scene: Scene, operator: httpx2.Client) -> None:
    job, worker = scene.job("a"), scene.worker()
    held = claim(worker).json()["job"]
    operator.post("/api/queue/pause", json=LANE)

    failed = worker.post(
        f"/api/jobs/{job.id}/fail",
        json={"worker_id": PROCESS, "lease_number": held["lease_number"], "error": "broken", "retryable": False},
    )

    assert failed.status_code == 200
    assert scene.queue.get(job.id).state is State.DEAD


def test_a_pause_outlasts_the_server(scene: Scene, operator: httpx2.Client, tmp_path: Path) -> None:
    scene.job("a")
    operator.post("/api/queue/pause", json=LANE)

    with closing(open_queue(f"sqlite:///{tmp_path / 'queue.db'}", QueueOptions()).store) as after_a_restart:
        assert after_a_restart.pauses() == [Pause("default", "pdf", START, "token:1")]


def test_a_pause_of_one_project_is_none_of_another(scene: Scene) -> None:
    theirs = scene.having(Role.OPERATOR, "theirs")
    scene.job("a")
    scene.job("b", project="theirs")

    assert is_problem(theirs.post("/api/queue/pause", json=LANE), 403)
    theirs.post("/api/queue/pause", json={**LANE, "project": "theirs"})

    assert [pause["project"] for pause in theirs.post("/api/queue/pauses", json={}).json()["pauses"]] == ["theirs"]
    assert scene.queue.claim(Queue("theirs", ("pdf",)), worker_id=WorkerId(PROCESS)) == []
    assert len(scene.queue.claim(Queue("default", ("pdf",)), worker_id=WorkerId(PROCESS))) == 1


def test_who_paused_and_resumed_is_in_the_trail(scene: Scene, operator: httpx2.Client) -> None:
    for path in ("pause", "resume", "resume"):
        operator.post(f"/api/queue/{path}", json=LANE)

    trail = [(entry.action, entry.subject, entry.project, str(entry.actor)) for entry in scene.trail()]
    assert trail == [
        ("type.pause", "type:pdf", "default", "token:1"),
        ("type.resume", "type:pdf", "default", "token:1"),
    ]


@pytest.mark.parametrize("lane", [{}, {"type": ""}, {"type": "a b"}, {"type": "pdf", "project": "a/b"}], ids=str)
def test_what_is_no_type_is_not_paused(scene: Scene, operator: httpx2.Client, lane: dict[str, str]) -> None:
    assert is_problem(operator.post("/api/queue/pause", json=lane), 400)
    assert scene.queue.pauses() == []
