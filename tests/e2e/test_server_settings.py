"""Every setting of `blobforge server`, on a process that has it: does it do what the reference says?"""

import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.e2e.program import PATIENCE_SECONDS, Blobforge, until
from tests.e2e.service import _free_port
from tests.e2e.test_server_command import DOCUMENT, HASH, address_told_by
from tests.seaweed import Seaweed

PROCESS = "rack4.4711.ab12cd34"


def ask(method: str, url: str, **more: Any) -> httpx2.Response:
    return httpx2.request(method, url, timeout=PATIENCE_SECONDS, **more)


@contextmanager
def serving(blobforge: Blobforge, **environment: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    process = blobforge.start("server", before=(), ignoring=(), **{"BLOBFORGE_PORT": "0", **environment})
    try:
        yield address_told_by(process), process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_SECONDS)


def upload_address(url: str) -> str:
    """Where the document of a new job goes."""
    job_id = ask("POST", f"{url}/api/jobs", json={"source_hash": HASH}).json()["job_id"]
    return str(ask("POST", f"{url}/api/jobs/{job_id}/upload-url").json()["url"])


def claimed(url: str) -> dict[str, Any]:
    ask("PUT", upload_address(url), content=DOCUMENT).raise_for_status()
    asked = {"process": PROCESS, "claim": {"types": ["pdf"]}}
    (found,) = ask("POST", f"{url}/api/queue/settle", json=asked).json()["claimed"]
    return dict(found)


def test_it_listens_at_its_host_and_port(blobforge: Blobforge) -> None:
    port = _free_port()

    with serving(blobforge, BLOBFORGE_HOST="localhost", BLOBFORGE_PORT=str(port)) as (url, _):
        assert urlsplit(url).port == port
        assert ask("GET", f"http://127.0.0.1:{port}/livez").status_code == 200


def test_elsewhere_than_on_loopback_it_is_insecure_only_where_that_was_asked_for(blobforge: Blobforge) -> None:
    refused = blobforge.run("server", BLOBFORGE_HOST="0.0.0.0", BLOBFORGE_PORT="0")

    assert refused.returncode != 0
    assert "BLOBFORGE_INSECURE=1" in refused.stderr
    with serving(blobforge, BLOBFORGE_HOST="0.0.0.0", BLOBFORGE_INSECURE="1") as (url, _):
        assert ask("GET", f"http://127.0.0.1:{urlsplit(url).port}/api/jobs").status_code == 200


def test_its_queue_is_the_file_of_db_path_and_its_store_the_folder_of_store(
    blobforge: Blobforge, tmp_path: Path
) -> None:
    places = {"BLOBFORGE_DB_PATH": "./data/forge.db", "BLOBFORGE_STORE": f"file://{tmp_path}/store"}
    (blobforge.cwd / "data").mkdir()

    with serving(blobforge, **places) as (url, _):
        claimed(url)

    assert (blobforge.cwd / "data" / "forge.db").is_file()
    assert not (blobforge.home / "queue.db").exists()
    assert [path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.name.startswith(HASH)] == [DOCUMENT]


def test_addresses_that_it_signs_begin_with_its_public_url(blobforge: Blobforge) -> None:
    with serving(blobforge, BLOBFORGE_PUBLIC_URL="https://forge.example/base") as (url, _):
        assert upload_address(url).startswith("https://forge.example/base/")


@pytest.mark.parametrize(("trusted", "status"), [("127.0.0.0/8", 401), ("10.0.0.0/8", 429)])
def test_a_proxy_is_believed_from_which_address_a_wrong_token_came_where_it_is_trusted(
    blobforge: Blobforge, trusted: str, status: int
) -> None:
    blobforge.call("token", "create", "--role", "viewer")

    with serving(blobforge, BLOBFORGE_TRUSTED_PROXIES=trusted) as (url, _):
        for number in range(12):
            headers = {"Authorization": f"Bearer bf_{number:032x}", "X-Forwarded-For": f"192.0.2.{number}"}
            last = ask("GET", f"{url}/api/jobs", headers=headers)

    assert last.status_code == status


def test_a_worker_is_offline_after_its_timeout(blobforge: Blobforge) -> None:
    """R1-76."""
    # A line for each request would fill the pipe that nobody reads, and the server would wait for that.
    with serving(blobforge, BLOBFORGE_WORKER_TIMEOUT="1", BLOBFORGE_LOG_LEVEL="error") as (url, _):
        ask("POST", f"{url}/api/workers", json={"id": "worker-01", "type": "pdf"}).raise_for_status()

        def status() -> str:
            (worker,) = ask("GET", f"{url}/api/queue/workers").json()["workers"]
            return str(worker["status"])

        until(lambda: status() == "offline")


def test_what_is_under_way_gets_so_long_when_it_stops(blobforge: Blobforge) -> None:
    with serving(blobforge, BLOBFORGE_SHUTDOWN_SECONDS="1") as (url, process):
        address = urlsplit(url)
        assert address.hostname is not None
        with socket.create_connection((address.hostname, address.port or 0)) as line:
            head = "POST /api/documents?name=a.pdf HTTP/1.1\r\nHost: forge\r\nContent-Length: 1000\r\n"
            line.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
            assert line.recv(100).startswith(b"HTTP/1.1 100")
            line.sendall(b"%PDF-1.7 only the beg")
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_SECONDS)

    # By itself it would be given twenty.
    assert time.monotonic() - began < 15


def test_a_lease_and_the_wait_after_a_failure_are_as_long_as_it_says(blobforge: Blobforge) -> None:
    settings = {"BLOBFORGE_LEASE_SECONDS": "4000", "BLOBFORGE_RETRY_FIRST_SECONDS": "8000"}

    with serving(blobforge, **settings, BLOBFORGE_RETRY_LONGEST_SECONDS="9000") as (url, _):
        job, token = (claim := claimed(url))["job"], claim["lease_token"]
        lease = {"job_id": job["id"], "number": job["lease_number"], "process": PROCESS, "token": token}
        failure = {"code": "timed_out", "message": "slow", "retryable": True}
        told = {"process": PROCESS, "endings": [{"kind": "failed", "lease": lease, "failure": failure}]}
        (failed,) = ask("POST", f"{url}/api/queue/settle", json=told).json()["ended"]

    assert _left(job["lease_expires_at"]) == pytest.approx(timedelta(seconds=4000), abs=timedelta(seconds=300))
    # Chance moves each wait by a quarter.
    assert timedelta(seconds=5700) < _left(failed["job"]["available_at"]) <= timedelta(seconds=10_000)


def _left(moment: str) -> timedelta:
    return datetime.fromisoformat(moment) - datetime.now(UTC)


def test_its_log_has_the_level_and_the_format_that_were_asked_for(blobforge: Blobforge) -> None:
    """R1-78."""

    def log(**environment: str) -> list[str]:
        process = blobforge.start("server", before=(), ignoring=(), BLOBFORGE_PORT="0", **environment)
        url = address_told_by(process)
        ask("GET", f"{url}/api/jobs").raise_for_status()
        process.send_signal(signal.SIGTERM)
        return [line for line in process.communicate(timeout=PATIENCE_SECONDS)[1].splitlines() if "answered" in line]

    (as_json,) = log(BLOBFORGE_LOG_FORMAT="json")
    (as_text,) = log(BLOBFORGE_LOG_FORMAT="text")
    quiet = log(BLOBFORGE_LOG_LEVEL="warning")

    assert json.loads(as_json)["route"] == "/api/jobs"
    with pytest.raises(json.JSONDecodeError):
        json.loads(as_text)
    assert quiet == []


def test_a_store_in_a_bucket_takes_its_keys_from_files_and_is_told_by_its_public_address(
    blobforge: Blobforge, seaweed: Seaweed, tmp_path: Path
) -> None:
    """R1-70, R1-71, R1-72, R1-73, R1-74, R1-75."""
    access = seaweed.access
    (tmp_path / "key").write_text(f"{access.access_key_id}\n")
    (tmp_path / "secret").write_text(f"{access.secret_access_key}\n")
    endpoint = str(access.endpoint_url)
    public = endpoint.replace("127.0.0.1", "localhost")
    bucket = {
        "BLOBFORGE_S3_BUCKET": seaweed.bucket,
        "BLOBFORGE_S3_REGION": str(access.region),
        "BLOBFORGE_S3_ENDPOINT": endpoint,
        "BLOBFORGE_S3_PUBLIC_ENDPOINT": public,
        "BLOBFORGE_S3_ACCESS_KEY_FILE": str(tmp_path / "key"),
        "BLOBFORGE_S3_SECRET_KEY_FILE": str(tmp_path / "secret"),
    }

    with serving(blobforge, **bucket, BLOBFORGE_DB_PATH=str(tmp_path / "forge.db")) as (url, _):
        address = upload_address(url)
        stored = ask("PUT", address, content=DOCUMENT)

    assert address.startswith(f"{public}/{seaweed.bucket}/incoming/")
    assert stored.is_success
