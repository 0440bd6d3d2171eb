"""A token or a worker's secret that belongs to one project says by itself which project is meant."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from tests.server_scene import Scene, document, hash_of
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job
from blobforge.ports.blob_store import source_key

BOOKS = "books"
LEASE_OF = "rack4.11.0123abcd"
HASH = hash_of("a")

Ask = Callable[[httpx2.Client, dict[str, str]], httpx2.Response]
"""With what says the project, if anything does."""


def sent(path: str, message: dict[str, Any]) -> Ask:
    return lambda client, project: client.post(path, json={**message, **project})


BY_TOKEN: dict[str, Ask] = {
    "documents": lambda client, project: client.post(
        "/api/documents", content=document("a"), params={"wait": 0, **project}
    ),
    "jobs": sent("/api/jobs", {"source_hash": HASH}),
    "submit": lambda client, project: client.post(
        "/api/queue/submit", json={"jobs": [{"type": "pdf", "source_hash": HASH, **project}]}
    ),
    "source-upload": sent("/api/queue/source-upload", {"source_hash": HASH, "size": 3}),
    "source-parts": sent("/api/queue/source-parts", {"source_hash": HASH, "size": 3}),
    "pause": sent("/api/queue/pause", {"type": "pdf"}),
    "resume": sent("/api/queue/resume", {"type": "pdf"}),
    "find-by-prefix": sent("/api/queue/find-by-prefix", {"prefix": "a"}),
    "waiting": sent("/api/queue/waiting", {}),
    "blob-stats": sent("/api/queue/blob-stats", {"keys": []}),
}

BY_SECRET: dict[str, Ask] = {
    "claim": lambda client, project: client.get("/api/jobs/claim", params={"worker_id": LEASE_OF, **project}),
    "settle": lambda client, project: client.post(
        "/api/queue/settle", json={"process": LEASE_OF, "claim": {"types": ["pdf"], **project}}
    ),
}


def job_in(scene: Scene, project: str, name: str = "a") -> Job:
    return scene.job(name, project=project)


@pytest.mark.parametrize("ask", BY_TOKEN.values(), ids=BY_TOKEN)
def test_a_token_of_one_project_need_not_name_it(scene: Scene, ask: Ask) -> None:
    answer = ask(scene.having(Role.OPERATOR, BOOKS), {})

    assert answer.is_success, answer.text


@pytest.mark.parametrize("ask", BY_TOKEN.values(), ids=BY_TOKEN)
@pytest.mark.parametrize("project", ["default", "other"])
def test_a_token_of_one_project_may_name_no_other(scene: Scene, ask: Ask, project: str) -> None:
    assert is_problem(ask(scene.having(Role.OPERATOR, BOOKS), {"project": project}), 403)


@pytest.mark.parametrize("ask", BY_SECRET.values(), ids=BY_SECRET)
def test_the_worker_of_one_project_need_not_name_it_and_may_name_no_other(scene: Scene, ask: Ask) -> None:
    worker = scene.worker("rack4", project=BOOKS)
    job_in(scene, "default", "b")
    job = job_in(scene, BOOKS)

    assert is_problem(ask(worker, {"project": "default"}), 403)
    assert ask(worker, {}).is_success
    assert scene.queue.get(job.id).worker_id == LEASE_OF


def test_what_is_queued_without_a_project_is_of_the_one_that_its_token_is_for(scene: Scene) -> None:
    people = scene.having(Role.OPERATOR, BOOKS)

    by_body = people.post("/api/documents", content=document("a"), params={"wait": 0}).json()["job_id"]
    by_name = people.post("/api/jobs", json={"source_hash": hash_of("b")}).json()["job_id"]
    told = people.post("/api/queue/submit", json={"jobs": [{"type": "pdf", "source_hash": hash_of("c")}]}).json()
    by_queue = told["jobs"][0]["job"]["id"]

    assert {scene.queue.get(job_id).project for job_id in (by_body, by_name, by_queue)} == {BOOKS}


def test_what_is_queued_without_a_project_by_who_sees_all_is_of_the_default_one(scene: Scene) -> None:
    people = scene.having(Role.OPERATOR)

    job_id = people.post("/api/documents", content=document("a"), params={"wait": 0}).json()["job_id"]

    assert scene.queue.get(job_id).project == "default"


def test_a_receipt_for_a_document_is_for_the_project_of_its_token(scene: Scene) -> None:
    people, plain = scene.having(Role.OPERATOR, BOOKS), scene.client()
    given = people.post("/api/queue/source-upload", json={"source_hash": HASH, "size": len(document("a"))}).json()
    plain.put(given["to"]["url"], content=document("a"))

    told = people.post("/api/queue/source-placed", json={"source_hash": HASH, "upload": given["upload"]}).json()
    row = {"type": "pdf", "source_hash": HASH, "source_size": told["size"], "receipt": told["receipt"]}
    job = people.post("/api/queue/submit", json={"jobs": [row]}).json()["jobs"][0]["job"]

    assert (job["project"], job["available_at"]) == (BOOKS, None)
    key = source_key(SourceHash(HASH))
    assert people.post("/api/queue/blob-url", json={"key": key}).json()["size"] == told["size"]


def test_what_is_paused_without_a_project_is_paused_in_that_of_the_token(scene: Scene) -> None:
    scene.having(Role.OPERATOR, BOOKS).post("/api/queue/pause", json={"type": "pdf"})

    assert [(pause.project, pause.type) for pause in scene.queue.pauses()] == [(BOOKS, "pdf")]


def test_the_document_of_a_job_is_read_by_its_lease_without_a_project(scene: Scene) -> None:
    worker = scene.worker("rack4", project=BOOKS)
    job_in(scene, BOOKS)
    claimed = worker.post("/api/queue/settle", json={"process": LEASE_OF, "claim": {"types": ["pdf"]}}).json()
    row = claimed["claimed"][0]["job"]
    lease = {"job_id": row["id"], "number": row["lease_number"], "process": LEASE_OF}

    told = worker.post("/api/queue/blob-url", json={"key": f"sources/{HASH}.pdf", "lease": lease})

    assert told.json()["size"] == len(document("a"))


def test_a_request_that_is_sent_again_with_its_project_named_is_the_same(scene: Scene) -> None:
    people, key = scene.having(Role.OPERATOR, BOOKS), {"Idempotency-Key": "once"}

    first = people.post("/api/jobs", json={"source_hash": HASH}, headers=key)
    again = people.post("/api/jobs", json={"source_hash": HASH, "project": BOOKS}, headers=key)

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["job_id"] == again.json()["job_id"]
