"""What one project made of a document is neither written nor read by another, and whole when its job is completed."""

import json
from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene, hash_of
from tests.unit.server.test_late_workers import FIRST, GOOD, LATE, RECIPE, ending, told, uploaded

from blobforge.domain.account import Role
from blobforge.ports.blob_store import BlobKey, error_log_key

OF_B = "rack5.12.0123abcd"


def lease_of(client: httpx2.Client, process: str, project: str) -> dict[str, Any]:
    wanted = {"project": project, "types": ["pdf"], "limit": 1}
    settled = client.post("/api/queue/settle", json={"process": process, "endings": [], "claim": wanted})
    (claimed,) = settled.json()["claimed"]
    number, token = claimed["job"]["lease_number"], claimed["lease_token"]
    return {"job_id": claimed["job"]["id"], "number": number, "process": process, "token": token}


def completed(scene: Scene, client: httpx2.Client, lease: dict[str, Any], content: bytes) -> None:
    """By a recipe that its worker names."""
    assert told(client, ending(lease, uploaded(scene, client, lease, content)))["error"] is None


def output(client: httpx2.Client, job_id: int) -> bytes:
    return httpx2.get(client.get(f"/api/files/{job_id}/output").json()["url"]).content


@pytest.mark.parametrize(("mine", "theirs"), [("default", "books"), ("books", "default"), ("books", "papers")])
def test_a_worker_of_one_project_changes_nothing_that_another_has_published(
    scene: Scene, mine: str, theirs: str
) -> None:
    a, b = scene.worker("rack4", project=mine), scene.worker("rack5", project=theirs)
    people = scene.having(Role.OPERATOR)
    scene.job(project=mine)
    job = scene.job(project=theirs)
    completed(scene, b, lease_of(b, OF_B, theirs), GOOD)

    completed(scene, a, lease_of(a, FIRST, mine), LATE)

    assert output(people, job.id) == GOOD
    assert json.loads(scene.queue.get(job.id).result or "")["recipe"] == RECIPE


@pytest.mark.parametrize(
    ("project", "place"),
    [("default", "outputs/{}.zip"), ("books", "outputs/books/pdf/{}.zip")],
)
def test_what_is_found_by_the_hash_of_a_document_is_of_one_project(scene: Scene, project: str, place: str) -> None:
    other = "books" if project == "default" else "default"
    a, b = scene.worker("rack4", project=project), scene.worker("rack5", project=other)
    key = BlobKey(place.format(scene.job(project=project).source_hash))
    scene.job(project=other)
    completed(scene, a, lease_of(a, FIRST, project), GOOD)

    completed(scene, b, lease_of(b, OF_B, other), LATE)

    with scene.parts.files.blobs.open(key) as stream:
        assert stream.read() == GOOD


def test_a_result_that_another_project_made_is_not_found_for_ones_own(scene: Scene) -> None:
    a, b = scene.worker("rack4", project="books"), scene.worker("rack5", project="papers")
    scene.job(project="books")
    job = scene.job(project="papers")
    completed(scene, a, lease_of(a, FIRST, "books"), LATE)
    lease = lease_of(b, OF_B, "papers")
    key = f"outputs/{job.source_hash[:2]}/{job.source_hash}-{RECIPE}.zip"

    looked = b.post("/api/queue/blob-url", json={"key": key, "project": "papers", "lease": lease})
    ended = told(b, ending(lease, recipe=RECIPE))

    assert looked.json()["source"] is None
    assert ended["error"] is None
    assert "key" not in json.loads(scene.queue.get(job.id).result or "")


def test_ones_own_result_is_found_by_its_recipe(scene: Scene) -> None:
    a, people = scene.worker("rack4", project="books"), scene.having(Role.OPERATOR)
    job = scene.job(project="books")
    completed(scene, a, lease_of(a, FIRST, "books"), GOOD)
    people.post(f"/api/jobs/{job.id}/retry", json={})
    lease = lease_of(a, FIRST, "books")
    key = f"outputs/{job.source_hash[:2]}/{job.source_hash}-{RECIPE}.zip"

    looked = a.post("/api/queue/blob-url", json={"key": key, "project": "books", "lease": lease}).json()
    ended = told(a, ending(lease, recipe=RECIPE))

    assert httpx2.get(looked["source"]["url"]).content == GOOD
    assert ended["error"] is None
    assert output(people, job.id) == GOOD


def test_an_error_log_is_read_by_its_own_project_alone(scene: Scene) -> None:
    a, b = scene.worker("rack4", project="books"), scene.having(Role.VIEWER, "papers")
    reader = scene.having(Role.VIEWER, "books")
    scene.job(project="books")
    scene.job(project="papers")
    lease = lease_of(a, FIRST, "books")
    failure = {"code": "engine_failed", "message": "the secret merger", "retryable": True}
    told(a, {"process": FIRST, "endings": [{"kind": "failed", "lease": lease, "failure": failure}]})
    assert a.post("/api/queue/error-log", json={"lease": lease, "log": "the secret merger"}).status_code == 204
    key = error_log_key(scene.queue.get(lease["job_id"]).source_hash)

    theirs = b.post("/api/queue/blob-url", json={"key": key, "project": "papers"}).json()
    ours = reader.post("/api/queue/blob-url", json={"key": key, "project": "books"}).json()

    assert theirs["source"] is None
    assert httpx2.get(ours["source"]["url"]).text == "the secret merger"


@pytest.mark.parametrize(
    ("content", "said", "why"),
    [
        (None, {"pages": 4}, "nothing was uploaded to its `upload_url`"),
        (GOOD[: len(GOOD) // 2], {"output_size": len(GOOD)}, f"and `output_size` says {len(GOOD)}"),
    ],
    ids=["nothing", "a part"],
)
def test_a_job_is_completed_by_what_was_uploaded_and_stays_with_its_worker_until_then(
    scene: Scene, content: bytes | None, said: dict[str, int], why: str
) -> None:
    """R1-27."""
    worker = scene.worker("rack4")
    job = scene.job()
    claim = worker.get("/api/jobs/claim").json()
    if content is not None:
        worker.put(claim["upload_url"], content=content).raise_for_status()
    message = {"worker_id": "rack4", "result": said}

    refused = worker.post(f"/api/jobs/{job.id}/complete", json=message)

    assert refused.status_code == 400
    assert why in refused.json()["detail"]
    assert scene.queue.get(job.id).state == "running"
    worker.put(claim["upload_url"], content=GOOD).raise_for_status()
    assert worker.post(f"/api/jobs/{job.id}/complete", json=message).status_code == 200
    assert output(scene.having(Role.VIEWER), job.id) == GOOD
    assert job.source_hash == hash_of("a")
