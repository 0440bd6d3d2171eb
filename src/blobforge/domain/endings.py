"""The four ways in which a worker ends its lease of a job."""

from datetime import datetime
from typing import NamedTuple

from blobforge.domain import lifecycle
from blobforge.domain.files import FileRecord
from blobforge.domain.job import Failure, Job, lease_of
from blobforge.domain.retry import RetryPolicy


class Completed(NamedTuple):
    """`job` is the Job that the claim returned: it carries the lease."""

    job: Job
    result: str
    files: tuple[FileRecord, ...] = ()


class Failed(NamedTuple):
    """The attempt is spent; whether there is another one depends on the failure and on the budget."""

    job: Job
    failure: Failure


class Released(NamedTuple):
    """Given back unfinished, with its attempt: the worker ends, or was asked to."""

    job: Job


class Declined(NamedTuple):
    """This worker lacks what the job needs: the job returns to the queue for one that has it."""

    job: Job
    needs: frozenset[str]
    failure: Failure


Ending = Completed | Failed | Released | Declined


def end(job: Job, ending: Ending, *, policy: RetryPolicy, roll: float, now: datetime) -> Job:
    """Applies an ending to the job as the store has it now. Raises LeaseLost."""
    lease = lease_of(ending.job)
    if isinstance(ending, Completed):
        return lifecycle.complete(job, lease, result=ending.result, now=now)
    if isinstance(ending, Failed):
        return lifecycle.fail(job, lease, ending.failure, policy=policy, roll=roll, now=now)
    if isinstance(ending, Declined):
        return lifecycle.decline(job, lease, needs=ending.needs, failure=ending.failure, now=now)
    return lifecycle.release(job, lease, now=now)
