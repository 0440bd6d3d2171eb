"""What the store may do within one transaction on PostgreSQL: rows taken and locked in claim order, and the writes of
many jobs in a few statements."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any

import psycopg

from blobforge.coordination.sql.claim_partitions import ClaimPartition, partitions_for
from blobforge.coordination.sql.codec import (
    REV_FIELD,
    STATE_FIELD,
    STATES,
    Shape,
    by_shape,
    changed_fields,
    changes_needs,
    due_at,
    guard_of,
)
from blobforge.coordination.sql.job_driver import EventWrite, FileWrite, Write
from blobforge.coordination.sql.postgres import adding, statements
from blobforge.coordination.sql.postgres.adding import differ
from blobforge.coordination.sql.postgres.claim_cursor import ClaimCursors, ClaimPosition
from blobforge.domain.events import Attempt
from blobforge.domain.ids import JobId, JobKey
from blobforge.domain.job import Job, State, claim_order, is_ready
from blobforge.ports.job_store import Queue

_LEASE_FIELDS = frozenset(Job._fields.index(name) for name in ("lease_expires_at", "updated_at"))
_HOLDER_FIELDS = tuple(Job._fields.index(name) for name in ("rev", "worker_id", "lease_number"))
_make_job = tuple.__new__

_TEXTS: dict[object, str] = {state: state.value for state in State}


class PostgresTransaction:
    """Claims and sweeps pass over rows that others have locked, so that workers do not wait for each other."""

    def __init__(self, cursor: psycopg.Cursor[tuple[Any, ...]], cursors: ClaimCursors) -> None:
        self._cursor = cursor
        self._cursors = cursors
        self.ready_jobs: list[Job] = []
        """Jobs that this transaction has made claimable."""

    def ready(self, queue: Queue, *, limit: int) -> list[Job]:
        if limit <= 0:
            return []
        partitions = list(partitions_for(queue, self._next_needs))
        found: list[Job] = []
        for partition in partitions:
            found.extend(self._ready(partition, limit))
        if len(partitions) > 1:
            found.sort(key=claim_order)
        return found[:limit]

    def _ready(self, partition: ClaimPartition, limit: int) -> list[Job]:
        position = self._cursors.position(partition)
        if position is not None:
            found = list(map(_job, self._rows(statements.READY_AFTER_CURSOR, _after(partition, position, limit))))
            # SQL promises no order for the two parts of a union, and the cursor must not pass a job that is left.
            found.sort(key=claim_order)
            if len(found) == limit:
                self._cursors.advance(partition, found[-1])
                return found
        began = self._cursors.started()
        found = list(map(_job, self._rows(statements.READY, (*partition, *partition.lane, limit))))
        self._cursors.scanned_from_head(partition, found[-1] if found else None, since=began)
        return found

    def _next_needs(self, partition: ClaimPartition) -> str | None:
        rows = self._rows(statements.NEXT_NEEDS, partition)
        return rows[0][0] if rows else None

    def due(self, *, now: datetime, limit: int) -> list[Job]:
        return self._with_leases([_job(row) for row in self._rows(statements.DUE, (now, limit))])

    def locked(self, job_ids: Sequence[JobId]) -> dict[JobId, Job]:
        found = self._with_leases([_job(row) for row in self._rows(statements.LOCKED, (list(job_ids),))])
        missing = set(job_ids).difference(job.id for job in found)
        if missing:
            found.extend(self._restored(sorted(missing)))
        return {job.id: job for job in found}

    def existing(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        hashes_of: dict[tuple[str, str], list[str]] = {}
        for project, job_type, source_hash in keys:
            hashes_of.setdefault((project, job_type), []).append(source_hash)
        found: list[Job] = []
        for (project, job_type), hashes in hashes_of.items():
            wanted = {"project": project, "type": job_type, "hashes": hashes}
            found.extend(map(_job, self._rows(statements.EXISTING, wanted)))
        return {job.key: job for job in self._with_leases(found)}

    def write(self, writes: Sequence[Write]) -> list[Job | None]:
        written: list[Job | None] = [None] * len(writes)
        for shape, places in by_shape(writes).items():
            if _is_renewal(shape):
                for place in self._renew(writes, places):
                    written[place] = writes[place].after
                continue
            for place in self._update(shape, writes, places):
                before, after, _ = writes[place]
                written[place] = _make_job(Job, (*after[:REV_FIELD], before.rev + 1))
                if is_ready(after) and not is_ready(before):
                    self.ready_jobs.append(after)
        return written

    def postpone(self, jobs: Sequence[Job]) -> None:
        if jobs:
            self._cursor.execute(statements.POSTPONE, ([job.id for job in jobs], [due_at(job) for job in jobs]))

    def add(self, jobs: Sequence[Job]) -> dict[JobKey, Job]:
        new = adding.add(self._cursor, jobs)
        self.ready_jobs.extend(filter(is_ready, new.values()))
        return new

    def forget(self, job_ids: Sequence[JobId]) -> None:
        for statement in statements.FORGET:
            self._cursor.execute(statement, (list(job_ids),))

    def record(self, *, events: Sequence[EventWrite], files: Sequence[FileWrite]) -> None:
        self._record(statements.EVENT, [(rev, *event) for rev, event in events])
        self._record(statements.FILE, [(job_id, str(record.role), *record[1:], at) for job_id, record, at in files])

    def _restored(self, job_ids: Sequence[JobId]) -> list[Job]:
        restored = list(map(_job, self._rows(statements.FROM_ARCHIVE, (job_ids,))))
        for job in restored:
            if job.needs:
                self._cursor.execute(statements.RESTORE_NEEDS, (job.needs, job.id))
        return restored

    def _rows(self, query: str, values: Sequence[object] | Mapping[str, object]) -> list[tuple[Any, ...]]:
        """fetchall(), since iterating over a cursor costs as much as building the jobs."""
        return self._cursor.execute(query, values).fetchall()

    def _record(self, inserts: tuple[str, str], rows: Sequence[tuple[object, ...]]) -> None:
        one, many = inserts
        if len(rows) == 1:
            self._cursor.execute(one, rows[0])
        elif rows:
            self._cursor.execute(many, [list(column) for column in zip(*rows, strict=True)])

    def _with_leases(self, jobs: list[Job]) -> list[Job]:
        """Adds the renewals, which are in job_leases.

        A statement of its own, because it must see what was committed while this one waited for the job's lock.
        """
        running = [job.id for job in jobs if job.state is State.RUNNING]
        if not running:
            return jobs
        renewed = {(job_id, number): times for job_id, number, *times in self._rows(statements.LEASES, (running,))}
        return [_renewed(job, renewed.get((job.id, job.lease_number))) for job in jobs]

    def _renew(self, writes: Sequence[Write], places: Sequence[int]) -> Iterable[int]:
        place_of = _first_places(writes, places)
        chosen = [writes[place] for place in place_of.values()]
        found = self._rows(
            statements.RENEW,
            (
                list(place_of),
                *([write.before[field] for write in chosen] for field in _HOLDER_FIELDS),
                [write.after.lease_expires_at for write in chosen],
                [write.after.updated_at for write in chosen],
            ),
        )
        return [place_of[job_id] for (job_id,) in found]

    def _adjust_leases(self, jobs: Sequence[Job]) -> None:
        """A change of a running job also goes to job_leases, whose values would hide it."""
        self._cursor.executemany(
            statements.ADJUST_LEASE, [(job.lease_expires_at, job.updated_at, job.id, job.lease_number) for job in jobs]
        )

    def _update(self, shape: Shape, writes: Sequence[Write], places: Sequence[int]) -> Iterable[int]:
        """Writes changes of the same fields, and returns the positions of those that were as they had been read."""
        if shape[-1]:
            self._adjust_leases([writes[place].after for place in places])
        if len(places) == 1:
            before, after, attempt = writes[places[0]]
            update = statements.update_one(shape, ends_an_attempt=attempt is not None)
            self._cursor.execute(update, (*_values(after, shape), before.id, *_as_read(before), *(attempt or ())))
            return places if self._cursor.rowcount == 1 else ()
        place_of = _first_places(writes, places)
        columns = _columns([writes[place].after for place in place_of.values()], shape)
        new = len(columns)
        columns += [list(column) for column in zip(*(_as_read(writes[place].before) for place in place_of.values()))]  # noqa: B905
        varying = tuple(map(differ, columns))
        differing = [column for column, differs in zip(columns, varying, strict=True) if differs]
        equal, as_read = _shared(columns[:new], varying[:new]), _shared(columns[new:], varying[new:])
        ended, attempts = _ended_attempts([writes[place].attempt for place in place_of.values()])
        update = statements.update_many(shape, varying, ended)
        found = self._rows(update, (*equal, list(place_of), *differing, *as_read, *attempts))
        return [place_of[job_id] for (job_id,) in found]


def _after(partition: ClaimPartition, position: ClaimPosition, limit: int) -> dict[str, object]:
    return {**partition._asdict(), "limit": limit, **position._asdict()}


def _first_places(writes: Sequence[Write], places: Sequence[int]) -> dict[JobId, int]:
    """By id and in the order of ids, in which all transactions lock. Of two writes of one job only the first: the
    second must see the new `rev`."""
    place_of = {writes[place].before.id: place for place in reversed(places)}
    return dict(sorted(place_of.items()))


def _shared(columns: Sequence[Sequence[object]], varying: Sequence[bool]) -> list[object]:
    return [column[0] for column, differs in zip(columns, varying, strict=True) if not differs]


def _as_read(before: Job) -> tuple[object, ...]:
    """The guarded values, as psycopg takes them."""
    rev, state, *others = guard_of(before)
    return rev, _TEXTS[state], *others


def _ended_attempts(attempts: Sequence[Attempt | None]) -> tuple[statements.EndedAttempts, list[Any]]:
    ended = [attempt for attempt in attempts if attempt is not None]
    if not ended:
        return statements.EndedAttempts.NONE, []
    columns = list(zip(*ended, strict=True))
    if len(ended) == len(attempts) and not any(map(differ, columns[1:])):
        return statements.EndedAttempts.ALIKE, list(ended[0][1:])
    return statements.EndedAttempts.EACH, [list(column) for column in columns]


@lru_cache(maxsize=256)
def _is_renewal(shape: Shape) -> bool:
    """Whether it changes the end of the lease and nothing else."""
    return shape[-1] and _LEASE_FIELDS.issuperset(changed_fields(shape))


def _values(job: Job, shape: Shape) -> list[object]:
    return [column[0] for column in _columns([job], shape)]


def _columns(jobs: Sequence[Job], shape: Shape) -> list[Sequence[object]]:
    """The new values of the changed columns."""
    columns: list[Sequence[object]] = []
    for index in changed_fields(shape):
        column: list[object] = list(map(itemgetter(index), jobs))
        if index == STATE_FIELD:
            # psycopg would write the name of a member of an enumeration.
            column = [_TEXTS[state] for state in column]
        columns.append(column)
    if changes_needs(shape):
        columns.append([job.needs for job in jobs])
    if not shape[-1]:
        columns += [list(map(is_ready, jobs)), list(map(due_at, jobs))]
    return columns


def _renewed(job: Job, times: list[datetime] | None) -> Job:
    if times is None or job.state is not State.RUNNING:
        return job
    expires_at, renewed_at = times
    return job._replace(lease_expires_at=expires_at, updated_at=renewed_at)


def _job(row: Sequence[Any]) -> Job:
    values = list(row)
    values[STATE_FIELD] = STATES[values[STATE_FIELD]]
    return _make_job(Job, values)
