"""The views on every backend: what a worker tells of itself is seen wherever the queue is kept."""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge, until
from tests.pdfs import text_pdf
from tests.postgres import Databases
from tests.seaweed import Seaweed

KINDS = ["sqlite", "postgresql", "s3"]


@pytest.fixture
def queue(request: pytest.FixtureRequest, kind: str) -> dict[str, str]:
    """Where the queue is, as people would say it."""
    if kind == "postgresql":
        databases: Databases = request.getfixturevalue("postgres_server")
        return {"BLOBFORGE_QUEUE": databases.new_database()}
    if kind == "s3":
        return _in_a_bucket(request.getfixturevalue("seaweed"))
    return {}


def _in_a_bucket(seaweed: Seaweed) -> dict[str, str]:
    return {"BLOBFORGE_S3_BUCKET": seaweed.bucket, "BLOBFORGE_S3_PREFIX": uuid.uuid4().hex, **seaweed.variables}


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_and_its_record_are_seen_wherever_the_queue_is(
    blobforge: Blobforge, docs: Path, queue: dict[str, str], kind: str
) -> None:
    """R0-61, R2-16, R2-18, R2-19, R2-20."""
    text_pdf(docs / "good.pdf", "One", "Two")
    (docs / "bad.pdf").write_text("<html>")
    assert blobforge.call("submit", "docs", **queue).exit_code == 0
    worker_settings = {"BLOBFORGE_HEARTBEAT_SECONDS": "1", "BLOBFORGE_WORKER_ID": "rack4"}
    blobforge.start("worker", before=(), ignoring=(), **worker_settings, **queue)

    def seen() -> dict[str, Any]:
        told: dict[str, Any] = json.loads(blobforge.call("dashboard", "--json", **queue).stdout)
        return told

    until(lambda: bool(seen()["totals"]["jobs_completed"] and seen()["totals"]["jobs_failed"]))
    # Its report is as old as its heartbeat: a second.
    until(lambda: [worker["standing"] for worker in seen()["workers"]] == ["idle"])

    told = seen()
    (worker,) = told["workers"]
    assert (worker["name"], worker["standing"]) == ("rack4", "idle")
    assert worker["machine"]["disk_total"] > 0
    assert told["counts"]["pdf"]["completed"] == 1
    assert [job["error_code"] for job in told["failures"]] == ["not_a_pdf"]
    people = blobforge.call("dashboard", **queue).stdout
    assert "bad.pdf" in people


def test_in_a_bucket_the_registry_keeps_what_a_worker_did_over_its_restart_on_another_machine(
    blobforge: Blobforge, docs: Path, tmp_path: Path, seaweed: Seaweed
) -> None:
    """R2-19."""
    queue = _in_a_bucket(seaweed)
    for number in (1, 2):
        text_pdf(docs / f"{number}.pdf", f"Book {number}")
        assert blobforge.call("submit", "docs", **queue).exit_code == 0
        home = {"BLOBFORGE_HOME": str(tmp_path / f"machine {number}"), "BLOBFORGE_WORKER_ID": "rack4"}
        assert blobforge.call("worker", "--drain", **home, **queue).exit_code == 0

    name = f"{queue['BLOBFORGE_S3_PREFIX']}/registry/records/"
    (record,) = seaweed.client().list_objects_v2(Bucket=seaweed.bucket, Prefix=name)["Contents"]
    stored = seaweed.client().get_object(Bucket=seaweed.bucket, Key=record["Key"])

    assert "rack4" in record["Key"]
    assert json.loads(stored["Body"].read())["completed"] == 2
