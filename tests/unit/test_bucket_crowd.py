"""The simulation behind `make bench-bucket`, made small: many workers at one bucket share the work."""

import random
from collections import Counter

import pytest
from benchmarks.bucket import crowd, idle

JOBS = 400


def test_twenty_workers_do_every_job_once_and_share_them() -> None:
    """R0-81: the full size is measured by `make bench-bucket`."""
    chance = random.Random(1)
    jobs = [(str(number), chance.choice(crowd.TIERS)) for number in range(JOBS)]

    run = crowd._run(jobs)

    claimed = Counter(claim.job for claim in run.claims)
    assert len(claimed) == JOBS
    assert set(claimed.values()) == {1}
    shares = Counter(claim.worker for claim in run.claims)
    assert len(shares) == crowd.WORKERS
    assert max(abs(share - JOBS / crowd.WORKERS) for share in shares.values()) <= 0.2 * JOBS / crowd.WORKERS
    assert crowd._out_of_order(run) == 0


def test_twenty_workers_without_work_ask_seldom() -> None:
    """R0-82: with the real waits of the loop, the real queue, and all that the janitor of the hour asks."""
    workers, minutes = crowd.WORKERS, 20

    asked = idle.requests_of(workers, minutes)

    listings = sum(count for kind, count in asked.items() if kind.startswith("list "))
    assert listings / minutes <= 120
    assert asked.total() / minutes / workers <= 6
    # The janitor's look at all cells is made by one of them for all.
    assert asked["list cell"] <= minutes
    # Whoever does not look at all asks for nothing either.
    assert asked["get hint"] / minutes / workers >= 60 / 15 - 1
    assert asked["put worker"] / minutes / workers == pytest.approx(1, abs=0.1)
