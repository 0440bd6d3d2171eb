"""The SQL job store: transitions go through the driver's constant statements, reads through SQLAlchemy Core."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, Select, bindparam, func, select, text, union, union_all
from sqlalchemy.exc import SQLAlchemyError

from blobforge.coordination.sql import pauses, registry, tables
from blobforge.coordination.sql.bulk_states import states_of
from blobforge.coordination.sql.codec import STATES, job_of_row, key_of
from blobforge.coordination.sql.completed_archive import CompletedArchive
from blobforge.coordination.sql.database_errors import TransientFailure, reason, with_retries
from blobforge.coordination.sql.filter_conditions import Columns, has_doubts, has_gaps, is_exact
from blobforge.coordination.sql.job_driver import JobDriver, JobTransaction
from blobforge.coordination.sql.job_sources import JobSource, by_prefix, in_one_statement, job_sources
from blobforge.coordination.sql.stretches import count_of, page_of, stretches
from blobforge.coordination.sql.transitions import TransitionBatch
from blobforge.domain import lifecycle
from blobforge.domain.errors import NotFound, StoreUnavailable
from blobforge.domain.events import Attempt, Event, History, history_of
from blobforge.domain.files import FileRecord, FileRole
from blobforge.domain.ids import JobId, JobKey, SourceHash, WorkerId
from blobforge.domain.job import FINAL_STATES, Job, State
from blobforge.domain.loose_json import json_in
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.pause import Pause
from blobforge.domain.result_record import ResultRecord, record_in
from blobforge.domain.service_record import ServiceRecord
from blobforge.domain.worker import Worker
from blobforge.ports.job_store import (
    Applied,
    Change,
    Inconsistency,
    Inserted,
    JobFilter,
    Queue,
    References,
    Transition,
    matches,
)

KEYS_AT_ONCE = 500
Done = TypeVar("Done")


_jobs = tables.jobs.c
_SELECT_EVENTS = select(*(tables.job_events.c[name] for name in Event._fields)).order_by(tables.job_events.c.rev)
_SELECT_ATTEMPTS = select(*(tables.job_attempts.c[name] for name in Attempt._fields)).order_by(
    tables.job_attempts.c.lease_number
)
_SELECT_FILES = select(
    *(tables.files.c[name] for name in ("type", "s3_key", "size", "content_type", "checksum"))
).order_by(tables.files.c.id)

_WAITING = (
    select(_jobs.type, _jobs.needs, func.count())
    # As text, because SQLite uses a partial index only where the query repeats its condition literally.
    .where(text("ready"), _jobs.project == bindparam("project"))
    .group_by(_jobs.type, _jobs.needs)
)


class SqlJobStore:
    def __init__(self, engine: Engine, driver: JobDriver) -> None:
        self._engine = engine
        self._driver = driver
        self._archive = CompletedArchive(engine)
        self._sources = job_sources(engine.dialect.name)
        self._by_prefix = by_prefix(self._sources)

    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        keys = list(map(key_of, jobs))
        wanted: dict[JobKey, Job] = {}
        for key, job in zip(keys, jobs, strict=True):
            wanted.setdefault(key, job)

        def add(transaction: JobTransaction) -> tuple[dict[JobKey, Job], dict[JobKey, Job]]:
            new = transaction.add(list(wanted.values()))
            known = transaction.existing([key for key in wanted if key not in new])
            if len(new) + len(known) < len(wanted):
                raise TransientFailure("a job came back from the archive while one of its key was added")
            return new, known

        new, known = self._in_transaction(add)
        if len(new) == len(jobs):
            return [Inserted(job, True) for job in new.values()]
        stored = {**known, **new}
        return [Inserted(stored[key], created=new.pop(key, None) is not None) for key in keys]

    def get(self, job_id: JobId) -> Job:
        for job in self.get_many([job_id]):
            return job
        raise NotFound(f"there is no job #{job_id}")

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        wanted = list(dict.fromkeys(job_ids))
        found: list[Job] = []
        for start in range(0, len(wanted), KEYS_AT_ONCE):
            part = wanted[start : start + KEYS_AT_ONCE]
            found += self._select(lambda source, part=part: source.select.where(source.jobs.id.in_(part)))  # type: ignore[misc]
        return found

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        hashes: dict[tuple[str, str], list[SourceHash]] = {}
        for key in keys:
            hashes.setdefault((key.project, key.type), []).append(key.source_hash)
        found: dict[JobKey, Job] = {}
        for (project, job_type), wanted in hashes.items():
            for start in range(0, len(wanted), KEYS_AT_ONCE):
                part = wanted[start : start + KEYS_AT_ONCE]
                jobs = self._select(_of_hashes(project, job_type, part))
                found.update((job.key, job) for job in jobs)
        return found

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        with self._reading() as connection:
            return states_of(connection, keys)

    def find_by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        # "g" comes after every hexadecimal digit, so this range is the prefix, and the index serves it.
        wanted = {"project": project, "first": prefix, "last": prefix + "g", "most": limit}
        with self._reading() as connection:
            found = [job_of_row(row) for row in connection.execute(self._by_prefix, wanted)]
        return sorted(found, key=attrgetter("source_hash", "type"))[:limit]

    def update(self, job_id: JobId, change: Change) -> Job:
        def change_it(transaction: JobTransaction) -> Job:
            job = transaction.locked([job_id]).get(job_id)
            if job is None:
                raise NotFound(f"there is no job #{job_id}")
            after = change(job)
            batch = TransitionBatch(transaction)
            changed = batch.change_locked([job], lambda _: after)
            batch.save()
            return changed[0] if changed else job

        return self._in_transaction(change_it)

    def apply(
        self,
        transitions: Sequence[Transition],
        *,
        take: Change | None = None,
        queue: Queue | None = None,
        limit: int = 0,
    ) -> Applied:
        if not transitions and (take is None or queue is None or not self._driver.has_ready(queue)):
            return Applied([], [])

        def apply_and_take(transaction: JobTransaction) -> Applied:
            batch = TransitionBatch(transaction)
            outcomes = batch.apply(transitions)
            ready = transaction.ready(queue, limit=limit) if queue is not None else []
            taken = batch.change_locked(ready, take) if take is not None else []
            batch.save()
            return Applied(outcomes, taken)

        return self._in_transaction(apply_and_take)

    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        # Reading first keeps an idle worker from taking the write lock once a second.
        if not self._driver.has_due(now):
            return []

        def sweep(transaction: JobTransaction) -> list[Job]:
            batch = TransitionBatch(transaction)
            changed: list[Job] = []
            due = transaction.due(now=now, limit=limit)
            # Each job is tried once, so that this loop ends whatever the database returns.
            tried: set[JobId] = set()
            while due := [job for job in due if job.id not in tried]:
                tried.update(job.id for job in due)
                freed = batch.change_locked(due, change)
                freed_ids = {job.id for job in freed}
                renewed = [job for job in due if job.id not in freed_ids and not lifecycle.is_due(job, now=now)]
                transaction.postpone(renewed)
                changed += freed
                # Renewed leases come first by `due_at` until they are postponed: read past them.
                room = limit - len(changed)
                due = transaction.due(now=now, limit=room) if renewed and room > 0 else []
            batch.save()
            return changed

        return self._in_transaction(sweep)

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        found: list[Job] = []
        while len(found) < limit:
            part = self._narrowed(wanted, after, limit)
            found += [job for job in part if matches(job, wanted)]
            if len(part) < limit:
                break
            after = part[-1].id
        return found[:limit]

    def _narrowed(self, wanted: JobFilter, after: JobId | None, limit: int) -> list[Job]:
        """The next `limit` jobs, newest first, that may match: a superset that `matches` narrows."""
        with self._reading() as connection:
            found = stretches(connection, self._sources, wanted)
            pages = [page_of(stretch, wanted, after=after, limit=limit) for stretch in found]
            jobs = _read(connection, pages) if pages else []
        return sorted(jobs, key=attrgetter("id"), reverse=True)[:limit]

    def count(self, wanted: JobFilter, *, most: int) -> int:
        if not is_exact(wanted):
            return len(self.page(wanted, limit=most + 1))
        with self._reading() as connection:
            found = stretches(connection, self._sources, wanted)
            return int(connection.execute(count_of(found, wanted, most=most)).scalar_one()) if found else 0

    def archive(self, *, completed_before: datetime, stretch: int) -> int:
        self._driver.commit_so_far()
        try:
            return self._archive.move(completed_before=completed_before, stretch=stretch)
        except SQLAlchemyError as error:
            raise self._unavailable(error) from error

    def reconcile(self, *, dry_run: bool) -> list[Inconsistency]:  # noqa: ARG002 - fixed by the port
        """Every step is one transaction: there is nothing to repair."""
        return []

    def forget(self, jobs: Sequence[Job]) -> int:
        seen = {job.id: job for job in jobs if job.state in FINAL_STATES}

        def remove(transaction: JobTransaction) -> int:
            there = transaction.locked(list(seen))
            unchanged = [job.id for job in there.values() if job.rev == seen[job.id].rev and job.state in FINAL_STATES]
            transaction.forget(unchanged)
            return len(unchanged)

        return self._in_transaction(remove) if seen else 0

    def references(self) -> References:
        # A union without "all": each hash once.
        query = union(*(select(source.jobs.source_hash) for source in self._sources))
        with self._reading() as connection:
            return References(frozenset(connection.execute(query).scalars()))

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        def query(source: JobSource) -> Select[Any]:
            grouped = select(source.jobs.type, source.jobs.status, func.count()).group_by(
                source.jobs.type, source.jobs.status
            )
            return grouped if project is None else grouped.where(source.jobs.project == project)

        counts: Counter[tuple[str, State]] = Counter()
        with self._reading() as connection:
            for job_type, status, count in connection.execute(union_all(*map(query, self._sources))):
                counts[job_type, STATES[status]] += count
        return counts

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        with self._reading() as connection:
            return {
                (job_type, needs): count
                for job_type, needs, count in connection.execute(_WAITING, {"project": project})
            }

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        return Counter(job_type for job_type, record in self._flawed(has_gaps, project) if record.has_gaps)

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        return Counter(job_type for job_type, record in self._flawed(has_doubts, project) if record.has_doubts)

    def _flawed(
        self, may_be: Callable[[Columns], ColumnElement[bool]], project: str | None
    ) -> list[tuple[str, ResultRecord]]:
        def query(source: JobSource) -> Select[Any]:
            of_project = (source.jobs.project == project,) if project is not None else ()
            return select(source.jobs.type, source.jobs.result).where(may_be(source.jobs), *of_project)

        with self._reading() as connection:
            rows = connection.execute(union_all(*map(query, self._sources)))
            return [(job_type, record_in(json_in(result))) for job_type, result in rows]

    def history(self, job_id: JobId) -> History:
        job = self.get(job_id)
        with self._reading() as connection:
            attempts = connection.execute(_SELECT_ATTEMPTS.where(tables.job_attempts.c.job_id == job_id))
            events = connection.execute(_SELECT_EVENTS.where(tables.job_events.c.job_id == job_id))
            return history_of(job, [Attempt(*row) for row in attempts], [Event(*row) for row in events])

    def files(self, job_id: JobId) -> list[FileRecord]:
        with self._reading() as connection:
            rows = connection.execute(_SELECT_FILES.where(tables.files.c.job_id == job_id))
            return [FileRecord(FileRole(role), *rest) for role, *rest in rows]

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        with self._reading() if proposed is None else self._writing() as connection:
            return registry.identity(connection, proposed, instead_of)

    def pause(self, pause: Pause) -> Pause:
        with self._writing() as connection:
            return pauses.pause(connection, pause)

    def resume(self, project: str, job_type: str) -> Pause | None:
        with self._writing() as connection:
            ended = pauses.resume(connection, project, job_type)
        if ended is not None:
            self._driver.tell_of_work()
        return ended

    def pauses(self, *, project: str | None = None) -> list[Pause]:
        with self._reading() as connection:
            return pauses.pauses(connection, project)

    def put_worker(self, worker: Worker) -> None:
        with self._writing() as connection:
            registry.put_worker(connection, worker)

    def remove_worker(self, worker_id: WorkerId) -> None:
        with self._writing() as connection:
            registry.remove_worker(connection, worker_id)

    def workers(self) -> list[Worker]:
        with self._reading() as connection:
            return registry.workers(connection)

    def change_record(
        self, name: str, change: Callable[[ServiceRecord], ServiceRecord], *, now: datetime
    ) -> ServiceRecord:
        while True:
            with self._reading() as connection:
                before = registry.stored_record(connection, name)
            after = change(registry.decoded_record(before))
            # In a transaction of its own: on SQLite one that reads first may fail to get the write lock.
            with self._writing() as connection:
                if registry.replace_record(connection, name, before, after, now=now):
                    return after

    def records(self) -> dict[str, ServiceRecord]:
        with self._reading() as connection:
            return registry.records(connection)

    def close(self) -> None:
        self._driver.close()
        self._engine.dispose()

    def _in_transaction(self, work: Callable[[JobTransaction], Done]) -> Done:
        """Retries after a conflict with another transaction: changes are pure, so they may run again."""

        def step() -> Done:
            with self._driver.transaction() as transaction:
                return work(transaction)

        return with_retries(step)

    def _select(self, query: Callable[[JobSource], Select[Any]]) -> list[Job]:
        with self._reading() as connection:
            return _read(connection, [query(source) for source in self._sources])

    def _unavailable(self, error: SQLAlchemyError) -> StoreUnavailable:
        return StoreUnavailable(f"the queue database did not answer: {reason(error, self._engine.url.database)}")

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """A short read: no transaction stays open between calls, which would keep old snapshots alive."""
        self._driver.commit_so_far()
        try:
            with self._engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self._unavailable(error) from error

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        self._driver.commit_so_far()
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self._unavailable(error) from error


def _read(connection: Connection, parts: Sequence[Select[Any]]) -> list[Job]:
    return [job_of_row(row) for row in connection.execute(in_one_statement(parts))]


def _of_hashes(project: str, job_type: str, hashes: Sequence[SourceHash]) -> Callable[[JobSource], Select[Any]]:
    def query(source: JobSource) -> Select[Any]:
        jobs = source.jobs
        return source.select.where(jobs.project == project, jobs.type == job_type, jobs.source_hash.in_(hashes))

    return query
