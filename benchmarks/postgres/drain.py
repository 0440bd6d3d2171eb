"""How fast no-op jobs go through, in one and in four worker processes, one by one and in batches."""

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.harness import Measure
from benchmarks.postgres import our_queue, pgqueuer_queue, plain_sql, procrastinate_queue
from benchmarks.postgres.effort import Effort
from benchmarks.postgres.place import ClaimPosition
from benchmarks.postgres.race import Work, rate
from benchmarks.postgres.rounds import Rounds, per_second

OURS, PLAIN, PROCRASTINATE, PGQUEUER = "ours", "plain SQL", "procrastinate", "PgQueuer"

_WORK: dict[str, tuple[Work, Callable[[str, int], None]]] = {
    OURS: (our_queue.drain, our_queue.fill),
    PLAIN: (plain_sql.drain, our_queue.fill),
    PROCRASTINATE: (procrastinate_queue.drain, procrastinate_queue.fill),
    PGQUEUER: (pgqueuer_queue.drain, pgqueuer_queue.fill),
}
_NOTE = "ours ends and claims in one transaction and writes attempts; each commit waits for the disk"


def measures(place: ClaimPosition, effort: Effort) -> Iterator[Measure]:
    for batch, jobs in ((1, 1_000), (10, 5_000), (100, 20_000)):
        for processes in (1, 4):
            yield from _of(place, effort, processes=processes, batch=batch, jobs=effort.of(jobs, least=10 * batch))


def _of(place: ClaimPosition, effort: Effort, *, processes: int, batch: int, jobs: int) -> Iterator[Measure]:
    peer, share, lead = (PROCRASTINATE, 0.7, 1.5) if batch == 1 else (PGQUEUER, 0.65, 1.0)
    names = (OURS, PLAIN, peer) if batch > 1 else (OURS, PLAIN, peer, PGQUEUER)
    rounds = Rounds(
        {name: partial(_rate, place, name, processes=processes, batch=batch, jobs=jobs) for name in names},
        rounds=effort.rounds,
    )
    how = f"drain, batch {batch}, {processes} {'process' if processes == 1 else 'processes'}"
    yield rounds.ratio(OURS, PLAIN, what=f"{how}: against plain SQL", goal=share, form=per_second, note=_NOTE)
    for other in names[2:]:
        goal = lead if other == peer else None
        yield rounds.ratio(OURS, other, what=f"{how}: against {other}", goal=goal, form=per_second)


def _rate(place: ClaimPosition, name: str, *, processes: int, batch: int, jobs: int) -> float:
    work, fill = _WORK[name]
    kind = OURS if name == PLAIN else name
    with place.database(f"{kind} {jobs}", lambda url: fill(url, jobs)) as url:
        return rate(work, url, processes=processes, batch=batch, jobs=jobs)
