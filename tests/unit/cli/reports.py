"""Workers and queues for the tests of what people see."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from blobforge.cli.overview.facts import Overview, look
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import WorkerId
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import Machine, Metrics, RunningJob, WorkerReport, report_json
from blobforge.ports.coordinator import Coordinator
from blobforge.testing.clock import START, FakeClock

LOST_AFTER = timedelta(seconds=180)
BUSY_MACHINE = Machine(cpu_percent=87.4, memory_used=3_300, memory_total=8_000, disk_used=40_000, disk_total=100_000)
RECORD = Metrics(
    jobs_completed=1340, jobs_failed=12, bytes_processed=4_200_000_000, avg_processing_time=4.13, jobs_per_hour=412.0
)


def running_job(**facts: Any) -> RunningJob:
    usual: dict[str, Any] = {
        "job_id": 7,
        "type": "pdf",
        "source_hash": "7f3a9b" * 10,
        "name": "annual-report.pdf",
        "size": 12_345_678,
        "started_at": START - timedelta(seconds=72),
        "stage": "Recognizing Text",
        "current": 5,
        "total": 12,
        "rate": 0.11,
        "eta_seconds": 57.0,
    }
    return RunningJob(**{**usual, **facts})


def worker(
    name: str = "rack4",
    *,
    ago: float = 12,
    status: WorkerStatus = WorkerStatus.ONLINE,
    jobs: Sequence[RunningJob] = (),
    process: str = "1.00",
    **facts: Any,
) -> Worker:
    usual: dict[str, Any] = {"slots": 4, "heartbeat_seconds": 60.0, "machine": BUSY_MACHINE, "metrics": RECORD}
    report = WorkerReport(name=name, running=len(jobs), jobs=tuple(jobs), **{**usual, **facts})
    return Worker(
        id=WorkerId(f"{name}.{process}"),
        type="pdf",
        status=status,
        last_heartbeat=START - timedelta(seconds=ago),
        metadata=report_json(report),
    )


def queue_with(*workers: Worker) -> CoordinationService:
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock())
    for one in workers:
        queue.register_worker(one)
    return queue


def seen(queue: Coordinator) -> Overview:
    return look(queue, project="default", now=START, lost_after=LOST_AFTER)
