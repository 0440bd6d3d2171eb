"""How fast jobs come in: many at once, and from four producers while someone listens."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

import psycopg
from sqlalchemy import make_url

from benchmarks.harness import Measure
from benchmarks.postgres import our_queue, pgqueuer_queue, plain_sql
from benchmarks.postgres.effort import Effort
from benchmarks.postgres.place import ClaimPosition
from benchmarks.postgres.race import Work, rate
from benchmarks.postgres.rounds import Rounds, per_second
from blobforge.coordination.sql.postgres.wakeup import ListenWakeup
from blobforge.domain.ids import DEFAULT_PROJECT
from blobforge.domain.job import NewJob
from blobforge.testing.builders import hash_of

AT_ONCE = 10_000
PRODUCED, BATCH = 40_000, 100


def measures(place: ClaimPosition, effort: Effort) -> Iterator[Measure]:
    jobs = effort.of(AT_ONCE, least=100)
    rounds = Rounds(
        {
            "ours": partial(_bulk, place, jobs, _ours),
            "COPY and INSERT": partial(_bulk, place, jobs, _plain),
            "PgQueuer": partial(_pgqueuer, place, jobs),
        },
        rounds=effort.rounds,
    )
    how = f"enqueue of {jobs:,} at once"
    note = "ours makes the jobs, gives each one back and refuses what is known already"
    yield rounds.ratio(
        "ours", "COPY and INSERT", what=f"{how}: against COPY and INSERT", goal=0.9, form=per_second, note=note
    )
    yield rounds.ratio("ours", "PgQueuer", what=f"{how}: against PgQueuer", goal=0.6, form=per_second)
    yield from _producers(place, effort)


def _producers(place: ClaimPosition, effort: Effort) -> Iterator[Measure]:
    jobs = effort.of(PRODUCED, least=our_queue.PRODUCERS * BATCH)
    rounds = Rounds(
        {
            "with": partial(_produced, place, jobs, our_queue.produce),
            "without": partial(_produced, place, jobs, our_queue.produce_silently),
        },
        rounds=effort.rounds,
    )
    yield rounds.ratio(
        "with",
        "without",
        what=f"enqueue in batches of {BATCH}, {our_queue.PRODUCERS} processes: with notifications, against without",
        goal=0.9,
        form=per_second,
        note="one listens all the time",
    )


def _bulk(place: ClaimPosition, jobs: int, add: Callable[[str, int], float]) -> float:
    with place.database("no jobs", lambda url: our_queue.fill(url, 0)) as url:
        return jobs / add(url, jobs)


def _ours(url: str, jobs: int) -> float:
    service = our_queue.open_service(url)
    new = [NewJob(DEFAULT_PROJECT, "pdf", hash_of(str(number))) for number in range(jobs)]
    began = time.perf_counter()
    service.submit(new)
    seconds = time.perf_counter() - began
    service.close()
    return seconds


def _plain(url: str, jobs: int) -> float:
    now = datetime.now(UTC)
    rows = [plain_sql.new_row(hash_of(str(number)), now) for number in range(jobs)]
    with psycopg.connect(url, autocommit=True) as connection:
        began = time.perf_counter()
        plain_sql.copy_in(connection, rows)
        return time.perf_counter() - began


def _pgqueuer(place: ClaimPosition, jobs: int) -> float:
    with place.database("no PgQueuer jobs", pgqueuer_queue.install) as url:
        return jobs / pgqueuer_queue.enqueue_seconds(url, jobs)


def _produced(place: ClaimPosition, jobs: int, work: Work) -> float:
    with place.database("no jobs", lambda url: our_queue.fill(url, 0)) as url:
        listening = ListenWakeup(make_url(url), on_notify=lambda: None).subscribe(lambda: None)
        try:
            return rate(work, url, processes=our_queue.PRODUCERS, batch=BATCH, jobs=jobs)
        finally:
            listening.close()
