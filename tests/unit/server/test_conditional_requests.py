"""Who knows a job as it is reads nothing; who knows it as it was changes nothing."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.domain.endings import Failed
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Failure, Job
from blobforge.ports.job_store import Queue

WORKER = WorkerId("rack4.11.0123abcd")
STEPS: dict[str, Callable[[httpx2.Client, int, dict[str, str]], httpx2.Response]] = {
    "retry": lambda client, job_id, headers: client.post(f"/api/jobs/{job_id}/retry", json={}, headers=headers),
    "cancel": lambda client, job_id, headers: client.delete(f"/api/jobs/{job_id}", headers=headers),
    "priority": lambda client, job_id, headers: client.patch(
        f"/api/jobs/{job_id}/priority", json={"priority": 1}, headers=headers
    ),
}


@pytest.fixture
def operator(scene: Scene) -> httpx2.Client:
    return scene.having(Role.OPERATOR)


@pytest.fixture
def job(scene: Scene) -> Job:
    """One that may be retried, cancelled and given another priority."""
    scene.job("a")
    (held,) = scene.queue.claim(Queue("default", ("pdf",)), worker_id=WORKER)
    (failed,) = scene.queue.end([Failed(held, Failure("timed_out", "too slow", retryable=True))])
    assert isinstance(failed, Job)
    return failed


def tag(client: httpx2.Client, job: Job) -> str:
    return client.get(f"/api/jobs/{job.id}").headers["etag"]


@pytest.mark.parametrize("known", ["{tag}", "W/{tag}", '"x", {tag}', "*"])
def test_a_job_that_has_not_changed_is_not_sent_again(operator: httpx2.Client, job: Job, known: str) -> None:
    etag = tag(operator, job)

    answer = operator.get(f"/api/jobs/{job.id}", headers={"If-None-Match": known.replace("{tag}", etag)})

    assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", etag)


def test_a_job_that_has_changed_is_sent_with_another_tag(scene: Scene, operator: httpx2.Client, job: Job) -> None:
    etag = tag(operator, job)
    scene.queue.reprioritize(job.id, priority=5)

    answer = operator.get(f"/api/jobs/{job.id}", headers={"If-None-Match": etag})

    assert (answer.status_code, answer.json()["priority"]) == (200, 5)
    assert answer.headers["etag"] != etag
    assert "no-store" not in answer.headers["cache-control"]


def test_a_tag_is_no_right_to_a_job_of_another_project(scene: Scene, operator: httpx2.Client, job: Job) -> None:
    stranger = scene.having(Role.VIEWER, "theirs")

    answer = stranger.get(f"/api/jobs/{job.id}", headers={"If-None-Match": tag(operator, job)})

    assert is_problem(answer, 404)


@pytest.mark.parametrize("step", STEPS)
def test_who_saw_the_job_as_it_is_changes_it(operator: httpx2.Client, job: Job, step: str) -> None:
    etag = tag(operator, job)

    answer = STEPS[step](operator, job.id, {"If-Match": f'"another", {etag}'})

    assert answer.status_code == 200
    assert answer.headers["etag"] == tag(operator, job) != etag


@pytest.mark.parametrize("step", STEPS)
def test_who_saw_the_job_as_it_was_changes_nothing(scene: Scene, operator: httpx2.Client, job: Job, step: str) -> None:
    etag = tag(operator, job)
    now = scene.queue.reprioritize(job.id, priority=5)

    answer = STEPS[step](operator, job.id, {"If-Match": etag})

    assert is_problem(answer, 412)
    assert answer.json()["code"] == "changed_meanwhile"
    assert f'its ETag is "{now.rev}"' in answer.json()["detail"]
    assert scene.queue.get(job.id) == now
    assert scene.trail() == []


@pytest.mark.parametrize("step", STEPS)
def test_a_job_that_changes_between_the_look_and_the_change_stays(
    scene: Scene, operator: httpx2.Client, job: Job, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    etag, get = tag(operator, job), scene.queue.get

    def seen_before(job_id: Any) -> Job:
        seen = get(job_id)
        monkeypatch.undo()
        scene.queue.reprioritize(job_id, priority=5)
        return seen

    monkeypatch.setattr(scene.queue, "get", seen_before)
    answer = STEPS[step](operator, job.id, {"If-Match": etag})

    assert is_problem(answer, 412)
    assert (scene.queue.get(job.id).state, scene.queue.get(job.id).priority) == (job.state, 5)


@pytest.mark.parametrize("step", STEPS)
def test_any_tag_will_do_for_a_star(operator: httpx2.Client, job: Job, step: str) -> None:
    assert STEPS[step](operator, job.id, {"If-Match": "*"}).status_code == 200
    assert is_problem(STEPS[step](operator, 4711, {"If-Match": "*"}), 404)


def test_a_weak_tag_promises_too_little_for_a_change(operator: httpx2.Client, job: Job) -> None:
    assert is_problem(STEPS["cancel"](operator, job.id, {"If-Match": f"W/{tag(operator, job)}"}), 412)


@pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
@pytest.mark.parametrize("value", ["3", '"3', "", ",", '"3" "4"', '"a\tb"'])
def test_what_is_no_tag_is_refused(operator: httpx2.Client, job: Job, header: str, value: str) -> None:
    method = "DELETE" if header == "If-Match" else "GET"

    assert is_problem(operator.request(method, f"/api/jobs/{job.id}", headers={header: value}), 400)
