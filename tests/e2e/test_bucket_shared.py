"""A bucket in which another program goes on: it is noticed in time, and its jobs keep their ids and priorities."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge
from tests.e2e.test_bucket_adopted import AdoptedBucket
from tests.seaweed import Seaweed


@pytest.fixture
def shared(blobforge: Blobforge, seaweed: Seaweed, docs: Path) -> AdoptedBucket:
    """Not adopted yet."""
    return AdoptedBucket(blobforge, seaweed, docs)


def lock(bucket: AdoptedBucket, state: str, *, heard: datetime) -> None:
    """As the other program claims the document of that state, or says that it still works on it."""
    said = {"worker": "oldbox", "started": heard.isoformat(), "last_heartbeat": heard.isoformat()}
    body = json.dumps({**said, "priority": "2_high", "retries": 0}).encode()
    bucket.put(f"queue/processing/{bucket.hash(state)}", body)


def listed(bucket: AdoptedBucket) -> dict[str, Any]:
    return {job["source_hash"]: job for job in bucket.told("list")["jobs"]}


def test_a_queue_is_taken_over_from_a_living_worker_only_by_who_insists(
    shared: AdoptedBucket, blobforge: Blobforge
) -> None:
    lock(shared, "running", heard=datetime.now(UTC))

    seen = blobforge.call("doctor", **shared.env)
    refused = blobforge.call("doctor", "--adopt", **shared.env)
    still = blobforge.call("list", **shared.env)
    insisted = blobforge.run("doctor", "--adopt", "--yes", **shared.env)

    assert "which is at work in" in " ".join(seen.stdout.split())
    assert refused.exit_code == 1
    assert "the worker oldbox" in refused.stderr
    assert "stop it and whatever else uses the queue" in refused.stderr
    assert "doctor --adopt" in still.stderr
    assert insisted.returncode == 0
    assert "warning" not in insisted.stderr
    assert len(listed(shared)) == 5


def test_what_the_other_program_claims_later_is_listed_steered_and_done_under_its_id(
    shared: AdoptedBucket, blobforge: Blobforge
) -> None:
    shared.call("doctor", "--adopt")
    before = listed(shared)[shared.hash("waiting")]
    lock(shared, "waiting", heard=datetime.now(UTC))

    told = blobforge.run("list", **shared.env)
    claimed = listed(shared)[shared.hash("waiting")]
    searched = shared.told("search-queue", "waiting.pdf")["jobs"]
    lock(shared, "waiting", heard=datetime.now(UTC) - timedelta(minutes=16))
    shared.work()
    after = listed(shared)[shared.hash("waiting")]

    assert told.stderr.count("another program is at work in this queue; stop it") == 1
    assert f"document=waiting.pdf, hash={shared.hash('waiting')[:12]}" in told.stderr
    assert (claimed["id"], claimed["state"], claimed["priority"]) == (before["id"], "running", 2)
    assert [job["id"] for job in searched] == [before["id"]]
    assert (after["id"], after["state"], after["source_path"]) == (before["id"], "completed", "waiting.pdf")
    assert shared.told("status", f"#{before['id']}")["job"] == after
    assert len(listed(shared)) == 5


def test_the_janitor_speaks_plainly_and_counts_apart_what_it_leaves_alone(
    shared: AdoptedBucket, blobforge: Blobforge
) -> None:
    shared.call("doctor", "--adopt")
    shared.put("queue/todo/3_normal/README", b"whose is it?")
    lock(shared, "waiting", heard=datetime.now(UTC))

    swept = blobforge.run("janitor", **shared.env)

    assert "queue/todo/3_normal/README is no object of BlobForge; it is left alone" in swept.stdout
    assert "0 inconsistencies repaired, 1 foreign object left alone" in swept.stderr
    assert "warning: another program is at work in this queue" in swept.stderr
    assert "{" not in swept.stderr
