"""The SQL job store: what moves jobs goes through the hot driver, what looks goes through SQLAlchemy Core."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.codec import JOB_COLUMNS, STATE_FIELD, STATES
from blobforge.coordination.sql.hot import HotDriver
from blobforge.coordination.sql.moves import Moves
from blobforge.coordination.sql.trouble import reason
from blobforge.domain import lifecycle
from blobforge.domain.errors import NotFound, StoreUnavailable
from blobforge.domain.events import Attempt, Event, History, history_of
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, JobKey, SourceHash, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import canonical_json
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.ports.job_store import Change, Exchanged, Inserted, JobFilter, Move, Queue

KEYS_AT_ONCE = 500

_jobs = tables.jobs.c
_SELECT_JOBS = select(*(_jobs[name] for name in JOB_COLUMNS))
_SELECT_EVENTS = select(*(tables.job_events.c[name] for name in Event._fields)).order_by(tables.job_events.c.rev)
_SELECT_ATTEMPTS = select(*(tables.job_attempts.c[name] for name in Attempt._fields)).order_by(
    tables.job_attempts.c.lease_number
)
_SELECT_FILES = select(
    *(tables.files.c[name] for name in ("type", "s3_key", "size", "content_type", "checksum"))
).order_by(tables.files.c.id)


class SqlJobStore:
    def __init__(self, engine: Engine, driver: HotDriver) -> None:
        self._engine = engine
        self._driver = driver

    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        with self._driver.transaction() as transaction:
            stored = transaction.existing(list(dict.fromkeys(job.key for job in jobs)))
            new: dict[JobKey, Job] = {}
            for job in jobs:
                if job.key not in stored:
                    new.setdefault(job.key, job)
            saved = transaction.insert(list(new.values()))
        stored.update((job.key, job) for job in saved)
        return [Inserted(stored[job.key], created=new.pop(job.key, None) is not None) for job in jobs]

    def get(self, job_id: JobId) -> Job:
        for job in self.get_many([job_id]):
            return job
        raise NotFound(f"there is no job {job_id}")

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        wanted = list(dict.fromkeys(job_ids))
        return [
            job
            for start in range(0, len(wanted), KEYS_AT_ONCE)
            for job in self._look(_SELECT_JOBS.where(_jobs.id.in_(wanted[start : start + KEYS_AT_ONCE])))
        ]

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        hashes: dict[tuple[str, str], list[SourceHash]] = {}
        for key in keys:
            hashes.setdefault((key.project, key.type), []).append(key.source_hash)
        found: dict[JobKey, Job] = {}
        for (project, job_type), wanted in hashes.items():
            of_type = _SELECT_JOBS.where(_jobs.project == project, _jobs.type == job_type)
            for start in range(0, len(wanted), KEYS_AT_ONCE):
                jobs = self._look(of_type.where(_jobs.source_hash.in_(wanted[start : start + KEYS_AT_ONCE])))
                found.update((job.key, job) for job in jobs)
        return found

    def find_by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        # "g" comes after every hexadecimal digit, so this range is the prefix, and the index serves it.
        within = _jobs.source_hash.between(prefix, prefix + "g")
        query = _SELECT_JOBS.where(_jobs.project == project, within).order_by(_jobs.source_hash, _jobs.type)
        return self._look(query.limit(limit))

    def update(self, job_id: JobId, change: Change) -> Job:
        with self._driver.transaction() as transaction:
            job = transaction.locked([job_id]).get(job_id)
            if job is None:
                raise NotFound(f"there is no job {job_id}")
            after = change(job)
            moves = Moves(transaction)
            changed = moves.change_locked([job], lambda _: after)
            moves.save()
            return changed[0] if changed else job

    def exchange(
        self, moves: Sequence[Move], *, take: Change | None = None, queue: Queue | None = None, limit: int = 0
    ) -> Exchanged:
        if not moves and (take is None or queue is None or not self._driver.has_ready(queue)):
            return Exchanged([], [])
        with self._driver.transaction() as transaction:
            step = Moves(transaction)
            moved = step.move(moves)
            ready = transaction.ready(queue, limit=limit) if queue is not None else []
            taken = step.change_locked(ready, take) if take is not None else []
            step.save()
            return Exchanged(moved, taken)

    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        # Reading first keeps an idle worker from taking the write lock once a second.
        if not self._driver.has_due(now):
            return []
        with self._driver.transaction() as transaction:
            step = Moves(transaction)
            changed: list[Job] = []
            offered = transaction.due(now=now, limit=limit)
            # Each is looked at once, so that it ends, whatever the database offers.
            looked_at: set[JobId] = set()
            while offered := [job for job in offered if job.id not in looked_at]:
                looked_at.update(job.id for job in offered)
                fresh = step.change_locked(offered, change)
                moved = {job.id for job in fresh}
                renewed = [job for job in offered if job.id not in moved and not lifecycle.is_due(job, now=now)]
                transaction.postpone(renewed)
                changed += fresh
                # Renewed leases stand at the head until they are moved on: look behind them too.
                room = limit - len(changed)
                offered = transaction.due(now=now, limit=room) if renewed and room > 0 else []
            step.save()
            return changed

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        query = _SELECT_JOBS.order_by(_jobs.id.desc()).limit(limit)
        asked = zip(("project", "type", "status", "worker_id"), wanted, strict=True)
        for name, value in asked:
            if value is not None:
                query = query.where(_jobs[name] == str(value))
        if wanted.worker_id is not None:
            # Said so that the small index of running jobs serves: only they have a worker.
            query = query.where(_jobs.due_at.is_not(None))
        return self._look(query if after is None else query.where(_jobs.id < after))

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        query = select(_jobs.type, _jobs.status, func.count()).group_by(_jobs.type, _jobs.status)
        if project is not None:
            query = query.where(_jobs.project == project)
        with self._looking() as connection:
            return {(job_type, STATES[status]): count for job_type, status, count in connection.execute(query)}

    def history(self, job_id: JobId) -> History:
        job = self.get(job_id)
        with self._looking() as connection:
            attempts = connection.execute(_SELECT_ATTEMPTS.where(tables.job_attempts.c.job_id == job_id))
            events = connection.execute(_SELECT_EVENTS.where(tables.job_events.c.job_id == job_id))
            return history_of(job, [Attempt(*row) for row in attempts], [Event(*row) for row in events])

    def files(self, job_id: JobId) -> list[FileRecord]:
        with self._looking() as connection:
            rows = connection.execute(_SELECT_FILES.where(tables.files.c.job_id == job_id))
            return [FileRecord(FileRole(role), *rest) for role, *rest in rows]

    def put_worker(self, worker: Worker) -> None:
        facts = {
            "type": worker.type,
            "status": worker.status.value,
            "last_heartbeat": worker.last_heartbeat,
            "current_job_id": worker.current_job_id,
            "metadata": canonical_json(worker.metadata),
            "updated_at": worker.last_heartbeat,
        }
        insert = sqlite.insert if self._engine.dialect.name == "sqlite" else postgresql.insert
        upsert = insert(tables.workers).values(id=worker.id, created_at=worker.last_heartbeat, **facts)
        with self._changing() as connection:
            connection.execute(upsert.on_conflict_do_update(index_elements=["id"], set_=facts))

    def remove_worker(self, worker_id: WorkerId) -> None:
        with self._changing() as connection:
            connection.execute(delete(tables.workers).where(tables.workers.c.id == worker_id))

    def workers(self) -> list[Worker]:
        names = ("id", "type", "status", "last_heartbeat", "current_job_id", "metadata")
        query = select(*(tables.workers.c[name] for name in names)).order_by(tables.workers.c.id)
        with self._looking() as connection:
            return [_worker(row) for row in connection.execute(query)]

    def close(self) -> None:
        self._driver.close()
        self._engine.dispose()

    def _look(self, query: Select[Any]) -> list[Job]:
        with self._looking() as connection:
            return [_job(row) for row in connection.execute(query)]

    @contextmanager
    def _looking(self) -> Iterator[Connection]:
        """A short read; nothing is kept open between calls, so old snapshots do not pile up."""
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreUnavailable(f"the queue database did not answer: {reason(error)}") from error

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreUnavailable(f"the queue database did not answer: {reason(error)}") from error


def _job(row: Row[Any]) -> Job:
    values = list(row)
    values[STATE_FIELD] = STATES[values[STATE_FIELD]]
    return Job._make(values)


def _worker(row: Row[Any]) -> Worker:
    worker_id, worker_type, status, last_heartbeat, current_job_id, facts = tuple(row)
    return Worker(
        id=worker_id,
        type=worker_type,
        status=WorkerStatus(status),
        last_heartbeat=last_heartbeat,
        current_job_id=current_job_id,
        metadata=json.loads(facts),
    )
