"""Adds jobs whose keys are new: few by single statements, many by a COPY of the columns that differ."""

from collections.abc import Sequence
from typing import Any

import psycopg

from blobforge.coordination.sql.codec import STATE_FIELD, due_at, key_of
from blobforge.coordination.sql.postgres import statements
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job, is_ready

_make_job = tuple.__new__

# Below it, single statements cost less than a temporary table and a COPY.
COPY_FROM = 8

Cursor = psycopg.Cursor[tuple[Any, ...]]


def add(cursor: Cursor, jobs: Sequence[Job]) -> dict[JobKey, Job]:
    """No two of them have the same key."""
    ids = _add_one_by_one(cursor, jobs) if len(jobs) < COPY_FROM else _add_by_copy(cursor, jobs)
    return {key_of(job): _make_job(Job, (job_id, *job[1:])) for job, job_id in zip(jobs, ids, strict=True) if job_id}


def _add_one_by_one(cursor: Cursor, jobs: Sequence[Job]) -> list[JobId | None]:
    """The id of each, None where its key exists."""
    ids: list[JobId | None] = []
    for job in jobs:
        rows = cursor.execute(statements.ADD_ONE, _new_row(job)).fetchall()
        ids.append(rows[0][0] if rows else None)
    return ids


def _add_by_copy(cursor: Cursor, jobs: Sequence[Job]) -> Sequence[JobId | None]:
    columns = _columns(jobs)
    varying = tuple(map(differ, columns))
    cursor.execute(statements.STAGE)
    with cursor.copy(statements.copy(varying)) as copy:
        for row in zip(range(len(jobs)), *(c for c, differs in zip(columns, varying, strict=True) if differs)):  # noqa: B905
            copy.write_row(row)
    shared = [column[0] for column, differs in zip(columns, varying, strict=True) if not differs]
    ids = [row[0] for row in cursor.execute(statements.add_copied(varying), shared).fetchall()]
    if len(ids) == len(jobs):
        # All were new, and they were added in their order.
        return ids
    known = {
        (project, kind, source): job_id for job_id, project, kind, source in cursor.execute(statements.KEYS, (ids,))
    }
    return [known.get(key_of(job)) for job in jobs]


def _new_row(job: Job) -> list[object]:
    return [column[0] for column in _columns([job])]


def _columns(jobs: Sequence[Job]) -> list[Sequence[object]]:
    """The columns of new jobs: all but their ids, then `ready`, `due_at` and `needs`."""
    columns: list[Sequence[object]] = list(zip(*jobs, strict=True))
    # psycopg would write the name of a member of an enumeration.
    columns[STATE_FIELD] = [job.state.value for job in jobs]
    return [*columns[1:], list(map(is_ready, jobs)), list(map(due_at, jobs)), [job.needs for job in jobs]]


def differ(column: Sequence[object]) -> bool:
    return column.count(column[0]) != len(column)
