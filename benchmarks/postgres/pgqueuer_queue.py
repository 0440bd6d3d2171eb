"""PgQueuer as its documentation says: asyncpg, uvloop as in its own command, `batch_size` of the queue manager."""

import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import asyncpg
import pgqueuer
import uvloop
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode

from benchmarks.postgres.race import Span, Task


def install(url: str) -> None:
    uvloop.run(_fill(url, 0))


def fill(url: str, jobs: int) -> None:
    uvloop.run(_fill(url, jobs))


def drain(task: Task) -> Span:
    """Until it is empty. It ends jobs of a batch together, and fetches the next while it does."""
    span: Span = uvloop.run(_drain(task))
    return span


def serve(url: str, told: Connection) -> None:
    """Until the process is ended."""
    uvloop.run(_serve(url, told))


def enqueue_seconds(url: str, jobs: int) -> float:
    """Of one call with lists, the fastest way that it has."""
    seconds: float = uvloop.run(_enqueue_seconds(url, jobs))
    return seconds


class Submitter:
    """Enqueues one job at a time."""

    def __init__(self, url: str) -> None:
        self._loop = uvloop.new_event_loop()
        self._connection = self._loop.run_until_complete(asyncpg.connect(url))
        self._queries = Queries.from_asyncpg_connection(self._connection)

    def submit(self) -> None:
        self._loop.run_until_complete(self._queries.enqueue("nothing", None, 0))

    def close(self) -> None:
        self._loop.run_until_complete(self._connection.close())
        self._loop.close()


async def _fill(url: str, jobs: int) -> None:
    connection = await asyncpg.connect(url)
    queries = Queries.from_asyncpg_connection(connection)
    await queries.install()
    if jobs:
        await _enqueue(queries, jobs)
    await connection.close()


async def _enqueue(queries: Any, jobs: int) -> None:
    await queries.enqueue(["nothing"] * jobs, [None] * jobs, [0] * jobs)


async def _enqueue_seconds(url: str, jobs: int) -> float:
    connection = await asyncpg.connect(url)
    queries = Queries.from_asyncpg_connection(connection)
    began = time.perf_counter()
    await _enqueue(queries, jobs)
    seconds = time.perf_counter() - began
    await connection.close()
    return seconds


async def _drain(task: Task) -> Span:
    times: list[float] = []
    connection = await asyncpg.connect(task.url)
    queue = worker_with(connection, lambda: times.append(time.monotonic()))
    task.begin()
    await queue.run(batch_size=task.batch, mode=QueueExecutionMode.drain)
    await connection.close()
    return Span(len(times), times[0], times[-1]) if times else Span(0, 0, 0)


async def _serve(url: str, told: Connection) -> None:
    connection = await asyncpg.connect(url)
    await worker_with(connection, lambda: told.send(time.monotonic())).run()


def worker_with(connection: Any, note: Callable[[], None]) -> Any:
    queue = pgqueuer.PgQueuer.from_asyncpg_connection(connection)

    async def nothing(_job: object) -> None:
        note()

    queue.entrypoint("nothing")(nothing)
    return queue.qm
