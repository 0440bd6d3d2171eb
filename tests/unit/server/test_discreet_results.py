"""A discreet result and its error log are for operators, also where the same document has jobs of other types."""

from typing import Any

import httpx2
import pytest
from tests.server_scene import DISCREET, Scene
from tests.unit.server.test_late_workers import FIRST, GOOD, RECIPE, ending, told, uploaded

from blobforge.domain.account import Role
from blobforge.domain.ids import RecipeId
from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobKey, error_log_key, result_key

LOG = "the name of the patient"


def held(worker: httpx2.Client, job: Job) -> dict[str, Any]:
    claim = {"types": [job.type], "project": job.project}
    (entry,) = worker.post("/api/queue/settle", json={"process": FIRST, "claim": claim}).json()["claimed"]
    row = entry["job"]
    assert row["id"] == job.id
    lease = {"job_id": row["id"], "number": row["lease_number"], "process": FIRST}
    return {**lease, "token": entry["lease_token"]}


def result_of(scene: Scene, job: Job) -> BlobKey:
    worker = scene.worker()
    lease = held(worker, job)
    assert told(worker, ending(lease, uploaded(scene, worker, lease, GOOD)))["error"] is None
    return result_key(job.source_hash, RecipeId(RECIPE))


def log_of(scene: Scene, job: Job) -> BlobKey:
    worker = scene.worker()
    lease = held(worker, job)
    failure = {"code": "engine_failed", "message": LOG, "retryable": True}
    told(worker, {"process": FIRST, "endings": [{"kind": "failed", "lease": lease, "failure": failure}]})
    assert worker.post("/api/queue/error-log", json={"lease": lease, "log": LOG}).status_code == 204
    return error_log_key(job.source_hash)


def read(client: httpx2.Client, key: BlobKey) -> bytes | None:
    answer = client.post("/api/queue/blob-url", json={"key": key, "project": "default"})
    if answer.status_code == 404:
        return None
    return httpx2.get(answer.json()["source"]["url"]).content


@pytest.mark.parametrize(("made_by", "content"), [(result_of, GOOD), (log_of, LOG.encode())], ids=["result", "log"])
def test_a_plain_job_of_the_same_document_shows_nothing_of_the_discreet_one_to_a_viewer(
    scene: Scene, made_by: Any, content: bytes
) -> None:
    scene.job(type="pdf")
    key = made_by(scene, scene.job(type=DISCREET))

    assert read(scene.having(Role.VIEWER), key) is None
    assert read(scene.having(Role.OPERATOR), key) == content


@pytest.mark.parametrize(("made_by", "content"), [(result_of, GOOD), (log_of, LOG.encode())], ids=["result", "log"])
def test_a_viewer_reads_what_was_made_of_a_plain_document(scene: Scene, made_by: Any, content: bytes) -> None:
    key = made_by(scene, scene.job(type="pdf"))

    assert read(scene.having(Role.VIEWER), key) == content
