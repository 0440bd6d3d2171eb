"""What a move leaves behind: one event a move, and one attempt record each time a worker lets go."""

from datetime import datetime
from typing import NamedTuple

from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.lifecycle import LEASE_EXPIRED


class Event(NamedTuple):
    """One line of a job's history, named by the revision of the job that it led to."""

    job_id: JobId
    rev: int
    at: datetime
    kind: str
    lease_number: int
    worker_id: WorkerId | None
    detail: str | None


class Attempt(NamedTuple):
    """How one claim of a job ended."""

    job_id: JobId
    lease_number: int
    worker_id: WorkerId | None
    started_at: datetime | None
    ended_at: datetime
    outcome: str
    error_code: str | None
    error: str | None


_KINDS = {
    State.RUNNING: "claimed",
    State.COMPLETED: "completed",
    State.FAILED: "failed",
    State.DEAD: "died",
    State.CANCELLED: "cancelled",
}


def submitted(job: Job) -> Event:
    return Event(job.id, job.rev, job.created_at, "submitted", job.lease_number, None, None)


def event_of(before: Job, after: Job) -> Event | None:
    """What happened between two forms of a job; None for a renewal, which is no news."""
    kind = _kind(before, after)
    if kind is None:
        return None
    return Event(
        after.id,
        after.rev,
        after.updated_at,
        kind,
        after.lease_number,
        after.worker_id or before.worker_id,
        after.error_code if after.error_code != before.error_code else None,
    )


def attempt_of(before: Job, after: Job) -> Attempt | None:
    """The record of an attempt that this move ended; None when it ended none."""
    if before.state is not State.RUNNING or (
        after.state is State.RUNNING and before.lease_number == after.lease_number
    ):
        return None
    outcome = _ending(before, after)
    failed = outcome in ("failed", "expired")
    return Attempt(
        before.id,
        before.lease_number,
        before.worker_id,
        before.started_at,
        after.updated_at,
        outcome,
        after.error_code if failed else None,
        after.last_error if failed else None,
    )


def _kind(before: Job, after: Job) -> str | None:
    if before.state is after.state and before.lease_number == after.lease_number:
        return "reprioritized" if before.priority != after.priority else None
    if after.state is not State.PENDING:
        return _KINDS[after.state]
    if before.state is State.RUNNING:
        return "expired" if _ending(before, after) == "expired" else "released"
    waited = before.available_at is not None and before.available_at <= after.updated_at
    return "promoted" if waited and after.attempts == before.attempts else "retried"


def _ending(before: Job, after: Job) -> str:
    if after.state is State.RUNNING:
        return "expired"
    if after.state is State.PENDING:
        return "released" if after.attempts < before.attempts else "expired"
    if after.state is State.DEAD and after.error_code == LEASE_EXPIRED:
        return "expired"
    return "failed" if after.state in (State.FAILED, State.DEAD) else after.state.value
