"""What a worker does with jobs that people steer, and what it leaves for them to read."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.integration.worker import strange_processors as strange
from tests.integration.worker.site import Site
from tests.integration.worker.workbench import has_ended

from blobforge.domain.job import State
from blobforge.worker.error_log import read_error_log

OpenSite = Callable[..., Site]
NEVER = timedelta(hours=1)


@pytest.fixture
def sleepy(open_site: OpenSite) -> Site:
    return open_site(sleeper=strange.Sleeper)


def test_a_failed_attempt_leaves_its_traceback_in_the_store(open_site: OpenSite) -> None:
    """R2-21."""
    site = open_site(clumsy=strange.Clumsy)
    job = site.submit("a document", type="clumsy", max_attempts=2)

    site.drain()

    attempts = read_error_log(site.blobs, site.job(job))
    assert site.state(job) is State.DEAD
    assert [(attempt.attempt, attempt.outcome) for attempt in attempts][-1] == (site.job(job).attempts, "died")
    assert {attempt.worker for attempt in attempts} == {"alice"}
    assert {attempt.filename for attempt in attempts} == {"a document.pdf"}
    assert all("Traceback" in (attempt.traceback or "") for attempt in attempts)


def test_a_worker_that_claims_its_requeued_job_again_ends_the_child_that_had_it_before(sleepy: Site) -> None:
    """R2-29."""
    job = sleepy.submit("a document", type="sleeper")
    # No heartbeat tells it of the loss: it finds out by claiming the job anew.
    sleepy.start(slots=2, check=NEVER, heartbeat=NEVER)
    first = sleepy.diary.child(0)

    sleepy.coordinator.requeue(job.id)
    second = sleepy.diary.child(1)

    assert has_ended(first, within=5)
    assert not has_ended(second, within=0.2)
    assert (sleepy.job(job).attempts, sleepy.job(job).lease_number) == (1, 2)
