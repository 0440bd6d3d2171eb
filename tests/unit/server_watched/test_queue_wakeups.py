"""Who is woken when something was written to the queue."""

import asyncio
from pathlib import Path

import pytest
from tests.server_parts import files_in, parts_over

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.ids import JobId
from blobforge.server.hub import ClaimLine, JobLine, WaitingLine
from blobforge.server.parts import ServerParts
from blobforge.server.queue_wakeups import QueueWakeups
from blobforge.testing.builders import LEASE, new_job
from blobforge.testing.clock import FakeClock

FOR_PDFS = ClaimLine("default", ("pdf",), frozenset())


@pytest.fixture
def parts(tmp_path: Path) -> ServerParts:
    clock = FakeClock()
    service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=LEASE)
    return parts_over(service, clock, files_in(tmp_path, clock, service))


def woken_by_a_write(parts: ServerParts, line: WaitingLine) -> bool:
    async def write() -> bool:
        with parts.hub.listen(line) as waiter:
            QueueWakeups(parts).from_thread()
            return await waiter.wait(1)

    return asyncio.run(write())


def test_a_write_to_a_queue_without_pending_jobs_wakes_no_worker_and_is_no_news(parts: ServerParts) -> None:
    before = parts.hub.version

    assert not woken_by_a_write(parts, FOR_PDFS)
    assert parts.hub.version == before


def test_a_write_wakes_who_waits_for_the_end_of_a_job(parts: ServerParts) -> None:
    assert woken_by_a_write(parts, JobLine("default", JobId(1)))


def test_a_job_that_another_process_queued_wakes_a_worker(parts: ServerParts) -> None:
    parts.coordinator.submit([new_job("a")])
    before = parts.hub.version

    assert woken_by_a_write(parts, FOR_PDFS)
    assert parts.hub.version > before
