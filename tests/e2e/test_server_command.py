"""`blobforge server` as a process of its own, asked as curl asks it."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.e2e.program import PATIENCE_SECONDS, Blobforge, until
from tests.unit.conversion.results import archive_bytes

DOCUMENT = b"%PDF-1.7 the Player's Handbook"
HASH = sha256(DOCUMENT).hexdigest()
SIZE = 15_234_567
"""Of the result, as the example has it."""
RESULT = archive_bytes("text", {"picture.png": bytes(SIZE - len(archive_bytes("text", {"picture.png": b""})))})
"""As large as the document's example says."""


@contextmanager
def serving(blobforge: Blobforge, **env: str) -> Iterator[str]:
    """Its address, while it runs."""
    process = blobforge.start("server", "--port", "0", before=(), ignoring=(), **env)
    url = address_told_by(process)
    yield url
    process.send_signal(signal.SIGTERM)
    stdout, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, stderr
    assert "Traceback" not in stderr + stdout


def address_told_by(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    assert process.stderr is not None
    lines = []
    for stream in (process.stderr, process.stdout):
        for line in stream:
            lines.append(line)
            if found := re.search(r"listening at (http://\S+?):? ", line):
                # The rest is read to its end when it ends.
                os.set_blocking(stream.fileno(), True)
                return found[1]
    raise AssertionError("".join(lines))


@pytest.fixture
def url(blobforge: Blobforge) -> Iterator[str]:
    with serving(blobforge) as url:
        yield url


def body_of(example: str) -> Any:
    """As the document has them: with comments, and a hash that is cut."""
    return json.loads(re.sub(r"//.*", "", example).replace("abc123...", HASH))


def test_workers_are_told_to_show_themselves_in_time_for_the_leases_of_the_server(blobforge: Blobforge) -> None:
    settings = {"BLOBFORGE_LEASE_SECONDS": "30", "BLOBFORGE_SERVER_MAX_DOCUMENT_MB": "64"}
    with serving(blobforge, **settings) as url, httpx2.Client(base_url=url, timeout=30) as client:
        signed_in = client.post("/api/workers", json={"type": "pdf"})
        refused = client.post("/api/jobs", json={"source_hash": HASH, "source_size": 64 * 1024**2 + 1})

    assert signed_in.json()["heartbeat_interval"] == 10
    assert refused.status_code == 413


def test_the_examples_of_the_document_are_answered_as_printed(url: str) -> None:
    with httpx2.Client(base_url=url, timeout=30) as client:
        created = client.post(
            "/api/jobs",
            json=body_of(
                """{
                "type": "pdf",
                "source_hash": "abc123...",
                "source_path": "DnD/PHB.pdf",
                "source_size": 30,
                "priority": 2,
                "tags": ["dnd", "5e"]
            }"""
            ),
        )
        assert created.status_code == 201
        job_id, upload_url = created.json()["job_id"], created.json()["upload_url"]
        assert isinstance(job_id, int)
        assert httpx2.put(upload_url, content=DOCUMENT).is_success

        again = client.post("/api/jobs", json={"type": "pdf", "source_hash": HASH, "source_size": 30})
        assert again.status_code == 409
        assert {"error": "job already exists", "job_id": job_id}.items() <= again.json().items()

        registered = client.post(
            "/api/workers",
            json=body_of(
                """{
                "id": "worker-01",           // optional, server generates if omitted
                "type": "pdf",
                "metadata": {"version": "1.0", "capabilities": ["ocr"]}
            }"""
            ),
        )
        assert (registered.status_code, registered.json()) == (201, {"id": "worker-01", "heartbeat_interval": 60})
        unnamed = client.post("/api/workers", json={"type": "pdf"})
        assert unnamed.status_code == 201
        assert unnamed.json()["id"]

        claimed = client.get("/api/jobs/claim?type=pdf&timeout=30", params={"worker_id": "worker-01"})
        assert claimed.status_code == 200
        assert set(claimed.json()) == {"job", "download_url", "upload_url"}
        job = claimed.json()["job"]
        assert (job["id"], job["source_hash"], job["source_path"]) == (job_id, HASH, "DnD/PHB.pdf")
        assert job["metadata"] == {}
        assert httpx2.get(claimed.json()["download_url"]).content == DOCUMENT

        beat = body_of(
            f"""{{
            "current_job_id": {job_id},       // optional
            "progress": {{"stage": "converting", "percent": 45}}
        }}"""
        )
        alive = client.post("/api/workers/worker-01/heartbeat", json=beat)
        assert (alive.status_code, alive.json()["status"]) == (200, "ok")

        assert httpx2.put(claimed.json()["upload_url"], content=RESULT).is_success
        told = {"worker_id": "worker-01", "result": {"pages": 320, "images": 45, "output_size": 15234567}}
        for _ in range(2):
            completed = client.post(f"/api/jobs/{job_id}/complete", json=told)
            assert (completed.status_code, completed.json()) == (200, {"status": "completed"})

        page = client.get("/api/jobs?status=completed&type=pdf&limit=50").json()
        assert ([found["id"] for found in page["jobs"]], page["total"]) == ([job_id], 1)
        for what, content in (("source", DOCUMENT), ("output", RESULT)):
            file = client.get(f"/api/files/{job_id}/{what}").json()
            assert set(file) == {"url", "expires_in"}
            assert file["expires_in"] == 3600
            assert httpx2.get(file["url"]).content == content

        retried = client.post(f"/api/jobs/{job_id}/retry", json={"reset_attempts": True, "priority": 1})
        assert (retried.status_code, retried.json()) == (200, {"status": "pending"})
        client.post("/api/jobs/claim?type=pdf", params={"worker_id": "worker-01"})
        failed = client.post(
            f"/api/jobs/{job_id}/fail",
            json={"worker_id": "worker-01", "error": "Marker conversion failed: out of memory"},
        )
        assert (failed.status_code, failed.json()) == (200, {"status": "failed", "attempts": 1, "will_retry": True})
        for _ in range(2):
            cancelled = client.delete(f"/api/jobs/{job_id}")
            assert (cancelled.status_code, cancelled.json()) == (200, {"status": "cancelled"})

        empty = client.get("/api/jobs/claim?type=pdf&timeout=0.2", params={"worker_id": "worker-01"})
        assert (empty.status_code, empty.content) == (204, b"")


def test_the_first_token_shuts_the_door_and_another_one_is_made_by_it(blobforge: Blobforge, url: str) -> None:
    assert httpx2.get(f"{url}/api/jobs").status_code == 200

    made = blobforge.call("token", "create", "--role", "admin", "--json")

    secret = json.loads(made.stdout)["token"]
    assert httpx2.get(f"{url}/api/jobs").status_code == 401
    headers = {"Authorization": f"Bearer {secret}"}
    worker = httpx2.post(f"{url}/api/admin/workers", json={"id": "rack4"}, headers=headers).json()
    as_worker = {"X-Worker-ID": "rack4", "X-Worker-Secret": worker["secret"]}
    assert httpx2.get(f"{url}/api/jobs/claim", headers=as_worker).status_code == 204
    assert httpx2.get(f"{url}/api/jobs/claim", headers=headers).status_code == 403


def test_a_request_that_waits_ends_with_the_server(blobforge: Blobforge) -> None:
    with ThreadPoolExecutor(1) as elsewhere:
        with serving(blobforge) as url:
            waiting = elsewhere.submit(httpx2.get, f"{url}/api/jobs/claim?timeout=60&worker_id=rack4", timeout=90)
            until(lambda: is_connected_to(url))
            # What came after it is answered, so it has been read.
            assert httpx2.get(f"{url}/api/jobs").status_code == 200
        assert waiting.result().status_code == 204


def is_connected_to(url: str) -> bool:
    """As Linux tells it: local and remote address, and the state, 01 for established."""
    remote = f"0100007F:{urlsplit(url).port:04X}"
    lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return any(line.split()[2:4] == [remote, "01"] for line in lines)


def test_what_was_claimed_before_the_server_was_killed_is_completed_after_it_came_back(blobforge: Blobforge) -> None:
    process = blobforge.start("server", "--port", "0")
    url = address_told_by(process)
    job_id = httpx2.post(f"{url}/api/jobs", json={"source_hash": HASH}).json()["job_id"]
    upload_url = httpx2.post(f"{url}/api/jobs/{job_id}/upload-url").json()["url"]
    assert httpx2.put(upload_url, content=DOCUMENT).is_success
    claim = httpx2.get(f"{url}/api/jobs/claim", params={"worker_id": "worker-01"}).json()
    assert httpx2.put(claim["upload_url"], content=RESULT).is_success

    process.kill()
    process.communicate()
    told = {"worker_id": "worker-01", **{name: claim["job"][name] for name in ("lease_number", "lease_token")}}
    with serving(blobforge) as again:
        completed = httpx2.post(f"{again}/api/jobs/{job_id}/complete", json=told)
        assert (completed.status_code, completed.json()) == (200, {"status": "completed"})
        output = httpx2.get(f"{again}/api/files/{job_id}/output").json()["url"]
        assert httpx2.get(output).content == RESULT


def test_a_second_server_on_one_file_is_refused(blobforge: Blobforge, url: str) -> None:
    assert url

    done = blobforge.run("server", "--port", "0")

    assert done.returncode != 0
    assert "another server serves" in done.stderr


def test_how_often_a_job_is_tried_is_the_servers_setting_where_its_sender_does_not_say(blobforge: Blobforge) -> None:
    """R1-77."""
    process = blobforge.start("server", "--port", "0", BLOBFORGE_MAX_ATTEMPTS="2")
    url = address_told_by(process)

    by_default = httpx2.post(f"{url}/api/jobs", json={"source_hash": HASH}).json()["job_id"]
    as_said = httpx2.post(f"{url}/api/jobs", json={"source_hash": "0" * 64, "max_attempts": 5}).json()["job_id"]
    document = httpx2.post(f"{url}/api/documents?name=a.pdf&wait=0", content=b"%PDF-1.7 another").json()

    tried = [httpx2.get(f"{url}/api/jobs/{number}").json()["max_attempts"] for number in (by_default, as_said)]
    assert tried == [2, 5]
    assert httpx2.get(f"{url}/api/jobs/{document['job_id']}").json()["max_attempts"] == 2


def test_a_result_that_is_no_archive_is_told_as_damaged_and_not_as_a_fault_of_the_server(url: str) -> None:
    job_id = httpx2.post(f"{url}/api/jobs", json={"source_hash": HASH}).json()["job_id"]
    source = httpx2.post(f"{url}/api/jobs/{job_id}/upload-url").json()["url"]
    assert httpx2.put(source, content=DOCUMENT).is_success
    claim = httpx2.get(f"{url}/api/jobs/claim", params={"worker_id": "worker-01"}).json()
    assert httpx2.put(claim["upload_url"], content=b"no archive").is_success

    answer = httpx2.post(f"{url}/api/jobs/{job_id}/complete", json={"worker_id": "worker-01"})

    assert (answer.status_code, answer.json()["code"]) == (409, "result_damaged")
    assert httpx2.get(f"{url}/api/jobs/{job_id}").json()["status"] == "running"
