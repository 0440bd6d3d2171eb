"""Whether a list costs the same however many jobs there are, by whatever it is filtered."""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine, insert, make_url

from benchmarks.harness import Measure
from blobforge.coordination.sql import tables
from blobforge.coordination.sql.backend import open_queue
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres_queue
from blobforge.coordination.sql.postgres.driver import postgres_engine
from blobforge.coordination.sql.schema import in_transactions
from blobforge.coordination.sql.sqlite import sqlite_engine
from blobforge.domain.job import State
from blobforge.ports.job_store import JobFilter, JobStore
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.builders import hash_of

FEW, MANY = 1_000, 1_000_000
AT_ONCE = 20_000
ROUNDS, REPETITIONS = 5, 5
COUNTED = 10_000
GOAL = 2.0
POSTGRES = "POSTGRES_URL"
START = datetime(2026, 1, 1, tzinfo=UTC)

RARE = "rare"
FILTERS = {
    "no filter": JobFilter(),
    "project": JobFilter(project="default"),
    "a small project": JobFilter(project="small"),
    "type": JobFilter(type="pdf"),
    "a rare type": JobFilter(type=RARE),
    **{f"{state}": JobFilter(state=state) for state in State},
    "project, type and pending": JobFilter(project="default", type="pdf", state=State.PENDING),
    "project, type and completed": JobFilter(project="default", type="pdf", state=State.COMPLETED),
    "a rare type, dead": JobFilter(type=RARE, state=State.DEAD),
    "a type without pending ones": JobFilter(type="echo", state=State.PENDING),
    "beginning of a hash": JobFilter(search=hash_of("7")[:10]),
    "part of a name, of many": JobFilter(search="report"),
    "part of a name, of one": JobFilter(search="report-77.pdf"),
}


def measures() -> Iterator[Measure]:
    yield from _compared("sqlite", _sqlite_store)
    if os.environ.get(POSTGRES):
        yield from _compared("postgresql", _postgres_store)


def _compared(backend: str, opened: Callable[[int], AbstractContextManager[JobStore]]) -> Iterator[Measure]:
    with opened(FEW) as few, opened(MANY) as many:
        for name, wanted in FILTERS.items():
            yield _ratio(f"{backend}: a page by {name}", few, many, lambda store, of=wanted: len(store.page(of)))  # type: ignore[misc]
        for name, wanted in FILTERS.items():
            if wanted.search is None:
                # Few jobs are counted to their end: what is measured is the time of what a list shows of many.
                yield _count_time(f"{backend}: a count up to {COUNTED:,} by {name}", many, wanted)


def _ratio(what: str, few: JobStore, many: JobStore, ask: Callable[[JobStore], int]) -> Measure:
    times: dict[int, list[float]] = {FEW: [], MANY: []}
    for _ in range(REPETITIONS):
        for size, store in ((FEW, few), (MANY, many)):
            times[size].append(min(_seconds(store, ask) for _ in range(ROUNDS)))
    base, cost = statistics.median(times[FEW]), statistics.median(times[MANY])
    return Measure(
        what=f"{what}, {MANY:,} jobs against {FEW:,}",
        value=cost / base,
        unit="x",
        goal=GOAL,
        better="less",
        details=f"{cost * 1e3:.2f} against {base * 1e3:.2f} ms; {ask(many)} and {ask(few)} jobs",
    )


def _count_time(what: str, many: JobStore, wanted: JobFilter) -> Measure:
    seconds = min(_seconds(many, lambda store: store.count(wanted, most=COUNTED)) for _ in range(ROUNDS))
    counted = many.count(wanted, most=COUNTED)
    return Measure(what=what, value=seconds * 1e3, unit="ms", goal=None, better="less", details=f"{counted:,} counted")


def _seconds(store: JobStore, ask: Callable[[JobStore], int]) -> float:
    began = time.perf_counter()
    ask(store)
    return time.perf_counter() - began


@contextmanager
def _sqlite_store(jobs: int) -> Iterator[JobStore]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "queue.db")
        store = open_queue(f"sqlite:///{path}", QueueOptions(durable=False)).store
        engine = sqlite_engine(path, synchronous="NORMAL")
        fill(engine, jobs)
        engine.dispose()
        try:
            yield store
        finally:
            store.close()


@contextmanager
def _postgres_store(jobs: int) -> Iterator[JobStore]:
    """In an empty database that the variable names; a schema of its own for each size."""
    url = make_url(os.environ[POSTGRES])
    schema = f"list_pages_{jobs}"
    with postgres_engine(url, durable=False).connect() as connection:
        connection.exec_driver_sql(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    own = url.update_query_dict({"options": f"-csearch_path={schema}"})
    store = open_postgres_queue(own.render_as_string(hide_password=False), QueueOptions(durable=False)).store
    engine = postgres_engine(own, durable=False)
    fill(in_transactions(engine), jobs)
    with engine.connect() as connection:
        connection.exec_driver_sql("VACUUM ANALYZE jobs")
    engine.dispose()
    try:
        yield store
    finally:
        store.close()


def fill(engine: Engine, jobs: int) -> None:
    """As a queue of years: half of it old and still to be done, most of the rest completed, little in trouble."""
    with engine.begin() as connection:
        for start in range(0, jobs, AT_ONCE):
            stop = min(start + AT_ONCE, jobs)
            connection.execute(insert(tables.jobs), [_row(number, jobs) for number in range(start, stop)])


def _row(number: int, jobs: int) -> dict[str, object]:
    state = _state(number, jobs)
    at = START + timedelta(seconds=number)
    is_running = state is State.RUNNING
    until = at + timedelta(days=999) if is_running or state is State.FAILED else None
    return {
        "project": "small" if number % 100 == 5 else "default",
        "type": _type(number, jobs),
        "source_hash": hash_of(str(number)),
        "source_path": f"/papers/report-{number}.pdf",
        "status": state.value,
        "priority": 3,
        "lease_number": int(is_running),
        "worker_id": "alice" if is_running else None,
        "lease_expires_at": until if is_running else None,
        "available_at": until if state is State.FAILED else None,
        "created_at": at,
        "updated_at": at,
        "ready": state is State.PENDING,
        "due_at": until,
        "needs": "",
    }


def _type(number: int, jobs: int) -> str:
    """Sixty of the rare type, all of them old."""
    if number < 60 and number < jobs:
        return RARE
    return "echo" if number % 5 == 1 and number >= jobs // 2 else "pdf"


def _state(number: int, jobs: int) -> State:
    if number < jobs // 2:
        return State.DEAD if number % 10 == 3 else State.PENDING
    if number >= jobs - 60:
        return State.RUNNING
    if number % 10 < 3:
        return (State.FAILED, State.DEAD, State.CANCELLED)[number % 10]
    return State.COMPLETED
