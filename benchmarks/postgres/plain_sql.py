"""The same transitions on the same table as a person would write them by hand, each a transaction of its own."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from benchmarks.postgres.race import Span, Task

# By an array: with IN, the planner may join with the whole table.
_CLAIM = """
UPDATE jobs SET status = 'running', worker_id = %(worker)s, lease_number = lease_number + 1, attempts = attempts + 1,
    lease_expires_at = %(until)s, due_at = %(until)s, started_at = %(now)s, updated_at = %(now)s, ready = FALSE,
    rev = rev + 1
WHERE id = ANY(ARRAY(
    SELECT id FROM jobs WHERE ready AND project = 'default' AND type = 'pdf' ORDER BY priority, created_at, id
    LIMIT %(count)s FOR UPDATE SKIP LOCKED
)) RETURNING *
"""
_COMPLETE = """
UPDATE jobs SET status = 'completed', worker_id = NULL, lease_expires_at = NULL, due_at = NULL, completed_at = %(now)s,
    updated_at = %(now)s, result = '{}', rev = rev + 1
"""
_COMPLETE_ONE = f"{_COMPLETE} WHERE id = %(id)s"
_COMPLETE_MANY = f"{_COMPLETE} WHERE id = ANY(%(ids)s)"

_COLUMNS = (
    "project, type, source_hash, source_path, source_size, status, priority, attempts, max_attempts, lease_number, "
    "worker_id, lease_expires_at, available_at, created_at, updated_at, started_at, completed_at, error_code, "
    "last_error, tags, metadata, result, rev, ready, due_at"
)
_STAGE = f"CREATE TEMPORARY TABLE new_jobs ON COMMIT DROP AS SELECT {_COLUMNS} FROM jobs LIMIT 0"
_COPY = f"COPY new_jobs ({_COLUMNS}) FROM STDIN"
_ADD = (
    f"INSERT INTO jobs ({_COLUMNS}) SELECT {_COLUMNS} FROM new_jobs "
    "ON CONFLICT (source_hash, type, project) DO NOTHING RETURNING id, project, type, source_hash"
)


def drain(task: Task) -> Span:
    with psycopg.connect(task.url, autocommit=True) as connection:
        task.begin()
        ids = _claim(connection, task)
        first, jobs = time.monotonic(), 0
        while ids:
            jobs += len(ids)
            _complete(connection, ids)
            last = time.monotonic()
            ids = _claim(connection, task)
        return Span(jobs, first, last if jobs else first)


def _claim(connection: psycopg.Connection[Any], task: Task) -> list[int]:
    now = datetime.now(UTC)
    facts = {"now": now, "until": now + timedelta(seconds=180), "count": task.batch, "worker": f"bench-{task.rank}"}
    return [row[0] for row in connection.execute(_CLAIM, facts).fetchall()]


def _complete(connection: psycopg.Connection[Any], ids: Sequence[int]) -> None:
    now = datetime.now(UTC)
    if len(ids) == 1:
        connection.execute(_COMPLETE_ONE, {"now": now, "id": ids[0]})
    else:
        connection.execute(_COMPLETE_MANY, {"now": now, "ids": list(ids)})


def new_row(source_hash: str, now: datetime) -> tuple[object, ...]:
    """As our store writes it."""
    nothing = (None, None, None)
    return (
        *("default", "pdf", source_hash, None, None, "pending", 3, 0, 3, 0),
        *nothing,
        *(now, now, None, None),
        *(None, None, "[]", "{}", None, 0, True, None),
    )


def copy_in(connection: psycopg.Connection[Any], rows: Sequence[tuple[object, ...]]) -> list[tuple[Any, ...]]:
    """Many jobs at once: COPY into a table of the transaction, then INSERT what is not there yet."""
    with connection.transaction():
        connection.execute(_STAGE)
        with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
            for row in rows:
                copy.write_row(row)
        return connection.execute(_ADD).fetchall()
