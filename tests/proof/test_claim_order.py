"""What takes more jobs than one: the order of the scanner, and a way past those that are taken."""

import pytest
from tests.proof.queue import ActorQueue, queue_of
from tests.proof.stepper import ActorContext

from blobforge.domain.ids import WorkerId
from blobforge.domain.priority import Priority
from blobforge.testing.builders import hash_of, new_job
from blobforge.testing.simulated_bucket import SimulatedBucket

MORE_THAN_A_PAGE = 1_020


@pytest.fixture
def bucket() -> SimulatedBucket:
    return SimulatedBucket()


def test_a_free_job_behind_a_page_of_running_ones_is_found(bucket: SimulatedBucket) -> None:
    """P0, trace 14."""
    *others, last = sorted((f"document {number}" for number in range(MORE_THAN_A_PAGE)), key=hash_of)
    _desk(bucket).service.submit([new_job(document) for document in others])
    running = _desk(bucket).claim(WorkerId("busy"), limit=len(others))
    _desk(bucket).service.submit([new_job(last)])

    (found,) = _desk(bucket).claim(WorkerId("the last worker"))

    assert len(running) == len(others)
    assert found.source_hash == hash_of(last)


def test_a_critical_job_goes_before_all_others(bucket: SimulatedBucket) -> None:
    """P0, trace 15."""
    service = _desk(bucket).service
    service.submit([new_job(f"document {number}", priority=Priority.BACKGROUND) for number in range(MORE_THAN_A_PAGE)])
    service.submit([new_job("urgent", priority=Priority.CRITICAL)])

    (first,) = _desk(bucket).claim(WorkerId("a worker"))

    assert first.priority == Priority.CRITICAL


def test_a_worker_with_a_listed_page_notices_a_critical_job(bucket: SimulatedBucket) -> None:
    """P0, trace 15."""
    service, worker = _desk(bucket).service, _desk(bucket)
    service.submit([new_job(f"document {number}") for number in range(MORE_THAN_A_PAGE)])
    worker.claim(WorkerId("a worker"))
    service.submit([new_job("urgent", priority=Priority.CRITICAL)])

    (second,) = worker.claim(WorkerId("a worker"))

    assert second.priority == Priority.CRITICAL


def _desk(bucket: SimulatedBucket) -> ActorQueue:
    return queue_of(ActorContext("somebody", bucket.objects(), lambda _what, _value: None, lambda _: None))
