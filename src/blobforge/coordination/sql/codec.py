"""Converts between a Job and its row: the same columns in the same order, and three derived ones."""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache
from operator import is_, itemgetter
from typing import Any, cast

from blobforge.coordination.sql.job_driver import Write
from blobforge.domain.ids import JobKey
from blobforge.domain.job import Job, State

# A row begins with the fields of a Job in their order; only the state has another name in SQL.
JOB_COLUMNS: tuple[str, ...] = tuple("status" if field == "state" else field for field in Job._fields)
JOB_FIELD_COUNT = len(JOB_COLUMNS)

TIME_FIELDS = frozenset(
    Job._fields.index(name)
    for name in ("lease_expires_at", "available_at", "created_at", "updated_at", "started_at", "completed_at")
)
STATE_FIELD = Job._fields.index("state")
REV_FIELD = Job._fields.index("rev")
assert Job._fields[REV_FIELD + 1 :] == (), "what is written ends before it"
_METADATA_FIELD = Job._fields.index("metadata")

key_of = cast("Callable[[Job], JobKey]", itemgetter(slice(1, 4)))
"""As a plain tuple, which is equal to the JobKey and made in a tenth of the time."""
assert Job._fields[1:4] == JobKey._fields

STATES: dict[str, State] = {state.value: state for state in State}


def job_of_row(row: Iterable[Any]) -> Job:
    values = list(row)
    values[STATE_FIELD] = STATES[values[STATE_FIELD]]
    return Job._make(values)


def due_at(job: Job) -> datetime | None:
    """When the lease expires, the back-off ends or the source must have come; None for a job that waits for none."""
    return job.lease_expires_at or job.available_at


def keeps_its_due_time(before: Job, after: Job) -> bool:
    """A renewal leaves `due_at` alone: it is only a lower bound, which the sweep corrects.

    So a heartbeat touches no index, and on PostgreSQL rewrites no index entry.
    """
    return before.state is State.RUNNING and after.state is State.RUNNING and before.lease_number == after.lease_number


_GUARDED = (
    *("rev", "state", "worker_id", "lease_number", "attempts", "max_attempts"),
    *("available_at", "started_at", "error_code", "last_error"),
)
GUARDED_COLUMNS: tuple[str, ...] = tuple(JOB_COLUMNS[Job._fields.index(name)] for name in _GUARDED)
"""What a write compares, besides the id, with the job that it was computed from. `rev` alone would find a stale copy;
who brings a copy may also have made it up. So the condition repeats whatever claims, endings and renewals read: who
holds the lease (state, worker, number), whether it may be claimed (`available_at`), how many attempts are left, and
the start of the attempt, which goes into its history. And it repeats the error, which an ending clears: only columns
that change are written.

The end of a lease is not in it: on PostgreSQL the row does not know of renewals. See `TransitionBatch`."""

guard_of = cast("Callable[[Job], tuple[object, ...]]", itemgetter(*(Job._fields.index(name) for name in _GUARDED)))
"""The values of those columns, `rev` first."""

Shape = tuple[bool, ...]
"""Which fields are the same before and after a change, in order; last whether `due_at` stays."""


def shape_of(before: Job, after: Job) -> Shape:
    """By identity, since `_replace` keeps the objects; an equal value written again does no harm."""
    return (*map(is_, before, after), keeps_its_due_time(before, after))


def by_shape(writes: Iterable[Write]) -> dict[Shape, list[int]]:
    """The positions of writes, grouped by the fields that they change."""
    shapes: dict[Shape, list[int]] = {}
    for place, (before, after, _) in enumerate(writes):
        shapes.setdefault(shape_of(before, after), []).append(place)
    return shapes


@lru_cache(maxsize=256)
def changed_fields(shape: Shape) -> tuple[int, ...]:
    """The fields of a Job that a write of this shape must set; `rev` is incremented by the statement."""
    return tuple(index for index in range(JOB_FIELD_COUNT) if not shape[index] and index != REV_FIELD)


def changes_needs(shape: Shape) -> bool:
    """They are part of the order, which is in `metadata`."""
    return not shape[_METADATA_FIELD]


@lru_cache(maxsize=256)
def changed_columns(shape: Shape) -> tuple[str, ...]:
    """The columns of the changed fields in their order, then the derived ones."""
    derived = (*(("needs",) if changes_needs(shape) else ()), *(() if shape[-1] else ("ready", "due_at")))
    return (*(JOB_COLUMNS[index] for index in changed_fields(shape)), *derived)


@lru_cache(maxsize=256)
def changed_values(shape: Shape) -> Callable[[Job], tuple[object, ...]]:
    """A getter of the values of those fields."""
    # itemgetter of one index gives the bare value; a second one keeps it a tuple.
    return itemgetter(STATE_FIELD, *changed_fields(shape))
