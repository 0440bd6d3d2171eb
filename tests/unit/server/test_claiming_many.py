"""A worker of the public API that claims more than one job in one request."""

import httpx2
import pytest
from tests.server_scene import Scene, document
from tests.unit.server.problems import is_problem


def claim(worker: httpx2.Client, **query: object) -> httpx2.Response:
    return worker.get("/api/jobs/claim", params={"worker_id": "rack4.11.0123abcd", **query})  # type: ignore[dict-item]


def test_one_answer_has_as_many_jobs_as_were_asked_for(scene: Scene) -> None:
    worker = scene.worker("rack4")
    jobs = [scene.job(name) for name in "abc"]

    first, second = claim(worker, max=2).json(), claim(worker, max=2).json()

    assert [list(answer) for answer in (first, second)] == [["jobs"]] * 2
    assert [one["job"]["id"] for one in first["jobs"]] == [job.id for job in jobs[:2]]
    assert [one["job"]["id"] for one in second["jobs"]] == [jobs[2].id]
    assert claim(worker, max=2).status_code == 204
    for name, one in zip("ab", first["jobs"], strict=True):
        assert scene.client().get(one["download_url"]).content == document(name)
        assert one["job"]["lease_token"]
    assert len({one["upload_url"] for one in first["jobs"]}) == 2


def test_a_claim_without_a_number_has_the_shape_of_one_job(scene: Scene) -> None:
    worker = scene.worker("rack4")
    scene.job("a")
    scene.job("b")

    assert list(claim(worker).json()) == ["job", "download_url", "upload_url"]
    assert list(claim(worker, max=1).json()) == ["jobs"]


def test_each_of_many_jobs_ends_by_itself(scene: Scene) -> None:
    worker = scene.worker("rack4")
    jobs = [scene.job(name) for name in "ab"]
    claimed = claim(worker, max=10).json()["jobs"]

    for one in claimed:
        lease = {name: one["job"][name] for name in ("lease_number", "lease_token")}
        failed = {"worker_id": "rack4.11.0123abcd", "error": "no pages", "retryable": False, **lease}
        assert worker.post(f"/api/jobs/{one['job']['id']}/fail", json=failed).status_code == 200

    assert [scene.queue.get(job.id).state for job in jobs] == ["dead", "dead"]


def test_a_claim_of_many_whose_answer_was_lost_is_answered_with_the_same_jobs(scene: Scene) -> None:
    worker = scene.worker("rack4")
    for name in "abc":
        scene.job(name)

    first, second = (worker.post("/api/jobs/claim", params={"max": 2}).json()["jobs"] for _ in range(2))

    assert sorted(one["job"]["id"] for one in first) == sorted(one["job"]["id"] for one in second)
    assert scene.queue.counts()[("pdf", "pending")] == 1  # type: ignore[index]


@pytest.mark.parametrize("most", [0, 11, -1, "many"])
def test_one_to_ten_jobs_are_claimed_at_once(scene: Scene, most: object) -> None:
    assert is_problem(claim(scene.worker("rack4"), max=most), 400)
