"""The status report of a worker: its running jobs with their progress, its machine, and its service record."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import Protocol

from blobforge.domain import pace
from blobforge.domain.endings import Completed, Ending, Failed
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State
from blobforge.domain.pace import StageProgress
from blobforge.domain.service_record import ServiceRecord, metrics_of, together, with_completed, with_failed
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import Machine, RunningJob, WorkerReport, report_json
from blobforge.ports.clock import Clock
from blobforge.ports.processor import Progress
from blobforge.worker.abilities import Abilities
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.process_identity import this_process
from blobforge.worker.queue_record import NoRecord
from blobforge.worker.run_schedule import RunSchedule
from blobforge.worker.storable_text import storable

LONGEST_NAME = 200


class Gauge(Protocol):
    """How busy the machine is."""

    def measure(self) -> Machine: ...


class Record(Protocol):
    """Where the service record of a worker is kept."""

    def add(self, added: ServiceRecord, *, now: datetime) -> ServiceRecord | None:
        """Adds to the stored record and returns the sum; None where it could not be stored."""
        ...


class NoGauge:
    """For short runs, whose machine nobody asks for."""

    def measure(self) -> Machine:
        return Machine()


@dataclass(slots=True)
class _JobProgress:
    """The progress of a job: its stages by name, and the one that was reported last."""

    stages: dict[str, StageProgress] = field(default_factory=dict)
    latest: str = ""


class StatusReporter:
    """Thread-safe: progress comes from slot threads, the heartbeat reads on its own, the loop does the rest."""

    def __init__(
        self,
        settings: LoopSettings,
        *,
        types: Sequence[str],
        clock: Clock,
        schedule: RunSchedule,
        gauge: Gauge | None = None,
        record: Record | None = None,
        abilities: Abilities | None = None,
    ) -> None:
        self._settings = settings
        self._types = ",".join(sorted(types))
        self._clock = clock
        self._schedule = schedule
        self._gauge = gauge or NoGauge()
        self._record = record or NoRecord()
        self._abilities = abilities or Abilities()
        self._lock = threading.Lock()
        self._process = this_process()
        self._progress: dict[JobId, _JobProgress] = {}
        self._saved = ServiceRecord()
        self._unsaved = ServiceRecord(since=clock.now())

    def progressed(self, job: Job, progress: Progress) -> None:
        now = self._clock.now()
        stage, current, total = storable(progress.stage, most=LONGEST_NAME), progress.current, progress.total
        with self._lock:
            job_progress = self._progress.setdefault(job.id, _JobProgress())
            if stage in job_progress.stages:
                job_progress.stages[stage] = pace.moved(job_progress.stages[stage], current, total, now=now)
            elif job_progress.stages or job.started_at is None:
                job_progress.stages[stage] = pace.later_stage(stage, current, total, now=now)
            else:
                job_progress.stages[stage] = pace.first_stage(stage, current, total, began=job.started_at)
            job_progress.latest = stage

    def ended(self, ending: Ending, outcome: Job | BlobForgeError) -> None:
        job, now = ending.job, self._clock.now()
        with self._lock:
            self._progress.pop(job.id, None)
            if not isinstance(outcome, Job):
                return
            if isinstance(ending, Completed):
                took = now - (job.started_at or now)
                self._unsaved = with_completed(self._unsaved, size=job.source_size or 0, took=took, now=now)
            elif isinstance(ending, Failed) and outcome.state is State.DEAD:
                # Counts jobs and not attempts: one that is retried may still be completed.
                self._unsaved = with_failed(self._unsaved)

    def initial(self, running: Sequence[Job], status: WorkerStatus) -> Worker:
        """Without measurements of the machine: registration must not wait for them."""
        return self._worker(running, status, Machine())

    def full(self, running: Sequence[Job], status: WorkerStatus) -> Worker:
        self.keep_record()
        return self._worker(running, status, self._gauge.measure())

    def keep_record(self) -> None:
        """Stores what has been done since the last call."""
        now = self._clock.now()
        with self._lock:
            news, self._unsaved = self._unsaved, ServiceRecord()
        if news == ServiceRecord():
            return  # an idle worker makes no request: on a bucket each one costs
        whole = self._record.add(news, now=now)
        with self._lock:
            if whole is None:
                self._unsaved = together(news, self._unsaved, now=now)
            else:
                self._saved = whole

    def _worker(self, running: Sequence[Job], status: WorkerStatus, machine: Machine) -> Worker:
        now, settings = self._clock.now(), self._settings
        report = WorkerReport(
            name=settings.name or settings.worker_id,
            slots=settings.slots,
            running=len(running),
            heartbeat_seconds=settings.heartbeat.total_seconds(),
            run_windows=tuple(map(str, self._schedule.windows)),
            opens_at=self._schedule.opens_at(),
            process=self._process,
            machine=machine,
            metrics=metrics_of(together(self._saved, self._unsaved, now=now), now=now),
            jobs=self._at_work(running, now),
            has=tuple(sorted(self._abilities.has)),
        )
        return Worker(
            id=settings.worker_id,
            type=self._types,
            status=status,
            last_heartbeat=now,
            current_job_id=running[0].id if running else None,
            metadata=report_json(report),
        )

    def _at_work(self, running: Sequence[Job], now: datetime) -> tuple[RunningJob, ...]:
        """The jobs that have or had a slot; prefetched ones wait behind them."""
        with self._lock:
            # Progress that a slot reported after its job had ended.
            gone = self._progress.keys() - {job.id for job in running}
            for job_id in gone:
                del self._progress[job_id]
            first = {job.id for job in running[: self._settings.slots]}
            return tuple(self._running(job, now) for job in running if job.id in first or job.id in self._progress)

    def _running(self, job: Job, now: datetime) -> RunningJob:
        job_progress = self._progress.get(job.id)
        stage_progress = None if job_progress is None else job_progress.stages[job_progress.latest]
        left = None if stage_progress is None else pace.time_left(stage_progress, now=now)
        return RunningJob(
            job_id=job.id,
            type=job.type,
            source_hash=job.source_hash,
            name=storable(PurePath(job.source_path or "").name, most=LONGEST_NAME),
            size=job.source_size,
            started_at=job.started_at,
            elapsed_seconds=max((now - (job.started_at or now)).total_seconds(), 0.0),
            stage=None if stage_progress is None else stage_progress.stage,
            current=0 if stage_progress is None else stage_progress.current,
            total=0 if stage_progress is None else stage_progress.total,
            rate=None if stage_progress is None else pace.rate(stage_progress, now=now),
            eta_seconds=None if left is None else left.total_seconds(),
        )
