"""How many requests a job takes from its claim to its end, while many workers share a long queue."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

from benchmarks.bucket.effort import Effort
from benchmarks.bucket.simulation import Actor, Simulation
from benchmarks.bucket.workers import LATENCY, BenchWorker, Claimed, drain, filled
from benchmarks.harness import Measure
from blobforge.domain.endings import Ending
from blobforge.domain.priority import Priority

WORKERS = 20
LOOKING = ("get hint", "list todo", "list record")
"""How a worker finds what to claim; the rest is the job's own."""
BACK_OFF = 600.0
"""Seconds after which a job that failed once is due again, and a sweep as well."""


def measures(effort: Effort) -> Iterator[Measure]:
    yield from _fresh(effort.backlog)
    yield _retried("the worker that failed tries again", _by_the_same_worker)
    yield _retried("the janitor frees it for another worker", _by_another_worker)


def _fresh(backlog: int) -> Iterator[Measure]:
    bucket = filled((str(number), Priority.NORMAL) for number in range(backlog))
    simulation = Simulation(bucket, latency=LATENCY)
    ended: list[int] = []
    costs: list[int] = []

    def play(number: int) -> Callable[[Actor], None]:
        def work(actor: Actor) -> None:
            before: list[int] = []

            def on_claim(_: Claimed) -> None:
                before.append(_own(actor.sent))
                costs.extend(now - then for then, now in pairwise(before[-2:]))

            with BenchWorker(actor, number) as worker:
                drain(
                    worker,
                    seconds=lambda chance: chance.uniform(1, 3),
                    is_over=lambda: len(ended) >= backlog,
                    on_claim=on_claim,
                    on_end=lambda: ended.append(number),
                )

        return work

    for number in range(WORKERS):
        simulation.cast(play(number), at=number / 1000)
    simulation.run()
    asked = bucket.requests
    per_job = {kind: count / backlog for kind, count in sorted(asked.items())}
    where = f"{backlog:,} jobs, {WORKERS} workers"
    yield Measure(
        what=f"requests from one claim to the next, the look for it apart ({where})",
        value=statistics.median(costs),
        unit="requests",
        goal=7,
        better="less",
        details=f"the median; mean {statistics.mean(costs):.2f}, with claims that met others and the janitor's turns",
    )
    yield Measure(
        what="looks at the hint beside them, for each job",
        value=per_job["get hint"],
        unit="requests",
        goal=None,
        better="less",
        details="one for each claim, or nobody would hear of a more urgent job",
    )
    yield Measure(
        what="LIST beside them, for each job, the janitor's included",
        value=sum(count for kind, count in per_job.items() if kind.startswith("list ")),
        unit="requests",
        goal=0.05,
        better="less",
        details=", ".join(f"{kind} {count:.3f}" for kind, count in per_job.items() if kind.startswith("list ")),
    )
    yield Measure(
        what="all requests of the whole run, for each job",
        value=sum(per_job.values()),
        unit="requests",
        goal=None,
        better="less",
        details=", ".join(f"{kind} {count:.2f}" for kind, count in per_job.items() if count >= 0.005),
    )


Way = Callable[[Simulation, Counter[str]], None]


def _retried(how: str, way: Way) -> Measure:
    """Of the second run alone; the first, which failed, is counted apart."""
    simulation = Simulation(filled([("a document", Priority.NORMAL)]), latency=LATENCY)
    second: Counter[str] = Counter()
    way(simulation, second)
    simulation.run()
    first = simulation.bucket.requests - second
    return Measure(
        what=f"requests of a second run from claim to done: {how}",
        value=_own(second),
        unit="requests",
        goal=9,
        better="less",
        details=f"{_told(second)}; the first run with its failure, and the janitor: {_told(first)}",
    )


def _by_the_same_worker(simulation: Simulation, second: Counter[str]) -> None:
    def work(actor: Actor) -> None:
        with BenchWorker(actor, 0) as worker:
            worker.service.end([_failed_once(worker)])
            actor.wait(BACK_OFF)
            _run_again(worker, second)

    simulation.cast(work)


def _by_another_worker(simulation: Simulation, second: Counter[str]) -> None:
    def fail(actor: Actor) -> None:
        with BenchWorker(actor, 0) as worker:
            worker.service.end([_failed_once(worker)])

    def sweep(actor: Actor) -> None:
        BenchWorker(actor, 1).service.sweep()

    def work(actor: Actor) -> None:
        with BenchWorker(actor, 2) as worker:
            _run_again(worker, second)

    for at, play in enumerate((fail, sweep, work)):
        simulation.cast(play, at=at * BACK_OFF)


def _failed_once(worker: BenchWorker) -> Ending:
    job = worker.step([])
    assert job is not None, "it waits"
    return worker.fail(job, 1)


def _run_again(worker: BenchWorker, second: Counter[str]) -> None:
    before = Counter(worker.actor.sent)
    job = worker.claim()
    assert job is not None, "it is time for another try"
    worker.service.end([worker.convert(job, 1)])
    second.update(worker.actor.sent - before)


def _own(sent: Counter[str]) -> int:
    return sum(count for kind, count in sent.items() if kind not in LOOKING)


def _told(sent: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" if count > 1 else kind for kind, count in sorted(sent.items()))
