"""`reprocess`: which jobs it takes on."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Call
from tests.unit.cli.queues import queue_at

from blobforge.coordination.service import CoordinationService
from blobforge.domain.job import Job
from blobforge.testing.builders import hash_of, new_job


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    with queue_at(tmp_path) as queue:
        yield queue


@pytest.fixture
def report(queue: CoordinationService) -> Job:
    return queue.submit([new_job("one", type="lab_report", source_path="/docs/report.pdf")])[0].job


@pytest.mark.parametrize("name", ["#1", hash_of("one")[:10]])
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_job_of_another_type_gets_no_order_for_a_pdf(
    call: Call, queue: CoordinationService, report: Job, name: str, more: list[str]
) -> None:
    done = call("reprocess", name, *more)

    assert done.exit_code == 2
    assert "job #1 (report.pdf) is of the type lab_report: say --type lab_report" in done.stderr
    assert queue.get(report.id) == report


def test_a_job_is_taken_on_by_its_type(call: Call, report: Job) -> None:
    done = call("reprocess", "#1", "--type", "lab_report", "--dry-run", "--json")

    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["matched"] == 1
