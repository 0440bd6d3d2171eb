"""Our queue as a worker, a producer and an idle listener use it."""

import logging
import os
import signal
import time
from collections.abc import Sequence
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.postgres.race import Span, Task
from benchmarks.queue import QUEUE, add_jobs
from blobforge import wiring
from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.coordination.sql.postgres.debounced_notify import DebouncedNotify
from blobforge.domain.endings import Completed, Ending
from blobforge.domain.errors import BlobForgeError, DiskFull, SourceUnreadable, StoreUnavailable
from blobforge.domain.ids import DEFAULT_PROJECT, WorkerId
from blobforge.domain.job import Job, NewJob
from blobforge.plugins import load_processor
from blobforge.ports.processor import Progress
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import hash_of
from blobforge.worker.child import ChildSpec
from blobforge.worker.equipment import Equipment
from blobforge.worker.error_log import ErrorLog
from blobforge.worker.feed import QueueFeed, Until
from blobforge.worker.limits import ChildLimits
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.observer import WorkerObserver
from blobforge.worker.results import ResultStore
from blobforge.worker.sources import SourceFinder
from blobforge.worker.workspace import Workspace

LEASE = timedelta(seconds=180)


def open_service(url: str, *, lease: timedelta = LEASE) -> CoordinationService:
    return CoordinationService(open_queue(url, QueueOptions()).store, clock=SystemClock(), lease_for=lease)


def fill(url: str, jobs: int) -> None:
    service = open_service(url)
    add_jobs(service, jobs)
    service.close()


def drain(task: Task) -> Span:
    """No-op jobs, each batch ended and the next one claimed in one transaction."""
    service = open_service(task.url)
    worker_id = WorkerId(f"bench-{task.rank}")
    task.begin()
    claimed = service.claim(QUEUE, worker_id=worker_id, limit=task.batch)
    first, jobs = time.monotonic(), 0
    while claimed:
        jobs += len(claimed)
        endings = [Completed(job, "{}") for job in claimed]
        claimed = service.end_and_claim(endings, QUEUE, worker_id=worker_id, limit=task.batch).claimed
    last = time.monotonic()
    service.close()
    return Span(jobs, first, last)


def produce(task: Task) -> Span:
    """This process's share of the jobs, in batches, as they come to a server; listeners are notified."""
    return _produce(open_service(task.url), task)


def produce_silently(task: Task) -> Span:
    service = open_service(task.url)
    service._store._driver._notify = DebouncedNotify(lambda: None)  # type: ignore[attr-defined]
    return _produce(service, task)


def _produce(service: CoordinationService, task: Task) -> Span:
    batches = [
        [
            NewJob(DEFAULT_PROJECT, "pdf", hash_of(f"{task.rank} {number}"))
            for number in range(start, start + task.batch)
        ]
        for start in range(0, task.jobs // PRODUCERS, task.batch)
    ]
    task.begin()
    first = time.monotonic()
    for batch in batches:
        service.submit(batch)
    last = time.monotonic()
    service.close()
    return Span(sum(map(len, batches)), first, last)


PRODUCERS = 4


class NoSource:
    """Each job ends for good right after the claim that is measured."""

    def locate(self, _job: Job, _workspace: Path) -> Path:
        raise SourceUnreadable("made for the bench")


class _Telling:
    """Tells the time of each claim to the other end of a pipe."""

    def __init__(self, told: Connection) -> None:
        self._told = told
        self._claimed_at = 0.0

    def claimed(self, _job: Job) -> None:
        self._claimed_at = time.monotonic()

    def progressed(self, _job: Job, _progress: Progress) -> None:
        """Of no interest here."""

    def ended(self, _outcomes: Sequence[tuple[Ending, Job | BlobForgeError]]) -> None:
        self._told.send(self._claimed_at)

    def waiting(self, problem: StoreUnavailable | DiskFull) -> None:
        raise problem


def serve(url: str, told: Connection) -> None:
    """The worker's loop as `blobforge worker` runs it, until the process is ended."""
    with TemporaryDirectory() as folder:
        run_worker(url, Path(folder), NoSource(), _Telling(told), lease=LEASE)


def run_worker(url: str, folder: Path, sources: SourceFinder, watcher: WorkerObserver, *, lease: timedelta) -> None:
    logging.getLogger("blobforge").setLevel(logging.CRITICAL)
    opened = open_queue(url, QueueOptions())
    service = CoordinationService(opened.store, clock=SystemClock(), lease_for=lease)
    worker_id = WorkerId(f"bench-{os.getpid()}")
    blobs = DirectoryBlobStore(folder / "blobs")
    equipment = Equipment(
        processor=load_processor("echo"),
        spec=ChildSpec(factory=wiring.factory_of("echo"), limits=ChildLimits(), environment=os.environ),
        results=ResultStore(blobs),
        sources=sources,
        workspaces=Workspace(folder / "work"),
    )
    loop = WorkerLoop(
        service,
        QueueFeed(service, QUEUE, worker_id, until=Until.STOPPED),
        {"pdf": equipment},
        LoopSettings(worker_id=worker_id, slots=1, heartbeat=lease / 3),
        clock=SystemClock(),
        wakeup=opened.wakeup,
        watcher=watcher,
        error_log=ErrorLog(lambda _: blobs),
    )
    signal.signal(signal.SIGTERM, lambda number, _frame: loop.stop(number))
    loop.run()
    service.close()
