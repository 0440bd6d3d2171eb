"""A bucket that refuses, takes its time, and does not answer at all for a minute."""

import pytest
from tests.e2e.bucket_queue import BucketQueue, documents
from tests.e2e.program import until
from tests.faulty_s3 import Fault

OUTAGE_SECONDS = 50.0
"""Longer than the 45 seconds for which one request is tried again, so that workers hear of it."""
PATIENT = {"BLOBFORGE_LEASE_SECONDS": "900", "BLOBFORGE_HEARTBEAT_SECONDS": "2"}
"""Leases as they are by default outlast an outage, so that it costs no attempt."""


@pytest.mark.extended
def test_a_store_that_is_busy_slow_and_then_silent_for_long_costs_no_attempt(bucket_queue: BucketQueue) -> None:
    """A silence shorter than the lease, that is."""
    queue = bucket_queue
    jobs = queue.submit(*documents(8), hang_seconds=1)
    worker = queue.start("worker", "--type", "echo", "--slots", "2", "--drain", "--json", **PATIENT)
    until(lambda: bool(queue.publications()))

    with queue.proxy.fault(Fault.BUSY, path=queue.prefix, times=30):
        until(lambda: sum(seen.status == 503 for seen in queue.proxy.seen) >= 10)
    with queue.proxy.fault(Fault.SLOW, path=queue.prefix, seconds=1.0, times=10) as slow:
        until(lambda: slow.left == 0)
    with queue.proxy.fault(Fault.SILENT, path=queue.prefix) as silent:
        silent.lifted.wait(OUTAGE_SECONDS)
    out, err = worker.communicate(timeout=60)

    assert '"failed": 0' in out, err
    assert '"lost": 0' in out, err
    assert "does not answer" in err
    assert queue.completed() == jobs
    assert {queue.job(job).attempts for job in jobs} == {1}
    assert set(queue.publications().values()) == {1}
    assert queue.is_in_order()
