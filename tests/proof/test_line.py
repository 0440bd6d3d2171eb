"""What takes more jobs than one: the order of the line, and a way past those that are taken."""

import pytest
from tests.proof.puppet import Seat
from tests.proof.queue import Desk, desk_of

from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.domain.priority import Priority
from blobforge.testing.builders import new_job
from blobforge.testing.simulated_bucket import SimulatedBucket

PAGES = 150
"""More jobs than two pages of a listing hold."""


@pytest.fixture
def bucket() -> SimulatedBucket:
    return SimulatedBucket()


def test_a_free_job_behind_pages_of_running_ones_is_found(bucket: SimulatedBucket) -> None:
    """P0, trace 14."""
    _desk(bucket).service.submit([new_job(f"document {number}") for number in range(PAGES)])
    busy = _desk(bucket)
    running = [_claim(busy, f"worker {number}") for number in range(PAGES - 1)]

    last = _claim(_desk(bucket), "the last worker")

    assert None not in running
    assert last is not None
    assert last.source_hash not in {job.source_hash for job in running if job is not None}


def test_a_critical_job_goes_before_all_others(bucket: SimulatedBucket) -> None:
    """P0, trace 15."""
    service = _desk(bucket).service
    service.submit([new_job(f"document {number}", priority=Priority.BACKGROUND) for number in range(PAGES)])
    service.submit([new_job("urgent", priority=Priority.CRITICAL)])

    first = _claim(_desk(bucket), "a worker")

    assert first is not None
    assert first.priority == Priority.CRITICAL


def test_a_worker_that_knows_a_page_hears_of_a_critical_job(bucket: SimulatedBucket) -> None:
    """P0, trace 15."""
    service, worker = _desk(bucket).service, _desk(bucket)
    service.submit([new_job(f"document {number}") for number in range(PAGES)])
    _claim(worker, "a worker")
    service.submit([new_job("urgent", priority=Priority.CRITICAL)])

    second = _claim(worker, "a worker")

    assert second is not None
    assert second.priority == Priority.CRITICAL


def _desk(bucket: SimulatedBucket) -> Desk:
    return desk_of(Seat("somebody", bucket.objects(), lambda _what, _value: None, lambda _: None))


def _claim(desk: Desk, worker: str) -> Job | None:
    return next(iter(desk.claim(WorkerId(worker))), None)
