"""A worker that lost its job without knowing it changes nothing, and what a worker says is not believed."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene, hash_of
from tests.unit.conversion.results import archive_bytes

from blobforge.domain.account import Role
from blobforge.domain.ids import JobId

LEASE_IS_OVER = 200
GOOD, LATE = archive_bytes("the result of the winner"), archive_bytes("the result of a zombie")
RECIPE = "0123456789abcdef"
FIRST, SECOND = "rack4.11.00000001", "rack5.12.00000002"


def claimed(client: httpx2.Client, process: str) -> dict[str, Any]:
    """By the queue protocol: its lease, with its token."""
    settled = client.post("/api/queue/settle", json={"process": process, "claim": {"types": ["pdf"]}}).json()
    (entry,) = settled["claimed"]
    job = entry["job"]
    return {
        "job_id": job["id"],
        "number": job["lease_number"],
        "process": process,
        "token": entry["lease_token"],
    }


def uploaded(scene: Scene, client: httpx2.Client, lease: dict[str, Any], content: bytes) -> dict[str, Any]:
    given = client.post("/api/queue/upload-url", json={"lease": lease, "recipe": RECIPE, "size": len(content)}).json()
    assert scene.client().put(given["to"]["url"], content=content).status_code == 201
    return {"id": given["upload"], "size": len(content)}


def ending(lease: dict[str, Any], upload: dict[str, Any] | None = None, **result: object) -> dict[str, Any]:
    completed = {"kind": "completed", "lease": lease, "result": json.dumps(result), "upload": upload, "again": True}
    return {"process": lease["process"], "endings": [completed]}


def told(client: httpx2.Client, message: dict[str, Any]) -> dict[str, Any]:
    (outcome,) = client.post("/api/queue/settle", json=message).json()["ended"]
    return dict(outcome)


def published(scene: Scene, name: str = "a") -> dict[str, bytes]:
    """All that can be found by the hash of a document."""
    outputs = scene.folder / "store" / "outputs"
    return {
        path.name: path.read_bytes()
        for path in outputs.rglob("*.zip")
        if hash_of(name) in path.name and ".attempts" not in path.parts
    }


@pytest.mark.parametrize("is_kept", [True, False], ids=["remembered", "after a restart"])
def test_a_zombie_publishes_nothing(scene: Scene, is_kept: bool) -> None:
    zombie, winner = scene.worker("rack4"), scene.worker("rack5")
    job = scene.job()
    late = claimed(zombie, FIRST)
    upload = uploaded(scene, zombie, late, LATE)
    scene.clock.advance(seconds=LEASE_IS_OVER)
    scene.queue.sweep()
    scene.clock.advance(hours=1)
    held = claimed(winner, SECOND)
    assert told(winner, ending(held, uploaded(scene, winner, held, GOOD)))["error"] is None
    before = published(scene)
    assert set(before.values()) == {GOOD}
    after = scene.queue.get(job.id)
    if not is_kept:
        scene.parts.leased.forget([])
        scene.parts.leased._kept.clear()

    outcome = told(zombie, ending(late, upload))
    by_number = {"worker_id": FIRST, "lease_number": late["number"], "lease_token": late["token"]}

    assert outcome["error"]["code"] == "lease_lost"
    assert zombie.post(f"/api/jobs/{job.id}/complete", json=by_number).status_code == 409
    assert zombie.post(f"/api/jobs/{job.id}/fail", json={**by_number, "error": "x"}).status_code == 409
    assert zombie.post(f"/api/jobs/{job.id}/complete", json={"worker_id": FIRST}).status_code == 409
    assert published(scene) == before
    assert scene.queue.get(job.id) == after


def requeued(scene: Scene, job_id: JobId) -> None:
    scene.queue.requeue(job_id)


def cancelled_and_tried_again(scene: Scene, job_id: JobId) -> None:
    scene.queue.cancel(job_id)
    scene.queue.retry(job_id)


@pytest.mark.parametrize("taken", [requeued, cancelled_and_tried_again])
def test_who_lost_its_lease_before_its_time_publishes_nothing(
    scene: Scene, taken: Callable[[Scene, JobId], None]
) -> None:
    """What this server remembers of the lease looks valid still: another program asked the queue."""
    zombie, winner = scene.worker("rack4"), scene.worker("rack5")
    job = scene.job()
    late = claimed(zombie, FIRST)
    wanted = {"lease": late, "recipe": RECIPE, "size": len(LATE)}
    given = zombie.post("/api/queue/upload-url", json=wanted).json()
    taken(scene, job.id)
    held = claimed(winner, SECOND)
    assert told(winner, ending(held, uploaded(scene, winner, held, GOOD)))["error"] is None
    # What came earlier was cleared; its address is good for longer.
    assert scene.client().put(given["to"]["url"], content=LATE).status_code == 201

    outcome = told(zombie, ending(late, {"id": given["upload"], "size": len(LATE)}))

    assert outcome["error"]["code"] == "lease_lost"
    assert set(published(scene).values()) == {GOOD}


def test_a_zombie_ends_nothing_of_whoever_has_the_job_now(scene: Scene) -> None:
    zombie, other = scene.worker("rack4"), scene.worker("rack5")
    job = scene.job()
    late = claimed(zombie, FIRST)
    scene.clock.advance(seconds=LEASE_IS_OVER)
    scene.queue.sweep()
    scene.clock.advance(hours=1)
    claimed(other, SECOND)
    before = scene.queue.get(job.id)

    for path, message in (("complete", {}), ("fail", {"error": "x"}), ("release", {})):
        for more in ({}, {"lease_number": late["number"], "lease_token": late["token"]}):
            answer = zombie.post(f"/api/jobs/{job.id}/{path}", json={"worker_id": FIRST, **message, **more})
            assert answer.status_code == 409, path

    assert scene.queue.get(job.id) == before


@pytest.mark.parametrize("path", ["complete", "fail", "release"])
def test_an_ending_that_is_told_again_ends_no_later_attempt(scene: Scene, path: str) -> None:
    """The answer to the first was lost; meanwhile the job was given to somebody else."""
    first, second, people = scene.worker("rack4"), scene.worker("rack5"), scene.having(Role.OPERATOR)
    job = scene.job()
    lease = claimed(first, FIRST)
    message = {"worker_id": FIRST, "lease_number": lease["number"], "lease_token": lease["token"], "error": "x"}
    body = message if path == "fail" else {name: value for name, value in message.items() if name != "error"}
    if path == "complete":
        uploaded(scene, first, lease, GOOD)
    assert first.post(f"/api/jobs/{job.id}/{path}", json=body).status_code == 200
    scene.clock.advance(hours=1)
    if path == "complete":
        people.post(f"/api/jobs/{job.id}/retry", json={})
    claimed(second, SECOND)
    before = scene.queue.get(job.id)

    again = first.post(f"/api/jobs/{job.id}/{path}", json=body)

    assert again.status_code == 200
    assert scene.queue.get(job.id) == before


def test_complete_that_is_told_twice_is_answered_twice(scene: Scene) -> None:
    worker = scene.worker("rack4")
    job = scene.job()
    claim = worker.get("/api/jobs/claim").json()
    scene.client().put(claim["upload_url"], content=GOOD)
    message = {"worker_id": "rack4", "result": {"pages": 1}}

    answers = [worker.post(f"/api/jobs/{job.id}/complete", json=message) for _ in range(2)]

    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {"status": "completed"})] * 2
    assert len(scene.queue.history(job.id).attempts) == 1
    assert set(published(scene).values()) == {GOOD}


def test_keys_that_a_worker_names_are_not_believed(scene: Scene) -> None:
    """Else a worker could publish the document of another project as the result of its own."""
    worker, people = scene.worker("rack4"), scene.having(Role.OPERATOR)
    stolen = scene.store("secret of somebody else")
    job = scene.job()
    lease = claimed(worker, FIRST)

    outcome = told(worker, ending(lease, None, key=stolen, output_size=1, pages=3))

    assert outcome["error"] is None
    result = json.loads(scene.queue.get(job.id).result or "")
    assert "key" not in result
    assert result["pages"] == 3
    assert people.get(f"/api/files/{job.id}/output").status_code == 404


def test_a_recipe_that_a_worker_names_finds_what_is_stored_for_this_document_alone(scene: Scene) -> None:
    worker = scene.worker("rack4")
    scene.job("a")
    held = claimed(worker, FIRST)
    told(worker, ending(held, uploaded(scene, worker, held, GOOD)))
    other = scene.job("b")
    lease = claimed(worker, FIRST)

    told(worker, ending(lease, None, recipe=RECIPE))

    assert "key" not in json.loads(scene.queue.get(other.id).result or "")
    assert published(scene, "b") == {}


@pytest.mark.parametrize("wrong", [{"size": 1}, {"sha256": "0" * 64}, {"id": "1-0123456789abcdef-0123456789abcdef"}])
def test_a_result_that_is_not_what_was_uploaded_is_not_published(scene: Scene, wrong: dict[str, object]) -> None:
    worker = scene.worker("rack4")
    job = scene.job()
    lease = claimed(worker, FIRST)
    upload = uploaded(scene, worker, lease, GOOD)

    outcome = told(worker, ending(lease, {**upload, **wrong}))

    assert outcome["error"]["code"] == "result_damaged"
    assert published(scene) == {}
    assert scene.queue.get(job.id).state == "running"
    assert told(worker, ending(lease, upload))["error"] is None


@pytest.mark.parametrize("upload_id", ["../../x", "2-0123456789abcdef-0123456789abcdef", "x", ""])
def test_an_upload_of_another_lease_is_not_taken(scene: Scene, upload_id: str) -> None:
    worker = scene.worker("rack4")
    scene.job()
    lease = claimed(worker, FIRST)

    outcome = told(worker, ending(lease, {"id": upload_id}))

    assert outcome["error"]["code"] == "invalid_value"


def test_what_is_published_clears_nothing_of_the_next_attempt(scene: Scene) -> None:
    worker, people = scene.worker("rack4"), scene.having(Role.OPERATOR)
    job = scene.job()
    lease = claimed(worker, FIRST)
    told(worker, ending(lease, uploaded(scene, worker, lease, GOOD)))
    done = scene.queue.get(job.id)
    people.post(f"/api/jobs/{job.id}/retry", json={})
    again = claimed(worker, FIRST)
    upload = uploaded(scene, worker, again, LATE)

    # The publication of the first was late.
    scene.parts.files.results.published(done)

    assert told(worker, ending(again, upload))["error"] is None
    assert set(published(scene).values()) == {LATE}


def test_files_that_a_client_records_are_those_that_the_store_has(scene: Scene) -> None:
    people = scene.having(Role.ADMIN)
    there, away = scene.job("a"), scene.job("b", stored=False)
    record = {"size": 1, "content_type": "text/html", "checksum": "0" * 64}
    files = [
        {"job_id": there.id, "file": {**record, "role": "source", "key": "sources/of-somebody-else.pdf"}},
        {"job_id": there.id, "file": {**record, "role": "output", "key": "outputs/of-somebody-else.zip"}},
        {"job_id": away.id, "file": {**record, "role": "source", "key": "sources/of-somebody-else.pdf"}},
    ]

    assert people.post("/api/queue/record-files", json={"files": files}).status_code == 200

    (recorded,) = scene.queue.files(there.id)
    assert (recorded.key, recorded.checksum) == (f"sources/{hash_of('a')}.pdf", hash_of("a"))
    assert recorded.size > 1
    assert scene.queue.files(away.id) == []


def test_to_know_a_hash_is_no_right_to_its_content(scene: Scene) -> None:
    spy = scene.having(Role.OPERATOR, "other")
    scene.job("a")
    key = f"sources/{hash_of('a')}.pdf"

    announced = spy.post("/api/jobs", json={"source_hash": hash_of("a"), "project": "other"}).json()["job_id"]
    queued = {"project": "other", "type": "image", "source_hash": hash_of("a")}
    spy.post("/api/queue/submit", json={"jobs": [queued]})

    assert spy.get(f"/api/files/{announced}/source").status_code == 404
    assert spy.post("/api/queue/blob-url", json={"key": key, "project": "other"}).status_code == 404
    assert spy.post("/api/queue/blob-stats", json={"keys": [key], "project": "other"}).json()["blobs"] == []
    worker = scene.worker("rack4", project="other")
    for job_type in ("pdf", "image"):
        assert worker.get("/api/jobs/claim", params={"project": "other", "type": job_type}).status_code == 204
