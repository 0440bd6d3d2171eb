"""What a worker's log tells of each job that it lets go of."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
import structlog

from blobforge.domain.endings import Completed, Ending, Failed, Released
from blobforge.domain.errors import BlobForgeError, JobCancelled, LeaseLost, NotFound
from blobforge.domain.job import Failure, Job, State
from blobforge.testing.builders import job_in
from blobforge.testing.clock import START
from blobforge.worker import loop_messages
from blobforge.worker.job_run import JobRun
from blobforge.worker.loop_messages import Ended, log_ending, to_report_again

TIMED_OUT = Failure("timed_out", "it took too long", retryable=False)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> "structlog.testing.LogCapture":
    capture = structlog.testing.LogCapture()
    monkeypatch.setattr(loop_messages, "log", structlog.wrap_logger(None, processors=[capture]))
    return capture


def told(log: "structlog.testing.LogCapture", ending: Ending, outcome: Job | BlobForgeError) -> dict[str, Any]:
    run = cast("JobRun", SimpleNamespace(job=ending.job, seconds=4.26))
    log_ending(Ended(run, ending, ""), outcome)
    (entry,) = log.entries
    return dict(entry)


@pytest.mark.parametrize(
    ("outcome", "event", "level"),
    [
        (JobCancelled("job 1: the job is cancelled"), "job cancelled", "info"),
        (LeaseLost("job 1: superseded by 2"), "job lost", "warning"),
        (job_in(State.PENDING), "job released", "info"),
    ],
)
def test_a_job_that_is_let_go_of_is_told_with_what_became_of_it(
    log: "structlog.testing.LogCapture", outcome: Job | BlobForgeError, event: str, level: str
) -> None:
    job = job_in(State.RUNNING)

    entry = told(log, Released(job), outcome)

    assert (entry["event"], entry["log_level"], entry["hash"]) == (event, level, job.source_hash)


def test_a_failed_attempt_has_no_pages_of_an_older_result(log: "structlog.testing.LogCapture") -> None:
    dead = job_in(State.DEAD)._replace(result='{"pages": 9}')

    entry = told(log, Failed(job_in(State.RUNNING), TIMED_OUT), dead)

    assert (entry["code"], entry["now"]) == ("timed_out", "dead")
    assert "pages" not in entry


@pytest.mark.parametrize(
    ("ending", "state"),
    [(Completed, State.COMPLETED), (Failed, State.DEAD), (Released, State.PENDING)],
    ids=["completed", "failed", "released"],
)
def test_the_seconds_are_those_of_the_worker_and_not_of_a_queue_that_tells_whole_ones(
    log: "structlog.testing.LogCapture", ending: type[Ending], state: State
) -> None:
    facts = {Completed: ("{}",), Failed: (TIMED_OUT,), Released: ()}[ending]
    began = START.replace(microsecond=0)
    job = job_in(State.RUNNING)._replace(started_at=began)
    outcome = job_in(state)._replace(updated_at=began + timedelta(seconds=5))

    entry = told(log, ending(job, *facts), outcome)  # type: ignore[arg-type]

    assert entry["seconds"] == 4.3


def test_a_job_whose_found_result_went_away_goes_back_without_its_attempt() -> None:
    job = job_in(State.RUNNING)
    message = Ended(cast("JobRun", SimpleNamespace(job=job)), Completed(job, "{}"), "")

    again = to_report_again(message, NotFound("it was deleted"), is_ending=False)

    assert [ended.ending for ended in again] == [Released(job)]
