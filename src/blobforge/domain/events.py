"""A job's history: one event per transition. What an attempt records is not written twice.

A claim and its end are one Attempt, recorded when it ends. Transitions outside attempts are recorded as events.
`history_of` puts both together into one line of events.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.lifecycle import LEASE_EXPIRED, SOURCE_NEVER_CAME


class Event(NamedTuple):
    """One line of a job's history."""

    job_id: JobId
    at: datetime
    kind: str
    lease_number: int
    worker_id: WorkerId | None = None
    detail: str | None = None


class Attempt(NamedTuple):
    """One claim of a job, and how it ended."""

    job_id: JobId
    lease_number: int
    worker_id: WorkerId | None
    started_at: datetime | None
    ended_at: datetime
    outcome: str
    error_code: str | None
    error: str | None


class History(NamedTuple):
    """A job's past, oldest first. The events are complete; the attempts have the details of each claim that ended."""

    attempts: list[Attempt]
    events: list[Event]


def event_of(before: Job, after: Job) -> Event | None:
    """The event of a transition that no attempt records: not a claim, not the end of one, not a renewal."""
    if before.state is State.RUNNING or after.state is State.RUNNING:
        return None
    kind = _kind(before, after)
    return None if kind is None else Event(after.id, after.updated_at, kind, after.lease_number)


def attempt_of(before: Job, after: Job) -> Attempt | None:
    """The attempt that this transition ended; None when it ended none."""
    if before.state is not State.RUNNING:
        return None
    if after.state is State.RUNNING and before.lease_number == after.lease_number:
        return None
    outcome = _outcome(before, after)
    failed = outcome in ("failed", "died", "expired")
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


def history_of(job: Job, attempts: Sequence[Attempt], events: Iterable[Event]) -> History:
    """All events in order. Between two claims come the end of the first, and then the transitions outside attempts."""
    attempts = sorted(attempts, key=lambda attempt: attempt.lease_number)
    outside: dict[int, list[Event]] = {}
    for event in events:
        outside.setdefault(event.lease_number, []).append(event)
    line = [Event(job.id, job.created_at, "submitted", 0), *outside.get(0, ())]
    for attempt in attempts:
        line += _events_of(attempt)
        line += outside.get(attempt.lease_number, ())
    # The attempt may have ended between the reads of the job and its attempts: then it is recorded already.
    recorded = attempts[-1].lease_number if attempts else 0
    if job.state is State.RUNNING and job.started_at is not None and job.lease_number > recorded:
        line.append(Event(job.id, job.started_at, "claimed", job.lease_number, job.worker_id))
    return History(attempts, line)


def _events_of(attempt: Attempt) -> Iterator[Event]:
    job_id, number, worker_id, started_at, ended_at, outcome, code, _ = attempt
    yield Event(job_id, started_at or ended_at, "claimed", number, worker_id)
    yield Event(job_id, ended_at, outcome, number, worker_id, code)


def _kind(before: Job, after: Job) -> str | None:
    if after.state is State.PENDING and before.state is not State.PENDING:
        return _kind_of_return(before, after)
    if before.state is State.DEAD and after.state is State.COMPLETED:
        return "restored"
    if after.state is not before.state:
        return after.state.value
    if after.available_at != before.available_at:
        return _source_kind(after)
    if after.priority != before.priority:
        return "reprioritized"
    return "amended" if after.metadata != before.metadata else None


def _kind_of_return(before: Job, after: Job) -> str:
    """Of a job that is pending again."""
    if after.metadata != before.metadata:
        return "reprocessed"
    if before.error_code == SOURCE_NEVER_CAME and after.error_code is None:
        return _source_kind(after)
    waited = before.available_at is not None and before.available_at <= after.updated_at
    return "promoted" if waited and after.attempts == before.attempts else "retried"


def _source_kind(after: Job) -> str:
    return "source arrived" if after.available_at is None else "source expected"


def _outcome(before: Job, after: Job) -> str:
    if after.state is State.RUNNING:
        return "expired"
    if after.state is State.PENDING:
        return "released" if after.attempts < before.attempts else "expired"
    if after.state is State.DEAD:
        return "expired" if after.error_code == LEASE_EXPIRED else "died"
    return after.state.value
