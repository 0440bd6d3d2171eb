"""procrastinate as its documentation says: an asynchronous task, psycopg's pool, its own worker."""

import asyncio
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import procrastinate

from benchmarks.postgres.race import Span, Task

AT_ONCE = 1_000


def fill(url: str, jobs: int) -> None:
    asyncio.run(_fill(url, jobs))


def drain(task: Task) -> Span:
    """Until it has caught up. It knows no batches: each job is fetched and finished by itself."""
    return asyncio.run(_drain(task))


def serve(url: str, told: Connection) -> None:
    """Until the process is ended."""
    asyncio.run(_serve(url, told))


class Submitter:
    """Defers one job at a time from a synchronous program."""

    def __init__(self, url: str) -> None:
        self._app = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=url))
        self._nothing = self._app.task(name="nothing")(_nothing(lambda: None))
        self._app.open()

    def submit(self) -> None:
        self._nothing.defer(number=0)

    def close(self) -> None:
        self._app.close()


async def _fill(url: str, jobs: int) -> None:
    app, nothing = app_with(url, _nothing(lambda: None))
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        for start in range(0, jobs, AT_ONCE):
            await nothing.batch_defer_async(*({"number": n} for n in range(start, min(start + AT_ONCE, jobs))))


async def _drain(task: Task) -> Span:
    times: list[float] = []
    app, _ = app_with(task.url, _nothing(lambda: times.append(time.monotonic())))
    async with app.open_async():
        task.begin()
        await app.run_worker_async(wait=False, concurrency=1, install_signal_handlers=False)
    return Span(len(times), times[0], times[-1]) if times else Span(0, 0, 0)


async def _serve(url: str, told: Connection) -> None:
    app, _ = app_with(url, _nothing(lambda: told.send(time.monotonic())))
    async with app.open_async():
        await app.run_worker_async(concurrency=1)


def app_with(url: str, function: Callable[..., Any]) -> tuple[Any, Any]:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))
    return app, app.task(name="nothing")(function)


def _nothing(note: Callable[[], None]) -> Callable[..., Any]:
    async def nothing(number: int) -> None:  # noqa: ARG001 - what the job was deferred with
        note()

    return nothing
