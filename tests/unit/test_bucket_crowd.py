"""The simulation behind `make bench-bucket`, made small: many workers at one bucket share the work."""

import random
from collections import Counter

from benchmarks.bucket import crowd

JOBS = 400


def test_twenty_workers_do_every_job_once_and_share_them() -> None:
    """R0-81: the full size is measured by `make bench-bucket`."""
    chance = random.Random(1)
    jobs = [(str(number), chance.choice(crowd.TIERS)) for number in range(JOBS)]

    run = crowd._run(jobs)

    claimed = Counter(claim.job for claim in run.claims)
    assert len(claimed) == JOBS
    assert set(claimed.values()) == {1}
    assert len({claim.worker for claim in run.claims}) == crowd.WORKERS
    assert crowd._out_of_order(run) == 0
