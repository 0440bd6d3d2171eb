"""Every secret that was issued is in the hands of whoever it is for, and nowhere else."""

from pathlib import Path

import httpx2
import pytest
from tests.server_scene import Scene, document, hash_of
from tests.unit.conversion.results import archive_bytes

from blobforge.domain.account import Role


def test_no_secret_is_in_a_log_a_file_a_metric_or_an_answer(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    answers: list[httpx2.Response] = []

    def keep(answer: httpx2.Response) -> None:
        answer.read()
        answers.append(answer)

    admin, people, worker, plain = scene.having(Role.ADMIN), scene.having(Role.OPERATOR), scene.worker(), scene.client()
    for client in (admin, people, worker, plain):
        client.event_hooks["response"].append(keep)

    shown = [
        admin.post("/api/admin/workers", json={"id": "rack5"}),
        admin.post("/api/admin/workers/rack5/regenerate"),
        admin.post("/api/admin/tokens", json={"role": "viewer", "description": "x"}),
    ]
    secrets = [*scene.secrets, *(answer.json()["secret"] for answer in shown)]
    created = people.post("/api/jobs", json={"source_hash": hash_of("a")})
    plain.put(created.json()["upload_url"], content=document("a"))
    worker.post("/api/workers", json={"id": "rack4"})
    claim = worker.get("/api/jobs/claim").json()
    plain.put(claim["upload_url"], content=archive_bytes())
    worker.post(f"/api/jobs/{claim['job']['id']}/complete", json={"worker_id": "rack4"})
    for secret in secrets:
        keep(scene.client({"X-Worker-ID": secret, "X-Worker-Secret": secret}).get("/api/jobs"))
        keep(scene.client({"Authorization": f"Bearer {secret}0"}).get("/api/jobs"))
    for path in ("/api/admin/workers", "/api/admin/tokens", "/api/admin/audit", "/api/queue/workers", "/api/jobs"):
        admin.get(path)
    assert "blobforge_" in admin.get("/metrics").text

    kept = b"".join(path.read_bytes() for path in scene.folder.rglob("*") if path.is_file())
    told = [answer for answer in answers if answer not in shown]
    assert (len(secrets), len(told), len(answers) - len(told)) == (6, 24, 3)
    for secret in secrets:
        assert secret not in caplog.text
        assert secret.encode() not in kept
        assert [answer.url for answer in told if secret in answer.text] == []


def test_the_file_of_the_queue_holds_what_was_looked_for(scene: Scene, tmp_path: Path) -> None:
    """Else the test above would pass with nothing in it."""
    scene.having(Role.ADMIN).post("/api/admin/workers", json={"id": "rack5"})

    assert b"rack5" in b"".join(path.read_bytes() for path in tmp_path.rglob("queue.db*"))
