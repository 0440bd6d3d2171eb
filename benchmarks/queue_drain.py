"""How fast no-op jobs go through the embedded queue, against plain SQL on the same table."""

import time
from collections.abc import Iterator

from benchmarks.harness import Measure, interleaved
from benchmarks.queue import QUEUE, WORKER, PlainSql, filled_queue
from blobforge.domain.endings import Completed

MANY_PENDING = 200_000


def measures() -> Iterator[Measure]:
    for batch, jobs, goal in ((1, 3_000, 0.55), (100, 20_000, 0.4)):
        yield _share(batch, jobs, goal, pending=0)
        yield _share(batch, jobs, goal, pending=MANY_PENDING, repetitions=3)


def _share(batch: int, jobs: int, goal: float, *, pending: int, repetitions: int = 5) -> Measure:
    ours, plain = interleaved(
        [lambda: _ours(jobs, batch, pending), lambda: _plain(jobs, batch, pending)], repetitions=repetitions
    )
    behind = f", {pending:,} more pending" if pending else ""
    return Measure(
        what=f"drain, batch {batch}{behind}: share of plain SQL",
        value=ours / plain,
        unit="x",
        goal=goal,
        better="more",
        details=f"{ours:,.0f} against {plain:,.0f} jobs/s; ours writes attempts too",
    )


def _ours(jobs: int, batch: int, pending: int) -> float:
    with filled_queue(jobs + pending) as (service, _):
        began = time.perf_counter()
        claimed = service.claim(QUEUE, worker_id=WORKER, limit=batch)
        done = 0
        while done < jobs:
            done += len(claimed)
            endings = [Completed(job, "{}") for job in claimed]
            claimed = service.end_and_claim(endings, QUEUE, worker_id=WORKER, limit=batch).claimed
        return jobs / (time.perf_counter() - began)


def _plain(jobs: int, batch: int, pending: int) -> float:
    with filled_queue(jobs + pending) as (_, path):
        plain = PlainSql(path)
        began = time.perf_counter()
        done = 0
        while done < jobs:
            ids = plain.claim(batch)
            plain.complete(ids)
            done += len(ids)
        rate = jobs / (time.perf_counter() - began)
        plain.close()
        return rate
