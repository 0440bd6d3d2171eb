"""The API of document 001 from one end to the other, by plain requests."""

import pytest
from tests.server_scene import Scene, document, hash_of
from tests.unit.conversion.results import archive_bytes

from blobforge.domain.account import Role

ZIP = archive_bytes("a result")


def new_job(name: str = "a", **more: object) -> dict[str, object]:
    return {"type": "pdf", "source_hash": hash_of(name), "source_path": "DnD/PHB.pdf", **more}


def test_a_document_goes_in_is_claimed_and_its_result_comes_out(scene: Scene) -> None:
    """R1-1, R1-21, R1-25, R1-26, R1-27, R1-33, R1-39, R1-40."""
    people, worker, plain = scene.having(Role.OPERATOR), scene.worker("worker-01"), scene.client()

    created = people.post("/api/jobs", json=new_job(source_size=len(document("a")), priority=2, tags=["dnd", "5e"]))
    assert created.status_code == 201
    job_id = created.json()["job_id"]
    assert worker.get("/api/jobs/claim").status_code == 204
    assert plain.put(created.json()["upload_url"], content=document("a")).status_code == 201

    claimed = worker.get("/api/jobs/claim", params={"type": "pdf"}).json()
    assert claimed["job"]["id"] == job_id
    assert claimed["job"]["source_path"] == "DnD/PHB.pdf"
    assert plain.get(claimed["download_url"]).content == document("a")
    assert plain.put(claimed["upload_url"], content=ZIP).status_code == 201
    done = worker.post(f"/api/jobs/{job_id}/complete", json={"worker_id": "worker-01", "result": {"pages": 320}})
    assert (done.status_code, done.json()) == (200, {"status": "completed"})

    told = people.get(f"/api/files/{job_id}/output").json()
    assert plain.get(told["url"]).content == ZIP
    assert told["expires_in"] == 3600
    source = people.get(f"/api/files/{job_id}/source").json()
    assert plain.get(source["url"]).content == document("a")
    view = people.get(f"/api/jobs/{job_id}").json()
    assert (view["status"], view["result"]["pages"], view["result"]["output_size"]) == ("completed", 320, len(ZIP))
    assert (scene.folder / "store" / "outputs" / f"{hash_of('a')}.zip").read_bytes() == ZIP


def test_a_document_that_is_known_is_answered_with_its_job(scene: Scene) -> None:
    """R1-34."""
    people = scene.having(Role.OPERATOR)
    job = scene.job("a")

    again = people.post("/api/jobs", json=new_job("a"))

    assert again.status_code == 409
    assert again.json()["error"] == "job already exists"
    assert again.json()["job_id"] == job.id


def test_a_document_that_is_announced_twice_has_another_address_for_its_bytes(scene: Scene) -> None:
    people, plain = scene.having(Role.OPERATOR), scene.client()
    first = people.post("/api/jobs", json=new_job()).json()

    again = people.post("/api/jobs", json=new_job())

    assert (again.status_code, again.json()["job_id"]) == (409, first["job_id"])
    assert plain.put(again.json()["upload_url"], content=document("a")).status_code == 201
    assert people.post(f"/api/jobs/{first['job_id']}/uploaded").json()["status"] == "pending"


def test_a_document_that_is_announced_again_with_another_size_is_taken_in_that_size(scene: Scene) -> None:
    people, plain = scene.having(Role.OPERATOR), scene.client()
    first = people.post("/api/jobs", json=new_job(source_size=3)).json()
    assert plain.put(first["upload_url"], content=document("a")).status_code == 413

    again = people.post("/api/jobs", json=new_job(source_size=len(document("a"))))

    assert again.status_code == 409
    assert people.get(f"/api/jobs/{first['job_id']}").json()["source_size"] == len(document("a"))
    another = people.post(f"/api/jobs/{first['job_id']}/upload-url").json()["url"]
    for address in (again.json()["upload_url"], another):
        assert plain.put(address, content=document("a")).status_code == 201
    assert people.post(f"/api/jobs/{first['job_id']}/uploaded").status_code == 200


def test_the_size_of_a_document_that_is_there_is_not_announced_anew(scene: Scene) -> None:
    people = scene.having(Role.OPERATOR)
    job = scene.job("a")

    people.post("/api/jobs", json=new_job(source_size=3))

    assert scene.queue.get(job.id) == job


@pytest.mark.parametrize("priority", [0, 6, -1, 2**70])
def test_there_are_five_priorities(scene: Scene, priority: int) -> None:
    """R1-37, R1-38."""
    people = scene.having(Role.OPERATOR)
    job = scene.job("b")

    assert people.post("/api/jobs", json=new_job(priority=priority)).status_code == 400
    assert people.patch(f"/api/jobs/{job.id}/priority", json={"priority": priority}).status_code == 400
    assert people.patch(f"/api/jobs/{job.id}/priority", json={"priority": 5}).json() == {"status": "pending"}


def test_a_list_says_how_many_there_are_on_all_pages(scene: Scene) -> None:
    """R1-31, R1-32."""
    people = scene.having(Role.VIEWER)
    jobs = [scene.job(name) for name in "abc"]

    page = people.get("/api/jobs", params={"status": "pending", "type": "pdf", "limit": 2}).json()
    rest = people.get("/api/jobs", params={"limit": 2, "after": page["next"]}).json()

    assert [job["id"] for job in page["jobs"]] == [jobs[2].id, jobs[1].id]
    assert page["total"] == rest["total"] == 3
    assert [job["id"] for job in rest["jobs"]] == [jobs[0].id]
    assert rest["next"] is None
    assert people.get("/api/jobs", params={"type": "lab"}).json()["total"] == 0


def test_to_cancel_twice_is_no_error_and_a_retry_revives(scene: Scene) -> None:
    """R1-35, R1-36."""
    people = scene.having(Role.OPERATOR)
    job = scene.job()

    answers = [people.delete(f"/api/jobs/{job.id}") for _ in range(2)]
    retried = people.post(f"/api/jobs/{job.id}/retry", json={"reset_attempts": True, "priority": 1})

    assert [answer.json() for answer in answers] == [{"status": "cancelled"}] * 2
    assert retried.json() == {"status": "pending"}
    assert scene.queue.get(job.id).priority == 1


def test_a_failure_says_whether_it_is_tried_again(scene: Scene) -> None:
    """R1-28."""
    worker = scene.worker("worker-01")
    job = scene.job()
    message = {"worker_id": "worker-01", "error": "Marker conversion failed: out of memory"}

    answers = []
    for _ in range(3):
        assert worker.get("/api/jobs/claim").status_code == 200
        answers.append(worker.post(f"/api/jobs/{job.id}/fail", json=message).json())
        scene.clock.advance(hours=1)

    assert answers == [
        {"status": "failed", "attempts": 1, "will_retry": True},
        {"status": "failed", "attempts": 2, "will_retry": True},
        {"status": "failed", "attempts": 3, "will_retry": False},
    ]
    assert scene.queue.get(job.id).last_error == "Marker conversion failed: out of memory"


def test_a_worker_signs_in_shows_signs_of_life_and_signs_off(scene: Scene) -> None:
    """R1-18, R1-20, R1-29."""
    worker, people = scene.worker("worker-01"), scene.having(Role.VIEWER)
    message = {"id": "worker-01", "type": "pdf", "metadata": {"version": "1.0", "capabilities": ["ocr"]}}

    signed_in = worker.post("/api/workers", json=message)
    job = scene.job()
    worker.get("/api/jobs/claim")
    beat = {"current_job_id": job.id, "progress": {"stage": "converting", "percent": 45}}
    alive = worker.post("/api/workers/worker-01/heartbeat", json=beat)

    assert (signed_in.status_code, signed_in.json()) == (201, {"id": "worker-01", "heartbeat_interval": 60})
    assert alive.json()["status"] == "ok"
    (known,) = people.get("/api/queue/workers").json()["workers"]
    assert (known["status"], known["current_job_id"]) == ("online", job.id)
    assert known["metadata"]["progress"] == {"stage": "converting", "percent": 45.0}
    assert worker.post("/api/workers/worker-01/deregister").json() == {"status": "offline"}
    assert scene.queue.get(job.id).state == "pending"
    assert worker.delete("/api/workers/worker-01").status_code == 200


def test_a_worker_goes_from_one_document_to_the_next(scene: Scene) -> None:
    """R1-59, R1-60: it signs in, asks, fetches, works with a sign of life each minute, brings what it made or says why
    not, and asks again."""
    worker, people, plain = scene.worker("worker-01"), scene.having(Role.VIEWER), scene.client()
    told = worker.post("/api/workers", json={"id": "worker-01", "type": "pdf"}).json()
    assert worker.get("/api/jobs/claim").status_code == 204
    good, bad = scene.job("a"), scene.job("b")

    first = worker.get("/api/jobs/claim").json()
    assert plain.get(first["download_url"]).content == document("a")
    # Far longer than a lease lasts.
    for minute in range(1, 11):
        scene.clock.advance(seconds=told["heartbeat_interval"])
        scene.tick()
        beat = {"current_job_id": good.id, "progress": {"stage": "reading", "percent": minute * 10}}
        assert worker.post("/api/workers/worker-01/heartbeat", json=beat).json()["lost"] == []
        (seen,) = people.get("/api/queue/workers").json()["workers"]
        assert (seen["current_job_id"], seen["metadata"]["progress"]["percent"]) == (good.id, minute * 10)
    assert plain.put(first["upload_url"], content=ZIP).status_code == 201
    worker.post(f"/api/jobs/{good.id}/complete", json={"worker_id": "worker-01", "result": {"pages": 3}})

    second = worker.get("/api/jobs/claim").json()
    assert plain.get(second["download_url"]).content == document("b")
    failed = {"worker_id": "worker-01", "error": "no pages", "code": "no_pages", "retryable": False}
    assert worker.post(f"/api/jobs/{bad.id}/fail", json=failed).json()["will_retry"] is False

    assert worker.get("/api/jobs/claim").status_code == 204
    done = [people.get(f"/api/jobs/{job.id}").json() for job in (good, bad)]
    assert [(job["status"], job["attempts"]) for job in done] == [("completed", 1), ("dead", 1)]
    assert (scene.folder / "store" / "outputs" / f"{hash_of('a')}.zip").read_bytes() == ZIP


@pytest.mark.parametrize(("message", "attempts"), [({}, 0), ({"reset_attempts": False}, 1)], ids=["reset", "kept"])
def test_a_retry_gives_all_attempts_anew_or_keeps_count(scene: Scene, message: dict[str, bool], attempts: int) -> None:
    """R1-35."""
    people, worker = scene.having(Role.OPERATOR), scene.worker("worker-01")
    job = scene.job()
    worker.get("/api/jobs/claim")
    failed = {"worker_id": "worker-01", "error": "no pages", "retryable": False}
    worker.post(f"/api/jobs/{job.id}/fail", json=failed)

    answer = people.post(f"/api/jobs/{job.id}/retry", json=message)

    assert (answer.status_code, answer.json()) == (200, {"status": "pending"})
    assert people.get(f"/api/jobs/{job.id}").json()["attempts"] == attempts


def test_a_sign_of_life_renews_the_lease_and_says_what_is_lost(scene: Scene) -> None:
    worker, people = scene.worker("worker-01"), scene.having(Role.OPERATOR)
    job = scene.job()
    worker.get("/api/jobs/claim")
    scene.clock.advance(seconds=170)

    kept = worker.post("/api/workers/worker-01/heartbeat", json={"current_job_id": job.id}).json()
    scene.clock.advance(seconds=170)
    scene.queue.sweep()
    assert scene.queue.get(job.id).state == "running"
    people.delete(f"/api/jobs/{job.id}")
    lost = worker.post("/api/workers/worker-01/heartbeat", json={"current_job_id": job.id}).json()

    assert (kept["lost"], lost["lost"]) == ([], [job.id])


def test_a_claim_whose_answer_was_lost_is_answered_with_the_same_job(scene: Scene) -> None:
    worker = scene.worker("worker.01")
    scene.job("a")
    scene.job("b")

    first, second = (worker.get("/api/jobs/claim").json()["job"] for _ in range(2))

    assert first == second


def test_a_worker_that_names_a_type_gets_no_other(scene: Scene) -> None:
    """R1-22, R1-23."""
    worker = scene.worker()
    scene.job("a", type="image")

    assert worker.get("/api/jobs/claim", params={"type": "pdf"}).status_code == 204
    assert worker.get("/api/jobs/claim", params={"type": "image"}).status_code == 200


def test_an_answer_to_a_claim_is_kept_by_no_cache(scene: Scene) -> None:
    worker = scene.worker()
    scene.job()

    answers = [worker.post("/api/jobs/claim"), worker.get("/api/jobs/claim", params={"type": "image"})]

    assert [answer.headers["cache-control"] for answer in answers] == ["no-store"] * 2
