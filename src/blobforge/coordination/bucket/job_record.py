"""The job record: the one object that is the state of a job. Its first fields are the lock of document 000."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from blobforge.coordination.bucket.job_history import JobHistory, adopted, as_number, as_time, decoded, encoded
from blobforge.domain.ids import JobKey, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.loose_json import json_in
from blobforge.domain.priority import Priority

CANCELLED = "cancelled"
SPENT = "exceeded_max_retries"
FOREIGN_LEASE = timedelta(minutes=15)
"""How long a lock of document 000 is valid after its last heartbeat."""


class RecordState(StrEnum):
    """What a record says of its job, as it is written into the object."""

    HELD = "held"
    FINALISING = "finalising"
    """Held, and about to be published: it cannot be cancelled any more."""
    PENDING = "pending"
    FAILED = "failed"
    DEAD = "dead"
    PURGED = "purged"
    """A tombstone: only the generation is left, so that no late write of an old run counts for a new one."""


STATE_OF = {
    State.PENDING: RecordState.PENDING,
    State.RUNNING: RecordState.HELD,
    State.FAILED: RecordState.FAILED,
    State.DEAD: RecordState.DEAD,
    State.CANCELLED: RecordState.DEAD,
}
IN_PROGRESS = frozenset({RecordState.HELD, RecordState.FINALISING})

_READ_AS = {**{state.value: state for state in RecordState}, "released": RecordState.PENDING}


class JobRecord(NamedTuple):
    """`instance` is the process that wrote it: only that one may go on publishing what it began to."""

    state: RecordState
    generation: int
    history: JobHistory
    instance: str

    @property
    def job(self) -> Job:
        return self.history.job


def job_record_body(record: JobRecord, *, nonce: str) -> bytes:
    """No two bodies are equal, by the `nonce`: a process that reads its own bytes knows that its write succeeded."""
    job = record.job
    facts: dict[str, Any] = {
        "state": record.state.value,
        "worker": job.worker_id,
        "started": _text(job.started_at),
        "last_heartbeat": _text(job.updated_at),
        "priority": Priority(job.priority).slug,
        "retries": retries_of(job),
        "attempt": job.attempts,
        "generation": record.generation,
        "seq": job.rev,
        "nonce": nonce,
        "instance": record.instance,
        "cancel": job.state is State.CANCELLED,
    }
    if job.last_error is not None:
        facts["error"] = job.last_error
    return _json(facts | encoded(record.history))


def parse_job_record(body: bytes, *, generation: int) -> JobRecord | None:
    """None for a foreign object."""
    facts = facts_of(body)
    state, history = _READ_AS.get(str(facts.get("state"))), decoded(facts)
    if state is None or history is None:
        return None
    return JobRecord(state, generation, history, str(facts.get("instance", "")))


def foreign_record(key: JobKey, body: bytes, *, generation: int, modified: datetime) -> JobRecord:
    """The record for a lock that another program wrote, or that cannot be read: held until its heartbeat is too old."""
    facts = facts_of(body)
    stated = as_time(facts.get("last_heartbeat")) or as_time(facts.get("started")) or modified
    # A time far ahead was written by a wrong clock.
    heartbeat = stated if stated <= modified + FOREIGN_LEASE else modified
    history = adopted(key, facts, modified=modified)
    job = history.job._replace(
        state=State.RUNNING,
        attempts=history.job.attempts + 1,
        lease_number=1,
        worker_id=WorkerId(str(facts.get("worker") or "unknown")),
        started_at=as_time(facts.get("started")) or heartbeat,
        updated_at=heartbeat,
        lease_expires_at=heartbeat + FOREIGN_LEASE,
    )
    return JobRecord(RecordState.HELD, generation, JobHistory(job), "")


def retries_of(job: Job) -> int:
    """Failed attempts so far."""
    return max(job.attempts - (job.state is State.RUNNING), 0)


def todo_body(history: JobHistory, *, generation: int, has_record: bool) -> bytes:
    """The marker of a job without a record holds its whole history; of any other, the record does, and the marker has
    the job in case that is lost."""
    job = history.job
    facts: dict[str, Any] = {
        "retries": retries_of(job),
        "queued_at": _text(job.updated_at),
        "generation": generation,
    }
    if job.needs:
        facts["needs"] = job.needs
    if history.attempts:
        facts["recovered_from"] = history.attempts[-1].worker_id
    return _json(facts | ({"cell": True} | encoded(JobHistory(job)) if has_record else encoded(history)))


class TodoMarker(NamedTuple):
    """The content of a marker in `todo`."""

    generation: int
    has_record: bool
    history: JobHistory | None
    facts: Mapping[str, Any]

    @property
    def needs(self) -> str:
        """The abilities that its worker must have."""
        said = self.facts.get("needs")
        return said if isinstance(said, str) else ""


def parse_todo_body(body: bytes) -> TodoMarker:
    facts = facts_of(body)
    return TodoMarker(max(as_number(facts.get("generation")), 1), facts.get("cell") is True, decoded(facts), facts)


def failed_body(record: JobRecord) -> bytes:
    job = record.job
    facts = {
        "error": job.last_error,
        "error_code": job.error_code,
        "worker": record.history.attempts[-1].worker_id if record.history.attempts else None,
        "retries": retries_of(job),
        "priority": Priority(job.priority).slug,
        "generation": record.generation,
        "failed_at": _text(job.updated_at),
        "retry_at": _text(job.available_at),
    }
    return _json(facts)


def dead_body(record: JobRecord) -> bytes:
    job = record.job
    facts = {
        "error": job.last_error,
        "error_code": job.error_code,
        "total_retries": retries_of(job),
        "reason": _reason(job),
        "priority": Priority(job.priority).slug,
        "generation": record.generation,
        "died_at": _text(job.updated_at),
    }
    return _json(facts)


def facts_of(body: bytes) -> dict[str, Any]:
    """Nothing for what is no JSON object, or too deep to be one of ours."""
    facts = json_in(body)
    return facts if isinstance(facts, dict) else {}


def _reason(job: Job) -> str:
    if job.state is State.CANCELLED:
        return CANCELLED
    return SPENT if job.attempts >= job.max_attempts else job.error_code or SPENT


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _json(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, separators=(",", ":")).encode("ascii")
