"""Whether a list over HTTP costs the same however many jobs there are."""

import asyncio
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks import list_pages
from benchmarks.harness import Measure
from benchmarks.server.running import Line, Server, line_of_person, running
from blobforge.coordination.sql.sqlite import sqlite_engine

FEW, MANY = 1_000, 1_000_000
QUERIES = (
    "",
    "?status=pending",
    "?status=running",
    "?status=completed",
    "?status=dead",
    "?type=rare",
    "?q=report-77.pdf",
)
ROUNDS = 15


def measures() -> Iterator[Measure]:
    with running() as few, running() as many:
        for server, jobs in ((few, FEW), (many, MANY)):
            _fill(server.home, jobs)
        yield from asyncio.run(_compared(few, many))


def _fill(home: Path, jobs: int) -> None:
    engine = sqlite_engine(home / "queue.db", synchronous="NORMAL")
    list_pages.fill(engine, jobs)
    engine.dispose()


async def _compared(few: Server, many: Server) -> list[Measure]:
    lines = [await line_of_person(few), await line_of_person(many)]
    found = []
    for query in QUERIES:
        base, cost = [await _seconds(line, f"/api/jobs{query}") for line in lines]
        found.append(
            Measure(
                what=f"GET /api/jobs{query}, {MANY:,} jobs against {FEW:,}",
                value=cost / base,
                unit="x",
                goal=2.0,
                better="less",
                details=f"{cost * 1e3:.2f} against {base * 1e3:.2f} ms",
            )
        )
    return found


async def _seconds(line: Line, path: str) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await line.ask("GET", path)
        times.append(time.perf_counter() - began)
    return statistics.median(times)
