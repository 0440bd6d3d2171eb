"""What a worker tells of itself, written and read."""

import json
from dataclasses import replace

from blobforge.domain.json_value import JsonObject
from blobforge.domain.worker_report import Machine, Metrics, RunningJob, WorkerReport, read_report, report_json
from blobforge.testing.clock import START

JOB = RunningJob(
    job_id=7,
    type="pdf",
    source_hash="ab" * 32,
    name="report.pdf",
    size=1000,
    started_at=START,
    elapsed_seconds=12.5,
    stage="Recognizing Text",
    current=5,
    total=12,
    rate=0.4,
    eta_seconds=17.5,
)
REPORT = WorkerReport(
    name="rack4",
    slots=4,
    running=1,
    heartbeat_seconds=60.0,
    run_windows=("22:00-06:00",),
    opens_at=START,
    machine=Machine(cpu_percent=50.0, memory_used=1, memory_total=2, disk_used=3, disk_total=4),
    metrics=Metrics(jobs_completed=3, jobs_failed=1, bytes_processed=9000, avg_processing_time=1.5, jobs_per_hour=60.0),
    jobs=(JOB,),
)


def test_a_report_survives_being_kept_as_json() -> None:
    """R2-16, R2-17, R2-31."""
    kept = json.loads(json.dumps(report_json(REPORT)))

    assert read_report(kept, worker_id="rack4.1.00") == REPORT


def test_its_fields_have_the_names_that_others_read() -> None:
    """R2-17, R2-19, R2-31."""
    told = json.loads(json.dumps(report_json(REPORT)))

    assert told["metrics"] == {
        "jobs_completed": 3,
        "jobs_failed": 1,
        "bytes_processed": 9000,
        "avg_processing_time": 1.5,
        "jobs_per_hour": 60.0,
    }
    assert told["jobs"] == [
        {
            "job_id": "7",
            "type": "pdf",
            "source_hash": "ab" * 32,
            "name": "report.pdf",
            "size": 1000,
            "started_at": "2026-01-01T12:00:00+00:00",
            "elapsed_seconds": 12.5,
            "stage": "Recognizing Text",
            "current": 5,
            "total": 12,
            "rate": 0.4,
            "eta_seconds": 17.5,
        }
    ]


def test_an_id_that_no_float_can_hold_comes_back_as_it_was() -> None:
    """R2-19."""
    jobs = tuple(replace(REPORT.jobs[0], job_id=179_496_964_654_660_150 + number) for number in range(2))

    kept = json.loads(json.dumps(report_json(replace(REPORT, jobs=jobs))))

    assert kept["jobs"][1]["job_id"] == "179496964654660151"
    assert read_report(kept, worker_id="rack4.1.00").jobs == jobs


def test_a_worker_without_a_report_is_known_by_its_id() -> None:
    assert read_report({}, worker_id="rack4.1.00") == WorkerReport(name="rack4.1.00")


def test_what_makes_no_sense_is_left_out() -> None:
    """R2-46."""
    said: JsonObject = {
        "name": 5,
        "slots": "two",
        "run_windows": ["22:00-06:00", 3],
        "machine": [],
        "metrics": {"jobs_completed": "7", "avg_processing_time": "x"},
        "jobs": ["no job", {"job_id": None, "started_at": "then", "total": "12"}],
    }

    report = read_report(said, worker_id="w")

    assert report == WorkerReport(
        name="w", run_windows=("22:00-06:00",), metrics=Metrics(jobs_completed=7), jobs=(RunningJob(total=12),)
    )
