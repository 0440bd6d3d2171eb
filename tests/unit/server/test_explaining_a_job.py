"""One job looked at by people and their programs: its attempts, its error log, and why it is as it is."""

import json
from typing import Any

import httpx2
import pytest
from tests.server_scene import DISCREET, Scene, document
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.domain.endings import Failed
from blobforge.domain.job import Failure, Job
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE
from blobforge.worker.error_log import ErrorLog

TRACEBACK = "Traceback (most recent call last):\n  boom\n"
FAILURE = Failure("engine_failed", "the page is upside down", retryable=False, stage="read", page=7)


class NamedByTheServer:
    """As the server keeps the log that a worker sends it."""

    def __init__(self, scene: Scene, project: str) -> None:
        self._scene, self._project = scene, project

    def open(self, key: BlobKey) -> Any:
        return self._scene.parts.files.blobs.open(self._key(key))

    def put(self, key: BlobKey, path: Any) -> None:
        self._scene.parts.files.blobs.put(self._key(key), path)

    def _key(self, key: BlobKey) -> BlobKey:
        return self._scene.parts.files.names.log(self._project, key.split("/")[2])  # type: ignore[arg-type]


def failed(scene: Scene, name: str = "a", *, project: str = "default", type: str = "pdf") -> Job:  # noqa: A002
    """Its worker died first, and then it failed for good."""
    scene.job(name, project=project, type=type)
    queue = Queue(project, (type,))
    scene.queue.claim(queue, worker_id=ALICE)
    scene.queue.expire_worker(ALICE)
    (held,) = scene.queue.claim(queue, worker_id=ALICE)
    (after,) = scene.queue.end([Failed(held, FAILURE)])
    assert isinstance(after, Job)
    log = ErrorLog(lambda _: NamedByTheServer(scene, project))  # type: ignore[arg-type,return-value]
    log.note(Failed(held, FAILURE), after, TRACEBACK)
    log.close()
    return after


def test_each_attempt_of_a_job_is_told_with_its_end(scene: Scene) -> None:
    job = failed(scene)

    answer = scene.having(Role.VIEWER).get(f"/api/jobs/{job.id}/attempts")

    lost, died = answer.json()["attempts"]
    assert (lost["lease_number"], lost["outcome"], lost["error_code"]) == (1, "expired", "lease_expired")
    assert (died["lease_number"], died["outcome"], died["error"]) == (2, "died", "the page is upside down")
    assert died["worker_id"] == ALICE
    assert died["ended_at"] == "2026-01-01T12:00:00Z"


@pytest.mark.parametrize("project", ["default", "other"])
def test_the_log_of_a_job_has_what_its_workers_left_in_the_store(scene: Scene, project: str) -> None:
    job = failed(scene, project=project)

    answer = scene.having(Role.VIEWER, project).get(f"/api/jobs/{job.id}/log")

    lost, died = answer.json()["attempts"]
    assert (lost["lease"], lost["outcome"], lost["traceback"]) == (1, "expired", None)
    assert (died["lease"], died["code"], died["stage"], died["page"]) == (2, "engine_failed", "read", 7)
    assert died["traceback"] == TRACEBACK


def test_the_log_of_a_discreet_type_is_for_operators(scene: Scene) -> None:
    job = failed(scene, type=DISCREET)

    refused = scene.having(Role.VIEWER).get(f"/api/jobs/{job.id}/log")
    shown = scene.having(Role.OPERATOR).get(f"/api/jobs/{job.id}/log")

    assert is_problem(refused, 403)
    assert shown.json()["attempts"][1]["traceback"] == TRACEBACK


def test_a_job_that_never_failed_has_an_empty_log_and_no_attempts(scene: Scene) -> None:
    job, people = scene.job(), scene.having(Role.VIEWER)

    answers = [people.get(f"/api/jobs/{job.id}/{what}").json() for what in ("log", "attempts")]

    assert answers == [{"attempts": []}] * 2


def test_a_job_says_why_it_is_as_it_is(scene: Scene) -> None:
    waits, dead, people = scene.job("b", type="image"), failed(scene), scene.having(Role.VIEWER)

    why = people.get(f"/api/jobs/{waits.id}/why").json()
    because = people.get(f"/api/jobs/{dead.id}/why").json()

    assert list(why) == ["reason", "explanation", "commands"]
    assert (why["reason"], because["reason"]) == ("no_worker", "refused")
    assert "image" in why["explanation"]
    assert "blobforge worker --type image" in why["commands"]
    assert f"blobforge logs '#{dead.id}'" in because["commands"]


def test_a_job_says_how_many_are_ahead_of_it_and_by_whom_it_is_paused(scene: Scene) -> None:
    people, worker = scene.having(Role.OPERATOR), scene.worker("rack4")
    worker.post("/api/workers", json={"id": "rack4", "type": "pdf"})
    scene.job("a")
    job = scene.job("b")

    behind = people.get(f"/api/jobs/{job.id}/why").json()
    people.post("/api/queue/pause", json={"project": "default", "type": "pdf"})
    paused = people.get(f"/api/jobs/{job.id}/why").json()

    assert behind["reason"] == "behind_others"
    assert paused["reason"] == "paused"


def ask(client: httpx2.Client, job: Job, what: str) -> httpx2.Response:
    return client.get(f"/api/jobs/{job.id}/{what}")


@pytest.mark.parametrize("what", ["attempts", "log", "why"])
def test_a_job_of_another_project_is_not_there(scene: Scene, what: str) -> None:
    job = failed(scene, "secret")

    answer = ask(scene.having(Role.ADMIN, "other"), job, what)

    assert is_problem(answer, 404)
    assert document("secret").decode() not in json.dumps(answer.json())
    assert "upside down" not in answer.text
