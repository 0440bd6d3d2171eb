"""What there is to see of a queue: counts, workers with what they run, and what failed."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import Job, State
from blobforge.domain.pause import Pause
from blobforge.domain.service_record import ServiceRecord, metrics_of
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import Metrics, RunningJob, WorkerReport, read_report, silence_allowed
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import JobFilter

FAILURES = 50
NOBODY: Mapping[str, Metrics] = MappingProxyType({})


class WorkerState(StrEnum):
    WORKING = "working"
    IDLE = "idle"
    SLEEPING = "sleeping"
    DRAINING = "draining"
    LOST = "lost"


_ORDER = (WorkerState.WORKING, WorkerState.DRAINING, WorkerState.IDLE, WorkerState.SLEEPING, WorkerState.LOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenWorker:
    """`status` is what it said of itself when it was last `heard`, so long ago."""

    id: str
    type: str
    status: WorkerStatus
    standing: WorkerState
    heard: timedelta
    last_heartbeat: datetime
    report: WorkerReport

    @property
    def busy(self) -> int:
        """Slots at work; a worker may hold more jobs than it has slots."""
        return min(self.report.running, self.report.slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """All workers together. Processes of one name share one record, which counts once; the pace is that of those who
    live."""

    alive: int
    lost: int
    slots: int
    busy: int
    jobs_completed: int
    jobs_failed: int
    bytes_processed: int
    avg_processing_time: float | None
    jobs_per_hour: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Living `workers` tell of no job that has ended since; of a lost one it is what it told last.

    `failures` are dead jobs or, where none is dead, failed ones, the latest first. `gaps` are published results that
    miss pages, `doubts` those of repaired files or with doubtful pages, by type."""

    project: str
    now: datetime
    counts: Mapping[tuple[str, State], int]
    gaps: Mapping[str, int]
    doubts: Mapping[str, int]
    workers: tuple[SeenWorker, ...]
    totals: Totals
    failures: tuple[Job, ...]
    pauses: tuple[Pause, ...] = ()

    def count(self, state: State) -> int:
        return sum(count for (_, of), count in self.counts.items() if of is state)

    @property
    def running(self) -> list[tuple[SeenWorker, RunningJob]]:
        """What living workers say that they do, the oldest first."""
        return sorted(_told(self.workers), key=lambda pair: (pair[1].started_at or self.now, pair[1].job_id))

    @property
    def held_by_lost(self) -> int:
        """Running jobs of workers that are lost: they are free again when their leases end."""
        last_told = sum(len(worker.report.jobs) for worker in self.workers if worker.standing is WorkerState.LOST)
        return min(last_told, max(self.count(State.RUNNING) - len(self.running), 0))

    @property
    def not_told(self) -> int:
        """Running jobs of which their workers have said nothing yet."""
        return max(self.count(State.RUNNING) - len(self.running) - self.held_by_lost, 0)

    @property
    def time_left(self) -> timedelta | None:
        """What the running documents say of themselves, and the mean time of a document for every other, shared by
        the slots; no less than the longest of the running ones. Not by the pace of the last hour: a time in which no
        worker ran would count as slow work. None while nothing runs: what waits may be for nobody who is there."""
        seconds = {
            job.job_id: max(job.eta_seconds - worker.heard.total_seconds(), 0.0)
            for worker, job in self.running
            if job.eta_seconds is not None
        }
        others = self.count(State.PENDING) + self.count(State.FAILED) + self.count(State.RUNNING) - len(seconds)
        mean = self._mean_seconds()
        if not self.count(State.RUNNING) or not self.totals.slots or mean is None:
            return None
        shared = (sum(seconds.values()) + max(others, 0) * mean) / self.totals.slots
        return timedelta(seconds=max([shared, *seconds.values()]))

    def _mean_seconds(self) -> float | None:
        """Of a document; before the first one is done, what the running ones will have taken is the measure."""
        if self.totals.avg_processing_time is not None:
            return self.totals.avg_processing_time
        whole = [job.elapsed_seconds + job.eta_seconds for _, job in self.running if job.eta_seconds is not None]
        return sum(whole) / len(whole) if whole else None


def look(coordinator: Coordinator, *, project: str, now: datetime, lost_after: timedelta) -> Overview:
    """Six questions, however many jobs and workers there are, and one more for what workers tell of: on a bucket, this
    one reads each of those jobs, or a listing where there are many. Raises StoreUnavailable."""
    counts = coordinator.counts(project=project)
    workers = look_at_workers(coordinator, now=now, lost_after=lost_after)
    running = sum(count for (_, state), count in counts.items() if state is State.RUNNING)
    totals = totals_of(workers)
    if ended := _ended(coordinator, project, workers):
        totals = replace(totals, busy=min(totals.busy, running))
        workers = tuple(_without(ended, worker, project) for worker in workers)
    return Overview(
        project=project,
        now=now,
        counts=counts,
        gaps=coordinator.gaps(project=project),
        doubts=coordinator.doubts(project=project),
        workers=workers,
        totals=totals,
        failures=_failures(coordinator, project, counts),
        pauses=tuple(coordinator.pauses(project=project)),
    )


def _ended(coordinator: Coordinator, project: str, workers: Sequence[SeenWorker]) -> frozenset[JobKey]:
    """Workers tell of their jobs with their heartbeats; the counts are of this moment. Equal numbers say nothing: as
    many may have begun since."""
    told = {_key(project, job) for _, job in _told(workers) if job.source_hash}
    if not told:
        return frozenset()
    # A worker may have told of a job of another project: of that nothing is known here, and it stays.
    return frozenset(key for key, state in coordinator.states(sorted(told)).items() if state is not State.RUNNING)


def _without(ended: Container[JobKey], worker: SeenWorker, project: str) -> SeenWorker:
    if worker.standing is WorkerState.LOST:
        return worker
    jobs = tuple(job for job in worker.report.jobs if _key(project, job) not in ended)
    return replace(worker, report=replace(worker.report, jobs=jobs))


def _key(project: str, job: RunningJob) -> JobKey:
    return JobKey(project, job.type, SourceHash(job.source_hash))


def _told(workers: Sequence[SeenWorker]) -> Iterator[tuple[SeenWorker, RunningJob]]:
    for worker in workers:
        if worker.standing is not WorkerState.LOST:
            yield from ((worker, job) for job in worker.report.jobs)


def look_at_workers(coordinator: Coordinator, *, now: datetime, lost_after: timedelta) -> tuple[SeenWorker, ...]:
    """The busy ones first, the lost ones last; `lost_after` is for those who do not say how often they are heard.

    Raises StoreUnavailable.
    """
    seen = (_seen(worker, now, lost_after) for worker in coordinator.workers())
    return tuple(sorted(seen, key=lambda worker: (_ORDER.index(worker.standing), worker.report.name, worker.id)))


def past_workers(
    records: Mapping[str, ServiceRecord], seen: Sequence[SeenWorker], *, now: datetime
) -> dict[str, Metrics]:
    """What those have done who are not on the list any more, by their names."""
    there = {worker.report.name for worker in seen}
    return {name: metrics_of(record, now=now) for name, record in records.items() if name not in there}


def totals_of(workers: Sequence[SeenWorker], past: Mapping[str, Metrics] = NOBODY) -> Totals:
    alive = [worker for worker in workers if worker.standing is not WorkerState.LOST]
    records = [*(worker.report.metrics for worker in _one_of_each_name(workers)), *past.values()]
    completed = sum(record.jobs_completed for record in records)
    seconds = sum((record.avg_processing_time or 0.0) * record.jobs_completed for record in records)
    return Totals(
        alive=len(alive),
        lost=len(workers) - len(alive),
        slots=sum(worker.report.slots for worker in alive),
        busy=sum(worker.busy for worker in alive),
        jobs_completed=completed,
        jobs_failed=sum(record.jobs_failed for record in records),
        bytes_processed=sum(record.bytes_processed for record in records),
        avg_processing_time=seconds / completed if completed else None,
        jobs_per_hour=sum(worker.report.metrics.jobs_per_hour for worker in _one_of_each_name(alive)),
    )


def _one_of_each_name(workers: Iterable[SeenWorker]) -> list[SeenWorker]:
    """The one whose account is the latest: counts only grow."""
    by_name: dict[str, SeenWorker] = {}
    for worker in sorted(workers, key=lambda worker: worker.report.metrics.jobs_completed):
        by_name[worker.report.name] = worker
    return list(by_name.values())


def _seen(worker: Worker, now: datetime, otherwise: timedelta) -> SeenWorker:
    report = read_report(worker.metadata, worker_id=worker.id)
    heard = max(now - worker.last_heartbeat, timedelta(0))
    return SeenWorker(
        id=worker.id,
        type=worker.type,
        status=worker.status,
        standing=_standing(worker, report, is_lost=heard > silence_allowed(report, otherwise)),
        heard=heard,
        last_heartbeat=worker.last_heartbeat,
        report=report,
    )


def _standing(worker: Worker, report: WorkerReport, *, is_lost: bool) -> WorkerState:
    if is_lost or worker.status is WorkerStatus.OFFLINE:
        return WorkerState.LOST
    if worker.status is WorkerStatus.DRAINING:
        return WorkerState.DRAINING
    if report.running:
        return WorkerState.WORKING
    return WorkerState.SLEEPING if report.opens_at is not None else WorkerState.IDLE


def _failures(coordinator: Coordinator, project: str, counts: Mapping[tuple[str, State], int]) -> tuple[Job, ...]:
    """One page at most, and none where nothing has failed."""
    for state in (State.DEAD, State.FAILED):
        if any(count for (_, of), count in counts.items() if of is state):
            found = coordinator.page(JobFilter(project=project, state=state), limit=FAILURES)
            return tuple(sorted(found, key=lambda job: job.updated_at, reverse=True))
    return ()
