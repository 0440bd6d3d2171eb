"""A document in, and no Markdown out: what its sender hears."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.server_scene import Scene
from tests.unit.server.problems import is_problem

from blobforge.domain.account import Role

PATIENCE = 30


@pytest.mark.parametrize("code", ["not_a_pdf", "source_missing", "of_another_program"])
def test_a_document_that_fails_is_answered_with_the_code_of_its_job(scene: Scene, code: str) -> None:
    people, worker = scene.having(Role.OPERATOR), scene.worker("rack4")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(people.post, "/api/documents", content=b"<html>", params={"wait": PATIENCE})
        job = worker.get("/api/jobs/claim", params={"timeout": PATIENCE}).json()["job"]
        failed = {"worker_id": "rack4", "error": "it is a web page", "code": code, "retryable": False}
        assert worker.post(f"/api/jobs/{job['id']}/fail", json=failed).status_code == 200
        answer = asked.result(PATIENCE)

    assert is_problem(answer, 422)
    assert (answer.json()["code"], answer.json()["job_id"]) == (code, job["id"])
    assert "it is a web page" in answer.json()["detail"]


def test_a_parameter_that_there_is_not_is_refused_and_makes_no_job(scene: Scene) -> None:
    people = scene.having(Role.OPERATOR)

    answer = people.post("/api/documents", content=b"%PDF", params={"type": "lab", "wait": 0, "nmae": "a.pdf"})

    assert is_problem(answer, 400)
    assert "nmae, type" in answer.json()["detail"]
    assert "name, priority, project, wait" in answer.json()["detail"]
    assert people.get("/api/jobs").json()["total"] == 0
