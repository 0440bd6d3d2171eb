"""How soon a waiting claim is answered, and what a thousand idle workers cost."""

import asyncio
import resource
import statistics
import time
from collections.abc import Iterator
from itertools import count

from benchmarks.harness import Measure
from benchmarks.server.running import Line, Server, line_of_person, line_of_worker, process_of, running
from blobforge.testing.builders import hash_of

SAMPLES = 25
WORKERS = 1_000
HEARTBEAT_SECONDS = 60
IDLE_SECONDS = 15.0
NAMES = [f"document {number}" for number in range(2 * SAMPLES)]
_names = iter(NAMES)


def measures() -> Iterator[Measure]:
    with running(brought=NAMES) as server:
        claims, nothing = asyncio.run(_answers(server))
    yield Measure(
        what="job created to claim answered, p50, against a no-op long poll",
        value=claims / nothing,
        unit="x",
        goal=2.0,
        better="less",
        details=f"{claims * 1e3:.2f} against {nothing * 1e3:.2f} ms",
    )
    yield from _idle()


async def _answers(server: Server) -> tuple[float, float]:
    waiting, acting = await line_of_worker(server), await line_of_person(server)
    claims, nothing = [], []
    for _ in range(SAMPLES):
        claims.append(await _one_claim(waiting, acting))
        nothing.append(await _one_nothing(waiting, acting))
    return statistics.median(claims), statistics.median(nothing)


async def _one_claim(waiting: Line, acting: Line) -> float:
    answer = asyncio.create_task(waiting.ask("GET", f"/api/jobs/claim?timeout=30&worker_id={process_of(0)}"))
    await asyncio.sleep(0.05)  # until it waits
    began = time.perf_counter()
    await acting.ask("POST", "/api/queue/submit", _new_job())
    told = await answer
    seconds = time.perf_counter() - began
    message = {"worker_id": process_of(0), "lease_number": told["job"]["lease_number"], "error": "of the benchmark"}
    await waiting.ask("POST", f"/api/jobs/{told['job']['id']}/fail", {**message, "retryable": False})
    return seconds


async def _one_nothing(waiting: Line, acting: Line) -> float:
    answer = asyncio.create_task(waiting.ask("GET", "/noop-wait"))
    await asyncio.sleep(0.05)
    began = time.perf_counter()
    await acting.ask("POST", "/noop-set", {})
    await answer
    return time.perf_counter() - began


def _idle() -> Iterator[Measure]:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8_192), most))
    with running(brought=NAMES) as server:
        busy, latencies, asked = asyncio.run(_crowd(server))
        megabytes = server.memory_mb
    details = f"{asked / IDLE_SECONDS:.0f} requests/s, heartbeats among them"
    what = f"{WORKERS:,} idle workers: share of a core"
    yield Measure(what=what, value=100 * busy, unit="%", goal=10, better="less", details=details)
    yield Measure(what=f"{WORKERS:,} idle workers: memory", value=megabytes, unit="MB", goal=250, better="less")
    p95 = statistics.quantiles(latencies, n=20)[-1]
    details = f"median {statistics.median(latencies) * 1e3:.1f} ms of {len(latencies)}"
    yield Measure(
        what=f"{WORKERS:,} idle workers: a new job is claimed, p95",
        value=p95 * 1e3,
        unit="ms",
        goal=100,
        better="less",
        details=details,
    )


class _Crowd:
    """Workers that wait for news, and who claimed what when."""

    def __init__(self) -> None:
        self.asked = 0
        self.claimed: asyncio.Queue[float] = asyncio.Queue()

    async def work(self, server: Server, number: int) -> None:
        line = await line_of_worker(server)
        since: int | None = None
        while True:
            news = {"project": "default", "types": ["pdf"], "since": since, "timeout": 55}
            since = (await line.ask("POST", "/api/queue/news", news))["version"]
            claim = {"types": ["pdf"], "limit": 1}
            told = await line.ask("POST", "/api/queue/settle", {"process": process_of(number), "claim": claim})
            self.asked += 2
            if told["claimed"]:
                self.claimed.put_nowait(time.perf_counter())

    async def beat(self, server: Server) -> None:
        """The heartbeats of them all."""
        line = await line_of_worker(server)
        for number in count():
            row = {"id": process_of(number % WORKERS), "type": "pdf", "status": "online", "metadata": {}}
            row["last_heartbeat"] = "2026-01-01T00:00:00Z"
            await line.ask("POST", "/api/queue/register", row)
            self.asked += 1
            await asyncio.sleep(HEARTBEAT_SECONDS / WORKERS)


async def _crowd(server: Server) -> tuple[float, list[float], int]:
    crowd = _Crowd()
    tasks = [asyncio.create_task(crowd.work(server, number)) for number in range(WORKERS)]
    tasks.append(asyncio.create_task(crowd.beat(server)))
    await asyncio.sleep(6)  # until all of them wait
    before, asked = server.cpu_seconds, crowd.asked
    await asyncio.sleep(IDLE_SECONDS)
    busy, asked = (server.cpu_seconds - before) / IDLE_SECONDS, crowd.asked - asked
    acting = await line_of_person(server)
    latencies = []
    for _ in range(SAMPLES):
        began = time.perf_counter()
        await acting.ask("POST", "/api/queue/submit", _new_job())
        latencies.append(await asyncio.wait_for(crowd.claimed.get(), 30) - began)
        await asyncio.sleep(0.1)
    for task in tasks:
        failed = task.done() and task.exception()
        assert not failed, failed
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return busy, latencies, asked


def _new_job() -> dict[str, object]:
    row = {"project": "default", "type": "pdf", "source_hash": hash_of(next(_names)), "source_path": "a.pdf"}
    return {"jobs": [row]}
