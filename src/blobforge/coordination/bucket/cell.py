"""The cell: one object that is the state of a job. Its first fields are the lock of document 000, as others read it."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_hex
from typing import Any, NamedTuple

from blobforge.coordination.bucket.record import Record, adopted, as_number, as_time, decoded, encoded
from blobforge.domain.ids import JobKey, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.priority import Priority

CANCELLED = "cancelled"
SPENT = "exceeded_max_retries"
FOREIGN_LEASE = timedelta(minutes=15)
"""What document 000 gives a lock that was not renewed."""


class CellState(StrEnum):
    HELD = "held"
    FINALISING = "finalising"
    """Held, and about to be published: nobody cancels it any more."""
    PENDING = "pending"
    FAILED = "failed"
    DEAD = "dead"
    PURGED = "purged"
    """Forgotten on purpose; only its number is left, so that nothing old is taken for new."""


STATE_OF = {
    State.PENDING: CellState.PENDING,
    State.RUNNING: CellState.HELD,
    State.FAILED: CellState.FAILED,
    State.DEAD: CellState.DEAD,
    State.CANCELLED: CellState.DEAD,
}
IN_PROGRESS = frozenset({CellState.HELD, CellState.FINALISING})

_READ_AS = {**{state.value: state for state in CellState}, "released": CellState.PENDING}


class Cell(NamedTuple):
    """`instance` is the process that wrote it: only that one goes on publishing what it began to."""

    state: CellState
    generation: int
    record: Record
    instance: str

    @property
    def job(self) -> Job:
        return self.record.job


def cell_body(cell: Cell) -> bytes:
    """No two bodies are equal: who finds its own bytes there knows that it wrote them."""
    job = cell.job
    facts: dict[str, Any] = {
        "state": cell.state.value,
        "worker": job.worker_id,
        "started": _text(job.started_at),
        "last_heartbeat": _text(job.updated_at),
        "priority": Priority(job.priority).slug,
        "retries": retries_of(job),
        "attempt": job.attempts,
        "generation": cell.generation,
        "seq": job.rev,
        "nonce": token_hex(8),
        "instance": cell.instance,
        "cancel": job.state is State.CANCELLED,
    }
    if job.last_error is not None:
        facts["error"] = job.last_error
    return _json(facts | encoded(cell.record))


def parse_cell_body(body: bytes, *, generation: int) -> Cell | None:
    """None for what is no cell of ours."""
    facts = facts_of(body)
    state, record = _READ_AS.get(str(facts.get("state"))), decoded(facts)
    if state is None or record is None:
        return None
    return Cell(state, generation, record, str(facts.get("instance", "")))


def foreign_cell(key: JobKey, body: bytes, *, generation: int, modified: datetime) -> Cell:
    """A lock that another program wrote, or nobody can read: held until its last sign of life is too old."""
    facts = facts_of(body)
    said = as_time(facts.get("last_heartbeat")) or as_time(facts.get("started")) or modified
    # One that lies far ahead was written by a clock that was wrong.
    heard = said if said <= modified + FOREIGN_LEASE else modified
    record = adopted(key, facts, modified=modified)
    job = record.job._replace(
        state=State.RUNNING,
        attempts=record.job.attempts + 1,
        lease_number=1,
        worker_id=WorkerId(str(facts.get("worker") or "unknown")),
        started_at=as_time(facts.get("started")) or heard,
        updated_at=heard,
        lease_expires_at=heard + FOREIGN_LEASE,
    )
    return Cell(CellState.HELD, generation, Record(job), "")


def retries_of(job: Job) -> int:
    """Failed tries so far."""
    return max(job.attempts - (job.state is State.RUNNING), 0)


def todo_body(record: Record, *, generation: int, has_cell: bool) -> bytes:
    """A job that was never touched is told whole here; of any other, the cell tells."""
    job = record.job
    facts: dict[str, Any] = {
        "retries": retries_of(job),
        "queued_at": _text(job.updated_at),
        "generation": generation,
    }
    if job.needs:
        facts["needs"] = job.needs
    if record.attempts:
        facts["recovered_from"] = record.attempts[-1].worker_id
    return _json(facts | ({"cell": True} if has_cell else encoded(record)))


class Waiting(NamedTuple):
    """What a marker in `todo` tells."""

    generation: int
    has_cell: bool
    record: Record | None
    facts: Mapping[str, Any]

    @property
    def needs(self) -> str:
        """What its worker must have."""
        said = self.facts.get("needs")
        return said if isinstance(said, str) else ""


def parse_todo_body(body: bytes) -> Waiting:
    facts = facts_of(body)
    return Waiting(max(as_number(facts.get("generation")), 1), facts.get("cell") is True, decoded(facts), facts)


def failed_body(cell: Cell) -> bytes:
    job = cell.job
    facts = {
        "error": job.last_error,
        "error_code": job.error_code,
        "worker": cell.record.attempts[-1].worker_id if cell.record.attempts else None,
        "retries": retries_of(job),
        "priority": Priority(job.priority).slug,
        "generation": cell.generation,
        "failed_at": _text(job.updated_at),
        "retry_at": _text(job.available_at),
    }
    return _json(facts)


def dead_body(cell: Cell) -> bytes:
    job = cell.job
    facts = {
        "error": job.last_error,
        "error_code": job.error_code,
        "total_retries": retries_of(job),
        "reason": _reason(job),
        "priority": Priority(job.priority).slug,
        "generation": cell.generation,
        "died_at": _text(job.updated_at),
    }
    return _json(facts)


def facts_of(body: bytes) -> dict[str, Any]:
    """Nothing for what is no JSON object."""
    try:
        facts = json.loads(body)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def _reason(job: Job) -> str:
    if job.state is State.CANCELLED:
        return CANCELLED
    return SPENT if job.attempts >= job.max_attempts else job.error_code or SPENT


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _json(facts: Mapping[str, Any]) -> bytes:
    return json.dumps(facts, separators=(",", ":")).encode("ascii")
