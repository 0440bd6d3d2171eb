"""The command status."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.cli.conftest import Call
from tests.unit.cli.queues import queue_at

from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.job import Failure, Job
from blobforge.domain.recipe import UNRECORDED
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import ALICE, hash_of, new_job
from blobforge.testing.clock import START

PDFS = Queue("default", ("pdf",))


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[CoordinationService]:
    with queue_at(tmp_path) as queue:
        yield queue


@pytest.fixture
def job(queue: CoordinationService) -> Job:
    """It failed for good."""
    queue.submit([new_job("one", source_path="/docs/one.pdf", priority=2)])
    (held,) = queue.claim(PDFS, worker_id=ALICE)
    queue.end([Failed(held, Failure("not_a_pdf", "one.pdf: it is HTML"))])
    return queue.get(held.id)


def test_programs_get_the_counts_of_every_state(call: Call, job: Job) -> None:
    """R0-69."""
    told = json.loads(call("status", "--json").stdout)

    assert told == {
        "project": "default",
        "counts": {"pdf": {"pending": 0, "running": 0, "completed": 0, "failed": 0, "dead": 1, "cancelled": 0}},
        "gaps": {},
        "doubts": {},
        "paused": [],
        "workers": [],
    }


def test_workers_are_told_with_their_last_sign_of_life(call: Call, queue: CoordinationService, job: Job) -> None:
    queue.register_worker(
        Worker(id=ALICE, type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START, metadata={"slots": 2})
    )

    (worker,) = json.loads(call("status", "--json").stdout)["workers"]
    people = call("status").stdout.splitlines()

    assert (worker["id"], worker["type"], worker["standing"], worker["slots"]) == ("alice", "pdf", "lost", 2)
    assert worker["last_heartbeat"] == "2026-01-01T12:00:00+00:00"
    assert people[0].split() == ["TYPE", "PENDING", "RUNNING", "COMPLETED", "FAILED", "DEAD", "CANCELLED"]
    assert people[1].split() == ["pdf", "0", "0", "0", "0", "1", "0"]
    assert people[2].startswith("worker alice: lost, pdf, last heard ")


def test_an_empty_queue_says_how_to_fill_it(call: Call) -> None:
    done = call("status")

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "no jobs in project default; put some in with 'blobforge submit PATH'\n"


def test_programs_get_a_job_with_its_attempts_events_and_files(
    call: Call, queue: CoordinationService, job: Job
) -> None:
    queue.record_files(job.id, [FileRecord(FileRole.SOURCE, "sources/one.pdf", 7, "application/pdf", "0")])

    told = json.loads(call("status", hash_of("one"), "--json").stdout)

    assert list(told) == ["job", "attempts", "events", "files"]
    assert (told["job"]["state"], told["job"]["error_code"]) == ("dead", "not_a_pdf")
    assert [event["kind"] for event in told["events"]] == ["submitted", "claimed", "died"]
    assert told["events"][0]["at"] == "2026-01-01T12:00:00+00:00"
    (attempt,) = told["attempts"]
    assert (attempt["worker_id"], attempt["error"]) == ("alice", "one.pdf: it is HTML")
    assert attempt["ended_at"] == "2026-01-01T12:00:00+00:00"
    assert told["files"] == [
        {"role": "source", "key": "sources/one.pdf", "size": 7, "content_type": "application/pdf", "checksum": "0"}
    ]


@pytest.mark.parametrize("name", ["#1", hash_of("one")[:6]])
def test_people_get_a_jobs_facts_and_its_history(call: Call, job: Job, name: str) -> None:
    lines = call("status", name).stdout.splitlines()

    facts = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines[1:] if line and not line.startswith("2026")}
    assert facts["job"] == "#1 (default/pdf)"
    assert facts["document"] == "/docs/one.pdf"
    assert facts["hash"] == hash_of("one")
    assert facts["priority"] == "high"
    assert facts["attempts"] == "1 of 3"
    assert facts["error"] == "one.pdf: it is HTML [not_a_pdf]"
    history = [line.split()[2:] for line in lines if line.startswith("2026")]
    assert history == [["submitted", "-", "-"], ["claimed", "alice", "-"], ["died", "alice", "not_a_pdf"]]


def test_a_job_that_went_well_shows_its_result_and_no_error(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job("one")])
    (held,) = queue.claim(PDFS, worker_id=ALICE)
    queue.end([Completed(held, '{"pages":3,"images":1,"output_size":4200,"recipe":"0123abcd"}')])

    lines = call("status", "#1").stdout.splitlines()

    assert any(line.split() == ["document", "unknown"] for line in lines)
    assert any(
        line.split() == ["result", "3", "pages,", "1", "picture,", "4.2", "kB;", "recipe", "0123abcd"] for line in lines
    )
    assert not any(line.startswith(("error", "gaps", "doubts")) for line in lines)


def test_a_job_with_flaws_in_its_result_says_so_in_words(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job("one")])
    (held,) = queue.claim(PDFS, worker_id=ALICE)
    flaws = '{"pages":3,"pages_failed":1,"codes":{"ocr_unavailable":1},"repaired":true,"warnings":{"text_lost":2}}'
    queue.end([Completed(held, flaws)])

    shown = call("status", "#1").stdout

    assert "1 of 3 pages is missing (ocr_unavailable)" in shown
    assert "the file was damaged and repaired; doubtful pages: 2 text_lost" in shown


@pytest.mark.parametrize(
    ("name", "code", "exit_code"),
    [("#17", "not_found", 1), ("abcdef", "not_found", 1), ("xyz", "invalid_value", 2), ("#x", "invalid_value", 2)],
)
def test_a_job_that_is_not_there_or_no_job_at_all_is_an_error(
    call: Call, job: Job, name: str, code: str, exit_code: int
) -> None:
    done = call("status", name, "--json")

    assert done.exit_code == exit_code
    assert json.loads(done.stdout)["error"]["code"] == code


def test_the_beginning_of_several_hashes_is_not_enough(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job("one"), new_job("one", type="echo")])

    done = call("status", hash_of("one")[:8])

    assert done.exit_code == 2
    assert "begins the hash of several jobs: #2 (echo, " in done.stderr
    assert "; say which by '#id' [" in done.stderr


def test_a_result_that_another_program_made_is_called_that(call: Call, queue: CoordinationService) -> None:
    queue.submit([new_job("theirs")])
    (held,) = queue.claim(PDFS, worker_id=ALICE)
    result = f'{{"key": "outputs/x.zip", "recipe": "{UNRECORDED}"}}'
    queue.end([Completed(held, result, ())])

    people = call("status", hash_of("theirs")).stdout

    assert "made by another program" in people
    assert "0 pages" not in people
    assert UNRECORDED not in people
