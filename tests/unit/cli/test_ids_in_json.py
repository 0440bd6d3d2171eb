"""Ids of jobs in JSON: text everywhere, since many readers of it keep no whole number beyond 2^53."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Call
from tests.unit.cli.queues import queue_at
from tests.unit.cli.reports import running_job, worker

from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Failed
from blobforge.domain.job import Failure
from blobforge.domain.json_value import JsonValue
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, hash_of, new_job

IDS = ("id", "job_id", "next", "current_job_id")
DEAD = hash_of("dead")


@pytest.fixture(autouse=True)
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    """A dead job, some that wait, and a worker that is busy."""
    with queue_at(tmp_path) as queue:
        queue.submit([new_job("dead", source_path="/docs/dead.pdf")])
        (job,) = queue.claim(Queue("default", ("pdf",)), worker_id=ALICE)
        queue.end([Failed(job, Failure("not_a_pdf", "it is HTML"))])
        queue.submit([new_job(name, source_path=f"/docs/{name}.pdf") for name in ("two", "three")])
        now = SystemClock().now()
        queue.register_worker(replace(worker("rack4", jobs=[running_job(started_at=now)]), last_heartbeat=now))
        yield queue


def ids_in(told: JsonValue) -> list[JsonValue]:
    if isinstance(told, list):
        return [found for entry in told for found in ids_in(entry)]
    if not isinstance(told, dict):
        return []
    own = [value for name, value in told.items() if name in IDS and value is not None]
    return [*own, *(found for value in told.values() for found in ids_in(value))]


@pytest.mark.parametrize(
    "command",
    [
        *(("list", "--limit", "1"), ("status", DEAD), ("status",), ("dashboard",), ("workers",), ("logs", DEAD)),
        *(("search-queue", "docs"), ("worker", "--dry-run"), ("reprioritize", hash_of("two"), "1"), ("retry", DEAD)),
        *(("cancel", hash_of("two")), ("submit", "new.pdf"), ("hydrate", "new.pdf"), ("why", DEAD)),
    ],
    ids=lambda command: " ".join(command)[:20],
)
def test_every_command_tells_ids_as_text(call: Call, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "new.pdf").write_bytes(b"%PDF-1.4")
    call("submit", "new.pdf")

    found = ids_in(json.loads(call(*command, "--json").stdout))

    assert found, "there is no id in it at all"
    assert [one for one in found if not isinstance(one, str)] == []


def test_the_next_page_is_asked_for_by_the_text_that_was_told(call: Call) -> None:
    first = json.loads(call("list", "--limit", "2", "--json").stdout)

    second = json.loads(call("list", "--limit", "2", "--after", first["next"], "--json").stdout)

    assert [job["id"] for job in second["jobs"]] == ["1"]
    assert json.loads(call("status", f"#{second['jobs'][0]['id']}", "--json").stdout)["job"]["source_hash"] == DEAD
