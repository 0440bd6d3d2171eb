"""The transitions of a job. Each takes a Job and returns the next one, or raises; stores apply them atomically.

    pending ──claim──► running ──complete──► completed
       ▲                │  │ └──fail, budget spent or permanent──► dead
       │                │  └──fail──► failed ──promote, after its back-off ─────┐
       ├──release───────┤                                                       │
       ├──requeue───────┤                                                       │
       ├──decline───────┤                                                       │
       ├──expire────────┘  (dead when the budget is spent)                      │
       └────────────────────────────────────────────────────────────────────────┘
    pending, running, failed ──cancel──► cancelled
    failed, dead, cancelled, completed ──retry──► pending
    dead, with a result from before ──restore──► completed

A job may be announced before its source is there. Then it is pending with the moment by which that must have come
(`available_at`), and no worker gets it:

    pending, awaits its source ──source_arrived──► pending, ready
                               ──its time is over──► dead (`source_never_came`) ──source_arrived, retry──► pending

Two counters: `lease_number` is the fencing token and never resets, `attempts` is the budget.
"""

from datetime import datetime

from blobforge.domain.errors import InvalidMove, JobCancelled, LeaseLost, NotClaimable
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import FINAL_STATES, Failure, Job, Lease, State, awaits_source, is_ready, title
from blobforge.domain.needs import with_needs
from blobforge.domain.priority import check_priority
from blobforge.domain.retry import RetryPolicy

LEASE_EXPIRED = "lease_expired"
SOURCE_NEVER_CAME = "source_never_came"

_RETRYABLE_STATES = frozenset({State.FAILED, State.DEAD, State.CANCELLED, State.COMPLETED})


def is_due(job: Job, *, now: datetime) -> bool:
    """Whether the lease of a running job has expired, the back-off of a failed one is over, or a pending one has waited
    for its source as long as it may."""
    if job.state is State.RUNNING:
        return job.lease_expires_at is not None and job.lease_expires_at <= now
    if job.state in (State.FAILED, State.PENDING):
        return job.available_at is not None and job.available_at <= now
    return False


def reap(job: Job, *, now: datetime) -> Job:
    """Expires, promotes or gives up a job that is due; any other is returned unchanged."""
    if not is_due(job, now=now):
        return job
    if job.state is State.PENDING:
        return _given_up(job, now=now)
    return expire(job, now=now) if job.state is State.RUNNING else promote(job, now=now)


def expire(job: Job, *, now: datetime) -> Job:
    """The worker did not renew: the job is free again, or dead once its budget is spent."""
    if job.state is not State.RUNNING or not is_due(job, now=now):
        raise InvalidMove(f"{title(job)}: its lease has not expired")
    return _expired(job, now=now)


def abandon(job: Job, *, worker_id: WorkerId, now: datetime) -> Job:
    """Like `expire`, before the lease ends, for a worker that is known to be gone. Raises InvalidMove."""
    if job.state is not State.RUNNING or job.worker_id != worker_id:
        raise InvalidMove(f"{title(job)}: worker {worker_id} does not hold it")
    return _expired(job, now=now)


def promote(job: Job, *, now: datetime) -> Job:
    """A failed job whose back-off is over becomes pending."""
    if job.state is not State.FAILED or not is_due(job, now=now):
        raise InvalidMove(f"{title(job)}: it is {job.state} and not due for another try")
    return job._replace(state=State.PENDING, available_at=None, updated_at=now)


def claim(job: Job, *, worker_id: WorkerId, now: datetime, until: datetime) -> Job:
    """Leases the job to a worker. Raises NotClaimable unless it is pending or due, and its source is there."""
    if not is_ready(job):
        job = reap(job, now=now)
    if awaits_source(job):
        raise NotClaimable(f"{title(job)}: it waits for its source")
    if job.state is not State.PENDING:
        raise NotClaimable(f"{title(job)}: it is {job.state}, not pending")
    return job._replace(
        state=State.RUNNING,
        worker_id=worker_id,
        lease_number=job.lease_number + 1,
        lease_expires_at=until,
        attempts=job.attempts + 1,
        started_at=now,
        updated_at=now,
    )


def renew(job: Job, lease: Lease, *, now: datetime, until: datetime) -> Job:
    """Extends a lease, also one that has expired, while nobody else has claimed the job. Raises LeaseLost."""
    require_held(job, lease)
    return job._replace(lease_expires_at=until, updated_at=now)


def complete(job: Job, lease: Lease, *, result: str, now: datetime) -> Job:
    """Raises LeaseLost."""
    require_held(job, lease)
    return job._replace(
        state=State.COMPLETED,
        worker_id=None,
        lease_expires_at=None,
        completed_at=now,
        error_code=None,
        last_error=None,
        result=result,
        updated_at=now,
    )


def fail(job: Job, lease: Lease, failure: Failure, *, policy: RetryPolicy, roll: float, now: datetime) -> Job:
    """Failed until its back-off is over; dead when a retry cannot help or the budget is spent. Raises LeaseLost."""
    require_held(job, lease)
    final = not failure.retryable or job.attempts >= job.max_attempts
    return _without_lease(job)._replace(
        state=State.DEAD if final else State.FAILED,
        available_at=None if final else now + policy.delay(job.attempts, roll=roll),
        error_code=failure.code,
        last_error=_storable(failure.message),
        updated_at=now,
    )


def release(job: Job, lease: Lease, *, now: datetime) -> Job:
    """Gives the job back to the queue, without counting the attempt: for a graceful shutdown. Raises LeaseLost."""
    require_held(job, lease)
    return _returned(job, now=now)


def decline(job: Job, lease: Lease, *, needs: frozenset[str], failure: Failure, now: datetime) -> Job:
    """Gives the job back, without counting the attempt, for a worker that has what it needs. Raises LeaseLost."""
    require_held(job, lease)
    return _returned(job, now=now)._replace(
        metadata=with_needs(job.metadata, needs), error_code=failure.code, last_error=_storable(failure.message)
    )


def requeue(job: Job, *, now: datetime) -> Job:
    """Takes the job from its worker, without counting the attempt: the worker did nothing wrong.

    The worker gets LeaseLost. Raises InvalidMove.
    """
    if job.state is not State.RUNNING:
        raise InvalidMove(f"{title(job)}: it is {job.state}; only a running job is given back to the queue")
    return _returned(job, now=now)


def cancel(job: Job, *, now: datetime) -> Job:
    """Terminal; the worker of a running job gets JobCancelled. Cancelling twice is no error. Raises InvalidMove."""
    if job.state is State.CANCELLED:
        return job
    if job.state in (State.COMPLETED, State.DEAD):
        raise InvalidMove(f"{title(job)}: it is {job.state}; there is nothing to cancel")
    # Earlier failures are in its history; they are not why it does not run now.
    without_error = job._replace(error_code=None, last_error=None)
    return _without_lease(without_error)._replace(state=State.CANCELLED, available_at=None, updated_at=now)


def retry(
    job: Job,
    *,
    now: datetime,
    reset_attempts: bool = True,
    priority: int | None = None,
    metadata: str | None = None,
    source_expected_by: datetime | None = None,
) -> Job:
    """Runs a job again, also a completed one (its result stays until the new one).

    `source_expected_by` is for one whose source is not there: it waits for that first.
    Raises InvalidMove, InvalidValue.
    """
    if job.state not in _RETRYABLE_STATES:
        raise InvalidMove(
            f"{title(job)}: it is {job.state}; only a failed, dead, cancelled or completed job is retried"
        )
    return job._replace(
        state=State.PENDING,
        available_at=source_expected_by,
        attempts=0 if reset_attempts else min(job.attempts, job.max_attempts - 1),
        priority=job.priority if priority is None else check_priority(priority),
        metadata=job.metadata if metadata is None else metadata,
        # Its history has them; they are not why it waits now. What never came is missing until it comes.
        error_code=job.error_code if _waited_in_vain(job) else None,
        last_error=job.last_error if _waited_in_vain(job) else None,
        updated_at=now,
    )


def lacks_source(job: Job) -> bool:
    """Whether it waits for its source, or was given up for want of it."""
    return awaits_source(job) or _waited_in_vain(job)


def source_arrived(job: Job, *, now: datetime) -> Job:
    """The source of an announced job is there: it is ready, also after it was given up for want of it.

    A job that has its source, and has not ended, is returned unchanged. Raises InvalidMove.
    """
    if lacks_source(job):
        return _awaiting(job, until=None, now=now)
    if job.state in FINAL_STATES:
        raise InvalidMove(f"{title(job)}: it is {job.state}, and waits for no source; retry it to run it again")
    return job


def expect_source(job: Job, *, until: datetime, now: datetime, source_size: int | None = None) -> Job:
    """Another time by which the source must have come, also after it was given up for want of it; and its size, where
    another was announced.

    Raises InvalidMove.
    """
    if not lacks_source(job):
        raise InvalidMove(f"{title(job)}: it is {job.state}, and does not wait for its source")
    known = job if source_size is None else job._replace(source_size=source_size)
    return _awaiting(known, until=until, now=now)


def restore(job: Job, *, now: datetime) -> Job:
    """A dead job becomes completed again, with the result of an earlier run. Raises InvalidMove."""
    if job.state is not State.DEAD or job.result is None:
        raise InvalidMove(f"{title(job)}: it is {job.state}; only a dead job goes back to a result, and if it has one")
    return job._replace(
        state=State.COMPLETED,
        # The field has the start of the dead run; that of the run that made the result is only in the history.
        started_at=None,
        error_code=None,
        last_error=None,
        updated_at=now,
    )


def amend(job: Job, *, metadata: str, now: datetime) -> Job:
    """Another order for a pending or failed job. Raises InvalidMove."""
    if job.state not in (State.PENDING, State.FAILED):
        raise InvalidMove(f"{title(job)}: it is {job.state}; only a pending or failed job can get another order")
    return job._replace(metadata=metadata, updated_at=now)


def reprocess(job: Job, *, metadata: str, now: datetime) -> Job:
    """Another order, and a new run by it with the whole budget, whatever the state.

    Raises InvalidMove for a running one.
    """
    return (
        amend(job, metadata=metadata, now=now) if job.state is State.PENDING else retry(job, now=now, metadata=metadata)
    )


def reprioritize(job: Job, *, priority: int, now: datetime) -> Job:
    """Of a pending or failed job. Raises InvalidMove, InvalidValue."""
    if job.state not in (State.PENDING, State.FAILED):
        raise InvalidMove(f"{title(job)}: it is {job.state}; only a pending or failed job can change its priority")
    return job._replace(priority=check_priority(priority), updated_at=now)


def require_held(job: Job, lease: Lease) -> None:
    """Raises LeaseLost."""
    if job.state is State.RUNNING and job.lease_number == lease.number and job.worker_id == lease.worker_id:
        return
    if job.lease_number != lease.number:
        raise LeaseLost(f"{title(job)}: lease {lease.number} was superseded by {job.lease_number}")
    kind = JobCancelled if job.state is State.CANCELLED else LeaseLost
    raise kind(f"{title(job)}: lease {lease.number} ended; the job is {job.state}")


def _expired(job: Job, *, now: datetime) -> Job:
    return _without_lease(job)._replace(
        state=State.DEAD if job.attempts >= job.max_attempts else State.PENDING,
        error_code=LEASE_EXPIRED,
        last_error=f"worker {job.worker_id} was gone before it finished attempt {job.attempts} of {job.max_attempts}",
        updated_at=now,
    )


def _waited_in_vain(job: Job) -> bool:
    return job.state is State.DEAD and job.error_code == SOURCE_NEVER_CAME


def _given_up(job: Job, *, now: datetime) -> Job:
    """No attempt counts: nobody has tried."""
    return job._replace(
        state=State.DEAD,
        available_at=None,
        error_code=SOURCE_NEVER_CAME,
        last_error=f"its source was expected by {job.available_at:%Y-%m-%d %H:%M:%S} UTC and did not come",
        updated_at=now,
    )


def _awaiting(job: Job, *, until: datetime | None, now: datetime) -> Job:
    """Pending, and waiting for its source until then; None: it is there. What an earlier run told of it stays."""
    in_vain = _waited_in_vain(job)
    return job._replace(
        state=State.PENDING,
        available_at=until,
        error_code=None if in_vain else job.error_code,
        last_error=None if in_vain else job.last_error,
        updated_at=now,
    )


def _returned(job: Job, *, now: datetime) -> Job:
    return _without_lease(job)._replace(state=State.PENDING, attempts=job.attempts - 1, updated_at=now)


def _without_lease(job: Job) -> Job:
    return job._replace(worker_id=None, lease_expires_at=None)


def _storable(message: str) -> str:
    """A message may quote a file's name, which need not be valid text; a database takes valid text only."""
    return message.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")
