"""Many workers at one queue, each request of which takes 20 ms: how often they conflict, and whether they share it."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from benchmarks.bucket.effort import Effort
from benchmarks.bucket.simulation import Actor, Simulation
from benchmarks.bucket.workers import INTERVALS, LATENCY, BenchWorker, Claimed, drain, filled
from benchmarks.harness import Measure
from blobforge.domain.priority import Priority

WORKERS = 20
TIERS = (Priority.HIGH, Priority.NORMAL, Priority.LOW)
LEFT = (1, 10, 100)


class Run(NamedTuple):
    claims: Sequence[Claimed]
    outcomes: Counter[str]
    seconds: float


def measures(effort: Effort) -> Iterator[Measure]:
    yield from _shared(effort.crowd)
    for left in LEFT:
        yield _last_ones(left)


def _shared(jobs: int) -> Iterator[Measure]:
    chance = random.Random(1)
    run = _run([(str(number), chance.choice(TIERS)) for number in range(jobs)])
    where = f"{jobs:,} jobs in {len(TIERS)} tiers, {WORKERS} workers, {LATENCY * 1000:.0f} ms a request"
    met, busy = run.outcomes["conflict"], run.outcomes["held"]
    yield Measure(
        what=f"claims that met another worker ({where})",
        value=100 * met / jobs,
        unit="%",
        goal=5,
        better="less",
        details=f"{met:,} met, {busy:,} seen to be busy before; {run.seconds / 3600:.2f} hours of virtual time",
    )
    early = _out_of_order(run)
    yield Measure(
        what="claims of a tier while a job of a more urgent one was free",
        value=early,
        unit="claims",
        goal=0,
        better="less",
        details="free: claimed later by anyone, and not claimed in the same step",
    )
    shares = Counter(claim.worker for claim in run.claims)
    mean = jobs / WORKERS
    yield Measure(
        what="the farthest that a worker's share is from the mean",
        value=100 * max(abs(shares[number] - mean) / mean for number in range(WORKERS)),
        unit="%",
        goal=20,
        better="less",
        details=f"{min(shares.values()):,} to {max(shares.values()):,} jobs",
    )


def _out_of_order(run: Run) -> int:
    """A claim takes a few requests: only who was free before it began counts."""
    slack = 10 * LATENCY
    last = {tier: max((claim.at for claim in run.claims if claim.job.priority == tier), default=0.0) for tier in TIERS}
    return sum(
        any(last[tier] > claim.at + slack for tier in TIERS if tier < claim.job.priority) for claim in run.claims
    )


def _last_ones(left: int) -> Measure:
    """So many jobs somewhere in the key space, found by workers who are there already."""
    run = _run([(f"left {number}", Priority.NORMAL) for number in range(left)])
    last = max(claim.at for claim in run.claims)
    # With jobs of two seconds, so long it takes until a worker is free for the last one.
    rounds = -(-left // WORKERS) - 1
    return Measure(
        what=f"{left} left for {WORKERS} workers: until the last is claimed, less the time of {rounds} jobs",
        value=max(last - rounds * 2.0, 0.0),
        unit="s",
        goal=INTERVALS.idle.total_seconds(),
        better="less",
        details=f"all ended after {run.seconds:.1f} s; {run.outcomes['conflict']} met, {run.outcomes['held']} busy",
    )


def _run(jobs: Sequence[tuple[str, Priority]]) -> Run:
    simulation = Simulation(filled(jobs), latency=LATENCY)
    claims: list[Claimed] = []
    ended: list[float] = []
    workers: list[BenchWorker] = []

    def play(number: int) -> Callable[[Actor], None]:
        def work(actor: Actor) -> None:
            with BenchWorker(actor, number) as worker:
                workers.append(worker)
                drain(
                    worker,
                    seconds=lambda chance: chance.uniform(1, 3),
                    is_over=lambda: len(ended) >= len(jobs),
                    on_claim=claims.append,
                    on_end=lambda: ended.append(actor.seconds),
                )

        return work

    for number in range(WORKERS):
        simulation.cast(play(number), at=number / 1000)
    simulation.run()
    outcomes = sum((worker.store.claims.outcomes for worker in workers), Counter[str]())
    return Run(claims, outcomes, max(ended))
