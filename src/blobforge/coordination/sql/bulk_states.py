"""The states of thousands of jobs by key, in one statement, archived ones too."""

import json
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Connection, Select, String, any_, bindparam, func, select, true, union_all

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.codec import STATES
from blobforge.domain.ids import JobKey, SourceHash
from blobforge.domain.job import State

KEYS_AT_ONCE = 10_000
SCAN_FROM = 4
"""SQLite scans so many rows in the time of one look-up by hash."""


def states_of(connection: Connection, keys: Sequence[JobKey]) -> dict[JobKey, State]:
    queues: dict[tuple[str, str], dict[SourceHash, JobKey]] = {}
    for queue, run in groupby(keys, key=itemgetter(0, 1)):
        part = list(run)
        queues.setdefault(queue, {}).update(zip(map(itemgetter(2), part), part, strict=True))
    found: dict[JobKey, State] = {}
    for (project, job_type), wanted in queues.items():
        hashes = list(wanted)
        for start in range(0, len(hashes), KEYS_AT_ONCE):
            some = hashes[start : start + KEYS_AT_ONCE]
            for status, joined in connection.execute(*_statement_for(connection, project, job_type, some)):
                state = STATES[status]
                for source_hash in joined.split(","):
                    key_of_it = wanted.get(source_hash)
                    if key_of_it is not None:
                        found[key_of_it] = state
    return found


def _statement_for(
    connection: Connection, project: str, job_type: str, hashes: Sequence[SourceHash]
) -> tuple[Select[Any], dict[str, Any]]:
    facts: dict[str, Any] = {"project": project, "type": job_type}
    if connection.dialect.name != "sqlite":
        return _BY_ARRAY, {**facts, "hashes": hashes}
    newest = connection.execute(_NEWEST).scalar() or 0
    if newest <= SCAN_FROM * len(hashes):
        return _SCAN, facts
    # Sorted, so that neighbouring index entries are read together.
    return _BY_JSON, {**facts, "hashes": json.dumps(sorted(hashes))}


def _query(is_wanted: Callable[[ColumnElement[str]], ColumnElement[bool]]) -> Select[Any]:
    """One row per state, with all its hashes: thousands of rows take longer to fetch than to find.

    Both tables in one statement, or a job that is archived meanwhile would be missed.
    """
    parts = [
        select(table.c.status, func.aggregate_strings(table.c.source_hash, ","))
        .where(table.c.project == bindparam("project"), table.c.type == bindparam("type"))
        .where(is_wanted(table.c.source_hash))
        .group_by(table.c.status)
        for table in (tables.jobs, tables.jobs_archive)
    ]
    return select(union_all(*parts).subquery())


def _in_json(column: ColumnElement[str]) -> ColumnElement[bool]:
    """As one parameter: a statement with thousands of them takes longer to build than to run."""
    return column.in_(select(func.json_each(bindparam("hashes", type_=String)).table_valued("value").c.value))


def _in_array(column: ColumnElement[str]) -> ColumnElement[bool]:
    return column == any_(bindparam("hashes", type_=ARRAY(String)))


_BY_JSON = _query(_in_json)
_BY_ARRAY = _query(_in_array)
_SCAN = _query(lambda _: true())
_NEWEST = select(func.max(tables.jobs.c.id))
