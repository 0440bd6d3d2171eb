"""Whether a claim costs the same however many jobs wait, and whatever stands at the head of the line."""

import statistics
import time
from collections.abc import Iterator
from datetime import timedelta

from benchmarks.harness import Measure
from benchmarks.queue import QUEUE, WORKER, add_jobs, filled_queue
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Failed, Released
from blobforge.domain.job import Failure
from blobforge.domain.retry import RetryPolicy
from blobforge.ports.job_store import Queue

FEW, MANY = 1_000, 1_000_000
DELAYED, OTHERS = 20_000, 50_000
ROUNDS, REPETITIONS = 40, 5
GOAL = 1.3


def measures() -> Iterator[Measure]:
    with (
        filled_queue(FEW) as (few, _),
        filled_queue(MANY) as (many, _),
        filled_queue(0) as (delayed, _),
        filled_queue(0) as (behind_others, _),
    ):
        _delay(delayed, DELAYED)
        add_jobs(delayed, FEW, first=DELAYED)
        add_jobs(behind_others, OTHERS, job_type="echo")
        add_jobs(behind_others, FEW)
        services = {
            f"{MANY:,} pending": many,
            f"{DELAYED:,} delayed jobs at the head": delayed,
            f"{OTHERS:,} jobs of another type at the head": behind_others,
        }
        costs: dict[str, list[float]] = {name: [] for name in ("few", *services)}
        for _ in range(REPETITIONS):
            costs["few"].append(_claim_cost(few))
            for name, service in services.items():
                costs[name].append(_claim_cost(service))
    base = statistics.median(costs["few"])
    for name in services:
        cost = statistics.median(costs[name])
        yield Measure(
            what=f"claim of 10 with {name}, against {FEW:,} pending",
            value=cost / base,
            unit="x",
            goal=GOAL,
            better="less",
            details=f"{cost * 1e6:.0f} against {base * 1e6:.0f} us",
        )


def _claim_cost(service: CoordinationService) -> float:
    """The median time of a claim of ten, which are then released, so that the line stays as it is."""
    times: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        claimed = service.claim(QUEUE, worker_id=WORKER, limit=10)
        times.append(time.perf_counter() - began)
        assert len(claimed) == 10, "there is always something to claim"
        service.end([Released(job) for job in claimed])
    return statistics.median(times)


def _delay(service: CoordinationService, count: int) -> None:
    """Jobs that failed and wait for hours."""
    add_jobs(service, count)
    # The bench's own service with a long back-off, on the same store.
    patient = CoordinationService(
        service._store,
        clock=service._clock,
        policy=RetryPolicy(first=timedelta(hours=5), longest=timedelta(hours=5)),
    )
    failure = Failure("timed_out", "made for the bench", retryable=True)
    claimed = patient.claim(Queue(*QUEUE), worker_id=WORKER, limit=1_000)
    while claimed:
        endings = [Failed(job, failure) for job in claimed]
        claimed = patient.end_and_claim(endings, QUEUE, worker_id=WORKER, limit=1_000).claimed
