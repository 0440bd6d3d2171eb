"""The commands that steer many jobs: retry-all and clear-dead."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.conftest import Call
from tests.unit.cli.queues import queue_at

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.cli.commands import clear_dead, retry_all
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.job import Failure, Job, State
from blobforge.ports.blob_store import error_log_key
from blobforge.ports.coordinator import Cleared
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.testing.builders import ALICE, new_job

NOT_A_PDF, TIMED_OUT = Failure("not_a_pdf", "a web page"), Failure("timed_out", "too slow")
SLOW = Failure("timed_out", "too slow", retryable=True)


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    with queue_at(tmp_path) as queue:
        yield queue


def fail(queue: CoordinationService, name: str, failure: Failure, *, job_type: str = "pdf") -> Job:
    queue.submit([new_job(name, type=job_type, source_path=f"/docs/{name}.pdf")])
    (held,) = queue.claim(Queue("default", (job_type,)), worker_id=ALICE)
    (after,) = queue.end([Failed(held, failure)])
    assert isinstance(after, Job)
    return after


@pytest.fixture
def failures(queue: CoordinationService) -> list[Job]:
    """Three that are dead, of two codes and types, and one that waits."""
    return [
        fail(queue, "a", NOT_A_PDF),
        fail(queue, "b", TIMED_OUT),
        fail(queue, "c", TIMED_OUT, job_type="echo"),
        fail(queue, "d", SLOW),
    ]


def told(call: Call, *args: str, exit_code: int = 0) -> dict[str, Any]:
    done = call(*args, "--json")
    assert done.exit_code == exit_code, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def ids(queue: CoordinationService, state: State) -> list[int]:
    return sorted(job.id for job in queue.page(JobFilter(state=state)))


@pytest.mark.parametrize(
    ("options", "pending"),
    [
        (("--dead",), [1, 2, 3]),
        (("--failed",), [4]),
        (("--failed", "--dead"), [1, 2, 3, 4]),
        (("--dead", "--code", "timed_out"), [2, 3]),
        (("--dead", "--type", "pdf"), [1, 2]),
        (("--dead", "--code", "timed_out", "--type", "echo"), [3]),
        (("--dead", "--code", "no_pages"), []),
    ],
    ids=str,
)
def test_those_are_retried_that_were_asked_for(
    call: Call, queue: CoordinationService, failures: list[Job], options: tuple[str, ...], pending: list[int]
) -> None:
    """R2-26."""
    answer = told(call, "retry-all", *options)

    assert (answer["matched"], answer["retried"], answer["passed_over"]) == (len(pending), len(pending), [])
    assert ids(queue, State.PENDING) == pending


def test_a_dry_run_says_how_many_and_changes_nothing(
    call: Call, queue: CoordinationService, failures: list[Job]
) -> None:
    answer = told(call, "retry-all", "--dead", "--dry-run")

    assert answer == {
        "matched": 3,
        "retried": 0,
        "by_code": {"timed_out": 2, "not_a_pdf": 1},
        "passed_over": [],
        "dry_run": True,
    }
    assert ids(queue, State.PENDING) == []


def test_people_see_the_codes_and_the_number(call: Call, failures: list[Job]) -> None:
    done = call("retry-all", "--dead")

    assert [line.split() for line in done.stdout.splitlines()] == [
        ["ERROR", "JOBS"],
        ["timed_out", "2"],
        ["not_a_pdf", "1"],
    ]
    assert done.stderr == "3 retried, 0 passed over\n"
    assert call("retry-all", "--dead", "--dry-run").stderr == "0 would be retried\n"


def test_it_takes_the_yes_that_the_commands_take_which_ask(
    call: Call, queue: CoordinationService, failures: list[Job]
) -> None:
    assert call("retry-all", "--dead", "--yes").exit_code == 0
    assert ids(queue, State.PENDING) == [1, 2, 3]


def test_without_a_state_it_asks_which(call: Call) -> None:
    done = call("retry-all")

    assert done.exit_code == 2
    assert "say which: --failed, --dead, --gaps" in done.stderr


def test_a_job_that_changes_meanwhile_is_told_and_passed_over(
    call: Call, queue: CoordinationService, failures: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R2-26."""

    def retry_late(coordinator: CoordinationService, jobs: list[Job]) -> Any:
        coordinator.retry(failures[0].id)
        coordinator.cancel(failures[0].id)
        return really(coordinator, jobs)

    really = retry_all._retry
    monkeypatch.setattr(retry_all, "_retry", retry_late)

    done = call("retry-all", "--dead")

    assert done.exit_code == 0
    assert done.stderr.splitlines() == [
        "warning: job #1 (a.pdf): it has changed meanwhile; it is cancelled; passed over",
        "2 retried, 1 passed over",
    ]
    assert ids(queue, State.CANCELLED) == [1]


def test_more_jobs_than_a_page_holds_are_all_retried(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job(f"{number}", max_attempts=1) for number in range(1_200)])
    held = queue.claim(Queue("default", ("pdf",)), worker_id=ALICE, limit=1_200)
    queue.end([Failed(job, TIMED_OUT) for job in held])

    assert told(call, "retry-all", "--dead")["retried"] == 1_200
    assert queue.counts() == {("pdf", State.PENDING): 1_200}


def test_dead_jobs_leave_for_good_and_may_come_again(
    call: Call, queue: CoordinationService, failures: list[Job]
) -> None:
    """R2-27."""
    answer = told(call, "clear-dead", "--yes")

    assert answer == {
        "matched": 3,
        "cleared": 3,
        "restored": 0,
        "by_code": {"timed_out": 2, "not_a_pdf": 1},
        "dry_run": False,
    }
    assert [job.id for job in queue.page(JobFilter())] == [4]
    assert queue.submit([new_job("a")])[0].created


@pytest.mark.parametrize(
    ("options", "left"), [(("--code", "not_a_pdf"), [2, 3]), (("--type", "echo"), [1, 2])], ids=str
)
def test_only_those_are_cleared_that_were_asked_for(
    call: Call, queue: CoordinationService, failures: list[Job], options: tuple[str, ...], left: list[int]
) -> None:
    told(call, "clear-dead", "--yes", *options)

    assert ids(queue, State.DEAD) == left


def test_a_dead_job_with_a_result_from_before_is_completed_again_and_told(
    call: Call, queue: CoordinationService, failures: list[Job]
) -> None:
    (again,) = queue.claim_exactly([queue.retry(failures[3].id)], worker_id=ALICE)
    queue.end([Completed(again, '{"key":"outputs/d.zip"}')])
    (again,) = queue.claim_exactly([queue.retry(failures[3].id)], worker_id=ALICE)
    queue.end([Failed(again, NOT_A_PDF)])

    foreseen, answer = call("clear-dead", "--dry-run"), call("clear-dead", "--yes")

    assert foreseen.stderr == "3 would be cleared, 1 completed again with the result from before\n"
    assert answer.stderr == "3 cleared, 1 completed again with the result from before\n"
    assert [(job.id, job.state, job.result) for job in queue.page(JobFilter())] == [
        (4, State.COMPLETED, '{"key":"outputs/d.zip"}')
    ]


def test_a_dry_run_clears_nothing(call: Call, queue: CoordinationService, failures: list[Job]) -> None:
    done = call("clear-dead", "--dry-run", "--yes")

    assert done.stderr == "3 would be cleared\n"
    assert len(ids(queue, State.DEAD)) == 3


def test_where_nobody_can_be_asked_it_must_be_said(call: Call, queue: CoordinationService, failures: list[Job]) -> None:
    done = call("clear-dead")

    assert done.exit_code == 2
    assert "say --yes to remove them" in done.stderr
    assert len(ids(queue, State.DEAD)) == 3


def test_with_nothing_to_clear_nobody_is_asked(call: Call) -> None:
    done = call("clear-dead")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "0 cleared\n")


def test_their_error_logs_leave_with_them(
    call: Call, queue: CoordinationService, failures: list[Job], tmp_path: Path
) -> None:
    blobs = DirectoryBlobStore(tmp_path / ".local" / "share" / "blobforge" / "blobs")
    path = tmp_path / "error.json"
    path.write_text("{}")
    for job in failures:
        blobs.put(error_log_key(job.source_hash), path)

    call("clear-dead", "--yes", "--code", "not_a_pdf")

    kept = {stat.key for stat in blobs.list("registry/logs/")}
    assert kept == {error_log_key(job.source_hash) for job in failures[1:]}


def test_a_store_that_is_away_does_not_keep_dead_jobs_in_the_queue(
    call: Call, queue: CoordinationService, failures: list[Job], tmp_path: Path
) -> None:
    blobs = tmp_path / ".local" / "share" / "blobforge" / "blobs"
    blobs.write_text("no folder")

    done = call("clear-dead", "--yes")

    assert done.exit_code == 0
    assert done.stderr.startswith("warning: some error logs are left behind: ")
    assert done.stderr.endswith("3 cleared\n")


def test_a_job_that_is_retried_meanwhile_stays(
    call: Call, queue: CoordinationService, failures: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R2-27."""

    def clear_late(coordinator: CoordinationService, *args: Any) -> Cleared:
        coordinator.retry(failures[0].id)
        return really(coordinator, *args)

    really = clear_dead._clear
    monkeypatch.setattr(clear_dead, "_clear", clear_late)

    done = call("clear-dead", "--yes")

    assert done.stderr == "2 cleared, 1 changed meanwhile and stayed\n"
    assert ids(queue, State.PENDING) == [1]
