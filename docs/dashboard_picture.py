"""The dashboard of a made-up queue, drawn by the program's own renderer, for the picture in the documents."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from rich.console import Console

from blobforge.cli.overview.board import SHORT, board
from blobforge.cli.overview.facts import Overview, look
from blobforge.cli.overview.paper import Paper
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Failure
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import Machine, Metrics, RunningJob, WorkerReport, report_json
from blobforge.ports.job_store import Queue
from blobforge.testing.builders import new_job
from blobforge.testing.clock import FakeClock

COLUMNS = 100
NOW = datetime(2026, 5, 4, 23, 12, tzinfo=UTC)


def as_svg() -> str:
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    console.print(board(_overview(), Paper(COLUMNS), SHORT))
    return console.export_svg(title="blobforge dashboard")


def _overview() -> Overview:
    queue = CoordinationService(MemoryJobStore(), clock=FakeClock(NOW))
    queue.submit([new_job(f"{number}", source_path=f"/library/issue-{number:03}.pdf") for number in range(120)])
    held = queue.claim(Queue("default", ("pdf",)), worker_id=WorkerId("rack4"), limit=85)
    queue.end([Completed(job, "{}") for job in held[:81]])
    queue.end([Failed(held[81], Failure("not_a_pdf", "issue-081.pdf: this is HTML"))])
    for worker in _workers():
        queue.register_worker(worker)
    return look(queue, project="default", now=NOW, lost_after=timedelta(minutes=3))


def _workers() -> list[Worker]:
    return [
        _worker("rack4-9f3c1a20", 87, 640, [_job("atlas-of-the-coast.pdf", "Recognizing Text", 5, 12, 57)]),
        _worker(
            "rack5-77aa01bc",
            64,
            655,
            [_job("annual-report.pdf", "Converting", 130, 412, 174), _job("handbook.pdf", "Writing", 88, 88, 1)],
        ),
        _worker("old-laptop-0c41d9e7", 0, 45, [], heard=timedelta(hours=2)),
    ]


def _worker(
    name: str, cpu: float, done: int, jobs: Sequence[RunningJob], *, heard: timedelta = timedelta(seconds=12)
) -> Worker:
    report = WorkerReport(
        name=name,
        slots=2,
        running=len(jobs),
        heartbeat_seconds=60.0,
        machine=Machine(cpu_percent=cpu, memory_used=26, memory_total=64, disk_used=41, disk_total=100),
        metrics=Metrics(
            jobs_completed=done,
            jobs_failed=done // 200,
            bytes_processed=done * 3_400_000,
            avg_processing_time=4.1,
            jobs_per_hour=done * 0.6,
        ),
        jobs=tuple(jobs),
    )
    return Worker(
        id=WorkerId(f"{name}.4711.ab12cd34"),
        type="pdf",
        status=WorkerStatus.ONLINE,
        last_heartbeat=NOW - heard,
        metadata=report_json(report),
    )


def _job(name: str, stage: str, current: int, total: int, left: float) -> RunningJob:
    return RunningJob(
        name=name,
        size=total * 30_000,
        started_at=NOW - timedelta(seconds=current),
        stage=stage,
        current=current,
        total=total,
        rate=1.0,
        eta_seconds=left,
    )
