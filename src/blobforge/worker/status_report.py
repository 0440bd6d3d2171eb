"""The worker as others see it: what it is busy with, how far that is, and what it has done so far."""

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
from blobforge.domain.pace import Leg
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
    def measure(self) -> Machine: ...


class Record(Protocol):
    def add(self, news: ServiceRecord, *, now: datetime) -> ServiceRecord | None:
        """Adds to what is kept and gives the whole; None where it could not be kept."""
        ...


class NoGauge:
    def measure(self) -> Machine:
        return Machine()


@dataclass(slots=True)
class _Course:
    """How far a job is: its stages by their names, and the one that was heard of last."""

    legs: dict[str, Leg] = field(default_factory=dict)
    latest: str = ""


class StatusReporter:
    """Progress comes from slot threads, the heartbeat looks from its own, and the loop does the rest."""

    def __init__(
        self,
        settings: LoopSettings,
        *,
        types: Sequence[str],
        clock: Clock,
        hours: RunSchedule,
        gauge: Gauge | None = None,
        record: Record | None = None,
        abilities: Abilities | None = None,
    ) -> None:
        self._settings = settings
        self._types = ",".join(sorted(types))
        self._clock = clock
        self._hours = hours
        self._gauge = gauge or NoGauge()
        self._record = record or NoRecord()
        self._abilities = abilities or Abilities()
        self._lock = threading.Lock()
        self._process = this_process()
        self._courses: dict[JobId, _Course] = {}
        self._kept = ServiceRecord()
        self._news = ServiceRecord(since=clock.now())

    def progressed(self, job: Job, progress: Progress) -> None:
        now = self._clock.now()
        stage, current, total = storable(progress.stage, most=LONGEST_NAME), progress.current, progress.total
        with self._lock:
            course = self._courses.setdefault(job.id, _Course())
            if stage in course.legs:
                course.legs[stage] = pace.moved(course.legs[stage], current, total, now=now)
            elif course.legs or job.started_at is None:
                course.legs[stage] = pace.next_leg(stage, current, total, now=now)
            else:
                course.legs[stage] = pace.first_leg(stage, current, total, began=job.started_at)
            course.latest = stage

    def ended(self, ending: Ending, outcome: Job | BlobForgeError) -> None:
        job, now = ending.job, self._clock.now()
        with self._lock:
            self._courses.pop(job.id, None)
            if not isinstance(outcome, Job):
                return
            if isinstance(ending, Completed):
                took = now - (job.started_at or now)
                self._news = with_completed(self._news, size=job.source_size or 0, took=took, now=now)
            elif isinstance(ending, Failed) and outcome.state is State.DEAD:
                # Jobs and not attempts: one that is tried again may still be done.
                self._news = with_failed(self._news)

    def sketch(self, running: Sequence[Job], status: WorkerStatus) -> Worker:
        """What is known without measuring anything: for a worker's first word, which nobody should wait for."""
        return self._worker(running, status, Machine())

    def full(self, running: Sequence[Job], status: WorkerStatus) -> Worker:
        self.keep_record()
        return self._worker(running, status, self._gauge.measure())

    def keep_record(self) -> None:
        """Writes down what has been done since the last time."""
        now = self._clock.now()
        with self._lock:
            news, self._news = self._news, ServiceRecord()
        if news == ServiceRecord():
            return  # where every word costs a request, an idle worker has none to say
        whole = self._record.add(news, now=now)
        with self._lock:
            if whole is None:
                self._news = together(news, self._news, now=now)
            else:
                self._kept = whole

    def _worker(self, running: Sequence[Job], status: WorkerStatus, machine: Machine) -> Worker:
        now, settings = self._clock.now(), self._settings
        report = WorkerReport(
            name=settings.name or settings.worker_id,
            slots=settings.slots,
            running=len(running),
            heartbeat_seconds=settings.heartbeat.total_seconds(),
            run_windows=tuple(map(str, self._hours.windows)),
            opens_at=self._hours.opens_at(),
            process=self._process,
            machine=machine,
            metrics=metrics_of(together(self._kept, self._news, now=now), now=now),
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
        """Those that the slots are or were busy with: what was claimed ahead waits behind them."""
        with self._lock:
            # What a slot said after its job had ended.
            gone = self._courses.keys() - {job.id for job in running}
            for job_id in gone:
                del self._courses[job_id]
            first = {job.id for job in running[: self._settings.slots]}
            return tuple(self._running(job, now) for job in running if job.id in first or job.id in self._courses)

    def _running(self, job: Job, now: datetime) -> RunningJob:
        course = self._courses.get(job.id)
        leg = None if course is None else course.legs[course.latest]
        left = None if leg is None else pace.time_left(leg, now=now)
        return RunningJob(
            job_id=job.id,
            type=job.type,
            source_hash=job.source_hash,
            name=storable(PurePath(job.source_path or "").name, most=LONGEST_NAME),
            size=job.source_size,
            started_at=job.started_at,
            elapsed_seconds=max((now - (job.started_at or now)).total_seconds(), 0.0),
            stage=None if leg is None else leg.stage,
            current=0 if leg is None else leg.current,
            total=0 if leg is None else leg.total,
            rate=None if leg is None else pace.rate(leg, now=now),
            eta_seconds=None if left is None else left.total_seconds(),
        )
