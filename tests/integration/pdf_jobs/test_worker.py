"""`blobforge lab-worker` on a database of another application, as its owner sets it up."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from tests.e2e.program import Blobforge, children_of, ended, until
from tests.integration.pdf_jobs.application import Application
from tests.integration.pdf_jobs.pipelines import broken_pipeline, gated_pipeline
from tests.integration.pdf_jobs.reports import TONGUES, report
from tests.pdfs import locked_pdf, pdf_without_pages, scanned_pdf

DRAIN = ("lab-worker", "--drain", "--json")
LOOKS = 10
"""More transactions than a worker needs to begin, and to end at an empty table."""


@pytest.mark.parametrize(
    "application",
    ["enum", *(pytest.param(form, marks=pytest.mark.extended) for form in ("text", "checked"))],
    indirect=True,
)
def test_ac_3_4_and_5_a_report_of_each_language_is_read_and_stored(
    application: Application, blobforge: Blobforge
) -> None:
    """R3-1, R3-13, R3-14, R3-18, R3-19, R3-20, R3-27, R3-31, R3-32, R3-33."""
    jobs = {tongue: application.upload(report(tongue)) for tongue in TONGUES}

    done = blobforge.run(*DRAIN, **application.variables)

    assert json.loads(done.stdout) == {
        "completed": 7,
        "failed": 0,
        "released": 0,
        "lost": 0,
        "cancelled": 0,
        "gaps": 0,
        "doubts": 0,
    }
    for tongue, job in jobs.items():
        document, row = application.document(job), application.job(job)
        normalized, raw = document["ml_normalized_result"], document["ml_raw_result"]
        assert (row["status"], row["attempts"], row["locked_at"], row["error_message"]) == ("done", 1, None, None)
        assert document["processed_at"] is not None
        assert list(normalized) == ["DOB", "common", "language", "first_name", "second_name", "observations"]
        assert (normalized["language"], normalized["DOB"]) == (tongue.code, tongue.birthday)
        assert normalized["second_name"].casefold() == tongue.second.casefold()
        assert len(normalized["observations"]) == len(tongue.results)
        keys = {"biomarker_name", "biomarker_code", "value", "unit", "reference_range"}
        assert all(set(each) - {"comparator"} == keys for each in normalized["observations"])
        assert all(isinstance(each["value"], int | float) for each in normalized["observations"])
        assert raw["rows"]


def test_each_end_is_one_line_of_json_with_its_facts(enum_application: Application, blobforge: Blobforge) -> None:
    """R3-23."""
    job = enum_application.upload(report())
    enum_application.upload(b"nothing")

    done = blobforge.run(*DRAIN, **enum_application.variables, BLOBFORGE_LOG_FORMAT="json")

    told = [line for line in map(json.loads, done.stderr.splitlines()) if line["event"] == "pdf job"]
    assert [(line["status"], line["error_type"]) for line in told] == [("done", None), ("failed", "not_a_pdf")]
    assert (told[0]["job_id"], told[0]["document_id"]) == (str(job), enum_application.document(job)["id"])
    assert told[0]["duration_ms"] > 0


Maker = Callable[[Path], Path]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (scanned_pdf, "no_text"),
        (lambda path: locked_pdf(path, password="secret"), "encrypted_pdf"),
        (pdf_without_pages, "no_pages"),
        (lambda path: _written(path, b""), "empty_file"),
        (lambda path: _written(path, b"%PDF-1.7\nbroken"), "damaged_pdf"),
        (lambda path: _written(path, b"<html>"), "not_a_pdf"),
    ],
    ids=["scanned", "encrypted", "no pages", "empty", "broken", "no PDF"],
)
def test_what_cannot_be_read_fails_at_once_and_says_why(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path, make: Maker, code: str
) -> None:
    """R3-16, R3-17, R3-22, R3-28."""
    job = enum_application.upload(make(tmp_path / "made.pdf").read_bytes())

    blobforge.call(*DRAIN, **enum_application.variables)

    row = enum_application.job(job)
    assert (row["status"], row["attempts"]) == ("failed", 1)
    assert row["error_message"].startswith(f"{code}: document {row['uploaded_document_id']}: ")
    assert enum_application.document(job)["ml_raw_result"] is None


def test_a_file_on_another_disk_fails_at_once(enum_application: Application, blobforge: Blobforge) -> None:
    """R3-5."""
    job = enum_application.upload(report(), disk="s3")

    blobforge.call(*DRAIN, **enum_application.variables)

    assert enum_application.job(job)["status"] == "failed"
    assert "'s3'" in enum_application.job(job)["error_message"]


def test_ac_6_a_file_that_never_comes_is_tried_three_times(enum_application: Application, blobforge: Blobforge) -> None:
    """R3-21, R3-34, R3-39."""
    enum_application.put_file(b"", "another")
    job = enum_application.upload(None)

    blobforge.call(*DRAIN, **enum_application.variables)

    assert (enum_application.job(job)["status"], enum_application.job(job)["attempts"]) == ("failed", 3)
    assert enum_application.job(job)["error_message"].startswith("source_missing: ")


def test_a_file_that_is_late_is_read(enum_application: Application, blobforge: Blobforge) -> None:
    """R3-21, R3-39."""
    enum_application.put_file(b"", "another")
    job = enum_application.upload(None)
    blobforge.call("lab-worker", "--run-once", **enum_application.variables)
    enum_application.put_file(report(), str(enum_application.path_of(job).relative_to(enum_application.uploads)))

    blobforge.call(*DRAIN, **enum_application.variables)

    assert (enum_application.job(job)["status"], enum_application.job(job)["attempts"]) == ("done", 2)
    assert enum_application.job(job)["error_message"] is None


def test_an_exception_in_the_pipeline_is_tried_three_times_and_tells_its_place_alone(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path
) -> None:
    """R3-22, R3-28, R3-40."""
    job = enum_application.upload(report())

    done = blobforge.run(*DRAIN, **enum_application.variables, **broken_pipeline(tmp_path / "broken").variables)

    row = enum_application.job(job)
    assert (row["status"], row["attempts"]) == ("failed", 3)
    assert row["error_message"].startswith("processing_error: ValueError at ")
    assert "__init__.py:11 staged" in row["error_message"]
    assert "Mustermann" not in row["error_message"] + done.stdout + done.stderr


def test_uploads_that_are_not_mounted_cost_no_attempt(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path
) -> None:
    job = enum_application.upload(report())
    enum_application.uploads.rename(tmp_path / "away")

    worker = started(blobforge, *DRAIN, variables={**enum_application.variables})
    looks: set[object] = set()

    def has_tried() -> bool:
        """It holds the job only for a moment each time, which may pass between two looks."""
        looks.update(enum_application.commits_of_workers())
        return enum_application.job(job)["locked_at"] is not None or len(looks) > 2

    until(has_tried)
    (tmp_path / "away").rename(enum_application.uploads)
    ended(worker)

    assert (enum_application.job(job)["status"], enum_application.job(job)["attempts"]) == ("done", 1)


def test_a_worker_that_waits_finds_a_job_that_comes_later(enum_application: Application, blobforge: Blobforge) -> None:
    """R3-1, R3-12."""
    variables = {**enum_application.variables, "POLL_INTERVAL_SECONDS": "0.05"}
    worker = started(blobforge, "lab-worker", variables=variables)
    looks: set[object] = set()

    def has_looked_in_vain() -> bool:
        looks.update(enum_application.commits_of_workers())
        return len(looks) >= LOOKS or worker.poll() is not None

    until(has_looked_in_vain)
    assert worker.poll() is None
    job = enum_application.upload(report())

    until(lambda: enum_application.job(job)["status"] == "done")
    worker.send_signal(signal.SIGTERM)
    assert ended(worker).returncode == 0


def test_while_a_job_is_worked_on_its_row_is_free_and_shows_signs_of_life(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path
) -> None:
    """R3-10."""
    job = enum_application.upload(report())
    gate = gated_pipeline(tmp_path / "gated")
    variables = {**enum_application.variables, **gate.variables, "STALE_LOCK_SECONDS": "10"}
    worker = started(blobforge, *DRAIN, variables=variables)
    until(gate.is_waiting)
    since = enum_application.job(job)["locked_at"]

    enum_application.row("SELECT 1 FROM pdf_jobs WHERE id = %s FOR UPDATE NOWAIT", (job,))
    until(lambda: enum_application.job(job)["locked_at"] > since)
    gate.let_go()

    assert json.loads(ended(worker).stdout)["completed"] == 1
    assert enum_application.job(job)["attempts"] == 1


def test_the_settings_reach_what_they_are_for(enum_application: Application, blobforge: Blobforge) -> None:
    """R3-24, R3-42."""
    small, large = enum_application.upload(None), enum_application.upload(None)
    for job, content in ((small, b"nothing"), (large, report() + b" " * 1_000_000)):
        enum_application.put_file(content, f"by-id/{enum_application.document(job)['id']}.pdf")
    missing = enum_application.upload(None)
    variables = {"STORAGE_PATH_TEMPLATE": "by-id/{id}.pdf", "MAX_FILE_MB": "1", "MAX_ATTEMPTS": "1"}

    blobforge.call(*DRAIN, **{**enum_application.variables, **variables})

    codes = [enum_application.job(job)["error_message"].partition(":")[0] for job in (small, large, missing)]
    assert codes == ["not_a_pdf", "source_too_large", "source_missing"]
    assert [enum_application.job(job)["attempts"] for job in (small, large, missing)] == [1, 1, 1]


@pytest.mark.parametrize("model", ["blank:qq", "json", "de_core_news_nowhere"])
def test_a_pipeline_that_cannot_be_loaded_is_told_before_any_job_fails_of_it(
    enum_application: Application, blobforge: Blobforge, model: str
) -> None:
    job = enum_application.upload(report())

    done = blobforge.call(*DRAIN, **{**enum_application.variables, "SPACY_MODEL_NAME": model})

    assert done.exit_code != 0
    assert model in done.output
    assert enum_application.job(job)["attempts"] == 0


def test_what_lies_on_the_disk_for_a_while_is_for_the_worker_alone(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path
) -> None:
    enum_application.upload(report())
    gate = gated_pipeline(tmp_path / "gated")
    worker = started(blobforge, *DRAIN, variables={**enum_application.variables, **gate.variables})
    until(gate.is_waiting)

    assert list((blobforge.home / "lab-workers").rglob("source"))
    assert (blobforge.home / "lab-workers").stat().st_mode & 0o077 == 0
    gate.let_go()
    ended(worker)


def test_ac_2_a_worker_that_is_killed_in_the_middle_leaves_a_job_that_another_does(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path
) -> None:
    """R3-30, R3-47."""
    job = enum_application.upload(report())
    gate = gated_pipeline(tmp_path / "gated")
    worker = started(blobforge, "lab-worker", variables={**enum_application.variables, **gate.variables})
    until(gate.is_waiting)
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()

    assert enum_application.job(job)["status"] == "processing"
    enum_application.age_lock(job, seconds=601)
    blobforge.call(*DRAIN, **enum_application.variables)

    assert (enum_application.job(job)["status"], enum_application.job(job)["attempts"]) == ("done", 2)
    # The copy of the report that the dead worker had is gone with it.
    assert [path for path in blobforge.home.rglob("*") if path.is_file()] == []


def test_a_worker_that_was_frozen_and_comes_back_changes_nothing(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path
) -> None:
    """R3-30, R3-47."""
    job = enum_application.upload(report())
    gate = gated_pipeline(tmp_path / "gated")
    zombie = started(blobforge, *DRAIN, variables={**enum_application.variables, **gate.variables})
    until(gate.is_waiting)
    zombie.send_signal(signal.SIGSTOP)
    enum_application.age_lock(job, seconds=601)
    blobforge.call(*DRAIN, **enum_application.variables)
    enum_application.execute("UPDATE uploaded_documents SET ml_normalized_result = '{}', processed_at = NULL")

    gate.let_go()
    zombie.send_signal(signal.SIGCONT)

    assert json.loads(ended(zombie).stdout) == {
        "completed": 0,
        "failed": 0,
        "released": 0,
        "lost": 1,
        "cancelled": 0,
        "gaps": 0,
        "doubts": 0,
    }
    assert (enum_application.job(job)["status"], enum_application.job(job)["attempts"]) == ("done", 2)
    document = enum_application.document(job)
    assert (document["ml_normalized_result"], document["processed_at"]) == ({}, None)


def test_ac_1_two_workers_on_one_table_never_do_the_same_job(
    enum_application: Application, blobforge: Blobforge
) -> None:
    """R3-29, R3-47."""
    jobs = [enum_application.upload(report()) for _ in range(12)]

    workers = [started(blobforge, *DRAIN, variables=enum_application.variables) for _ in range(2)]
    tallies = [json.loads(ended(worker).stdout) for worker in workers]

    assert enum_application.statuses() == ["done"] * 12
    assert [enum_application.job(job)["attempts"] for job in jobs] == [1] * 12
    assert sum(tally["completed"] for tally in tallies) == 12
    assert sum(tally["lost"] + tally["failed"] for tally in tallies) == 0


def test_a_signal_lets_the_running_job_end(enum_application: Application, blobforge: Blobforge, tmp_path: Path) -> None:
    """R3-45."""
    job = enum_application.upload(report())
    enum_application.upload(report())
    gate = gated_pipeline(tmp_path / "gated")
    worker = started(blobforge, "lab-worker", "--json", variables={**enum_application.variables, **gate.variables})
    until(gate.is_waiting)

    worker.send_signal(signal.SIGTERM)
    gate.let_go()

    assert json.loads(ended(worker).stdout)["completed"] == 1
    assert worker.returncode == 0
    assert enum_application.statuses() == ["done", "pending"]
    assert enum_application.job(job)["attempts"] == 1


def test_a_second_signal_hands_it_back_without_an_attempt(
    enum_application: Application, blobforge: Blobforge, tmp_path: Path
) -> None:
    """R3-45."""
    job = enum_application.upload(report())
    gate = gated_pipeline(tmp_path / "gated")
    worker = started(blobforge, "lab-worker", "--json", variables={**enum_application.variables, **gate.variables})
    until(gate.is_waiting)
    children = children_of(worker.pid)

    worker.send_signal(signal.SIGTERM)
    # Of two equal signals that wait, a process hears one.
    worker.send_signal(signal.SIGINT)

    assert json.loads(ended(worker).stdout)["released"] == 1
    row = enum_application.job(job)
    assert (row["status"], row["attempts"], row["locked_at"]) == ("pending", 0, None)
    until(lambda: not children.keys() & children_of(os.getpid()).keys())


def started(blobforge: Blobforge, *args: str, variables: dict[str, Any]) -> "Popen[str]":
    return blobforge.start(*args, **variables)


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
