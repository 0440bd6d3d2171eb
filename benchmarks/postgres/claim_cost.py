"""Whether a claim costs the same however many jobs wait, and however many have gone through."""

import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

import psycopg

from benchmarks.harness import Measure
from benchmarks.postgres import our_queue
from benchmarks.postgres.effort import Effort
from benchmarks.postgres.place import ClaimPosition
from benchmarks.postgres.rounds import Rounds, milliseconds
from benchmarks.queue import QUEUE, WORKER
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Released

FEW, MANY, PORTION = 1_000, 1_000_000, 20_000
CLAIMS, LIMIT = 40, 10
GOAL = 1.3
VACUUM_SECONDS = 150.0

_ADD = """
INSERT INTO jobs (project, type, source_hash, status, created_at, updated_at, ready)
SELECT 'default', 'pdf', encode(sha256(convert_to(%(name)s || number, 'UTF8')), 'hex'), 'pending', now(), now(), TRUE
FROM generate_series(1, %(count)s) AS number
"""
# Each in a statement and a transaction of its own, as real work leaves its dead rows behind.
_CLAIM = """
UPDATE jobs SET status = 'running', worker_id = 'bench', lease_number = 1, attempts = 1,
    lease_expires_at = now() + interval '180 s', due_at = now() + interval '180 s', started_at = now(),
    updated_at = now(), ready = FALSE, rev = rev + 1
WHERE ready
"""
_COMPLETE = """
UPDATE jobs SET status = 'completed', worker_id = NULL, lease_expires_at = NULL, due_at = NULL, completed_at = now(),
    updated_at = now(), result = '{}', rev = rev + 1
WHERE due_at IS NOT NULL
"""


_VACUUMED = """
SELECT autovacuum_count > 0 AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum) FROM pg_stat_user_tables
WHERE relname = 'jobs'
"""


def measures(place: ClaimPosition, effort: Effort) -> Iterator[Measure]:
    many = effort.of(MANY, least=PORTION)
    with ExitStack() as ending:
        urls = {name: ending.enter_context(place.empty_database()) for name in ("few", "many pending", "many finished")}
        services = {name: our_queue.open_service(url) for name, url in urls.items()}
        for service in services.values():
            ending.callback(service.close)
        _add(urls["few"], FEW)
        _add(urls["many pending"], many)
        for _ in range(many // PORTION):
            _work_through(urls["many finished"], PORTION)
        _add(urls["many finished"], FEW)
        contestants = {name: partial(_claim_cost, service) for name, service in services.items()}
        at_once = Rounds(contestants, rounds=effort.rounds)
        yield _against_few(at_once, "many pending", f"with {many:,} pending")
        yield _against_few(at_once, "many finished", f"right after {many:,} finished")
        if _is_vacuumed(urls["many finished"]):
            del contestants["many pending"]
            later = Rounds(contestants, rounds=effort.rounds)
            yield _against_few(later, "many finished", f"after {many:,} finished and one autovacuum")
        else:
            print(f"autovacuum did not come within {VACUUM_SECONDS:g} s: its row is left out", file=sys.stderr)


def _against_few(rounds: Rounds, name: str, what: str) -> Measure:
    return rounds.ratio(
        name,
        "few",
        what=f"claim of {LIMIT} {what}, against {FEW:,} pending and none finished",
        goal=GOAL,
        better="less",
        form=milliseconds,
    )


def _claim_cost(service: CoordinationService) -> float:
    """The median time of a claim of ten, which are then released, so that the queue stays as it is."""
    times: list[float] = []
    for _ in range(CLAIMS):
        began = time.perf_counter()
        claimed = service.claim(QUEUE, worker_id=WORKER, limit=LIMIT)
        times.append(time.perf_counter() - began)
        assert len(claimed) == LIMIT, "there is always something to claim"
        service.end([Released(job) for job in claimed])
    return statistics.median(times)


def _add(url: str, count: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for start in range(0, count, PORTION):
            name = f"{time.monotonic_ns()}-{start}-"
            connection.execute(_ADD, {"name": name, "count": min(PORTION, count - start)})


def _work_through(url: str, count: int) -> None:
    _add(url, count)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_CLAIM)
        connection.execute(_COMPLETE)


def _is_vacuumed(url: str) -> bool:
    """Waits for the server to do it by itself, as it does about once a minute."""
    end = time.monotonic() + VACUUM_SECONDS
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(_VACUUMED).fetchone() != (True,):
            if time.monotonic() > end:
                return False
            time.sleep(1)
    return True
