"""What reaches a worker's loop from its slots, its heartbeat, its queue and the system."""

from typing import NamedTuple

from blobforge.domain.endings import Ending, Failed
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.job import Job
from blobforge.telemetry.lazy import LazyLogger
from blobforge.worker.job_run import JobRun

log = LazyLogger(__name__)


class Ended(NamedTuple):
    run: JobRun
    ending: Ending
    details: str


class Lost(NamedTuple):
    job: Job


class Fault(NamedTuple):
    error: BaseException


class Signalled(NamedTuple):
    number: int


class News(NamedTuple):
    """There may be something to claim."""


Message = Ended | Lost | Fault | Signalled | News


def log_ending(message: Ended, outcome: Job | BlobForgeError) -> None:
    job = message.run.job
    if not isinstance(outcome, Job):
        log.warning("job ended too late", job_id=job.id, error=str(outcome))
    elif isinstance(message.ending, Failed):
        failure = message.ending.failure
        log.warning("job failed", job_id=job.id, code=failure.code, error=failure.message, now=outcome.state.value)
        if message.details:
            log.debug("what the child said", job_id=job.id, details=message.details)
    else:
        log.info("job ended", job_id=job.id, now=outcome.state.value)
