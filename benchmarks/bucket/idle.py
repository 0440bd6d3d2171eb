"""What an idle worker asks, and how soon it hears of a new job: in virtual time, at the pace of the worker's loop."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.bucket.effort import Effort
from benchmarks.bucket.large_bucket import LargeBucket
from benchmarks.bucket.simulation import Actor, Simulation
from benchmarks.bucket.workers import INTERVALS, LATENCY, BenchWorker
from benchmarks.harness import Measure
from blobforge.domain.ids import DEFAULT_PROJECT, WorkerId
from blobforge.domain.job import NewJob
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.testing.builders import hash_of
from blobforge.testing.clock import START
from blobforge.worker.loop_settings import LoopSettings
from blobforge.worker.polling import Polling

OWN = ("get hint", "list todo", "get turn", "put worker")
"""The others are sweeps of the elected reaper: listings of records and, now and then, of everything."""
BACK_OFF = 60.0
"""Seconds until an idle worker waits as long as it ever does."""
SETTINGS = LoopSettings(worker_id=WorkerId("any"), slots=1, longest_poll_interval=INTERVALS.idle)


def measures(effort: Effort) -> Iterator[Measure]:
    yield _requests(1, effort.idle_minutes)
    yield _requests(20, effort.idle_minutes)
    yield _found_after(20)


def requests_of(workers: int, minutes: int) -> Counter[str]:
    """What a fleet asks in so many minutes in which there is nothing to do, by kind."""
    bucket = LargeBucket()
    simulation = Simulation(bucket, latency=LATENCY)
    end = BACK_OFF + 60 * minutes
    for number in range(workers):
        simulation.cast(_bulk(number, until=end), at=number * 0.7)
        simulation.cast(_beating(number, until=end), at=number * 0.7)
    simulation.cast(lambda _: bucket.requests.clear(), at=BACK_OFF)
    simulation.run()
    return bucket.requests


def _requests(workers: int, minutes: int) -> Measure:
    each = {kind: count / minutes / workers for kind, count in sorted(requests_of(workers, minutes).items())}
    swept = sum(count for kind, count in each.items() if kind not in OWN)
    return Measure(
        what=f"requests of an idle worker in a minute, {'alone' if workers == 1 else f'one of {workers}'}",
        value=sum(each.values()),
        unit="requests",
        goal=6,
        better="less",
        details=f"{', '.join(f'{kind} {count:.2f}' for kind, count in each.items() if kind in OWN)}; its "
        f"share of the janitor's work {swept:.2f}",
    )


def _found_after(tries: int) -> Measure:
    """The longest of several tries: idle workers, and a job that comes at any moment between their polls."""
    waits: list[float] = []
    for number in range(tries):
        simulation = Simulation(LargeBucket(), latency=LATENCY)
        submitted = 300 + number * INTERVALS.idle.total_seconds() / tries
        found: list[float] = []
        simulation.cast(_bulk(0, until=submitted + 60, on_found=found.append))
        simulation.cast(_submit, at=submitted)
        simulation.run()
        waits.append(min(found, default=float("inf")) - submitted)
    return Measure(
        what="a new job is found by the one worker there is after at most",
        value=max(waits),
        unit="s",
        goal=15,
        better="less",
        details=f"{tries} tries; mean {sum(waits) / len(waits):.1f} s",
    )


def _bulk(number: int, *, until: float, on_found: Callable[[float], None] | None = None) -> Callable[[Actor], None]:
    def look(actor: Actor) -> None:
        polling = Polling(SETTINGS, seconds=lambda: actor.seconds)
        with BenchWorker(actor, number) as worker:
            while actor.seconds < until:
                if worker.step([]) is not None and on_found is not None:
                    on_found(actor.seconds)
                    return
                polling.plan_next(found=0, limit=1)
                actor.wait(polling.seconds_to_poll())

    return look


def _beating(number: int, *, until: float) -> Callable[[Actor], None]:
    def beat(actor: Actor) -> None:
        me = Worker(id=WorkerId(f"worker-{number}"), type="pdf", status=WorkerStatus.ONLINE, last_heartbeat=START)
        with BenchWorker(actor, number) as worker:
            while actor.seconds < until:
                worker.service.register_worker(replace(me, last_heartbeat=actor.objects.now()))
                actor.wait(SETTINGS.heartbeat.total_seconds())

    return beat


def _submit(actor: Actor) -> None:
    with BenchWorker(actor, 99) as worker:
        worker.service.submit([NewJob(DEFAULT_PROJECT, "pdf", hash_of("news"))])
