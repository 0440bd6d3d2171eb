"""The status report of a worker, sent with its heartbeat: as values and as the JSON that stores keep."""

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.domain.loose_json import list_in, number_in, object_in, text_in, time_in, whole_in

MOST_SLOTS = 1_000
"""Of one worker: each is a thread and a child process. More machines, or more workers, do more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningJob:
    """`name` is the document's file name. `rate` is units of this stage a second."""

    job_id: int = 0
    type: str = ""
    source_hash: str = ""
    name: str = ""
    size: int | None = None
    started_at: datetime | None = None
    elapsed_seconds: float = 0.0
    stage: str | None = None
    current: int = 0
    total: int = 0
    rate: float | None = None
    eta_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """None is what could not be measured. The disk is the one that the worker works on."""

    cpu_percent: float | None = None
    memory_used: int | None = None
    memory_total: int | None = None
    disk_used: int | None = None
    disk_total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Times in seconds, sizes in bytes, since the worker of this name was first started."""

    jobs_completed: int = 0
    jobs_failed: int = 0
    bytes_processed: int = 0
    avg_processing_time: float | None = None
    jobs_per_hour: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIdentity:
    """`system` identifies the machine or container whose pid it is; `started` tells two processes of one pid apart.
    Empty and 0 where it is unknown."""

    system: str = ""
    pid: int = 0
    started: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReport:
    """`name` stays over restarts, where an id is a process's. `opens_at` is set while a run window is closed."""

    name: str
    slots: int = 0
    running: int = 0
    heartbeat_seconds: float | None = None
    run_windows: tuple[str, ...] = ()
    opens_at: datetime | None = None
    process: ProcessIdentity = field(default_factory=ProcessIdentity)
    machine: Machine = field(default_factory=Machine)
    metrics: Metrics = field(default_factory=Metrics)
    jobs: tuple[RunningJob, ...] = ()
    has: tuple[str, ...] | None = None
    """Its abilities (`blobforge.domain.needs`); None where it does not report them."""
    drained: str | None = None
    """The account of a server by which it drains; the server adds it."""


DRAINED = "drained"
"""Of the report as JSON: a worker does not say it of itself."""

MISSED_BEATS = 3
"""A worker that missed so many heartbeats counts as lost."""

LEAST_SILENCE = timedelta(seconds=5)
"""Less may be a slow queue or a busy machine, however short the heartbeat interval is."""


def silence_allowed(report: WorkerReport, otherwise: timedelta) -> timedelta:
    """How long after its last heartbeat a worker counts as lost; `otherwise` for one that does not report its
    interval."""
    if not report.heartbeat_seconds:
        return otherwise
    return max(timedelta(seconds=report.heartbeat_seconds) * MISSED_BEATS, LEAST_SILENCE)


def report_json(report: WorkerReport) -> JsonObject:
    """Ids as text: those of a bucket are larger than many readers can hold as numbers."""
    jobs: list[JsonValue] = [{**_plain(asdict(job)), "job_id": str(job.job_id)} for job in report.jobs]
    return {**_plain(asdict(replace(report, jobs=()))), "jobs": jobs}


def read_report(said: JsonObject, *, worker_id: str) -> WorkerReport:
    """Leaves out what is missing or invalid: the worker may be of another version."""
    return WorkerReport(
        name=text_in(said.get("name")) or worker_id,
        slots=whole_in(said.get("slots")) or 0,
        running=whole_in(said.get("running")) or 0,
        heartbeat_seconds=number_in(said.get("heartbeat_seconds")),
        run_windows=tuple(window for window in list_in(said.get("run_windows")) if isinstance(window, str)),
        opens_at=time_in(said.get("opens_at")),
        process=_process(object_in(said.get("process"))),
        machine=_machine(object_in(said.get("machine"))),
        metrics=_metrics(object_in(said.get("metrics"))),
        jobs=tuple(_running(object_in(job)) for job in list_in(said.get("jobs")) if isinstance(job, dict)),
        has=_words(said.get("has")),
        drained=text_in(said.get(DRAINED)),
    )


def _words(said: JsonValue) -> tuple[str, ...] | None:
    return tuple(word for word in list_in(said) if isinstance(word, str)) if isinstance(said, list) else None


def _process(said: JsonObject) -> ProcessIdentity:
    return ProcessIdentity(
        system=text_in(said.get("system")) or "",
        pid=whole_in(said.get("pid")) or 0,
        started=whole_in(said.get("started")) or 0,
    )


def _machine(said: JsonObject) -> Machine:
    return Machine(
        cpu_percent=number_in(said.get("cpu_percent")),
        memory_used=whole_in(said.get("memory_used")),
        memory_total=whole_in(said.get("memory_total")),
        disk_used=whole_in(said.get("disk_used")),
        disk_total=whole_in(said.get("disk_total")),
    )


def _metrics(said: JsonObject) -> Metrics:
    return Metrics(
        jobs_completed=whole_in(said.get("jobs_completed")) or 0,
        jobs_failed=whole_in(said.get("jobs_failed")) or 0,
        bytes_processed=whole_in(said.get("bytes_processed")) or 0,
        avg_processing_time=number_in(said.get("avg_processing_time")),
        jobs_per_hour=number_in(said.get("jobs_per_hour")) or 0.0,
    )


def _running(said: JsonObject) -> RunningJob:
    return RunningJob(
        job_id=whole_in(said.get("job_id")) or 0,
        type=text_in(said.get("type")) or "",
        source_hash=text_in(said.get("source_hash")) or "",
        name=text_in(said.get("name")) or "",
        size=whole_in(said.get("size")),
        started_at=time_in(said.get("started_at")),
        elapsed_seconds=number_in(said.get("elapsed_seconds")) or 0.0,
        stage=text_in(said.get("stage")),
        current=whole_in(said.get("current")) or 0,
        total=whole_in(said.get("total")) or 0,
        rate=number_in(said.get("rate")),
        eta_seconds=number_in(said.get("eta_seconds")),
    )


def _plain(facts: dict[str, object]) -> dict[str, JsonValue]:
    return {name: _value(value) for name, value in facts.items()}


def _value(value: object) -> JsonValue:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, dict):
        return _plain(value)
    if isinstance(value, tuple):
        return [_value(part) for part in value]
    assert value is None or isinstance(value, str | int), "a report holds text, numbers and times"
    return value
