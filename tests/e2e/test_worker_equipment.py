"""Workers that have not all that a job needs: it waits for another one, and people are told what is missing."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import make_url
from tests.e2e.program import Blobforge
from tests.pdfs import scanned_pdf, text_pdf
from tests.postgres import Server

from blobforge.domain.ids import DEFAULT_PROJECT, WorkerId
from blobforge.domain.job import State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import JobFilter


@pytest.fixture
def program(tmp_path: Path) -> Blobforge:
    return Blobforge(tmp_path, tmp_path / "home")


def the_job(program: Blobforge) -> dict[str, object]:
    (job,) = json.loads(program.call("list", "--json").stdout)["jobs"]
    return dict(job)


def left_behind(log: str) -> list[tuple[int, list[str]]]:
    """How many jobs a worker left to others, and for what they wait."""
    lines = map(json.loads, log.splitlines())
    event = "jobs wait for what this worker has not"
    return [(line["jobs"], line["needs"]) for line in lines if line["event"] == event]


def test_what_no_worker_can_do_is_taken_in_and_waits_and_everybody_says_for_what(program: Blobforge) -> None:
    text_pdf(program.cwd / "a.pdf")
    text_pdf(program.cwd / "b.pdf")

    taken_in = program.call("submit", "a.pdf", "--option", "engine=marker")
    program.call("submit", "b.pdf")
    drained = program.call("worker", "--drain")

    assert taken_in.exit_code == 0, taken_in.output
    assert drained.exit_code == 3, drained.output
    assert left_behind(drained.stderr) == [(1, ["engine:marker"])]
    jobs = {Path(job["source_path"]).name: job for job in json.loads(program.call("list", "--json").stdout)["jobs"]}
    assert (jobs["a.pdf"]["state"], jobs["a.pdf"]["attempts"]) == ("pending", 0)
    assert jobs["b.pdf"]["state"] == "completed"
    why = json.loads(program.call("why", jobs["a.pdf"]["source_hash"], "--json").stdout)
    assert why["reason"] == "no_worker"
    assert "the engine marker" in why["explanation"]
    assert "[marker]'" in " ".join(why["commands"])


def test_nobody_is_told_to_install_what_is_there(program: Blobforge) -> None:
    text_pdf(program.cwd / "a.pdf")
    program.call("submit", "a.pdf", "--option", "engine=liteparse")

    why = json.loads(program.call("why", str(the_job(program)["source_hash"]), "--json").stdout)

    assert why["explanation"].endswith("It needs one that has the engine liteparse, as this machine does.")
    assert why["commands"] == ["blobforge worker --type pdf"]


def test_a_job_of_an_older_version_goes_back_without_losing_an_attempt(program: Blobforge) -> None:
    """Nothing in its row says what it needs: the worker finds out, and takes it no more."""
    text_pdf(program.cwd / "a.pdf")
    program.call("submit", "a.pdf")
    with program.queue() as queue:
        (job,) = queue.page(JobFilter(project=DEFAULT_PROJECT))
        queue.amend(job.id, metadata='{"options":{"engine":"docling"}}')

    drained = program.call("worker", "--drain")

    assert drained.exit_code == 3, drained.output
    assert "the engine docling" in drained.stderr
    with program.queue() as queue:
        job = queue.get(job.id)
    assert (job.state, job.attempts, job.needs) == (State.PENDING, 0, "engine:docling")
    assert job.lease_number == 1


def test_a_worker_says_at_its_start_who_it_is_and_what_it_has(program: Blobforge) -> None:
    drained = program.call("worker", "--drain", BLOBFORGE_WORKER_ID="desk")

    (started,) = [line for line in drained.stderr.splitlines() if "worker started" in line]
    facts = json.loads(started)
    assert facts["worker_id"].startswith("desk.")
    assert (facts["queue"], facts["store"]) == (
        f"sqlite:///{program.home / 'queue.db'}",
        (program.home / "blobs").as_uri(),
    )
    assert (facts["slots"], facts["engines"].split()[:2], "eng" in facts["languages"]) == (
        1,
        ["blobforge", "liteparse"],
        True,
    )


def test_the_start_of_a_worker_shows_no_password(program: Blobforge, postgres_server: Server) -> None:
    url = make_url(postgres_server.new_database())
    told = url.set(password="opensesame").render_as_string(hide_password=False)

    drained = program.call("worker", "--drain", BLOBFORGE_QUEUE=told)

    assert "worker started" in drained.stderr, drained.output
    assert "opensesame" not in drained.output


def test_each_end_tells_document_pages_and_seconds_and_the_record_outlives_the_worker(program: Blobforge) -> None:
    """R2-19, R2-20."""
    text_pdf(program.cwd / "book.pdf", "One", "Two")
    program.call("submit", "book.pdf")

    drained = program.call("worker", "--drain", BLOBFORGE_WORKER_ID="desk")

    (ended,) = [json.loads(line) for line in drained.stderr.splitlines() if '"job ended"' in line]
    assert (ended["document"], ended["pages"], ended["now"]) == ("book.pdf", 2, "completed")
    assert ended["seconds"] > 0
    said = json.loads(program.call("workers", "--json").stdout)
    assert [(gone["name"], gone["metrics"]["jobs_completed"]) for gone in said["past"]] == [("desk", 1)]
    assert said["totals"]["jobs_completed"] == 1
    assert "PAST WORKER" in program.call("workers").output


@pytest.mark.needs("tesseract")
def test_a_scan_is_left_to_a_worker_that_can_read_it_while_there_is_one(program: Blobforge) -> None:
    scanned_pdf(program.cwd / "scan.pdf")
    program.call("submit", "scan.pdf")
    with program.queue() as queue:
        # One that is busy with something else.
        report: JsonObject = {"has": ["engine:blobforge", "tool:tesseract", "ocr:eng"], "heartbeat_seconds": 60}
        queue.register_worker(
            Worker(
                id=WorkerId("rack.1.00"),
                type="pdf",
                status=WorkerStatus.ONLINE,
                last_heartbeat=datetime.now(UTC),
                metadata=report,
            )
        )

    without = program.run("worker", "--drain", PATH="/nonexistent")
    waiting = the_job(program)
    done = program.run("worker", "--drain")

    assert (without.returncode, waiting["state"], waiting["attempts"]) == (3, "pending", 0)
    assert left_behind(without.stderr) == [(1, ["tool:tesseract"])]
    assert (done.returncode, the_job(program)["state"]) == (0, "completed")
    assert json.loads(program.call("list", "--gaps", "--json").stdout)["jobs"] == []
