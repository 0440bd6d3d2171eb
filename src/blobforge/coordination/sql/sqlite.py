"""The driver of SQLite: its connections and the statements that run for every job."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from itertools import chain, compress
from pathlib import Path
from typing import Any, cast

from sqlalchemy import URL, Engine, create_engine, event

from blobforge.coordination.sql.claim_partitions import ClaimPartition, partitions_for
from blobforge.coordination.sql.codec import (
    GUARDED_COLUMNS,
    JOB_COLUMNS,
    JOB_FIELD_COUNT,
    REV_FIELD,
    STATE_FIELD,
    STATES,
    TIME_FIELDS,
    Shape,
    by_shape,
    changed_columns,
    changed_fields,
    changed_values,
    changes_needs,
    due_at,
    guard_of,
    key_of,
)
from blobforge.coordination.sql.job_driver import EventWrite, FileWrite, JobTransaction, Write
from blobforge.coordination.sql.sqlite_connections import SqliteConnections
from blobforge.coordination.sql.tables import time_to_text
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.events import Attempt
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import CLAIM_ORDER, Job, State, claim_order, is_ready
from blobforge.ports.job_store import Queue
from blobforge.sqlite_files import meaning, use_log

BUSY_SECONDS = 30
# `_make` of a NamedTuple calls this too, at twice the cost.
_make_job = tuple.__new__
_TEXTS: dict[object, str] = {state: state.value for state in State}
# SQLite allows 32,766 parameters in a statement; half a thousand keys keep each statement small.
KEYS_AT_ONCE = 500
# One statement for many rows pays from so many rows on.
ALIKE_FROM = 4

_ALL = ", ".join(JOB_COLUMNS)
_CLAIM_ORDER = ", ".join(CLAIM_ORDER)
_IN_PARTITION = "ready AND project = ? AND type = ? AND needs = ?"
# Of no row of its own, so that it is asked once, and a claim from a paused lane scans nothing.
_IS_OPEN = "NOT EXISTS (SELECT 1 FROM paused_lanes WHERE project = ? AND type = ?)"
_READY = f"SELECT {_ALL} FROM jobs WHERE {_IN_PARTITION} AND {_IS_OPEN} ORDER BY {_CLAIM_ORDER} LIMIT ?"
_NEXT_NEEDS = (
    "SELECT needs FROM jobs WHERE ready AND project = ? AND type = ? AND needs > ? "
    f"ORDER BY project, type, needs, {_CLAIM_ORDER} LIMIT 1"
)
_DUE = f"SELECT {_ALL} FROM jobs WHERE due_at <= ? ORDER BY due_at LIMIT ?"
_HAS_READY = f"SELECT 1 FROM jobs WHERE {_IN_PARTITION} AND {_IS_OPEN} LIMIT 1"
_HAS_DUE = "SELECT 1 FROM jobs WHERE due_at <= ? LIMIT 1"
_POSTPONE = "UPDATE jobs SET due_at = ? WHERE id = ?"
_INSERT = f"INSERT INTO jobs ({_ALL}, ready, due_at, needs) VALUES ({', '.join('?' * (JOB_FIELD_COUNT + 3))})"
_FROM_ARCHIVE = f"DELETE FROM jobs_archive WHERE id = ? RETURNING {_ALL}"
_FORGET = [
    *(f"DELETE FROM {table} WHERE job_id = ?" for table in ("job_attempts", "job_events", "files")),
    "DELETE FROM jobs WHERE id = ?",
]
_LAST_ID = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'jobs'), 0)"
_EVENT = "INSERT INTO job_events (rev, job_id, at, kind, lease_number, worker_id, detail) VALUES (?, ?, ?, ?, ?, ?, ?)"
_ATTEMPT = (
    "INSERT INTO job_attempts (job_id, lease_number, worker_id, started_at, ended_at, outcome, error_code, error) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
# `IS` is `=` for values that may be NULL.
_AS_READ = " AND ".join(f"{name} IS ?" for name in GUARDED_COLUMNS)
_FILE = (
    "INSERT INTO files (job_id, type, s3_key, size, content_type, checksum, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def sqlite_engine(path: Path, *, synchronous: str) -> Engine:
    """An engine in WAL mode. `synchronous` FULL loses nothing in a power cut; NORMAL may lose the last commits."""
    if synchronous not in ("FULL", "NORMAL"):
        raise ValueError(f"synchronous is FULL or NORMAL, not {synchronous!r}")
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": False},
        # Each thread keeps a connection, and there may be any number of threads.
        max_overflow=-1,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        use_log(connection, busy_seconds=BUSY_SECONDS)
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        # The driver's autocommit leaves transactions to us. Core statements here are single reads or writes,
        # so a deferred transaction serves; what reads and then writes goes through SqliteDriver.
        connection.exec_driver_sql("BEGIN")

    return engine


class SqliteDriver:
    """Threads may share it: each has a connection of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connections = SqliteConnections(engine)

    @contextmanager
    def transaction(self) -> Iterator[JobTransaction]:
        with self._translated(), self._connections.step() as cursor:
            yield SqliteTransaction(cursor)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Transactions of this thread share one commit; one that raises is undone alone. Raises StoreUnavailable where
        the commit failed: then none of them counts."""
        with self._translated(), self._connections.together():
            yield

    def commit_so_far(self) -> None:
        with self._translated():
            self._connections.commit_so_far()

    def has_ready(self, queue: Queue) -> bool:
        return any(
            self._found(_HAS_READY, (*partition, *partition.lane)) is not None
            for partition in partitions_for(queue, self._next_needs)
        )

    def has_due(self, now: datetime) -> bool:
        return self._found(_HAS_DUE, (time_to_text(now),)) is not None

    def tell_of_work(self) -> None:
        """Who waits sees every write."""

    def close(self) -> None:
        self._connections.close()

    def _next_needs(self, partition: ClaimPartition) -> str | None:
        return cast("str | None", self._found(_NEXT_NEEDS, partition))

    def _found(self, query: str, values: Sequence[str]) -> object:
        """The first value of the first row, or None."""
        with self._translated():
            row = self._connections.cursor().execute(query, values).fetchone()
            return None if row is None else row[0]

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreUnavailable(
                f"the queue database did not answer: {meaning(error, self._engine.url.database)}"
            ) from error


class SqliteTransaction:
    """One writer at a time: what was read in it cannot have changed before it ends."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._cursor = cursor
        self._texts: dict[int, tuple[datetime, str]] = {}

    def ready(self, queue: Queue, *, limit: int) -> list[Job]:
        partitions = list(partitions_for(queue, self._next_needs))
        found: list[Job] = []
        for partition in partitions:
            found.extend(map(_job, self._cursor.execute(_READY, (*partition, *partition.lane, limit)).fetchall()))
        if len(partitions) > 1:
            found.sort(key=claim_order)
        return found[:limit]

    def due(self, *, now: datetime, limit: int) -> list[Job]:
        return [_job(row) for row in self._cursor.execute(_DUE, (time_to_text(now), limit)).fetchall()]

    def locked(self, job_ids: Sequence[JobId]) -> dict[JobId, Job]:
        found: dict[JobId, Job] = {}
        for start in range(0, len(job_ids), KEYS_AT_ONCE):
            part = job_ids[start : start + KEYS_AT_ONCE]
            rows = self._cursor.execute(_by_ids(len(part)), part).fetchall()
            found.update((job.id, job) for job in map(_job, rows))
        for missing in set(job_ids).difference(found):
            found.update((job.id, job) for job in self._restored(missing))
        return found

    def existing(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        found: dict[JobKey, Job] = {}
        hashes_of: dict[tuple[str, str], list[str]] = {}
        for project, job_type, source_hash in keys:
            hashes_of.setdefault((project, job_type), []).append(source_hash)
        for (project, job_type), hashes in hashes_of.items():
            for start in range(0, len(hashes), KEYS_AT_ONCE):
                part = hashes[start : start + KEYS_AT_ONCE]
                for table in ("jobs", "jobs_archive"):
                    rows = self._cursor.execute(_by_hashes(table, len(part)), (project, job_type, *part)).fetchall()
                    found.update((job.key, job) for job in map(_job, rows))
        return found

    def write(self, writes: Sequence[Write]) -> list[Job | None]:
        written: list[Job | None] = [None] * len(writes)
        attempts: list[Attempt] = []
        for shape, places in by_shape(writes).items():
            for place in self._write_shape(shape, writes, places):
                before, after, attempt = writes[place]
                written[place] = _make_job(Job, (*after[:REV_FIELD], before.rev + 1))
                if attempt is not None:
                    attempts.append(attempt)
        if attempts:
            text = self._text
            self._cursor.executemany(_ATTEMPT, [(*a[:3], text(a[3]), text(a[4]), *a[5:]) for a in attempts])
        return written

    def postpone(self, jobs: Sequence[Job]) -> None:
        self._cursor.executemany(_POSTPONE, [(self._text(due_at(job)), job.id) for job in jobs])

    def add(self, jobs: Sequence[Job]) -> dict[JobKey, Job]:
        known = self.existing([key_of(job) for job in jobs])
        new = [job for job in jobs if key_of(job) not in known]
        (last,) = self._cursor.execute(_LAST_ID).fetchone()
        saved = [Job._make((JobId(last + count), *job[1:])) for count, job in enumerate(new, start=1)]
        self._cursor.executemany(_INSERT, [self._insert_values(job) for job in saved])
        return {key_of(job): job for job in saved}

    def forget(self, job_ids: Sequence[JobId]) -> None:
        for statement in _FORGET:
            self._cursor.executemany(statement, [(job_id,) for job_id in job_ids])

    def record(self, *, events: Sequence[EventWrite], files: Sequence[FileWrite]) -> None:
        text = self._text
        if events:
            self._cursor.executemany(_EVENT, [(rev, event[0], text(event[1]), *event[2:]) for rev, event in events])
        if files:
            rows = [(job_id, str(record.role), *record[1:], text(at)) for job_id, record, at in files]
            self._cursor.executemany(_FILE, rows)

    def _next_needs(self, partition: ClaimPartition) -> str | None:
        row = self._cursor.execute(_NEXT_NEEDS, partition).fetchone()
        return None if row is None else row[0]

    def _restored(self, job_id: JobId) -> list[Job]:
        jobs = [_job(row) for row in self._cursor.execute(_FROM_ARCHIVE, (job_id,)).fetchall()]
        self._cursor.executemany(_INSERT, [self._insert_values(job) for job in jobs])
        return jobs

    def _insert_values(self, job: Job) -> list[object]:
        values = self._encoded(job, range(JOB_FIELD_COUNT))
        values += (is_ready(job), self._text(due_at(job)), job.needs)
        return values

    def _update_values(self, after: Job, shape: Shape) -> tuple[object, ...]:
        values = self._encoded(after, changed_fields(shape))
        if changes_needs(shape):
            values.append(after.needs)
        if not shape[-1]:
            values += (is_ready(after), self._text(due_at(after)))
        return tuple(values)

    def _encoded(self, job: Job, fields: Iterable[int]) -> list[object]:
        return list(map(self._bound, map(job.__getitem__, fields)))

    def _bound(self, value: object) -> object:
        """As sqlite3 binds it at once: it searches an adapter for anything but an exact str, int or None."""
        if value.__class__ is datetime:
            return self._text(value)
        return _TEXTS[value] if value.__class__ is State else value

    def _text(self, moment: datetime | None) -> str | None:
        """Cached: formatting costs more than a lookup, and the jobs of a batch share their times."""
        if moment is None:
            return None
        known = self._texts.get(id(moment))
        if known is None or known[0] is not moment:
            known = self._texts[id(moment)] = (moment, time_to_text(moment))
        return known[1]

    def _write_shape(self, shape: Shape, writes: Sequence[Write], places: Sequence[int]) -> Iterable[int]:
        """Writes changes of the same fields, and returns the positions of those whose `rev` matched."""
        if len(places) >= ALIKE_FROM:
            alike = _alike(shape, writes, places)
            if len(alike) * ALIKE_FROM <= len(places):
                return chain.from_iterable(self._write_alike(shape, writes, members) for members in alike)
        rows = [
            (*self._update_values(after, shape), before.id, *map(self._bound, guard_of(before)))
            for before, after, _ in map(writes.__getitem__, places)
        ]
        return compress(places, self._update_each(_update_one(shape), rows))

    def _write_alike(self, shape: Shape, writes: Sequence[Write], places: Sequence[int]) -> Iterable[int]:
        """One statement for many jobs that get the same values: half the cost of one statement per job."""
        first = writes[places[0]]
        values, as_read = self._update_values(first.after, shape), tuple(map(self._bound, guard_of(first.before)))
        # Of two writes of one job only the first is made here: the second must see the new `rev`.
        place_of = {writes[place].before.id: place for place in reversed(places)}
        ids = list(place_of)
        hit: list[int] = []
        for start in range(0, len(ids), KEYS_AT_ONCE):
            part = ids[start : start + KEYS_AT_ONCE]
            found = self._cursor.execute(_update_many(shape, len(part)), (*values, *part, *as_read))
            hit += [place_of[job_id] for (job_id,) in found]
        return hit

    def _update_each(self, statement: str, rows: Sequence[Sequence[object]]) -> list[bool]:
        if len(rows) == 1:
            return [self._cursor.execute(statement, rows[0]).rowcount == 1]
        self._cursor.execute("SAVEPOINT writes")
        hits = self._cursor.executemany(statement, rows).rowcount
        if hits == len(rows):
            self._cursor.execute("RELEASE writes")
            return [True] * len(rows)
        # Some did not match, and a sum does not say which: repeat one by one.
        self._cursor.execute("ROLLBACK TO writes")
        self._cursor.execute("RELEASE writes")
        return [self._cursor.execute(statement, row).rowcount == 1 for row in rows]


def _alike(shape: Shape, writes: Sequence[Write], places: Sequence[int]) -> list[list[int]]:
    """The positions of writes that get the same values and were read with the same ones."""
    groups: dict[tuple[object, ...], list[int]] = {}
    values_of = changed_values(shape)
    for place in places:
        before, after, _ = writes[place]
        rev, state, *others = guard_of(before)
        # By identity where a hash is slow, as that of a State is.
        groups.setdefault((rev, id(state), *others, *map(id, values_of(after))), []).append(place)
    return list(groups.values())


@lru_cache(maxsize=256)
def _assignments(shape: Shape) -> str:
    return "".join(f"{name} = ?, " for name in changed_columns(shape)) + "rev = rev + 1"


@lru_cache(maxsize=256)
def _update_one(shape: Shape) -> str:
    return f"UPDATE jobs SET {_assignments(shape)} WHERE id = ? AND {_AS_READ}"


@lru_cache(maxsize=256)
def _update_many(shape: Shape, count: int) -> str:
    marks = ", ".join("?" * count)
    return f"UPDATE jobs SET {_assignments(shape)} WHERE id IN ({marks}) AND {_AS_READ} RETURNING id"


@lru_cache(maxsize=64)
def _by_ids(count: int) -> str:
    return f"SELECT {_ALL} FROM jobs WHERE id IN ({', '.join('?' * count)})"


@lru_cache(maxsize=64)
def _by_hashes(table: str, count: int) -> str:
    return f"SELECT {_ALL} FROM {table} WHERE project = ? AND type = ? AND source_hash IN ({', '.join('?' * count)})"


def _job(row: Sequence[Any]) -> Job:
    values = list(row)
    values[STATE_FIELD] = STATES[values[STATE_FIELD]]
    for index in TIME_FIELDS:
        if values[index] is not None:
            values[index] = datetime.fromisoformat(values[index])
    return _make_job(Job, values)
