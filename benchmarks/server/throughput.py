"""How fast jobs are ended and claimed over HTTP, against requests that do nothing and against bare SQLite."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.harness import Measure
from benchmarks.queue import PlainSql, filled_queue
from benchmarks.server.running import Line, Server, line_of_worker, process_of, running

SECONDS = 3.0
ROUNDS = 2


def measures() -> Iterator[Measure]:
    yield _against_nothing("settle of 1, NORMAL: share of a no-op POST", "NORMAL", clients=1, goal=0.4)
    yield _against_nothing("settle of 1, 16 clients, FULL: share of a no-op POST", "FULL", clients=16, goal=0.25)
    yield _batches_of_ten()


def _against_nothing(what: str, synchronous: str, *, clients: int, goal: float) -> Measure:
    with running(jobs=30_000, synchronous=synchronous) as server:
        ours, nothing = asyncio.run(_rates(server, clients))
    details = f"{ours:,.0f} against {nothing:,.0f} requests/s"
    return Measure(what=what, value=ours / nothing, unit="x", goal=goal, details=details)


async def _rates(server: Server, clients: int) -> tuple[float, float]:
    """In turns, each for a few seconds."""
    ours = nothing = 0.0
    for _ in range(ROUNDS):
        ours += await _rate(server, clients, limit=1)
        nothing += await _rate(server, clients, limit=0)
    return ours / ROUNDS, nothing / ROUNDS


async def _rate(server: Server, clients: int, *, limit: int) -> float:
    lines = [await line_of_worker(server) for _ in range(clients)]
    until = time.perf_counter() + SECONDS
    began = time.perf_counter()
    work = [
        _settle(line, number, limit, until) if limit else _nothing(line, until) for number, line in enumerate(lines)
    ]
    done = sum(await asyncio.gather(*work))
    for line in lines:
        line.close()
    return done / (time.perf_counter() - began)


async def _settle(line: Line, number: int, limit: int, until: float) -> int:
    """Requests; each ends what the one before it claimed."""
    process, done = process_of(number), 0
    endings: list[Any] = []
    while time.perf_counter() < until:
        told = await line.ask("POST", "/api/queue/settle", _request(process, endings, limit))
        endings = [_ending(process, claimed) for claimed in told["claimed"]]
        assert len(endings) == limit, "the queue is empty: the benchmark has too few jobs"
        done += 1
    await line.ask("POST", "/api/queue/settle", {"process": process, "endings": endings})
    return done


async def _nothing(line: Line, until: float) -> int:
    lease = {"job_id": 1, "number": 1, "process": process_of(0), "token": "0" * 32}
    message = _request(process_of(0), [{"kind": "completed", "lease": lease, "result": "{}"}], 1)
    done = 0
    while time.perf_counter() < until:
        await line.ask("POST", "/noop", message)
        done += 1
    return done


def _request(process: str, endings: list[Any], limit: int) -> dict[str, Any]:
    return {"process": process, "endings": endings, "claim": {"types": ["pdf"], "limit": limit}}


def _ending(process: str, claimed: dict[str, Any]) -> dict[str, Any]:
    job = claimed["job"]
    lease = {"job_id": job["id"], "number": job["lease_number"], "process": process, "token": claimed["lease_token"]}
    return {"kind": "completed", "lease": lease, "result": "{}"}


def _batches_of_ten() -> Measure:
    with running(jobs=40_000, synchronous="FULL") as server:
        ours = 10 * asyncio.run(_rate(server, 1, limit=10))
    with filled_queue(20_000) as (_, path):
        plain = PlainSql(path, synchronous="FULL")
        began, done = time.perf_counter(), 0
        while time.perf_counter() - began < SECONDS:
            plain.complete(plain.claim(10))
            done += 10
        bare = done / (time.perf_counter() - began)
        plain.close()
    details = f"{ours:,.0f} against {bare:,.0f} jobs/s"
    return Measure(
        what="batches of 10, FULL: share of bare SQLite", value=ours / bare, unit="x", goal=0.5, details=details
    )
