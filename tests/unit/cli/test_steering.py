"""The commands that steer one job: reprioritize, retry, cancel."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.cli.conftest import Call
from tests.unit.cli.queues import queue_at

from blobforge.coordination.service import CoordinationService
from blobforge.domain.job import Job, State
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.coordinator.steps import PDFS, brought_to


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    with queue_at(tmp_path) as queue:
        yield queue


@pytest.fixture
def pending(queue: CoordinationService) -> Job:
    return queue.submit([new_job("one", source_path="/docs/one.pdf")])[0].job


def told(call: Call, *args: str, exit_code: int = 0) -> dict[str, Any]:
    done = call(*args, "--json")
    assert done.exit_code == exit_code, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.parametrize("tier", ["1", "critical", "CRITICAL", "1_critical"])
def test_a_waiting_job_gets_another_priority_by_number_name_or_slug(
    call: Call, queue: CoordinationService, pending: Job, tier: str
) -> None:
    """R0-70."""
    answer = told(call, "reprioritize", hash_of("one")[:8], tier)

    assert answer["job"]["priority"] == 1
    assert queue.get(pending.id).priority == 1


def test_people_hear_what_the_priority_was_and_is(call: Call, pending: Job) -> None:
    done = call("reprioritize", "#1", "low")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "job #1 (one.pdf): its priority is low (it was normal)\n"


def test_a_tier_that_is_none_is_a_usage_error(call: Call, pending: Job) -> None:
    done = call("reprioritize", "#1", "urgent")

    assert done.exit_code == 2
    assert "'urgent' is no priority: use 1 to 5, or one of 1_critical" in done.stderr


def test_a_running_job_has_no_place_in_the_line(call: Call, queue: CoordinationService) -> None:
    brought_to(queue, State.RUNNING)

    answer = told(call, "reprioritize", "#1", "high", exit_code=1)

    assert answer["error"]["code"] == "invalid_move"


@pytest.mark.parametrize("state", [State.FAILED, State.DEAD, State.CANCELLED, State.COMPLETED])
def test_a_job_is_retried_with_all_its_attempts(call: Call, queue: CoordinationService, state: State) -> None:
    """R0-20, R0-71, R2-8."""
    brought_to(queue, state)

    answer = told(call, "retry", "#1")

    assert (answer["job"]["state"], answer["job"]["attempts"]) == ("pending", 0)
    assert len(queue.claim(PDFS, worker_id=ALICE)) == 1


def test_a_retry_takes_a_hash_a_tier_and_the_count_back(call: Call, queue: CoordinationService) -> None:
    """R0-71."""
    dead = brought_to(queue, State.DEAD)

    answer = told(call, "retry", dead.source_hash, "--priority", "2_high", "--reset-retries")

    assert (answer["job"]["attempts"], answer["job"]["priority"]) == (0, 2)


def test_a_retry_may_keep_the_count_and_change_the_priority(call: Call, queue: CoordinationService) -> None:
    """R0-71."""
    brought_to(queue, State.DEAD)

    answer = told(call, "retry", "#1", "--keep-retries", "--priority", "2_high")

    assert (answer["job"]["attempts"], answer["job"]["priority"]) == (1, 2)


@pytest.mark.parametrize(("options", "attempts"), [((), "3 attempts"), (("--keep-retries",), "1 attempt")])
def test_a_dead_job_whose_attempts_are_spent_can_really_run_again(
    call: Call, queue: CoordinationService, options: tuple[str, ...], attempts: str
) -> None:
    queue.submit([new_job("one", source_path="/docs/one.pdf")])
    for _ in range(3):
        queue.claim(PDFS, worker_id=ALICE)
        queue.expire_worker(ALICE)
    assert queue.get(brought := queue.find([new_job("one").key])[new_job("one").key].id).state is State.DEAD

    done = call("retry", "#1", *options)

    assert done.stderr == f"job #1 (one.pdf) was dead and is pending, with {attempts} and priority normal\n"
    assert [job.id for job in queue.claim(PDFS, worker_id=ALICE)] == [brought]


def test_several_jobs_are_retried_and_what_cannot_be_is_told(call: Call, queue: CoordinationService) -> None:
    dead = brought_to(queue, State.DEAD)
    pending = queue.submit([new_job("waiting")])[0].job

    shown = call("retry", f"#{dead.id}", hash_of("waiting"), "#99")
    again = told(call, "retry", f"#{dead.id}", f"#{pending.id}", "--priority", "high", exit_code=1)

    assert shown.exit_code == 3
    assert "was dead and is pending, with 3 attempts and priority normal" in shown.stderr
    assert shown.stderr.count("error: ") == 2
    assert (again["done"], again["failed"]) == (0, 2)
    assert {entry["code"] for entry in again["results"]} == {"invalid_move"}


@pytest.mark.parametrize("state", [State.PENDING, State.RUNNING])
def test_a_job_that_waits_or_runs_is_not_retried(call: Call, queue: CoordinationService, state: State) -> None:
    brought_to(queue, state)

    assert told(call, "retry", "#1", exit_code=1)["error"]["code"] == "invalid_move"


def test_jobs_are_cancelled_for_good(call: Call, queue: CoordinationService, pending: Job) -> None:
    """R2-29."""
    running = brought_to(queue, State.RUNNING)

    answer = told(call, "cancel", hash_of("one"), f"#{running.id}")

    assert (answer["done"], answer["failed"]) == (2, 0)
    assert [entry["job"]["state"] for entry in answer["results"]] == ["cancelled", "cancelled"]
    assert queue.claim(PDFS, worker_id=ALICE) == []


def test_a_running_job_is_given_back_with_its_attempt(call: Call, queue: CoordinationService) -> None:
    """R2-29."""
    brought_to(queue, State.RUNNING)

    (entry,) = told(call, "cancel", "--requeue", "#1")["results"]

    assert (entry["job"]["state"], entry["job"]["attempts"], entry["code"]) == ("pending", 0, None)
    assert len(queue.claim(PDFS, worker_id=ALICE)) == 1


def test_some_that_cannot_be_cancelled_do_not_keep_the_others(
    call: Call, queue: CoordinationService, pending: Job
) -> None:
    brought_to(queue, State.COMPLETED)

    done = call("cancel", "#2", "#1", "#99", "xyz")

    assert done.exit_code == 3
    assert done.stderr.splitlines() == [
        "error: job #2 (ba2d736192d4): it is completed; there is nothing to cancel [invalid_move]",
        "job #1 (one.pdf) is cancelled",
        "error: there is no job #99 [not_found]",
        "error: 'xyz' is no job: write #id, a SHA-256, or at least its first 4 digits [invalid_value]",
    ]


def test_a_job_that_has_two_names_is_cancelled_once(call: Call, queue: CoordinationService, pending: Job) -> None:
    answer = told(call, "cancel", "#1", hash_of("one"))

    assert [entry["job"]["state"] for entry in answer["results"]] == ["cancelled", "cancelled"]
    assert [event.kind for event in queue.history(pending.id).events] == ["submitted", "cancelled"]


@pytest.mark.parametrize(("name", "exit_code"), [("#99", 1), ("xyz", 2)])
def test_when_nothing_could_be_cancelled_the_exit_code_is_the_errors(call: Call, name: str, exit_code: int) -> None:
    answer = told(call, "cancel", name, exit_code=exit_code)

    assert (answer["done"], answer["failed"]) == (0, 1)
    assert (answer["results"][0]["name"], answer["results"][0]["job"]) == (name, None)


def test_only_a_running_job_is_given_back(call: Call, pending: Job) -> None:
    done = call("cancel", "--requeue", "#1")

    assert done.exit_code == 1
    assert "job #1 (one.pdf): it is pending; only a running job is given back to the queue" in done.stderr


def test_a_job_that_is_named_twice_is_cancelled_once(call: Call, pending: Job) -> None:
    assert len(told(call, "cancel", "#1", "#1")["results"]) == 1
