"""The statements of PostgreSQL that change jobs, built once for each shape of a change."""

from enum import Enum
from functools import lru_cache

from sqlalchemy import BigInteger, Boolean, Column, Integer, SmallInteger

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.codec import GUARDED_COLUMNS, JOB_COLUMNS, Shape, changed_columns
from blobforge.domain.events import Attempt, Event
from blobforge.domain.job import CLAIM_ORDER

_ALL = ", ".join(JOB_COLUMNS)
_NEW_COLUMNS = (*JOB_COLUMNS[1:], "ready", "due_at", "needs")
_NEW = ", ".join(_NEW_COLUMNS)
_CLAIM_ORDER = ", ".join(CLAIM_ORDER)

# Of no row of its own, so that it is asked once, and a claim from a paused lane scans nothing.
_IS_OPEN = "NOT EXISTS (SELECT 1 FROM paused_lanes AS paused WHERE paused.project = %s AND paused.type = %s)"
# A claim does not wait: rows that another transaction has locked are skipped.
READY = (
    f"SELECT {_ALL} FROM jobs WHERE ready AND project = %s AND type = %s AND needs = %s AND {_IS_OPEN} "
    f"ORDER BY {_CLAIM_ORDER} LIMIT %s FOR UPDATE SKIP LOCKED"
)
_READY_JOBS = (
    f"SELECT {_ALL} FROM jobs WHERE ready AND project = %(project)s AND type = %(type)s AND needs = %(needs)s AND "
    "NOT EXISTS (SELECT 1 FROM paused_lanes AS paused WHERE paused.project = %(project)s AND paused.type = %(type)s) "
    "AND"
)
_MOST_URGENT = f"ORDER BY {_CLAIM_ORDER} LIMIT %(limit)s FOR UPDATE SKIP LOCKED"
# Two queries, so that each scans its own range of the index: more urgent tiers, and what comes after the cursor.
READY_AFTER_CURSOR = (
    f"SELECT * FROM (SELECT * FROM ({_READY_JOBS} priority < %(priority)s {_MOST_URGENT}) AS urgent UNION ALL "
    f"SELECT * FROM ({_READY_JOBS} ({_CLAIM_ORDER}) > (%(priority)s, %(created_at)s, %(id)s) {_MOST_URGENT}) "
    "AS next) AS ready_jobs LIMIT %(limit)s"
)
DUE = f"SELECT {_ALL} FROM jobs WHERE due_at <= %s ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED"
# Without ORDER BY the planner may expect a sequential scan to find a row soon.
HAS_READY = (
    f"SELECT 1 FROM jobs WHERE ready AND project = %s AND type = %s AND needs = %s AND {_IS_OPEN} "
    f"ORDER BY {_CLAIM_ORDER} LIMIT 1"
)
NEXT_NEEDS = (
    "SELECT needs FROM jobs WHERE ready AND project = %s AND type = %s AND needs > %s "
    f"ORDER BY needs, {_CLAIM_ORDER} LIMIT 1"
)
HAS_DUE = "SELECT 1 FROM jobs WHERE due_at <= %s ORDER BY due_at LIMIT 1"
# A prepared plan lives as long as its connection, and one that was made while the table was small would scan all of
# it for ever. Every statement here has an index.
BEGIN = "BEGIN; SET LOCAL enable_seqscan = off"
# In the order of ids, so that two transactions that lock several rows do not deadlock.
LOCKED = f"SELECT {_ALL} FROM jobs WHERE id = ANY(%s) ORDER BY id FOR UPDATE"
EXISTING = " UNION ALL ".join(
    f"SELECT {_ALL} FROM {table} WHERE project = %(project)s AND type = %(type)s AND source_hash = ANY(%(hashes)s)"
    for table in ("jobs", "jobs_archive")
)
FROM_ARCHIVE = (
    f"WITH back AS (DELETE FROM jobs_archive WHERE id = ANY(%s) RETURNING {_ALL}) "
    f"INSERT INTO jobs ({_ALL}, ready) SELECT {_ALL}, FALSE FROM back RETURNING {_ALL}"
)
RESTORE_NEEDS = "UPDATE jobs SET needs = %s WHERE id = %s"
FORGET = (
    *(f"DELETE FROM {table} WHERE job_id = ANY(%s)" for table in ("job_attempts", "job_events", "files", "job_leases")),
    "DELETE FROM jobs WHERE id = ANY(%s)",
)
LEASES = "SELECT job_id, lease_number, expires_at, renewed_at FROM job_leases WHERE job_id = ANY(%s)"
ADJUST_LEASE = "UPDATE job_leases SET expires_at = %s, renewed_at = %s WHERE job_id = %s AND lease_number = %s"
POSTPONE = (
    "UPDATE jobs SET due_at = new.due_at FROM unnest(%s::bigint[], %s::timestamptz[]) AS new (id, due_at) "
    "WHERE jobs.id = new.id"
)
# The share lock makes a renewal and the end of a lease wait for each other without rewriting the job's row.
RENEW = (
    "INSERT INTO job_leases (job_id, lease_number, expires_at, renewed_at) "
    "SELECT held.id, held.lease_number, new.expires_at, new.renewed_at "
    "FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::bigint[], %s::timestamptz[], %s::timestamptz[]) "
    "AS new (id, rev, worker_id, lease_number, expires_at, renewed_at) "
    "CROSS JOIN LATERAL (SELECT id, lease_number FROM jobs WHERE jobs.id = new.id AND jobs.rev = new.rev "
    "AND status = 'running' AND worker_id = new.worker_id AND lease_number = new.lease_number FOR SHARE) AS held "
    "ON CONFLICT (job_id) DO UPDATE SET lease_number = excluded.lease_number, expires_at = excluded.expires_at, "
    "renewed_at = excluded.renewed_at RETURNING job_id"
)
NOTIFY = "SELECT pg_notify('blobforge_jobs', '')"
LISTEN = "LISTEN blobforge_jobs"

STAGE = (
    "CREATE TEMPORARY TABLE IF NOT EXISTS blobforge_new_jobs ON COMMIT DELETE ROWS AS "
    f"SELECT 0 AS place, {_NEW} FROM jobs LIMIT 0"
)
_IF_NEW = (
    "WHERE NOT EXISTS (SELECT 1 FROM jobs_archive AS old WHERE old.source_hash = new.source_hash "
    "AND old.type = new.type AND old.project = new.project)"
)
_ONCE = "ON CONFLICT (source_hash, type, project) DO NOTHING RETURNING id"
KEYS = "SELECT id, project, type, source_hash FROM jobs WHERE id = ANY(%s)"

_FILE_COLUMNS = ("job_id", "type", "s3_key", "size", "content_type", "checksum", "created_at")


def _array_type(column: Column[object]) -> str:
    if isinstance(column.type, SmallInteger | Integer | BigInteger):
        return "bigint[]"
    if isinstance(column.type, Boolean):
        return "boolean[]"
    return "timestamptz[]" if isinstance(column.type, tables.UtcTime) else "text[]"


_ARRAYS = {column.name: _array_type(column) for column in tables.jobs.c}


def _recording(table: str, columns: tuple[str, ...]) -> tuple[str, str]:
    """The statements that add one row, and many rows."""
    names = ", ".join(columns)
    arrays = ", ".join(f"%s::{_array_type(tables.metadata.tables[table].c[name])}" for name in columns)
    return (
        f"INSERT INTO {table} ({names}) VALUES ({', '.join(['%s'] * len(columns))})",
        f"INSERT INTO {table} ({names}) SELECT * FROM unnest({arrays})",
    )


_SCALARS = ", ".join("%s::" + _ARRAYS[name].removesuffix("[]") for name in _NEW_COLUMNS)
ADD_ONE = f"INSERT INTO jobs ({_NEW}) SELECT {_NEW} FROM (SELECT {_SCALARS}) AS new ({_NEW}) {_IF_NEW} {_ONCE}"

EVENT = _recording("job_events", ("rev", *Event._fields))
_ATTEMPT_ARRAYS = [_array_type(tables.job_attempts.c[name]) for name in Attempt._fields]
FILE = _recording("files", _FILE_COLUMNS)

Varying = tuple[bool, ...]
"""Which of the columns differ between the jobs: the changed columns in their order, then the guarded ones."""
_AS_READ = " AND ".join(f"{name} IS NOT DISTINCT FROM %s" for name in GUARDED_COLUMNS)


@lru_cache(maxsize=64)
def copy(varying: Varying) -> str:
    """The columns that differ go into the temporary table, with the positions of the jobs."""
    names = ", ".join(name for name, differs in zip(_NEW_COLUMNS, varying, strict=True) if differs)
    return f"COPY blobforge_new_jobs (place, {names}) FROM STDIN"


@lru_cache(maxsize=64)
def add_copied(varying: Varying) -> str:
    """Parameters: the shared values. Returns the ids of the jobs whose key is new."""
    values = ", ".join(
        name if differs else f"%s::{_ARRAYS[name].removesuffix('[]')} AS {name}"
        for name, differs in zip(_NEW_COLUMNS, varying, strict=True)
    )
    rows = f"(SELECT place, {values} FROM blobforge_new_jobs) AS new"
    return f"INSERT INTO jobs ({_NEW}) SELECT {_NEW} FROM {rows} {_IF_NEW} ORDER BY place {_ONCE}"


@lru_cache(maxsize=256)
def update_one(shape: Shape, *, ends_an_attempt: bool) -> str:
    """Counts one row that is as it was read. Parameters: values, id, the guarded ones, and the attempt's values."""
    sets = ", ".join(f"{name} = %s" for name in changed_columns(shape))
    update = f"UPDATE jobs SET {sets}, rev = rev + 1 WHERE id = %s AND {_AS_READ}"
    if not ends_an_attempt:
        return update
    return (
        f"WITH done AS ({update} RETURNING id) INSERT INTO job_attempts ({', '.join(Attempt._fields)}) "
        f"SELECT {', '.join('%s::' + type_.removesuffix('[]') for type_ in _ATTEMPT_ARRAYS)} FROM done"
    )


class EndedAttempts(Enum):
    """How the attempts that an update ends are passed."""

    NONE = "it ends none"
    ALIKE = "the values that all share, without the job"
    EACH = "an array for each column"


@lru_cache(maxsize=256)
def update_many(shape: Shape, varying: Varying, ended: EndedAttempts) -> str:
    """Returns the ids of the jobs that are as they were read. Parameters: as in `_update_many`, then the attempts."""
    update = _update_many(shape, varying)
    if ended is EndedAttempts.NONE:
        return update
    names = ", ".join(Attempt._fields)
    if ended is EndedAttempts.ALIKE:
        values = ", ".join("%s::" + type_.removesuffix("[]") for type_ in _ATTEMPT_ARRAYS[1:])
        rows = f"SELECT id, {values} FROM done"
    else:
        arrays = ", ".join(f"%s::{type_}" for type_ in _ATTEMPT_ARRAYS)
        rows = f"SELECT {names} FROM unnest({arrays}) AS attempt ({names}) WHERE job_id IN (SELECT id FROM done)"
    return f"WITH done AS ({update}), noted AS (INSERT INTO job_attempts ({names}) {rows}) SELECT id FROM done"


def _update_many(shape: Shape, varying: Varying) -> str:
    """Parameters: the new values that all share, ids, an array for each column that differs, the guarded values that
    all share."""
    columns = changed_columns(shape)
    sets = ", ".join(
        f"{name} = new.{name}" if differs else f"{name} = %s" for name, differs in zip(columns, varying, strict=False)
    )
    guards = list(zip(GUARDED_COLUMNS, varying[len(columns) :], strict=True))
    if not any(varying):
        return f"UPDATE jobs SET {sets}, rev = rev + 1 WHERE id = ANY(%s) AND {_AS_READ} RETURNING id"
    differing = [(name, name) for name, differs in zip(columns, varying, strict=False) if differs]
    differing += [(f"old_{name}", name) for name, differs in guards if differs]
    arrays = ", ".join(["%s::bigint[]", *(f"%s::{_ARRAYS[name]}" for _, name in differing)])
    names = ", ".join(["id", *(alias for alias, _ in differing)])
    as_read = " AND ".join(
        f"jobs.{name} IS NOT DISTINCT FROM " + (f"new.old_{name}" if differs else "%s") for name, differs in guards
    )
    return (
        f"UPDATE jobs SET {sets}, rev = jobs.rev + 1 FROM unnest({arrays}) AS new ({names}) "
        f"WHERE jobs.id = new.id AND {as_read} RETURNING jobs.id"
    )
