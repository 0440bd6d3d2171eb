"""The messages in the inbox of a worker's loop, and what is logged of claims and endings."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import NamedTuple

from blobforge.domain.endings import Completed, Declined, Ending, Failed, Released
from blobforge.domain.errors import (
    BlobForgeError,
    DiskFull,
    JobCancelled,
    NotFound,
    OutputError,
    SourceError,
    StoreUnavailable,
)
from blobforge.domain.job import Failure, Job
from blobforge.domain.result_record import result_record
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.job_run import JobRun

log = LazyLogger(__name__)


class Ended(NamedTuple):
    """A run is over, and its ending is to be reported. `details` are for the error log alone."""

    run: JobRun
    ending: Ending
    details: str


class Lost(NamedTuple):
    """Another worker has the job now, or nobody: its run is aborted and not reported."""

    job: Job


class Fault(NamedTuple):
    """A thread of the worker failed by an error of ours: the worker ends with it."""

    error: BaseException


class Signalled(NamedTuple):
    """The process was told to end."""

    number: int


class DiskWait(NamedTuple):
    """A slot waits for space on a full disk."""

    problem: DiskFull


class StoreAnswer(NamedTuple):
    """None where the store is there."""

    problem: StoreUnavailable | None


class Nudged(NamedTuple):
    """There may be jobs to claim."""


Message = Ended | Lost | Fault | Signalled | DiskWait | StoreAnswer | Nudged


def log_claim(job: Job) -> None:
    facts = {"type": job.type, "attempt": job.attempts, "path": job.source_path}
    log.info("job claimed", job_id=job.id, hash=job.source_hash, **facts)


def log_ending(message: Ended, outcome: Job | BlobForgeError) -> None:
    job, ending = message.run.job, message.ending
    facts = {"job_id": job.id, "hash": job.source_hash, "document": document_name(job)}
    seconds = round(message.run.seconds, 1)
    if isinstance(outcome, JobCancelled):
        log.info("job cancelled", **facts)
    elif not isinstance(outcome, Job):
        # Aborted when the loss was noticed, or finished before that: only then was there anything to end.
        event = "job lost" if isinstance(ending, Released) else "job ended too late"
        log.warning(event, **facts, error=str(outcome))
    elif isinstance(ending, Failed):
        told = {"code": ending.failure.code, "error": ending.failure.message, "now": outcome.state.value}
        log.warning("job failed", **facts, seconds=seconds, **told)
        if message.details:
            log.debug("what the child said", job_id=job.id, details=message.details)
    elif isinstance(ending, Declined):
        lacks, failure = sorted(ending.needs), ending.failure
        log.warning("job left to another worker", **facts, lacks=lacks, code=failure.code, error=failure.message)
    elif isinstance(ending, Released):
        log.info("job released", **facts, seconds=seconds, now=outcome.state.value)
    else:
        pages = {"pages": count} if (count := pages_of(outcome)) else {}
        log.info("job ended", **facts, **pages, seconds=seconds, now=outcome.state.value)
        _log_flaws(outcome, facts)


def to_report_again(message: Ended, outcome: Job | BlobForgeError, *, is_ending: bool) -> list[Ended]:
    """The ending to report once more, if any: where the queue did not answer for this job or had no space for its
    result. A result that cannot be published at all becomes a failure; one that was found and is gone by now is made
    in another run, without costing an attempt. `is_ending`: the worker shuts down."""
    job = message.run.job
    if isinstance(outcome, StoreUnavailable | DiskFull):
        # A worker that shuts down does not wait for space: another one may have some.
        gives_up = is_ending and isinstance(outcome, DiskFull)
        return [message._replace(ending=Released(job)) if gives_up else message]
    if isinstance(message.ending, Completed) and isinstance(outcome, NotFound):
        return [message._replace(ending=Released(job))]
    if isinstance(message.ending, Completed) and isinstance(outcome, OutputError | SourceError):
        return [message._replace(ending=Failed(job, Failure(outcome.code, str(outcome), outcome.retryable)))]
    return []


def document_name(job: Job) -> str:
    """The file name, or the hash where there is none."""
    return PurePath(job.source_path).name if job.source_path else job.source_hash


def pages_of(job: Job) -> int:
    return result_record(job).pages


def _log_flaws(job: Job, facts: Mapping[str, object]) -> None:
    """A result with missing or doubtful pages: a person may want to act."""
    record = result_record(job)
    if record.gaps or record.doubts:
        flaws = {name: text for name, text in (("gaps", record.gaps), ("doubts", record.doubts)) if text}
        log.warning("a result has flaws", **{**facts, "document": job.source_path}, **flaws)
