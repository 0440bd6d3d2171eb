"""How soon an idle worker starts a new job, and what it costs the database while it waits."""

import logging
import os
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import event

from benchmarks.harness import Measure
from benchmarks.queue import QUEUE, WORKER, add_jobs, open_service
from blobforge import wiring
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.wakeup import FileWakeup
from blobforge.domain.endings import Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, SourceUnreadable, StoreUnavailable
from blobforge.domain.job import Job
from blobforge.plugins import load_processor
from blobforge.ports.processor import Progress
from blobforge.worker.child import ChildSpec
from blobforge.worker.equipment import Equipment
from blobforge.worker.error_log import ErrorLog
from blobforge.worker.feed import QueueFeed, Until
from blobforge.worker.limits import ChildLimits
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.results import ResultStore
from blobforge.worker.workspace import Workspace

SAMPLES = 60
IDLE_SECONDS = 10.0


class _NoSource:
    """Each job ends for good right after the claim that is measured."""

    def locate(self, _job: Job, _workspace: Path) -> Path:
        raise SourceUnreadable("made for the bench")


class _Watch:
    def __init__(self) -> None:
        self.claimed_at = 0.0
        self.seen = threading.Event()
        self.free = threading.Event()

    def claimed(self, _job: Job) -> None:
        self.claimed_at = time.perf_counter()
        self.seen.set()

    def progressed(self, _job: Job, _progress: Progress) -> None:
        """Of no interest here."""

    def ended(self, _outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        self.free.set()

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        raise problem


def measures() -> Iterator[Measure]:
    logging.getLogger("blobforge").setLevel(logging.CRITICAL)
    with TemporaryDirectory() as folder:
        path = Path(folder, "queue.db")
        submitter, service = open_service(path), open_service(path)
        statements = _count_statements(service)
        watch = _Watch()
        loop = _worker(service, path, Path(folder), watch)
        thread = threading.Thread(target=loop.run, name="bench-worker")
        thread.start()
        waits = [_one(submitter, watch, number) for number in range(SAMPLES)]
        before = statements[0]
        time.sleep(IDLE_SECONDS)  # the idle time itself is what is measured
        rate = (statements[0] - before) / IDLE_SECONDS
        loop.stop()
        thread.join()
        submitter.close()
        service.close()
    yield Measure(
        what="enqueue to start, idle worker, p50",
        value=statistics.median(waits) * 1000,
        unit="ms",
        goal=25,
        better="less",
        details=f"p90 {sorted(waits)[int(len(waits) * 0.9)] * 1000:.1f} ms of {SAMPLES}",
    )
    yield Measure(
        what="statements of an idle worker", value=rate, unit="1/s", goal=1, better="less", details="as SQLite saw them"
    )


def _one(submitter: CoordinationService, watch: _Watch, number: int) -> float:
    watch.seen.clear()
    watch.free.clear()
    began = time.perf_counter()
    add_jobs(submitter, 1, first=number)
    watch.seen.wait(30)
    watch.free.wait(30)
    # A varying pause, so that samples do not fall into step with the worker's own rhythm.
    time.sleep(0.05 + 0.0037 * (number % 11))
    return watch.claimed_at - began


def _count_statements(service: CoordinationService) -> list[int]:
    count = [0]

    def add(_statement: str) -> None:
        count[0] += 1

    engine: Any = service._store._engine  # type: ignore[attr-defined]

    @event.listens_for(engine, "connect")
    def trace(connection: Any, _record: object) -> None:
        connection.set_trace_callback(add)

    engine.dispose()
    return count


def _worker(service: CoordinationService, path: Path, folder: Path, watch: _Watch) -> WorkerLoop:
    blobs = DirectoryBlobStore(folder / "blobs")
    equipment = Equipment(
        processor=load_processor("echo"),
        spec=ChildSpec(factory=wiring.factory_of("echo"), limits=ChildLimits(), environment=os.environ),
        results=ResultStore(blobs),
        sources=_NoSource(),
        workspaces=Workspace(folder / "work"),
    )
    return WorkerLoop(
        service,
        QueueFeed(service, QUEUE, WORKER, until=Until.STOPPED),
        {"pdf": equipment},
        LoopSettings(worker_id=WORKER, slots=1, heartbeat=timedelta(seconds=60)),
        clock=SystemClock(),
        wakeup=FileWakeup(path),
        watcher=watch,
        error_log=ErrorLog(lambda _: blobs),
    )
