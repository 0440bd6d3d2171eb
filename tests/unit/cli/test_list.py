"""The command list."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.conftest import Call, Terminal
from tests.unit.cli.queues import queue_at

from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Failed
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Failure
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.clock import START


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    with queue_at(tmp_path) as queue:
        yield queue


@pytest.fixture
def five(queue: CoordinationService) -> CoordinationService:
    """Five jobs; the first is dead, the last of another type."""
    names = ["one", "two", "three", "four"]
    queue.submit([new_job(name, source_path=f"/docs/{name}.pdf") for name in names])
    (job,) = queue.claim(Queue("default", ("pdf",)), worker_id=ALICE)
    queue.end([Failed(job, Failure("not_a_pdf", "it is HTML"))])
    queue.submit([new_job("five", type="echo")])
    return queue


def told(call: Call, *args: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(call("list", *args, "--json").stdout)
    return document


def ids(page: dict[str, Any]) -> list[int]:
    return [int(job["id"]) for job in page["jobs"]]


def test_jobs_come_newest_first(call: Call, five: CoordinationService) -> None:
    page = told(call)

    assert (ids(page), page["next"]) == ([5, 4, 3, 2, 1], None)


def test_pages_follow_each_other_to_the_end(call: Call, five: CoordinationService) -> None:
    first = told(call, "--limit", "2")
    second = told(call, "--limit", "2", "--after", str(first["next"]))
    third = told(call, "--limit", "2", "--after", str(second["next"]))

    assert [ids(page) for page in (first, second, third)] == [[5, 4], [3, 2], [1]]
    assert third["next"] is None


def test_a_last_page_that_is_full_is_the_last(call: Call, five: CoordinationService) -> None:
    assert told(call, "--limit", "5")["next"] is None


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (("--state", "dead"), [1]),
        (("--state", "pending"), [5, 4, 3, 2]),
        (("--type", "echo"), [5]),
        (("--type", "echo", "--state", "dead"), []),
    ],
)
def test_jobs_can_be_chosen_by_state_and_type(
    call: Call, five: CoordinationService, args: tuple[str, ...], found: list[int]
) -> None:
    assert ids(told(call, *args)) == found


def test_only_jobs_of_the_project_are_listed(
    call: Call, five: CoordinationService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOBFORGE_PROJECT", "other")

    assert told(call)["jobs"] == []


def test_people_get_a_table_and_how_to_go_on(call: Call, five: CoordinationService) -> None:
    done = call("list", "--type", "pdf", "--limit", "3")
    rest = call("list", "--type", "pdf", "--after", "2")

    assert done.stdout.splitlines()[0].split() == [
        *("HASH", "DOCUMENT", "STATE", "ERROR", "CHANGED", "PRIORITY", "TYPE", "ID")
    ]
    assert done.stdout.splitlines()[1].split()[:3] == [hash_of("four")[:12], "four.pdf", "pending"]
    assert done.stderr == "more: --after 2\n"
    assert rest.stdout.splitlines()[1].split()[1:4] == ["one.pdf", "dead", "not_a_pdf"]
    assert rest.stderr == ""


def test_a_queue_without_jobs_says_so(call: Call) -> None:
    done = call("list")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "no jobs\n")


@pytest.mark.parametrize(
    "args", [("--limit", "0"), ("--limit", "1001"), ("--after", "0"), ("--after", "9" * 20), ("--state", "lost")]
)
def test_a_value_out_of_range_is_a_usage_error(call: Call, args: tuple[str, ...]) -> None:
    assert call("list", *args).exit_code == 2


def test_verbose_tells_all_facts_of_each_job(call: Call, five: CoordinationService) -> None:
    """R0-69."""
    paragraphs = call("list", "--verbose").stdout.split("\n\n")

    assert len(paragraphs) == 5
    first, dead = paragraphs[0].splitlines(), paragraphs[-1].splitlines()
    assert first[0] == "#5  pending  normal  default/echo"
    assert first[1] == "  document  unknown"
    assert dead[0] == "#1  dead  normal  default/pdf"
    assert dead[1] == "  document  /docs/one.pdf"
    assert dead[2] == f"  hash      {hash_of('one')}"
    assert dead[3].startswith("  attempts  1 of 3, changed ")
    assert dead[4] == "  error     it is HTML [not_a_pdf]"


def test_verbose_tells_who_has_a_job_and_how_large_it_is(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job("one", source_path="/docs/one.pdf", source_size=1_440_000)])
    queue.claim(Queue("default", ("pdf",)), worker_id=ALICE)

    lines = call("list", "-v").stdout.splitlines()

    assert "  document  /docs/one.pdf (1.4 MB)" in lines
    assert "  worker    alice" in lines


def test_jobs_are_chosen_by_code_tag_and_time(call: Call, five: CoordinationService) -> None:
    five.submit([new_job("six", tags='["invoices"]')])

    assert ids(told(call, "--code", "not_a_pdf")) == [1]
    assert ids(told(call, "--tag", "invoices")) == [6]
    assert ids(told(call, "--since", "2026-01-01T00:00+00:00", "--type", "echo")) == [5]
    assert ids(told(call, "--since", "2026-01-02")) == ids(told(call, "--since", "5min")) == []


def test_a_worker_is_named_by_its_name_or_by_its_id(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job(name) for name in ("one", "two", "three")])
    for name in ("rack4.7.ab", "rack4.8.cd", "rack5.9.ef"):
        worker_id = WorkerId(name)
        queue.claim(Queue("default", ("pdf",)), worker_id=worker_id)
        online = Worker(id=worker_id, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START)
        queue.register_worker(online)

    assert ids(told(call, "--worker", "rack4")) == [2, 1]
    assert ids(told(call, "--worker", "rack5.9.ef")) == [3]
    assert ids(told(call, "--worker", "rack")) == []


@pytest.mark.parametrize("since", ["yesterday", "2h30", "-1d", "99999999999d", "2026-13-01"])
def test_a_time_that_is_none_is_a_usage_error(call: Call, since: str) -> None:
    done = call("list", f"--since={since}")

    assert done.exit_code == 2
    assert "is no time: write 2h, 7d or 2026-11-01" in done.stderr


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_the_document_is_seen_however_narrow_the_terminal(
    terminal: Terminal, queue: CoordinationService, columns: int
) -> None:
    name = "annual-report-2025-consolidated-financial-statements.pdf"
    queue.submit([new_job("one", source_path=f"/library/{name}")])
    (job,) = queue.claim(Queue("default", ("pdf",)), worker_id=ALICE)
    queue.end([Failed(job, Failure("engine_unavailable", "the engine is not there"))])

    head, line = terminal("list", columns=columns, NO_COLOR="1").lines

    assert head.split()[:3] == ["HASH", "DOCUMENT", "STATE"]
    assert line.startswith(f"{hash_of('one')[:12]}  {name[:18]}")
    assert "dead" in line
    assert len(line.rstrip()) <= columns
    assert ("#1" in line) is (columns == 140)
