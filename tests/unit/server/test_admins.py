"""Accounts, tokens and the audit trail over HTTP."""

from pathlib import Path

import pytest
from tests.server_scene import Scene, hash_of, scene_in
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.server.auth.asking import OpenDoor


def test_an_account_is_made_and_its_secret_is_shown_once(scene: Scene) -> None:
    """R1-93."""
    admin = scene.having(Role.ADMIN)

    made = admin.post("/api/admin/workers", json={"id": "rack4", "types": ["pdf"], "exclusive": True})

    assert made.status_code == 201
    assert made.headers["cache-control"] == "no-store"
    secret = made.json()["secret"]
    worker = scene.client({"X-Worker-ID": "rack4", "X-Worker-Secret": secret})
    assert worker.get("/api/jobs/claim").status_code == 204
    (known,) = admin.get("/api/admin/workers").json()["workers"]
    assert (known["id"], known["types"], known["exclusive"], known["enabled"]) == ("rack4", ["pdf"], True, True)
    assert secret not in admin.get("/api/admin/workers").text
    assert is_problem(admin.post("/api/admin/workers", json={"id": "rack4"}), 409)


def test_no_account_has_the_name_of_a_process(scene: Scene) -> None:
    admin = scene.having(Role.ADMIN)

    refused = admin.post("/api/admin/workers", json={"id": "rack4.11.0123abcd"})

    assert is_problem(refused, 400)
    assert "process 11 of a worker 'rack4' may be called so" in refused.json()["error"]
    assert admin.get("/api/admin/workers").json()["workers"] == []


def test_another_secret_invalidates_that_before(scene: Scene) -> None:
    """R1-94."""
    admin, worker = scene.having(Role.ADMIN), scene.worker("rack4")

    secret = admin.post("/api/admin/workers/rack4/regenerate").json()["secret"]

    assert worker.get("/api/jobs/claim").status_code == 401
    assert scene.client({"X-Worker-ID": "rack4", "X-Worker-Secret": secret}).get("/api/jobs/claim").status_code == 204


def test_who_is_disabled_is_shut_out_at_once_and_its_jobs_are_free(scene: Scene) -> None:
    """R1-95, R1-96."""
    admin, worker = scene.having(Role.ADMIN), scene.worker("rack4")
    jobs = [scene.job("a"), scene.job("b")]
    worker.get("/api/jobs/claim")
    process = {"process": "rack4.11.00000001", "claim": {"types": ["pdf"]}}
    worker.post("/api/queue/register", json={**ROW, "id": process["process"]})
    worker.post("/api/queue/settle", json=process)
    assert all(scene.queue.get(job.id).state == "running" for job in jobs)

    assert admin.post("/api/admin/workers/rack4/disable").json()["enabled"] is False

    assert worker.get("/api/jobs/claim").status_code == 401
    freed = [scene.queue.get(job.id) for job in jobs]
    assert [(job.state, job.worker_id, job.attempts) for job in freed] == [("pending", None, 0)] * 2
    assert admin.post("/api/admin/workers/rack4/enable").json()["enabled"] is True
    assert worker.get("/api/jobs/claim").status_code in (200, 204)


ROW = {"type": "pdf", "status": "online", "last_heartbeat": "2026-01-01T12:00:00Z"}


def test_a_worker_is_drained_and_gets_jobs_again(scene: Scene) -> None:
    admin, worker = scene.having(Role.ADMIN), scene.worker("rack4")
    scene.job()

    assert admin.post("/api/admin/workers/rack4/drain").json()["draining"] is True
    assert worker.get("/api/jobs/claim").status_code == 204
    assert admin.post("/api/admin/workers/rack4/resume").json()["draining"] is False
    assert worker.get("/api/jobs/claim").status_code == 200


def test_who_is_not_there_is_not_found(scene: Scene) -> None:
    admin = scene.having(Role.ADMIN)

    for name in ("nobody", "..", "a%00b", "a b", "x" * 300):
        for verb in ("regenerate", "enable", "disable", "drain", "resume"):
            assert is_problem(admin.post(f"/api/admin/workers/{name}/{verb}"), 404)


def test_a_token_is_made_used_and_revoked(scene: Scene) -> None:
    admin = scene.having(Role.ADMIN)

    made = admin.post("/api/admin/tokens", json={"role": "operator", "description": "ci", "expires_in_days": 30}).json()

    people = scene.client({"Authorization": f"Bearer {made['secret']}"})
    assert people.get("/api/jobs").status_code == 200
    assert people.get("/api/admin/tokens").status_code == 403
    tokens = admin.get("/api/admin/tokens")
    assert made["secret"] not in tokens.text
    assert [token["description"] for token in tokens.json()["tokens"]] == ["", "ci"]
    revoked = [admin.delete(f"/api/admin/tokens/{made['token']['id']}") for _ in range(2)]
    assert [answer.json()["standing"] for answer in revoked] == ["revoked"] * 2
    assert people.get("/api/jobs").status_code == 401


def test_a_token_expires(scene: Scene) -> None:
    admin = scene.having(Role.ADMIN)
    made = admin.post("/api/admin/tokens", json={"role": "viewer", "expires_in_days": 1}).json()
    people = scene.client({"Authorization": f"Bearer {made['secret']}"})
    assert people.get("/api/jobs").status_code == 200

    scene.clock.advance(days=1)

    assert people.get("/api/jobs").status_code == 401


def test_an_admin_of_a_project_manages_that_alone(scene: Scene) -> None:
    admin = scene.having(Role.ADMIN, "other")
    scene.worker("of-all")

    assert admin.post("/api/admin/workers", json={"id": "mine"}).json()["worker"]["project"] == "other"
    assert admin.post("/api/admin/tokens", json={}).json()["token"]["project"] == "other"
    assert admin.post("/api/admin/workers", json={"id": "yours", "project": "default"}).status_code == 403
    assert admin.post("/api/admin/tokens", json={"project": "default"}).status_code == 403
    assert [worker["id"] for worker in admin.get("/api/admin/workers").json()["workers"]] == ["mine"]
    assert {token["project"] for token in admin.get("/api/admin/tokens").json()["tokens"]} == {"other"}
    assert {entry["project"] for entry in admin.get("/api/admin/audit").json()["entries"]} == {"other"}


def test_where_everyone_is_let_in_nobody_is_an_admin(tmp_path: Path) -> None:
    """Else whoever comes first could shut all others out."""
    with scene_in(tmp_path, doorman=OpenDoor()) as scene:
        anyone = scene.client()

        answers = [anyone.post("/api/admin/tokens", json={}), anyone.get("/api/admin/audit")]

        for answer in answers:
            assert is_problem(answer, 403)
            assert "blobforge token create --role admin" in answer.json()["error"]


def test_the_trail_says_who_did_what_to_which_job(scene: Scene) -> None:
    """R1-98."""
    people = scene.having(Role.OPERATOR)
    job_id = people.post("/api/jobs", json={"source_hash": hash_of("a")}).json()["job_id"]

    people.patch(f"/api/jobs/{job_id}/priority", json={"priority": 1})
    people.delete(f"/api/jobs/{job_id}")
    people.post(f"/api/jobs/{job_id}/retry", json={})
    people.post(f"/api/jobs/{job_id}/retry", json={})

    trail = scene.trail()
    assert [entry.action for entry in trail] == ["job.submit", "job.prioritize", "job.cancel", "job.retry"]
    assert {(str(entry.actor), entry.subject, entry.project) for entry in trail} == {
        ("token:1", f"job:{job_id}", "default")
    }


def test_the_queue_protocol_is_in_the_trail_too(scene: Scene) -> None:
    people, worker = scene.having(Role.OPERATOR), scene.worker("rack4")
    new = {"project": "default", "type": "pdf", "source_hash": hash_of("a")}
    # The project has the document already.
    scene.job("a", type="image")

    people.post("/api/queue/submit", json={"jobs": [new, new]})
    job_id = people.get("/api/jobs").json()["jobs"][0]["id"]
    people.post("/api/queue/amend", json={"id": job_id, "metadata": '{"a":1}'})
    worker.get("/api/jobs/claim")
    people.post("/api/queue/requeue", json={"id": job_id})
    people.post("/api/queue/cancel", json={"id": job_id})
    rev = people.get(f"/api/jobs/{job_id}").json()["rev"]
    people.post("/api/queue/retry-unchanged", json={"jobs": [{"id": job_id, "rev": rev}, {"id": 999, "rev": 1}]})
    people.post("/api/queue/expire-worker", json={"id": "rack4"})

    assert [(entry.action, entry.subject) for entry in scene.trail()] == [
        ("job.submit", f"job:{job_id}"),
        ("job.amend", f"job:{job_id}"),
        ("job.requeue", f"job:{job_id}"),
        ("job.cancel", f"job:{job_id}"),
        ("job.retry", f"job:{job_id}"),
        ("worker.expire", "worker:rack4"),
    ]


def test_the_trail_is_read_page_by_page(scene: Scene) -> None:
    admin = scene.having(Role.ADMIN)
    for name in ("rack4", "rack5", "rack6"):
        admin.post("/api/admin/workers", json={"id": name})
    wanted: dict[str, str | int] = {"actor": "token:1", "limit": 2}

    first = admin.get("/api/admin/audit", params=wanted).json()
    second = admin.get("/api/admin/audit", params={**wanted, "after": first["next"]}).json()

    assert [entry["subject"] for entry in first["entries"] + second["entries"]] == [
        "worker:rack6",
        "worker:rack5",
        "worker:rack4",
    ]
    assert second["next"] is None
    only = admin.get("/api/admin/audit", params={"subject": "worker:rack5"}).json()["entries"]
    assert [(entry["action"], entry["actor"]) for entry in only] == [("worker.create", "token:1")]
    assert admin.get("/api/admin/audit", params={"since": "2027-01-01T00:00:00Z"}).json()["entries"] == []


@pytest.mark.parametrize(
    "query", [{"actor": "root"}, {"actor": "king:x"}, {"since": "soon"}, {"since": "2026-01-01"}, {"limit": 0}]
)
def test_a_question_to_the_trail_that_makes_no_sense_is_refused(scene: Scene, query: dict[str, str]) -> None:
    assert is_problem(scene.having(Role.ADMIN).get("/api/admin/audit", params=query), 400)
